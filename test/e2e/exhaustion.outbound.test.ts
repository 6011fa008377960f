/**
 * Anyone who answers our own requests may answer anything: packed bombs, JSON that hurts, a byte now and then, headers
 * without end. For each kind of fetch it ends in a refusal that is told, and in no connection left open.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { readText } from '../answers.ts'
import { createOrg } from '../orgs.ts'
import { CARD, createIntegrationWorld, REGISTER, UCP_CHECK } from './integration.world.ts'
import { pkce, requestFor } from './oauth.world.ts'

const world = await createIntegrationWorld()
const { acme, site } = world
const unproved = await createOrg(world, { domain: 'agent.acme.example', verified: false })
const challenge = pkce().challenge
let documents = 0

type Told = { ok: boolean; text: string }
/** The four that a stranger or a producer can ask for without limit, over HTTP. */
const FETCHES: Record<string, () => Promise<Told>> = {
  'an agent card': async () => {
    const url = 'https://agent.acme.example/.well-known/agent-card.json'
    const { status, body } = await world.send(acme.session, 'POST', REGISTER, { agent_card_url: url })
    expect([200, 422]).toContain(status)
    return { ok: status === 200, text: JSON.stringify(body) }
  },
  'a UCP profile': async () => {
    const { status, body } = await world.send(acme.session, 'POST', UCP_CHECK)
    expect(status).toBe(200)
    return { ok: body.ucp_supported === true, text: JSON.stringify(body) }
  },
  'a client document': async () => {
    const query = new URLSearchParams(
      requestFor(`https://acme.example/client-${documents++}.json`, challenge),
    )
    const answer = await world.app.request(`/oauth/authorize/?${query}`, { headers: { accept: 'text/html' } })
    expect([302, 303, 400]).toContain(answer.status)
    return { ok: answer.status !== 400, text: await answer.text() }
  },
  'a proof of a domain': async () => {
    world.clock.advance(3_600_000)
    const { status, body } = await world.send(unproved.session, 'POST', '/api/org/verify-domain/')
    expect(status).toBe(200)
    return { ok: body.verification_status === 'verified', text: JSON.stringify(body) }
  },
}

const LARGE = Buffer.from(JSON.stringify({ ...CARD, pad: 'x'.repeat(20_000_000) }))
const gzipped = gzipSync(LARGE)
const deep = (depth: number) => `{"skills":${'['.repeat(depth)}${']'.repeat(depth)}}`

type Respond = (request: IncomingMessage, response: ServerResponse) => void
const packed =
  (encoding: string, bytes: Uint8Array): Respond =>
  (_request, response) =>
    void response
      .writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': encoding })
      .end(bytes)
const json =
  (text: string): Respond =>
  (_request, response) =>
    void response.writeHead(200, { 'Content-Type': 'application/json' }).end(text)
/** Now and then, until the reader has had enough. */
function drip(response: ServerResponse, more: () => void): void {
  const timer = setInterval(more, 10)
  response.once('close', () => clearInterval(timer))
}

/** What comes whole is refused for what it is; its connection is a good one, and may be kept. */
const WHOLE: Array<[what: string, respond: Respond]> = [
  ['a bomb that says nothing of it', json(gzipSync(gzipped).toString('latin1'))],
  ['JSON nested beyond what calls can follow', json(deep(30_000))],
  ['JSON that never closes', json('['.repeat(60_000))],
  ['a number without end', json(`{"skills":${'9'.repeat(60_000)}}`)],
  ['keys of the language', json('{"__proto__":{"skills":[]},"constructor":{"prototype":{"polluted":1}}}')],
]
const CUT: Array<[what: string, respond: Respond]> = [
  ['a bomb in gzip', packed('gzip', gzipped)],
  ['a bomb in gzip in gzip', packed('gzip, gzip', gzipSync(gzipped))],
  ['a bomb in deflate', packed('deflate', deflateSync(LARGE))],
  ['a bomb in br', packed('br', brotliCompressSync(LARGE.subarray(0, 5_000_000)))],
  ['a bomb in zstd', packed('zstd', zstdCompressSync(LARGE))],
  [
    'a body byte by byte',
    (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' })
      drip(response, () => response.write(' '))
    },
  ],
  [
    'headers without end',
    ({ socket }, response) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      drip(response, () => socket.write('x: y\r\n'))
      socket.once('close', () => response.destroy())
    },
  ],
  ['nothing at all', () => {}],
]
const MOST_KEPT = 2
const POLLING = { timeout: 10_000, interval: 5 }

beforeEach(async () => {
  site.server.hangUp()
  await vi.waitFor(() => expect(site.outbound.size().connections).toBe(0), POLLING)
  site.asked.length = 0
  site.limits.timeoutMs = 100
})

async function expectRefusal(fetch: () => Promise<Told>, respond: Respond): Promise<void> {
  site.respondWith(respond)
  const { ok, text } = await fetch()
  expect(ok).toBe(false)
  expect(text.length).toBeLessThan(50_000)
  expect('polluted' in {}).toBe(false)
  expect(site.asked.length).toBeGreaterThan(0)
  for (const { maxBytes, timeoutMs } of site.asked) {
    expect(maxBytes).toBeLessThanOrEqual(256 * 1024)
    expect(timeoutMs).toBeLessThanOrEqual(10_000)
  }
}

describe.each(Object.entries(FETCHES))('%s', (_kind, fetch) => {
  test.each(WHOLE)('answered with %s is refused', async (_what, respond) => {
    await expectRefusal(fetch, respond)
    expect(site.outbound.size().connections).toBeLessThanOrEqual(MOST_KEPT)
  })

  test.each(CUT)('answered with %s is cut off, and nothing stays open', async (_what, respond) => {
    await expectRefusal(fetch, respond)
    expect(site.outbound.size().connections).toBe(0)
    await vi.waitFor(() => expect(site.server.open()).toBe(0), POLLING)
  })
})

test.each([
  deep(30_000),
  '['.repeat(60_000),
  `{"price_usd":${'9'.repeat(60_000)}}`,
  `{${'"a":1,'.repeat(9_000)}"b":1}`,
])('a quote of JSON that hurts is invalid (%#)', (text) =>
  expect(readText(text)).toMatchObject({ kind: 'invalid' }),
)
