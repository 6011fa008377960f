import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, test, vi } from 'vitest'
import { captureLog } from '../../test/harness.ts'
import { createFastLane } from './fast-lane.ts'
import { createGuard, kindOf } from './shed.ts'

const logged = captureLog()
let waiting = 1_000
const guard = createGuard({
  bounds: { delayMs: 80, waiting: 10, underWay: 1_000, queueMs: 1_000 },
  line: () => ({ waiting, handedOut: 0 }),
  https: false,
  log: logged.log,
})
const lane = createFastLane({ refusal: guard.refusal, trustProxy: false, log: logged.log })
const server = createServer((request, response) => lane(request, response, () => void response.end('done')))
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
afterAll(() => {
  guard.stop()
  server.close()
})
await vi.waitFor(() => expect(guard.pressure().level).toBeGreaterThan(10), { timeout: 20_000 })

const TEXT = 'the service is very busy; try again shortly'

test.each<[what: string, path: string, init: RequestInit, type: string, body: string]>([
  ['REST with the envelope', '/api/search/?x=1', {}, 'application/json', JSON.stringify({ error: TEXT })],
  ['programs with a line', '/p/kettles/one.json', {}, 'text/plain; charset=UTF-8', `${TEXT}\n`],
])('a busy node answers %s', async (_what, path, init, type, body) => {
  const answer = await fetch(base + path, init)
  expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([503, type, body])
  expect(answer.headers.get('retry-after')).toMatch(/^[1-5]$/)
  expect(answer.headers.get('x-request-id')).toBeTruthy()
})

test('tools and agents get an error of JSON-RPC, people a page, and HEAD nothing', async () => {
  for (const path of ['/mcp', '/mcp/', '/sse', '/mcp/connector', '/a2a/']) {
    const answer = await fetch(base + path, {
      method: 'POST',
      body: '{}',
      headers: { authorization: 'Bearer x' },
    })
    expect([answer.status, await answer.json()]).toEqual([
      503,
      {
        jsonrpc: '2.0',
        id: null,
        error: { code: -32_603, message: TEXT, data: { retry_after_seconds: expect.any(Number) } },
      },
    ])
  }
  const rest = await fetch(`${base}/a2a/message:send`, { method: 'POST', body: '{}' })
  expect([rest.status, await rest.json()]).toEqual([
    503,
    { error: { code: 503, status: 'UNAVAILABLE', message: TEXT, details: [] } },
  ])
  const page = await fetch(`${base}/search?q=x`, { headers: { accept: 'text/html' } })
  expect([page.status, page.headers.get('x-frame-options')]).toEqual([503, 'DENY'])
  expect(await page.text()).toContain("<h1>We're very busy right now</h1>")
  expect((await fetch(`${base}/search`, { method: 'HEAD' })).status).toBe(503)
})

test('a large body that nobody reads ends its connection; a small one does not', async () => {
  const connection = async (size: number) =>
    (await fetch(`${base}/api/x`, { method: 'POST', body: 'x'.repeat(size) })).headers.get('connection')
  expect(await connection(100_000)).toBe('close')
  expect(await connection(100)).toBe('keep-alive')
})

test('health, metrics and styles are answered whatever there is to do', async () => {
  for (const path of ['/healthz', '/readyz', '/metrics', '/assets/site-1.css'])
    expect([path, (await fetch(base + path)).status]).toEqual([path, 200])
  expect((await fetch(`${base}/healthzz`)).status).toBe(503)
})

test('it says once in the log that it begins and that it ends, and takes everybody again', async () => {
  waiting = 0
  await vi.waitFor(() => expect(guard.pressure().shedding).toBe(false), { timeout: 20_000 })
  expect(await (await fetch(`${base}/api/search/`)).text()).toBe('done')
  const words = logged.lines().map(({ msg, reason }) => [msg, reason])
  expect(words.filter(([msg]) => String(msg).includes('overloaded'))).toEqual([
    ['overloaded: rejecting requests', 'database'],
    ['no longer overloaded: accepting requests', undefined],
  ])
})

test('who is in the middle of something is told from strangers and from callers with a session or token', () => {
  const kind = (method: string, url: string, headers: Record<string, string> = {}) =>
    kindOf({ method, url, headers } as never)
  expect(kind('GET', '/search?q=x')).toBe('stranger')
  expect(kind('POST', '/api/search/')).toBe('stranger')
  expect(kind('GET', '/dashboard', { cookie: 'a=b' })).toBe('known')
  expect(kind('POST', '/mcp', { authorization: 'Bearer x' })).toBe('known')
  expect(kind('POST', '/api/oauth/token/')).toBe('midway')
  expect(kind('POST', '/auth/signin')).toBe('midway')
  expect(kind('GET', '/auth/signin')).toBe('stranger')
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  expect(kind('POST', '/quotes', form)).toBe('midway')
})
