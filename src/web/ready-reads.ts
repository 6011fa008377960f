/**
 * The short way for reads that are already prepared: straight from node:http to the cached bytes, around the router.
 * It answers exactly what the long way would, or steps aside; a test holds the two against each other.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { securityHeaders } from '../http/middleware.ts'
import { chooseVariant, isNotModified, notModifiedHeaders, type Variant } from '../http/prepared.ts'
import { createRequestRecords } from '../http/request-record.ts'
import type { Log } from '../lib/log.ts'
import type { Reads } from './reads.ts'

type Options = { reads: Reads; trustProxy: boolean; https: boolean; log: Log }

const READS = /^\/(?:p|c|offers)\//

/** True when the request has been answered. */
export type ReadyReads = (request: IncomingMessage, response: ServerResponse) => boolean

export function createReadyReads({ reads, trustProxy, https, log }: Options): ReadyReads {
  const general = Object.fromEntries(securityHeaders(https))
  const records = createRequestRecords({ trustProxy, log })
  const wireForms = new WeakMap<Variant, WireForm>()

  function wireForm(variant: Variant): WireForm {
    const known = wireForms.get(variant)
    if (known) return known
    const made: WireForm = {
      headers: flat({ 'X-Request-Id': '', ...general, ...variant.headers }),
      unchangedHeaders: flat({ 'X-Request-Id': '', ...general, ...notModifiedHeaders(variant) }),
      body: variant.body.toString('latin1'),
    }
    wireForms.set(variant, made)
    return made
  }

  return (request, response) => {
    const { method, url = '', headers } = request
    if ((method !== 'GET' && method !== 'HEAD') || !READS.test(url)) return false
    const prepared = reads.ready(url, headers.accept)
    const variant = prepared && chooseVariant(prepared, headers['accept-encoding'] as string | undefined)
    if (!prepared || !variant) return false
    const header = (name: string) => headers[name] as string | undefined
    const record = records.begin({ method, path: url, header })
    const fresh = isNotModified(
      variant,
      prepared.lastModified,
      headers['if-none-match'],
      headers['if-modified-since'],
    )
    const wire = wireForm(variant)
    const status = fresh ? 304 : 200
    response.writeHead(status, withRequestId(fresh ? wire.unchangedHeaders : wire.headers, record.id))
    if (fresh || method === 'HEAD') response.end()
    else response.end(wire.body, 'latin1')
    records.end(record, routeOf(url), status)
    return true
  }
}

/** As the router names it: both ways count in one. What is prepared has a known shape and no query. */
function routeOf(url: string): string {
  if (url.startsWith('/p/')) return '/p/:category/:slug'
  if (url.startsWith('/c/')) return '/c/:category'
  return /^\/offers\/[^/]*\/?$/.test(url) ? '/offers/:slug' : '/offers/:category/:slug'
}

/**
 * A variant as node:http sends it with the least work, made once for all its readers. The body is its bytes as a
 * Latin-1 string: Node joins that with the head and writes once, where a buffer costs a vectored write of two parts.
 */
type WireForm = { headers: string[]; unchangedHeaders: string[]; body: string }

/** The id is the first header of the list. */
function withRequestId(headers: string[], requestId: string): string[] {
  const list = headers.slice()
  list[1] = requestId
  return list
}

function flat(headers: Record<string, string>): string[] {
  return Object.entries(headers).flat()
}
