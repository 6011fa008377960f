/**
 * The short way for a search that was asked before: from node:http to the remembered answer, around the router. Agents
 * ask the same things again and again. It takes anonymous requests with a small body of known length, and steps
 * aside for all others, as it does when the answer is not remembered; the body it has read goes along.
 */
import { isUtf8 } from 'node:buffer'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { socketVisit } from '../http/client-ip.ts'
import { securityHeaders } from '../http/middleware.ts'
import { createRequestRecords } from '../http/request-record.ts'
import type { Log } from '../lib/log.ts'
import { createAnswerCache } from './answer-cache.ts'
import { toInput } from './search.input.ts'
import { SearchRequest } from './search.schema.ts'
import type { Search, SearchInput } from './search.service.ts'
import { wireBytes } from './wire.ts'

type Options = { search: Search; trustProxy: boolean; https: boolean; log: Log }
type Next = (request: IncomingMessage, response: ServerResponse) => void

const LARGEST_BODY = 4_096
const REMEMBERED_BODIES = 2_000
const PATH = /^\/api\/search\/?$/

/** True when it has taken the request; `next` gets what turns out not to be for it. */
export function createRepeatedSearch({ search, trustProxy, https, log }: Options) {
  const headers = Object.entries({
    ...Object.fromEntries(securityHeaders(https)),
    'Content-Type': 'application/json',
  }).flat()
  const records = createRequestRecords({ trustProxy, log })
  const inputs = createAnswerCache<SearchInput>(REMEMBERED_BODIES)

  function inputOf(body: string): SearchInput | null {
    const known = inputs.get(body, 0)
    if (known) return known
    const parsed = SearchRequest.safeParse(parseJson(body))
    // A wrong request is the long way's to answer, and a bundle is never remembered here.
    if (!parsed.success || parsed.data.bundle) return null
    const input = toInput(parsed.data)
    inputs.set(body, 0, input)
    return input
  }

  function answer(
    body: Buffer,
    request: IncomingMessage,
    response: ServerResponse,
    started: number,
  ): boolean {
    // Bytes that are no UTF-8 would read like any other such question; refusing them is the long way's.
    const input = isUtf8(body) ? inputOf(body.toString('utf8')) : null
    const { ip } = socketVisit(request, { trustProxy, requestId: '' })
    const found = input && search.remembered({ ...input, ip })
    if (!found) return false
    const header = (name: string) => request.headers[name] as string | undefined
    const record = records.begin({ method: 'POST', path: request.url ?? '', header, started })
    const bytes = wireBytes(found)
    response.writeHead(200, ['X-Request-Id', record.id, ...headers, 'Content-Length', String(bytes.length)])
    response.end(bytes, 'latin1')
    records.end(record, '/api/search', 200)
    return true
  }

  return (request: IncomingMessage, response: ServerResponse, next: Next): boolean => {
    const { method, url = '', headers: given } = request
    if (method !== 'POST' || !PATH.test(url) || given.cookie || given.authorization) return false
    const length = Number(given['content-length'] ?? Number.NaN)
    if (!(length > 0 && length <= LARGEST_BODY)) return false
    const started = performance.now()
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.once('end', () => {
      const body = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)
      if (answer(body, request, response, started)) return
      next(Object.assign(request, { rawBody: body }), response)
    })
    return true
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
