/** Domains where anybody gets a mailbox: an address there proves nothing about who owns the domain. */
import freeEmailDomains from 'free-email-domains'

const FREEMAIL: ReadonlySet<string> = new Set(freeEmailDomains)

export function isFreemail(domain: string): boolean {
  return FREEMAIL.has(domain)
}
