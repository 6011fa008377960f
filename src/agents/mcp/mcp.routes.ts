/**
 * Where the tool server is reached: `/mcp`, `/sse` (the older revision's path) and `/mcp/connector`, each with and
 * without its slash. Two ways lead to the same server: the router, and a short one straight from node:http, which
 * every request takes in service, because finding the way costs as much as a tool's answer.
 */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Context, Hono } from 'hono'
import { stream } from 'hono/streaming'
import type { StatusCode } from 'hono/utils/http-status'
import { readBody } from '../../http/body.ts'
import { socketVisit, visitOf } from '../../http/client-ip.ts'
import type { HttpEnv } from '../../http/env.ts'
import { logFault, logFaultAt } from '../../http/error-response.ts'
import { securityHeaders } from '../../http/middleware.ts'
import { createRequestRecords, type RequestRecord } from '../../http/request-record.ts'
import { type JoinedAbort, joinAbort } from '../../lib/abort.ts'
import { inBackground } from '../../lib/background.ts'
import { AppError } from '../../lib/errors.ts'
import type { Log } from '../../lib/log.ts'
import { inScope } from '../../lib/request-scope.ts'
import { ClientGone, type McpReply, type ToolServer } from './server.ts'

export type ToolFaces = { tools: ToolServer; connector: ToolServer }

const PATHS: Array<[string, keyof ToolFaces]> = [
  ['/mcp', 'tools'],
  ['/sse', 'tools'],
  ['/mcp/connector', 'connector'],
]
const ROUTES = new Map(
  PATHS.flatMap(([route, face]) => [route, `${route}/`].map((path) => [path, { route, face }] as const)),
)

export function mountMcp(
  app: Hono<HttpEnv>,
  { faces, config, stopping }: { faces: ToolFaces; config: { trustProxy: boolean }; stopping?: AbortSignal },
): void {
  for (const [path, face] of PATHS)
    app.all(path, async (c) => {
      const gone = joinAbort([c.req.raw.signal, stopping])
      const reply = await faces[face].handle({
        method: c.req.method,
        // The router's path has lost its trailing slash, which the challenge repeats.
        path: new URL(c.req.url).pathname,
        header: (name) => c.req.header(name) ?? (name === 'host' ? new URL(c.req.url).host : undefined),
        readBody: (limit) => readBody(c, limit),
        visit: visitOf(c, config),
        signal: () => gone.signal,
        logFault: (error) => logFault(c, error),
      })
      return respond(c, reply, gone)
    })
}

function respond(c: Context<HttpEnv>, { status, headers, body }: McpReply, gone: JoinedAbort): Response {
  for (let at = 0; at < headers.length; at += 2) c.header(headers[at] ?? '', headers[at + 1])
  c.status(status as StatusCode)
  if (typeof body !== 'function') gone.letGo()
  if (body === null) return c.body(null)
  if (typeof body === 'string') return c.body(body)
  return stream(c, async (out) => {
    out.onAbort(() => gone.abort())
    await body((text) => {
      out.write(text).catch(() => {})
    }).finally(gone.letGo)
  })
}

type ListenerOptions = {
  faces: ToolFaces
  trustProxy: boolean
  https: boolean
  log: Log
  stopping: AbortSignal
}

/** True when it has taken the request. */
export function createMcpListener({ faces, trustProxy, https, log, stopping }: ListenerOptions) {
  const common = securityHeaders(https).flat()
  const records = createRequestRecords({ trustProxy, log })

  /** Gives the status of its answer. */
  async function serve(
    server: ToolServer,
    {
      request,
      response,
      record,
    }: { request: IncomingMessage; response: ServerResponse; record: RequestRecord },
  ): Promise<number> {
    const { id: requestId, method, path } = record
    const told = (error: unknown) => logFaultAt(log, path, error)
    const reply = await server.handle({
      method,
      path,
      header: (name) => request.headers[name] as string | undefined,
      readBody: (limit) => readIncoming(request, limit),
      visit: socketVisit(request, { trustProxy, requestId }),
      signal: () => signalOf(response, stopping),
      logFault: told,
    })
    const head = ['X-Request-Id', requestId, ...common, ...reply.headers]
    if (typeof reply.body !== 'function') {
      const body = reply.body ?? ''
      const length = Buffer.byteLength(body)
      // With its length said, a text goes out together with its head, in one piece. Where none may follow, none is said.
      if (reply.status !== 204) head.push('Content-Length', String(length))
      // A byte a character: nothing to encode.
      response.writeHead(reply.status, head).end(body, length === body.length ? 'latin1' : 'utf8')
    } else {
      response.writeHead(reply.status, head)
      response.flushHeaders()
      await reply
        .body((text) => {
          response.write(text)
        })
        .catch(told)
      response.end()
    }
    return reply.status
  }

  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const url = request.url ?? ''
    const query = url.indexOf('?')
    const path = query < 0 ? url : url.slice(0, query)
    const found = ROUTES.get(path)
    if (found === undefined) return false
    const header = (name: string) => request.headers[name] as string | undefined
    const record = records.begin({ method: request.method ?? '', path, header })
    const served = inScope(record, () => serve(faces[found.face], { request, response, record }))
    inBackground(
      log,
      'answering a tool call',
      served.then((status) => records.end(record, found.route, status)),
    )
    return true
  }
}

function readIncoming(request: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const tooLarge = () => {
      // What follows is read and thrown away, so that the answer arrives.
      request.removeAllListeners('data').resume()
      const message = `the body is over the limit of ${limit} bytes`
      reject(new AppError('too_large', message, { code: 'body_too_large', max: limit }))
    }
    if (request.destroyed) return reject(new ClientGone())
    if (Number(request.headers['content-length'] ?? 0) > limit) return tooLarge()
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > limit) tooLarge()
      else chunks.push(chunk)
    })
    request.once('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)))
    // What arrived whole but was not read when its sender left is lost with the connection, too.
    const left = () => {
      if (!request.readableEnded) reject(new ClientGone())
    }
    request.once('error', left)
    request.once('close', left)
  })
}

function signalOf(response: ServerResponse, stopping: AbortSignal): AbortSignal {
  const gone = joinAbort([stopping])
  const left = () => {
    gone.letGo()
    if (!response.writableFinished) gone.abort()
  }
  if (response.destroyed || response.closed) left()
  else response.once('close', left)
  return gone.signal
}
