/**
 * From the text of a URL to the addresses that may be connected to. Two steps, so that nothing is resolved for a
 * URL that is refused on its face: `aim` judges the URL alone, `locate` resolves a name once and judges every
 * answer. One blocked answer refuses the whole name: a name that mixes public and private addresses is an attack
 * or a mistake. What `locate` returns is what gets dialled; nothing asks DNS again after it.
 */
import { lookup, Resolver } from 'node:dns/promises'
import { canonicalAddress, isBlockedAddress, isLocalName } from './outbound.addresses.ts'
import { type AllowIndex, isBadPort, normaliseHost } from './outbound.allow.ts'
import { codeOf, OutboundError } from './outbound.errors.ts'

export type Scheme = 'https' | 'http'

/** All addresses of a name, of both families; rejects when it has none. */
export type Resolve = (name: string) => Promise<string[]>

export type Target = {
  /** Key of the keep-alive pool, and what the Host header is made of. */
  origin: string
  secure: boolean
  /** A name in lower case without trailing dot, or an address without brackets. */
  host: string
  path: string
  /** The port to dial: the URL's, or the pinned one. */
  port: number
  place: { kind: 'address'; address: string } | { kind: 'name'; vouched: boolean }
  /** A server of this process; its connections are kept apart from all others. */
  isInside: boolean
}

type Resolvers = {
  /** Names anybody may have given us. */
  open: Resolve
  /** Names the operator vouched for in the allow list. */
  vouched: Resolve
}

export function aim(input: string | URL, schemes: readonly Scheme[], allow: AllowIndex): Target {
  const url = URL.parse(String(input))
  if (url === null) throw new OutboundError('invalid_url', 'The URL is not valid')
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new OutboundError('scheme', 'The URL must start with https://')
  }
  if (url.username !== '' || url.password !== '') {
    throw new OutboundError('invalid_url', 'The URL must not contain a user name or password')
  }
  const host = normaliseHost(url.hostname)
  if (host === null) throw new OutboundError('invalid_url', 'The host of the URL is not valid')
  const inside = allow.insideOf(url)
  if (inside) {
    const { address, port } = inside
    const place = { kind: 'address', address } as const
    return { origin: `http://${host}`, secure: false, host, path: url.pathname, port, place, isInside: true }
  }
  const secure = url.protocol === 'https:'
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port)
  if (isBadPort(port)) throw new OutboundError('invalid_url', `Port ${port} is not allowed for web requests`)

  const opened = allow.opens(host, port)
  const literal = canonicalAddress(host)
  const pin = literal === null ? allow.pinOf(host) : undefined
  const local = literal === null ? isLocalName(host) : isBlockedAddress(literal)
  if (local && !opened && !pin) throw unreachable(host)
  if (!opened && !schemes.includes(secure ? 'https' : 'http')) {
    throw new OutboundError('scheme', `The URL must start with ${schemes.join(':// or ')}://`)
  }
  const fixed = literal ?? pin?.address
  return {
    origin: `${url.protocol}//${literal?.includes(':') ? `[${literal}]` : host}${url.port && `:${url.port}`}`,
    secure,
    host,
    path: url.pathname + url.search,
    port: pin?.port ?? port,
    place: fixed === undefined ? { kind: 'name', vouched: opened } : { kind: 'address', address: fixed },
    isInside: false,
  }
}

export async function locate(
  target: Target,
  resolvers: Resolvers,
  allow: AllowIndex,
  signal: AbortSignal,
): Promise<string[]> {
  if (target.place.kind === 'address') return [target.place.address]
  const { vouched } = target.place
  const answers = await untilAborted(
    resolveName(target.host, resolvers[vouched ? 'vouched' : 'open']),
    signal,
  )
  const addresses = new Set<string>()
  for (const answer of answers) {
    const address = canonicalAddress(answer)
    const permitted =
      address !== null && (vouched || !isBlockedAddress(address) || allow.opens(address, target.port))
    if (!permitted) throw unreachable(target.host)
    addresses.add(address)
  }
  if (addresses.size === 0) throw new OutboundError('dns', `${target.host} has no address`)
  return [...addresses]
}

/**
 * Queries DNS directly. `dns.lookup` would occupy one of the process's four threads for as long as somebody's name
 * server keeps silent, and hold up every other lookup, file read and password hash with it.
 */
export function createDnsResolve(servers?: readonly string[]): Resolve {
  const resolver = new Resolver({ timeout: 1_000, tries: 2 })
  if (servers !== undefined) resolver.setServers(servers)
  return async (name) => {
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    const addresses = [v4, v6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (addresses.length === 0 && v4.status === 'rejected') throw v4.reason
    return addresses
  }
}

/** The operator's own names may stand in /etc/hosts, which only the system's lookup reads. */
export async function systemResolve(name: string): Promise<string[]> {
  return (await lookup(name, { all: true })).map((answer) => answer.address)
}

async function resolveName(name: string, resolve: Resolve): Promise<string[]> {
  try {
    return await resolve(name)
  } catch (error) {
    throw new OutboundError('dns', `${name} could not be resolved`, codeOf(error))
  }
}

function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

function unreachable(host: string): OutboundError {
  return new OutboundError(
    'private_address',
    `${host} is or resolves to a private or reserved address, which is not allowed`,
  )
}
