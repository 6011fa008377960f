/** A real port before there is an app: the app's own address must be known to make it. */
import { createServer, type RequestListener } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import type { Hono } from 'hono'
import { afterAll } from 'vitest'
import type { HttpEnv } from '../src/http/env.ts'
import { SERVER_LIMITS } from '../src/http/server-limits.ts'

export async function listenFirst(): Promise<{
  baseUrl: string
  answerWith(app: Pick<Hono<HttpEnv>, 'fetch'>): void
}> {
  let listener: RequestListener = (_request, response) => void response.writeHead(503).end()
  // A busy client takes longer than Node's five seconds to use a connection again, and meets its end.
  const options = { keepAliveTimeout: SERVER_LIMITS.keepAliveMs }
  const http = createServer(options, (request, response) => void listener(request, response))
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  afterAll(() => {
    http.closeAllConnections()
    return new Promise((resolve) => http.close(resolve))
  })
  const address = http.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    baseUrl: `http://127.0.0.1:${address.port}`,
    answerWith(app) {
      listener = getRequestListener(app.fetch)
    },
  }
}
