/**
 * Reads a UCP discovery profile, whatever revision wrote it. 2026-01-11 has one object a service with a transport a key,
 * and a list of capabilities; later ones have a list of `{ version, transport, endpoint }` a service, and capabilities by
 * name. A profile comes from outside: what is kept of it is bounded and plain.
 */
import { isRecord } from '../lib/validate.ts'

const SHOPPING = 'dev.ucp.shopping'
const CHECKOUT = 'dev.ucp.shopping.checkout'
/** Best first: what a REST client can call, then a tool server, then an agent's card. */
const TRANSPORTS = ['rest', 'mcp', 'a2a'] as const
const NAME = /^[a-zA-Z0-9][a-zA-Z0-9._-]{0,99}$/
const MAX_CAPABILITIES = 100
const MAX_URL = 2_048

export type UcpProfile =
  | { supported: true; version: string; capabilities: string[]; checkoutEndpoint: string | null }
  | { supported: false; reason: string }

type Fields = Record<string, unknown>
type Endpoint = { transport: unknown; endpoint: unknown; version: unknown }

export function readUcpProfile(value: unknown): UcpProfile {
  if (!isRecord(value)) return { supported: false, reason: 'the document is not a JSON object' }
  const ucp = own(value, 'ucp')
  if (!isRecord(ucp)) return { supported: false, reason: 'the document has no object named ucp' }
  const version = own(ucp, 'version')
  if (!isDate(version)) return { supported: false, reason: 'ucp.version is not a date like YYYY-MM-DD' }
  const services = own(ucp, 'services')
  if (!isRecord(services)) return { supported: false, reason: 'ucp.services is not an object' }
  const capabilities = capabilityNames(own(ucp, 'capabilities'))
  return {
    supported: true,
    version,
    // Beyond the bound only what decides is looked for, and nothing is kept.
    capabilities: capabilities.slice(0, MAX_CAPABILITIES),
    checkoutEndpoint: capabilities.includes(CHECKOUT)
      ? checkoutEndpoint(endpointsOf(own(services, SHOPPING)), version)
      : null,
  }
}

function capabilityNames(capabilities: unknown): string[] {
  const names = Array.isArray(capabilities)
    ? capabilities.map((entry) => (isRecord(entry) ? own(entry, 'name') : entry))
    : isRecord(capabilities)
      ? Object.keys(capabilities)
      : []
  return [...new Set(names.filter((name) => typeof name === 'string' && NAME.test(name)))] as string[]
}

function endpointsOf(service: unknown): Endpoint[] {
  if (Array.isArray(service)) return service.filter(isRecord).map(endpoint)
  if (!isRecord(service)) return []
  if (typeof own(service, 'transport') === 'string') return [endpoint(service)]
  return TRANSPORTS.flatMap((transport) => {
    const at = own(service, transport)
    return isRecord(at) ? [{ ...endpoint(at), transport }] : []
  })
}

function endpoint(entry: Fields): Endpoint {
  return {
    transport: own(entry, 'transport'),
    endpoint: own(entry, 'endpoint'),
    version: own(entry, 'version'),
  }
}

/** A service may be offered in several versions: the profile's own first. */
function checkoutEndpoint(endpoints: readonly Endpoint[], version: string): string | null {
  const current = endpoints.filter((entry) => entry.version === version)
  const ordered = [...current, ...endpoints]
  for (const transport of TRANSPORTS) {
    const urls = ordered
      .filter((entry) => entry.transport === transport)
      .map((entry) => secureUrl(entry.endpoint))
    const url = urls.find((found) => found !== null)
    if (url) return transport === 'rest' ? `${restRoot(url)}/checkout-sessions` : url.href
  }
  return null
}

function restRoot(url: URL): string {
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '')
}

function secureUrl(text: unknown): URL | null {
  if (typeof text !== 'string' || text.length > MAX_URL) return null
  const url = URL.parse(text)
  return url && url.protocol === 'https:' && url.username === '' && url.password === '' ? url : null
}

function isDate(value: unknown): value is string {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return false
  const time = Date.parse(`${value}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value)
}

/** Its own field: a profile that says nothing of `toString` has none. */
function own(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined
}
