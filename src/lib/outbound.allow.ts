/**
 * SOUK_OUTBOUND_ALLOW: the operator's exceptions to "public addresses only". Two forms, comma separated:
 * `host:port` opens that address or name at that port, also over plain http; `host=address:port` sends requests
 * for that name to that address and port whatever port the URL says, and TLS still checks the name.
 * A mistake here must stop the start with one readable line, not turn into a refusal at three in the morning.
 */
import { canonicalAddress } from './outbound.addresses.ts'

export type OutboundAllow =
  | { kind: 'reach'; host: string; port: number }
  | { kind: 'pin'; host: string; address: string; port: number }

/**
 * A server of this process, on loopback under a name of its own. It has no certificate, so https to the name is plain http
 * there. Only the paths it has are reached.
 */
export type Inside = { host: string; address: string; port: number; paths: readonly string[] }

export type AllowIndex = {
  /** May this host or address be reached at this port although it is not public? */
  opens(host: string, port: number): boolean
  pinOf(host: string): { address: string; port: number } | undefined
  insideOf(url: URL): Inside | undefined
}

// https://fetch.spec.whatwg.org/#port-blocking: ports where other protocols listen and might take HTTP for theirs.
const BAD_PORTS = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
])

export function isBadPort(port: number): boolean {
  return BAD_PORTS.has(port)
}

/**
 * The host of a parsed URL as the rest of the module spells it: no brackets, no trailing dot.
 * Null when it is neither an address nor a name that DNS could hold.
 */
export function normaliseHost(urlHostname: string): string | null {
  if (urlHostname.startsWith('[')) return canonicalAddress(urlHostname.slice(1, -1))
  const host = urlHostname.endsWith('.') ? urlHostname.slice(0, -1) : urlHostname
  if (host.length === 0 || host.length > 253) return null
  return host.split('.').every((label) => /^[a-z0-9_-]{1,63}$/.test(label)) ? host : null
}

export function parseOutboundAllow(text: string): OutboundAllow[] {
  const entries = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map(parseEntry)
  const pinned = new Set<string>()
  for (const entry of entries) {
    if (entry.kind !== 'pin') continue
    if (pinned.has(entry.host)) throw new Error(`SOUK_OUTBOUND_ALLOW: ${entry.host} has two addresses`)
    pinned.add(entry.host)
  }
  return entries
}

export function indexAllow(
  entries: readonly OutboundAllow[],
  inside: () => readonly Inside[] = () => [],
): AllowIndex {
  const reach = new Set<string>()
  const pins = new Map<string, { address: string; port: number }>()
  for (const entry of entries) {
    if (entry.kind === 'reach') reach.add(`${entry.host} ${entry.port}`)
    else pins.set(entry.host, { address: entry.address, port: entry.port })
  }
  return {
    opens: (host, port) => reach.has(`${host} ${port}`),
    pinOf: (host) => pins.get(host),
    insideOf: ({ protocol, host, pathname, search }) =>
      protocol === 'https:' && search === ''
        ? inside().find((one) => one.host === host && one.paths.includes(pathname))
        : undefined,
  }
}

function parseEntry(entry: string): OutboundAllow {
  const fail = (why: string): never => {
    throw new Error(`SOUK_OUTBOUND_ALLOW: ${JSON.stringify(entry)}: ${why}`)
  }
  if (entry.includes('://')) fail('write host:port or host=address:port, without a scheme')
  const equals = entry.indexOf('=')
  const place = entry.slice(equals + 1)
  const match = /^(\[[^\]]*\]|[^:[\]]+):(\d{1,5})$/.exec(place)
  if (!match) {
    return fail(`${JSON.stringify(place)} is not host:port (an IPv6 address goes in brackets: [::1]:8080)`)
  }
  const port = Number(match[2])
  if (port < 1 || port > 65_535) return fail(`port ${port} is out of range`)
  const target = parseHost(match[1] ?? '')
  if (target === null) return fail(`${JSON.stringify(match[1])} is not a host`)
  if (equals === -1) {
    if (isBadPort(port)) return fail(`port ${port} is not allowed for web requests`)
    return { kind: 'reach', host: target, port }
  }

  const name = parseHost(entry.slice(0, equals))
  if (name === null || canonicalAddress(name) !== null) return fail('the part before = must be a host name')
  if (canonicalAddress(target) === null) {
    return fail('the part after = must be address:port, with a literal address')
  }
  return { kind: 'pin', host: name, address: target, port }
}

/** Through the URL parser, so that the list and the URLs it is compared with are spelt alike. */
function parseHost(text: string): string | null {
  if (/[\s/?#@\\:*]/.test(text) && !text.startsWith('[')) return null
  const url = URL.parse(`http://${text}/`)
  return url === null || url.pathname !== '/' || url.port !== '' ? null : normaliseHost(url.hostname)
}
