/**
 * Lets `app.request()` reach what only the fast lane serves: such a request goes through the listener of a real server,
 * over a socket that has no address, so that its caller has none either.
 */

import { randomUUID } from 'node:crypto'
import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import type { Hono } from 'hono'
import { afterAll } from 'vitest'
import { TOOL_PATHS } from '../src/agents/mcp/mcp.routes.ts'
import { type AppDeps, createListener } from '../src/app.ts'
import type { HttpEnv } from '../src/http/env.ts'

const FAST_PATHS = new Set(TOOL_PATHS.flatMap((at) => [at, `${at}/`]))
const NO_BODY = new Set([204, 304])

/** What the fast lane serves, as the router lists its own. */
export const FAST_ROUTES = TOOL_PATHS.map((at) => ({ method: 'ALL', path: at }))

export function serveFastPaths(app: Hono<HttpEnv>, deps: AppDeps): void {
  const routed = app.fetch
  let listening: Promise<{ server: Server; socketPath: string }> | null = null
  app.fetch = async (request, ...rest) => {
    if (!FAST_PATHS.has(new URL(request.url).pathname)) return routed(request, ...rest)
    listening ??= listen(createServer(createListener({ fetch: routed }, deps)))
    return send(request, (await listening).socketPath)
  }
  afterAll(async () => {
    const server = (await listening)?.server
    server?.closeAllConnections()
    server?.close()
  })
}

async function listen(server: Server) {
  const socketPath = path.join(os.tmpdir(), `${randomUUID()}.sock`)
  await new Promise<void>((resolve) => server.listen(socketPath, resolve))
  return { server, socketPath }
}

async function send(request: Request, socketPath: string): Promise<Response> {
  const { pathname, search, host } = new URL(request.url)
  const headers = { host, ...Object.fromEntries(request.headers) }
  const { method, signal } = request
  const asked = httpRequest({ socketPath, path: pathname + search, method, headers, signal, agent: false })
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    asked.once('response', resolve)
    asked.on('error', reject)
  })
  if (request.body === null) asked.end()
  // A body that is refused is not taken to its end.
  else pipeline(Readable.fromWeb(request.body as ReadableStream), asked).catch(() => {})
  const answer = await answered
  const status = answer.statusCode ?? 0
  const given = new Headers()
  for (const [name, value] of Object.entries(answer.headersDistinct))
    for (const one of value ?? []) given.append(name, one)
  const body =
    NO_BODY.has(status) || method === 'HEAD'
      ? null
      : (Readable.toWeb(answer) as ConstructorParameters<typeof Response>[0])
  return new Response(body, { status, headers: given })
}
