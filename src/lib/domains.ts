/**
 * Whether a host name belongs to a domain: it is the domain, or a name below it. Ownership of a product and
 * of an agent's address is decided by this, so it compares whole labels ("evilacme.example" is not within
 * "acme.example") and answers no to anything that is not a host name, an IP address included: a name below an
 * address means nothing, and two that look alike may be written differently.
 */
const LABELS =
  /^(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)+$/
const DIGITS_LAST = /(?:^|\.)(?:\d+|0x[0-9a-f]*)$/

/** `domain` must have at least two labels: a whole top-level domain belongs to nobody. */
export function isWithinDomain(host: string, domain: string): boolean {
  const name = canonical(host)
  const above = canonical(domain)
  if (name === undefined || above === undefined) return false
  return name === above || name.endsWith(`.${above}`)
}

/**
 * The host of an address that leaves the domain, null where it stays. A buyer trusts the seller that is named, so a link
 * away from the proved domain says where it goes; without a proved domain every link does.
 */
export function foreignHost(address: string, domain: string | null): string | null {
  const { hostname, host } = new URL(address)
  return domain !== null && isWithinDomain(hostname, domain) ? null : host
}

// URL turns names of other scripts into their ASCII form, the one certificates and DNS speak.
function canonical(name: string): string | undefined {
  const bare = name.trim().toLowerCase().replace(/\.$/, '')
  if (/[\s/\\?#@:[\]%]/.test(bare)) return undefined
  const parsed = URL.parse(`http://${bare}/`)?.hostname
  if (parsed === undefined || DIGITS_LAST.test(parsed) || !LABELS.test(parsed)) return undefined
  return parsed
}
