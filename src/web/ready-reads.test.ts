/** The short way and the long way must not be told apart by anyone but a stopwatch. */

import { createServer, request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDemoDatabase, createTestApp } from '../../test/harness.ts'
import { NO_FRONT, NO_SELLERS } from '../../test/listings.ts'
import { createFastLane } from '../http/fast-lane.ts'
import { createReads } from './reads.ts'
import { readyReads } from './ready-reads.ts'

type Answer = { status: number; headers: IncomingHttpHeaders; body: Buffer }

let port: number
let close: () => void
let short = 0
let logged: Awaited<ReturnType<typeof createTestApp>>['logged']

beforeAll(async () => {
  const site = { baseUrl: 'http://souk.test', demo: false, stylesheet: '/assets/x.css' }
  const base = await createTestApp({ database: await createDemoDatabase() })
  const reads = createReads({
    db: base.database.db,
    site,
    clock: base.clock,
    offers: base.offers,
    similar: () => [],
    shelf: base.searchRuntime.search.shelf,
    planOfDay: () => null,
    front: async () => NO_FRONT,
    sellers: NO_SELLERS,
  })
  const souk = await createTestApp({ database: base.database, reads })
  logged = souk.logged
  const lane = createFastLane({
    ready: [readyReads({ reads, baseUrl: site.baseUrl, https: false })],
    trustProxy: false,
    log: souk.logged.log,
  })
  const routed = getRequestListener(souk.app.fetch)
  const server = createServer((request, response) => {
    if (request.headers['x-way'] !== 'short') return void routed(request, response)
    short++
    lane(request, response, () => {
      short--
      void routed(request, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
  close = () => server.close()
})
afterAll(() => close())

function ask(
  way: 'short' | 'long',
  path: string,
  headers: Record<string, string>,
  method: string,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { port, path, method, headers: { ...headers, 'x-way': way }, agent: false },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk) => chunks.push(chunk))
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks),
          }),
        )
      },
    )
    request.on('error', reject)
    request.end()
  })
}

const comparable = ({ status, headers, body }: Answer) => {
  const { 'x-request-id': id, date: _date, ...rest } = headers
  return { status, headers: rest, body: body.toString('base64'), hasId: /^[\w-]{36}$/.test(String(id)) }
}

describe('prepared reads', () => {
  const SKEIN = '/p/tents/tarnhollow-skein-2'
  test.each([
    [SKEIN, {}, 'GET'],
    [SKEIN, { accept: 'text/html' }, 'GET'],
    [SKEIN, { accept: 'text/markdown' }, 'GET'],
    [`${SKEIN}/`, {}, 'GET'],
    [`${SKEIN}.json`, {}, 'GET'],
    [`${SKEIN}.json`, {}, 'HEAD'],
    [`${SKEIN}.md`, { 'accept-encoding': 'gzip' }, 'GET'],
    [`${SKEIN}.md`, { 'accept-encoding': 'br' }, 'GET'],
    [`${SKEIN}.md`, { 'if-none-match': '*' }, 'GET'],
    [`${SKEIN}.json`, { 'if-modified-since': 'Fri, 01 Jan 2100 00:00:00 GMT' }, 'HEAD'],
    ['/c/tents', { 'accept-encoding': 'br' }, 'GET'],
    ['/c/tents.md', {}, 'GET'],
    ['/offers/tarnhollow-skein-2.json', {}, 'GET'],
    ['/offers/tents/tarnhollow-skein-2.json', { 'if-none-match': '*' }, 'GET'],
  ])('%s %j %s: both ways give the same answer', async (path, headers, method) => {
    const long = await ask('long', path, headers as Record<string, string>, method)
    const before = short
    const answer = await ask('short', path, headers as Record<string, string>, method)
    expect(short, 'the short way was not taken').toBe(before + 1)
    expect(comparable(answer)).toEqual(comparable(long))
    expect(logged.lines().at(-1)).toMatchObject({ method, path, status: answer.status })
  })

  test.each([
    ['/p/tents/no-such-thing', 'GET', 404],
    ['/offers/no-such-thing.json', 'GET', 404],
    [`${SKEIN}?utm=1`, 'GET', 200],
    [SKEIN, 'POST', 405],
    ['/healthz', 'GET', 200],
    ['/p/tents/basecairn-stormkeep-3', 'GET', 200],
  ])('%s %s is left to the long way', async (path, method, status) => {
    const before = short
    expect((await ask('short', path, {}, method)).status).toBe(status)
    expect(short).toBe(before)
  })
})
