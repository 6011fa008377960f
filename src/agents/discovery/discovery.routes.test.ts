/** The small files over HTTP: kept by caches, asked about with a tag, read from any origin. */
import { gunzipSync } from 'node:zlib'
import { Hono } from 'hono'
import { describe, expect, test } from 'vitest'
import type { HttpEnv } from '../../http/env.ts'
import { manualClock } from '../../lib/clock.ts'
import { mountDiscovery } from './discovery.routes.ts'

const FILES = [
  ['/.well-known/mcp.json', 'application/json'],
  ['/mcp/server-card', 'application/mcp-server-card+json'],
  ['/.well-known/mcp/server-card.json', 'application/mcp-server-card+json'],
  ['/.well-known/ard.json', 'application/json'],
  ['/.well-known/ai-catalog.json', 'application/ai-catalog+json'],
  ['/.well-known/security.txt', 'text/plain; charset=utf-8'],
  ['/security.txt', 'text/plain; charset=utf-8'],
  ['/robots.txt', 'text/plain; charset=utf-8'],
] as const

function mounted() {
  const clock = manualClock('2026-11-01T12:00:00Z')
  const app = new Hono<HttpEnv>({ strict: false })
  const config = {
    baseUrl: 'https://souk.example',
    mcpUrl: 'https://souk.example',
    securityContact: 'mailto:security@souk.example',
  }
  mountDiscovery(app, { config, clock })
  return { app, clock }
}

describe.each(FILES)('%s', (path, contentType) => {
  const { app } = mounted()

  test(`is ${contentType}, for everybody and for five minutes`, async () => {
    const answer = await app.request(path, { headers: { Origin: 'https://reader.example' } })
    expect(answer.status).toBe(200)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': contentType,
      'cache-control': 'public, max-age=300',
      'access-control-allow-origin': '*',
      etag: expect.stringMatching(/^"[\w-]+"$/),
      vary: 'Accept-Encoding',
    })
    expect((await answer.text()).length).toBeGreaterThan(50)
  })

  test('says no time of change, which would be another on each node, and is held against none', async () => {
    const since = { 'If-Modified-Since': 'Fri, 31 Dec 2100 23:59:59 GMT' }
    const answer = await app.request(path, { headers: since })
    expect(answer.status).toBe(200)
    expect(answer.headers.has('last-modified')).toBe(false)
  })

  test('is not sent again to who has it', async () => {
    const etag = (await app.request(path)).headers.get('etag') ?? ''
    const again = await app.request(path, { headers: { 'If-None-Match': etag } })
    expect(again.status).toBe(304)
    expect(again.headers.get('access-control-allow-origin')).toBe('*')
    expect(await again.text()).toBe('')
    expect((await app.request(path, { headers: { 'If-None-Match': '"other"' } })).status).toBe(200)
  })

  test('may be asked for by a page that sends headers of its own', async () => {
    const preflight = await app.request(path, {
      method: 'OPTIONS',
      headers: { Origin: 'https://reader.example', 'Access-Control-Request-Method': 'GET' },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
  })
})

test.each(FILES.filter(([, type]) => type.endsWith('json')))(
  '%s is written for people, too',
  async (path) => {
    const text = await (await mounted().app.request(path)).text()
    expect(text).toBe(`${JSON.stringify(JSON.parse(text), null, 2)}\n`)
  },
)

test('a file is sent compressed to who can read that', async () => {
  const { app } = mounted()
  const path = '/.well-known/mcp.json'
  const plain = await (await app.request(path)).text()
  const answer = await app.request(path, { headers: { 'Accept-Encoding': 'gzip' } })
  expect(answer.headers.get('content-encoding')).toBe('gzip')
  const bytes = Buffer.from(await answer.arrayBuffer())
  expect(bytes.length).toBeLessThan(plain.length / 4)
  expect(gunzipSync(bytes).toString('utf8')).toBe(plain)
})

test.each([
  ['/.well-known/ard.json', '/.well-known/ai-catalog.json'],
  ['/mcp/server-card', '/.well-known/mcp/server-card.json'],
  ['/.well-known/security.txt', '/security.txt'],
])('%s and %s are one file', async (one, other) => {
  const { app } = mounted()
  expect(await (await app.request(other)).text()).toBe(await (await app.request(one)).text())
})

test('security.txt is a new file each day, and only then', async () => {
  const { app, clock } = mounted()
  const ask = async () => (await app.request('/.well-known/security.txt')).headers
  const first = await ask()
  clock.set('2026-11-01T23:59:59Z')
  expect((await ask()).get('etag')).toBe(first.get('etag'))
  clock.set('2026-11-02T00:00:00Z')
  expect((await ask()).get('etag')).not.toBe(first.get('etag'))
})
