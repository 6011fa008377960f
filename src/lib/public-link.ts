/**
 * Addresses that others give us for people to be shown or sent to. A link to a private address is bait: it leads to the
 * reader's own router or machine. The rules are those of the outbound guard, without a look-up: a name that resolves to a
 * private address is not found out here. SOUK_OUTBOUND_ALLOW opens addresses to this service, not to its readers, so it
 * does not count.
 */
import { canonicalAddress, isBlockedAddress, isLocalName } from './outbound.addresses.ts'
import { normaliseHost } from './outbound.allow.ts'

export const NOT_PUBLIC = 'must point to a public host, not a local name or private address'

/** Of a parsed URL, which has one spelling for each address: 0x7f.1 and 2130706433 are 127.0.0.1 there. */
export function isPublicHost({ hostname }: Pick<URL, 'hostname'>): boolean {
  const host = normaliseHost(hostname)
  if (host === null) return false
  const address = canonicalAddress(host)
  return address === null ? !isLocalName(host) : !isBlockedAddress(address)
}
