/**
 * The short way for reads that are already prepared: straight from node:http to the cached bytes, around the router.
 * It answers exactly what the long way would, or steps aside; a test holds the two against each other.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { requestIdFor, securityHeaders } from '../http/middleware.ts'
import { chooseVariant, isNotModified, notModifiedHeaders, type Variant } from '../http/prepared.ts'
import { createAccessLog, type Log } from '../lib/log.ts'
import type { Reads } from './reads.ts'

type Options = { reads: Reads; trustProxy: boolean; https: boolean; log: Log }

/** True when the request has been answered. */
export type ReadyReads = (request: IncomingMessage, response: ServerResponse) => boolean

export function createReadyReads({ reads, trustProxy, https, log }: Options): ReadyReads {
  const security = securityHeaders(https).flat()
  const logAccess = createAccessLog(log)
  return (request, response) => {
    const { method, url = '', headers } = request
    if ((method !== 'GET' && method !== 'HEAD') || !(url.startsWith('/p/') || url.startsWith('/c/')))
      return false
    const prepared = reads.ready(url, headers.accept)
    const variant = prepared && chooseVariant(prepared, headers['accept-encoding'] as string | undefined)
    if (!prepared || !variant) return false
    const started = performance.now()
    const requestId = requestIdFor(headers['x-request-id'] as string | undefined, trustProxy)
    const fresh = isNotModified(
      variant,
      prepared.lastModified,
      headers['if-none-match'],
      headers['if-modified-since'],
    )
    const status = fresh ? 304 : 200
    response.writeHead(status, [
      'X-Request-Id',
      requestId,
      ...security,
      ...(fresh ? flat(notModifiedHeaders(variant)) : flatHeaders(variant)),
    ])
    response.end(fresh || method === 'HEAD' ? undefined : variant.body)
    logAccess({ requestId, method, path: url, status, ms: performance.now() - started })
    return true
  }
}

const flattened = new WeakMap<Variant, string[]>()

/** The headers of a variant never change: flattened once for all its readers. */
function flatHeaders(variant: Variant): string[] {
  const known = flattened.get(variant)
  if (known) return known
  const list = flat(variant.headers)
  flattened.set(variant, list)
  return list
}

function flat(headers: Record<string, string>): string[] {
  return Object.entries(headers).flat()
}
