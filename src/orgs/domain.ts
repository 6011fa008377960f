/**
 * Reads the domain an organization says is its own. People paste addresses, so scheme, path, port and `www.` go; what is
 * left is the name as DNS and certificates spell it, lower case and ASCII. It is strict about the rest, because proofs
 * and rights hang on this name: nothing that is no public host name, and no two spellings of one domain.
 */
import freeEmailDomains from 'free-email-domains'
import { isLocalName } from '../lib/outbound.addresses.ts'

const MAX_LENGTH = 253
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
/** What no host name has, in whatever script; `%` would be decoded and tabs dropped by the URL parser. */
const NEVER_IN_A_HOST = /[\s\p{Cc}%<>^|`{}"'\\[\]]/u
/** A name whose last label is a number is read as an IPv4 address, in octal and hexadecimal too. */
const NUMBER = /^(?:\d+|0x[0-9a-f]*)$/

type ParsedDomain = { domain: string; problem?: undefined } | { domain?: undefined; problem: string }

export function parseDomain(given: string): ParsedDomain {
  const authority = given
    .trim()
    .replace(/^(?:[a-z][a-z0-9+.-]*:)?\/\//i, '')
    .replace(/[/?#].*$/su, '')
  if (authority.includes('@')) return { problem: 'must be a domain, without a user name' }
  if (authority.startsWith('[')) return { problem: 'must be a domain, not an IP address' }
  const host = authority.replace(/:\d{0,5}$/, '')
  if (host === '' || NEVER_IN_A_HOST.test(host) || host.includes(':')) return { problem: MALFORMED }
  const ascii = URL.parse(`http://${host}/`)?.hostname.replace(/\.$/, '')
  if (ascii === undefined) return { problem: endsInNumber(host) ? NO_ADDRESS : MALFORMED }
  return checkName(withoutWww(ascii))
}

const MALFORMED = 'must be a domain such as acme.example'
const NO_ADDRESS = 'must be a domain, not an IP address'

function checkName(name: string): ParsedDomain {
  const labels = name.split('.')
  if (endsInNumber(name)) return { problem: NO_ADDRESS }
  if (name.length > MAX_LENGTH || !labels.every((label) => LABEL.test(label))) return { problem: MALFORMED }
  if (labels.length < 2) return { problem: 'must have a dot: a domain such as acme.example' }
  if (isLocalName(name)) return { problem: 'must be a public domain' }
  return { domain: name }
}

function endsInNumber(name: string): boolean {
  return NUMBER.test(name.replace(/\.$/, '').split('.').at(-1)?.toLowerCase() ?? '')
}

/** `www.acme.example` and `acme.example` are one to their owner; `www.com` is a domain of its own. */
function withoutWww(name: string): string {
  return name.replace(/^(?:www\.)+(?=[^.]+\.[^.])/, '')
}

/** Domains where anybody gets a mailbox: an address there proves nothing about who owns the domain. */
const FREEMAIL: ReadonlySet<string> = new Set(freeEmailDomains)

export function isFreemail(domain: string): boolean {
  return FREEMAIL.has(domain)
}

const SHOP = /^[a-z0-9][a-z0-9-]*\.myshopify\.com$/
const SUFFIX = '.myshopify.com'
/** A DNS label. */
const MAX_SHOP_NAME = 63

/** A Shopify shop, read in the ways people write it and kept in one: `acme.myshopify.com`. Null if it is not one. */
export function parseShopifyShop(given: string): string | null {
  const host = given
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/[/?#].*$/s, '')
  const shop = host.includes('.') ? host : `${host}${SUFFIX}`
  return SHOP.test(shop) && shop.length <= MAX_SHOP_NAME + SUFFIX.length ? shop : null
}
