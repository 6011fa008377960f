import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { createRequire } from 'node:module'
import { connect } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { describe, expect, test } from 'vitest'
import {
  createRfqHandler,
  keepRawBody,
  quote,
  signRequest,
  toExpress,
  toFetch,
  toHono,
  toNode,
} from './src/index.js'
import { CARD, listen, rfqBody, SECRET } from './test-support.ts'

/** Express has no types here; this is what the tests use of it. */
type ExpressApp = RequestListener & { use(...handlers: unknown[]): void }
type Express = { (): ExpressApp; json(options?: object): unknown; raw(options?: object): unknown }
const express: Express = createRequire(import.meta.url)('express')

function kit() {
  const errors: Error[] = []
  const handler = createRfqHandler({
    auth: { type: 'hmac', secret: SECRET },
    card: CARD,
    quote: () => quote({ priceUsd: 649, inStock: true, claimUrl: 'https://shop.example/q' }),
    onError: (error) => errors.push(error),
  })
  return { handler, errors }
}

const { handler } = kit()
const elsewhere = 'the shop'

function expressApp(before: unknown[], mounted = handler): ExpressApp {
  const app = express()
  for (const one of before) app.use(one)
  app.use(toExpress(mounted))
  app.use((_request: unknown, response: { end(text: string): void }) => response.end(elsewhere))
  return app
}

function honoApp(): Hono {
  const app = new Hono()
  app.use(toHono(handler))
  app.get('/shop', (c) => c.text(elsewhere))
  return app
}

const faces: [string, () => RequestListener][] = [
  ['node:http', () => toNode(handler, (_request, response) => response.end(elsewhere))],
  ['Express', () => expressApp([])],
  [
    'Express behind express.json that keeps the raw body',
    () => expressApp([express.json({ verify: keepRawBody })]),
  ],
  ['Express behind express.raw', () => expressApp([express.raw({ type: '*/*' })])],
  ['Hono', () => getRequestListener(honoApp().fetch)],
]

async function post(base: URL, body: string | Uint8Array, headers: Record<string, string> = {}) {
  const response = await fetch(new URL('/message:send', base), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : new Blob([Uint8Array.from(body)]),
  })
  return { status: response.status, json: await response.json() }
}

const signed = (body: string) => ({ ...signRequest({ secret: SECRET, rawBody: body }) })

describe.each(faces)('through %s', (_name, face) => {
  test('a signed RFQ with odd spacing and letters beyond ASCII is verified over its raw bytes', async () => {
    const base = await listen(face())
    const body = JSON.stringify(JSON.parse(rfqBody()), null, 3)
    expect(await post(base, body, signed(body))).toMatchObject({ status: 200, json: { price_usd: 649 } })
    expect(await post(base, JSON.stringify(JSON.parse(body)), signed(body))).toMatchObject({ status: 401 })
  })

  test('the card is served, and the shop’s own pages still are', async () => {
    const base = await listen(face())
    const card = await fetch(new URL('/.well-known/agent-card.json', base))
    expect(await card.json()).toMatchObject({ skills: [{ id: 'respond-to-rfq' }] })
    const head = await fetch(new URL('/.well-known/agent-card.json', base), { method: 'HEAD' })
    expect(head.status).toBe(200)
    expect(await (await fetch(new URL('/shop', base))).text()).toBe(elsewhere)
  })

  test('a body over 64 KB is refused, with or without a stated length', async () => {
    const base = await listen(face())
    const big = rfqBody().padEnd(70_000)
    expect((await post(base, big, signed(big))).status).toBe(413)
    const stream = new Blob([big]).stream()
    const response = await fetch(new URL('/message:send', base), {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...signed(big) },
      body: stream,
      duplex: 'half',
    })
    expect(response.status).toBe(413)
  })
})

describe('a body parser that has eaten the raw body', () => {
  const says = {
    code: 'raw_body_lost',
    error: expect.stringContaining('express.json({ verify: keepRawBody })'),
  }

  test('in Express, it is told loudly what to do', async () => {
    const { handler: mounted, errors } = kit()
    const base = await listen(expressApp([express.json()], mounted))
    const body = rfqBody()
    expect(await post(base, body, signed(body))).toMatchObject({ status: 500, json: says })
    expect(errors).toEqual([expect.objectContaining({ code: 'raw_body_lost' })])
  })

  test('in Hono, it is told loudly, on Node and elsewhere', async () => {
    const { handler: mounted, errors } = kit()
    const app = new Hono()
    app.use(async (c, next) => {
      await c.req.json()
      await next()
    })
    app.use(toHono(mounted))
    const body = rfqBody()
    const base = await listen(getRequestListener(app.fetch))
    expect(await post(base, body, signed(body))).toMatchObject({ status: 500, json: says })
    const direct = await app.request('/message:send', { method: 'POST', body, headers: signed(body) })
    expect(direct.status).toBe(500)
    expect(errors).toHaveLength(2)
  })
})

test('a fetch-style server gets the same handler, and 404 for other paths', async () => {
  const serve = toFetch(handler)
  const body = rfqBody()
  const init = { method: 'POST', body, headers: signed(body) }
  const response = await serve(new Request('https://shop.example/message:send', init))
  expect(await response.json()).toMatchObject({ price_usd: 649 })
  expect((await serve(new Request('https://shop.example/else'))).status).toBe(404)
  expect((await serve(new Request('https://shop.example/message:send', { method: 'POST' }))).status).toBe(401)
})

test('mounted under a path in Express, it does not answer for the domain root', async () => {
  const app = express()
  app.use('/shop', toExpress(handler))
  app.use((_request: unknown, response: { end(text: string): void }) => response.end('{}'))
  const base = await listen(app)
  const body = rfqBody()
  const response = await fetch(new URL('/shop/message:send', base), {
    method: 'POST',
    body,
    headers: signed(body),
  })
  expect(await response.text()).toBe('{}')
})

test('a sender that hangs up in the middle of the body harms nobody', async () => {
  const refused: string[] = []
  const heard = Promise.withResolvers<void>()
  const watching = createRfqHandler({
    auth: { type: 'none' },
    card: CARD,
    quote: () => quote({ priceUsd: 1, inStock: true, claimUrl: 'https://shop.example/q' }),
    onRefused: (error) => {
      refused.push(error.code)
      heard.resolve()
    },
  })
  const base = await listen(toNode(watching))
  const socket = connect(Number(base.port), '127.0.0.1')
  await once(socket, 'connect')
  socket.write('POST /message:send HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{"half":')
  await new Promise((resolve) => setTimeout(resolve, 50))
  socket.destroy()
  await heard.promise
  expect(refused).toEqual(['body_cut_off'])
  expect((await post(base, rfqBody())).status).toBe(200)
})

test('without other pages, node:http answers 404 for them', async () => {
  expect((await fetch(await listen(toNode(handler)))).status).toBe(404)
})
