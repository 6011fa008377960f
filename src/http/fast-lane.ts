/**
 * The fast lane: what is answered straight from node:http, around the router, because finding the way through the router
 * costs as much as the answer. One table of routes, one reader of bodies (body.ts) and one writer of answers. Each
 * request has the record, the headers and the limits that it would have behind the router.
 *
 * A ready route answers from memory or steps aside. It comes before the guard of a busy node: it costs less than a
 * refusal. A served route takes every request at its path, behind the guard.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { joinAbort } from '../lib/abort.ts'
import { inBackground } from '../lib/background.ts'
import type { Log } from '../lib/log.ts'
import { inScope } from '../lib/request-scope.ts'
import { ClientGone, readIncoming } from './body.ts'
import { socketVisit } from './client-ip.ts'
import { logFaultAt } from './error-response.ts'
import { securityHeaders } from './middleware.ts'
import { createRequestRecords, type RequestRecord } from './request-record.ts'

/** Writes everything, and resolves when there is no more. */
export type EventStream = (write: (text: string) => void) => Promise<void>

/** Headers are names and values in turn, as node:http takes them; the writer puts the request's id before them. */
export type FastReply = {
  status: number
  headers: string[]
  body: string | EventStream
  /** `latin1` for a text of a byte a character: there is nothing to encode. */
  encoding?: 'latin1'
}

export type ReadyRoute = {
  /** The router's pattern that the request counts under; null when the route is not for it. */
  match(request: IncomingMessage): string | null
  /** A body is read first. It has a known length of at most this. */
  largestBody?: number
  /** Null when the answer is not at hand: the request goes on, with the body that was read. */
  answer(request: IncomingMessage, body: Buffer): FastReply | null
}

export type ServedRoute = {
  /** Answers with and without a trailing slash. */
  path: string
  serve(request: FastRequest): Promise<FastReply>
}

export type FastRequest = {
  method: string
  /** As it was asked for: with its trailing slash, if it has one. */
  path: string
  header(name: string): string | undefined
  /** Throws an AppError `too_large`, or ClientGone. */
  readBody(limit: number): Promise<Buffer>
  visit: ReturnType<typeof socketVisit>
  /** Aborted when the client has gone or the node stops. */
  signal(): AbortSignal
  logFault(error: unknown): void
}

export type FastLaneOptions = {
  ready?: ReadyRoute[]
  served?: ServedRoute[]
  /** The refusal of a busy node, or null. */
  refusal?: (request: IncomingMessage, response: ServerResponse) => FastReply | null
  trustProxy: boolean
  log: Log
  stopping?: AbortSignal
}

type Exchange = { request: IncomingMessage; response: ServerResponse }

const NO_BODY = Buffer.alloc(0)

