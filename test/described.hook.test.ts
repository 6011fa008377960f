/** The check in the way of answers: of an app in this process, and of servers that are fetched from. */
import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { Hono } from 'hono'
import { expect, onTestFinished, test } from 'vitest'
import { readBody } from '../src/http/body.ts'
import type { HttpEnv } from '../src/http/env.ts'
import {
  describedFetch,
  forgetServers,
  holdServer,
  holdToDescription,
  takeBreaches,
  uncheckedFetch,
} from './described.hook.ts'
import { serve } from './loopback.ts'

const FOUND = { query_id: '0198f0a0-0000-7000-8000-000000000000', results: [], match: 'none' }
const SEARCH = { method: 'POST', body: '{"query":"lamp"}' }
const ID = { 'X-Request-Id': 'of-a-test' }

/** What the run has been told so far that tests have provoked. */
function toldToTheRun(): string {
  const file = process.env.SOUK_TEST_PROVOKED
  return file !== undefined && fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : ''
}

test('an app that is held to the description fails anyone who gets an undescribed answer', async () => {
  const app = new Hono<HttpEnv>()
  app.post('/api/search', async (c) => {
    const { query } = JSON.parse((await readBody(c)).toString()) as { query: string }
    const found = query === 'secret' ? { ...FOUND, secret: 1 } : FOUND
    return c.json(found, 200, query === 'nameless' ? {} : ID)
  })
  app.get('/elsewhere', (c) => c.json({ anything: true }))
  const packed = brotliCompressSync(JSON.stringify({ ...FOUND, secret: 'packed' }))
  app.post('/api/search/', (c) =>
    c.body(packed, 200, { 'Content-Type': 'application/json', 'Content-Encoding': 'br', ...ID }),
  )
  const noted: string[] = []
  holdToDescription(app, (line) => noted.push(line))
  const asking = (query: string) => app.request('/api/search', { ...SEARCH, body: JSON.stringify({ query }) })

  const good = await app.request('/api/search', SEARCH)
  expect([good.status, await good.json()]).toEqual([200, FOUND])
  expect((await app.request('/elsewhere')).status).toBe(200)
  expect(takeBreaches()).toEqual([])
  expect(noted).toEqual(['searchProducts 200 application/json'])
  await expect(asking('secret')).rejects.toThrow('/secret is not described')
  await expect(asking('nameless')).rejects.toThrow('without X-Request-Id')
  await expect(asking(' ')).rejects.toThrow('the request is not as described: /query must match pattern')
  await expect(app.request('/api/search/', SEARCH)).rejects.toThrow('"secret":"packed"')
  expect(takeBreaches()).toHaveLength(4)
  expect(noted).toHaveLength(1)
})

test('what a stand-in answers is not counted as provoked', async () => {
  const [file, before] = [
    path.join(os.tmpdir(), `souk-provoked-${randomUUID()}`),
    process.env.SOUK_TEST_PROVOKED,
  ]
  onTestFinished(() => {
    fs.rmSync(file, { force: true })
    if (before === undefined) delete process.env.SOUK_TEST_PROVOKED
    else process.env.SOUK_TEST_PROVOKED = before
  })
  process.env.SOUK_TEST_PROVOKED = file
  const standIn = new Hono<HttpEnv>()
  standIn.post('/api/search', (c) => c.json(FOUND, 200, ID))
  holdToDescription(standIn, () => {})
  const server = await serve((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json', ...ID }).end(JSON.stringify(FOUND))
  })
  onTestFinished(() => server.close())
  await standIn.request('/api/search', SEARCH)
  await describedFetch(uncheckedFetch, () => {})(`http://127.0.0.1:${server.port}/api/search/`, SEARCH)
  expect(toldToTheRun()).toBe('')
})

test('a server of ours is known by its address, even when it sends no request id, and nobody else is', async () => {
  const server = await serve((request, response) => {
    const status = request.url === '/readyz' ? 200 : 418
    const named = request.headers['x-named'] === 'yes' && ID
    response.writeHead(status, { 'Content-Type': 'application/json', ...named }).end('{}')
  })
  onTestFinished(() => server.close())
  const origin = `http://127.0.0.1:${server.port}`
  const search = (headers = {}) => fetch(`${origin}/api/search/`, { ...SEARCH, headers })
  for (const meet of [
    () => holdServer(origin),
    () => fetch(`${origin}/readyz`),
    () => search({ 'X-Named': 'yes' }).catch(() => {}),
  ]) {
    forgetServers()
    expect((await search()).status).toBe(418)
    expect(takeBreaches()).toEqual([])
    await meet()
    takeBreaches()
    await expect(search()).rejects.toThrow('answered 418: this status is not described')
    expect(takeBreaches()).toHaveLength(1)
  }
})