/** `next` gets what no route answers. */
export function createFastLane(options: FastLaneOptions) {
  const { ready = [], served = [], refusal = () => null, trustProxy, log, stopping } = options
  const records = createRequestRecords({ trustProxy, log })
  const servedAt = new Map(
    served.flatMap((route) => [route.path, `${route.path}/`].map((at) => [at, route] as const)),
  )

  function begin({ request: { method = '', headers } }: Exchange, path: string, started?: number) {
    return records.begin({ method, path, header: (name) => headers[name] as string | undefined, started })
  }

  /** True when the route had the answer. */
  function answerReady(
    route: ReadyRoute,
    pattern: string,
    exchange: Exchange,
    body: Buffer,
    started: number,
  ) {
    const reply = route.answer(exchange.request, body)
    if (reply === null) return false
    const record = begin(exchange, exchange.request.url ?? '', started)
    write(exchange.response, record.id, reply)
    records.end(record, pattern, reply.status)
    return true
  }

  async function serve(route: ServedRoute, { request, response }: Exchange, record: RequestRecord) {
    const { id: requestId, method, path } = record
    const logFault = (error: unknown) => logFaultAt(log, path, error)
    const reply = await route.serve({
      method,
      path,
      header: (name) => request.headers[name] as string | undefined,
      readBody: (limit) => readIncoming(request, limit),
      visit: socketVisit(request, { trustProxy, requestId }),
      signal: () => signalOf(response, stopping),
      logFault,
    })
    write(response, requestId, reply)
    if (typeof reply.body === 'function') {
      response.flushHeaders()
      await reply
        .body((text) => {
          response.write(text)
        })
        .catch(logFault)
      response.end()
    }
    records.end(record, route.path, reply.status)
  }

  function workOn(exchange: Exchange, next: () => void): void {
    const path = pathOf(exchange.request)
    const refused = refusal(exchange.request, exchange.response)
    if (refused) {
      const record = begin(exchange, path)
      write(exchange.response, record.id, refused)
      records.end(record, 'shed', refused.status)
      return
    }
    const route = servedAt.get(path) ?? (path.includes('%') ? servedAt.get(decoded(path)) : undefined)
    if (!route) {
      next()
      return
    }
    const record = begin(exchange, path)
    inBackground(
      log,
      'answering a request',
      inScope(record, () => serve(route, exchange, record)),
    )
  }

  return (request: IncomingMessage, response: ServerResponse, next: () => void): void => {
    const exchange = { request, response }
    for (const route of ready) {
      const pattern = route.match(request)
      if (pattern === null) continue
      const started = performance.now()
      if (route.largestBody === undefined) {
        if (answerReady(route, pattern, exchange, NO_BODY, started)) return
        continue
      }
      if (!hasSmallBody(request, route.largestBody)) continue
      const read = readIncoming(request, route.largestBody).then((body) => {
        if (answerReady(route, pattern, exchange, body, started)) return
        workOn({ request: Object.assign(request, { rawBody: body }), response }, next)
      })
      inBackground(log, 'answering a request', read.catch(unlessGone))
      return
    }
    workOn(exchange, next)
  }
}

/** The headers of every answer and those of this one, which may replace some of them. */
export function headersWith(https: boolean, more: Record<string, string> = {}): string[] {
  return Object.entries({ ...Object.fromEntries(securityHeaders(https)), ...more }).flat()
}

/** With its length said, a text goes out together with its head, in one piece. Where none may follow, none is said. */
export function textReply(status: number, headers: string[], body: string): FastReply {
  const length = Buffer.byteLength(body)
  if (status !== 204) headers.push('Content-Length', String(length))
  return { status, headers, body, encoding: length === body.length ? 'latin1' : undefined }
}

/** Of HEAD, node:http leaves the body out. */
function write(response: ServerResponse, requestId: string, reply: FastReply): void {
  response.writeHead(reply.status, ['X-Request-Id', requestId, ...reply.headers])
  if (typeof reply.body === 'string') response.end(reply.body, reply.encoding ?? 'utf8')
}

function hasSmallBody({ headers }: IncomingMessage, largest: number): boolean {
  const length = Number(headers['content-length'] ?? Number.NaN)
  return length > 0 && length <= largest
}

/** Without its query. Proxies may name the whole address (RFC 9112 3.2.2). */
function pathOf({ url = '' }: IncomingMessage): string {
  if (!url.startsWith('/')) return URL.parse(url)?.pathname ?? url
  const query = url.indexOf('?')
  return query < 0 ? url : url.slice(0, query)
}

/** As the router reads it: `/%6dcp` is `/mcp`. */
function decoded(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}

function unlessGone(error: unknown): void {
  if (!(error instanceof ClientGone)) throw error
}

function signalOf(response: ServerResponse, stopping: AbortSignal | undefined): AbortSignal {
  const gone = joinAbort([stopping])
  const left = () => {
    gone.letGo()
    if (!response.writableFinished) gone.abort()
  }
  if (response.destroyed || response.closed) left()
  else response.once('close', left)
  return gone.signal
}
