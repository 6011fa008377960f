/**
 * The short way for repeated searches, through a real server: nobody can tell it from the long way, and what it does
 * not take goes the long way whole. Sockets are used where the form of a request on the wire is the point.
 */
import fs from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectDatabase } from '../../src/db/connect.ts'
import { type RunningServer, startServer } from '../../src/server.ts'
import { captureLog, createDemoDatabase, type TestDatabase, testConfig } from '../harness.ts'
import { tempDataDir } from '../server-process.ts'

let database: TestDatabase
let server: RunningServer
const dataDir = tempDataDir()
const logged = captureLog()

beforeAll(async () => {
  database = await createDemoDatabase()
  const config = testConfig({
    DATABASE_URL: database.url,
    SOUK_DATA_DIR: dataDir,
    SOUK_SECRET: 'a secret for tests of at least 32 characters',
    PORT: '0',
  })
  server = await startServer(config, {
    log: logged.log,
    database: await connectDatabase(config, { role: 'server', log: logged.log }),
  })
  // Until the model is loaded, a query may be answered by its words alone, and not be remembered.
  for (let waits = 0; waits < 1_000; waits++) {
    const asked = JSON.stringify({ query: `is it awake ${waits}`, include: ['explain'] })
    const { status, text } = await post(asked)
    if (status === 200 && JSON.parse(text).explain.mode === 'semantic') return
    await sleep(10)
  }
  throw new Error('the server was never ready')
})
afterAll(async () => {
  await server.stop()
  fs.rmSync(dataDir, { recursive: true, force: true })
})

const JSON_TYPE = { 'Content-Type': 'application/json' }
async function post(body: BodyOf, headers: Record<string, string> = {}, path = '/api/search/') {
  const response = await fetch(`${server.address}${path}`, {
    method: 'POST',
    headers: { ...JSON_TYPE, ...headers },
    body,
    ...(typeof body !== 'string' && { duplex: 'half' }),
  } as RequestInit)
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    text: await response.text(),
  }
}
type BodyOf = string | Uint8Array | ReadableStream<Uint8Array>

/** What differs from asking to asking by right. */
const ID = /"query_id":"[0-9a-f-]{36}"/
const steady = (text: string) => text.replace(ID, '"query_id":""')
const steadyHeaders = ({ date: _, 'x-request-id': __, ...others }: Record<string, string>) => others
const idOf = (text: string) => (JSON.parse(text) as { query_id: string }).query_id

/** Writes the parts one by one, each a packet of its own, and reads until the server closes or `until` is there. */
async function onSocket(parts: Array<string | Buffer>, pauseMs = 20): Promise<string> {
  const { hostname, port } = new URL(server.address)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  let read = ''
  socket.on('data', (chunk) => {
    read += chunk
  })
  const closed = new Promise<void>((resolve, reject) => {
    socket.once('close', () => resolve())
    socket.once('error', reject)
  })
  for (const part of parts) {
    socket.write(part)
    await sleep(pauseMs)
  }
  await closed
  return read
}
const head = (length: number | null, more = '') =>
  `POST /api/search/ HTTP/1.1\r\nHost: souk.test\r\nConnection: close\r\nContent-Type: application/json\r\n${
    length === null ? 'Transfer-Encoding: chunked\r\n' : `Content-Length: ${length}\r\n`
  }${more}\r\n`

describe('a search asked again', () => {
  test('is answered with the same bytes and headers, but for query_id and request id', async () => {
    for (const path of ['/api/search/', '/api/search']) {
      const body = JSON.stringify({ query: `quiet kettle ${path}`, limit: 5, include: ['facets', 'explain'] })
      const long = await post(body, {}, path)
      const short = await post(body, {}, path)
      // A cookie that is no session sends the same question the long way again, to the remembered answer.
      const around = await post(body, { cookie: 'a=b' }, path)
      for (const other of [short, around]) {
        expect(other.status).toBe(200)
        expect(steady(other.text)).toBe(steady(long.text))
        expect(idOf(other.text)).not.toBe(idOf(long.text))
        expect(other.headers['x-request-id']).not.toBe(long.headers['x-request-id'])
      }
      expect(steadyHeaders(short.headers)).toEqual(steadyHeaders(long.headers))
      expect(steadyHeaders(around.headers)).toEqual(steadyHeaders(long.headers))
    }
  })

  test('is in the log of searches and in the access log, each time', async () => {
    const body = JSON.stringify({ query: 'told twice', session_id: 'visit' })
    const ids = [idOf((await post(body)).text), idOf((await post(body)).text)]
    let rows: unknown[] = []
    for (let waits = 0; waits < 200 && rows.length < 2; waits++) {
      await sleep(10)
      rows = (await database.pool.query('select session_id from search_queries where id = any($1)', [ids]))
        .rows
    }
    expect(rows).toEqual([{ session_id: 'visit' }, { session_id: 'visit' }])
    const { headers } = await post(body)
    const lines = logged.lines().filter(({ requestId }) => requestId === headers['x-request-id'])
    expect(lines).toMatchObject([{ method: 'POST', path: '/api/search/', status: 200 }])
  })

  test('by another visitor carries that visitor into the log', async () => {
    await post(JSON.stringify({ query: 'shared question', session_id: 'one' }))
    const { text } = await post(JSON.stringify({ query: 'shared question', session_id: 'two' }))
    let rows: unknown[] = []
    for (let waits = 0; waits < 200 && rows.length < 1; waits++) {
      await sleep(10)
      rows = (await database.pool.query('select session_id from search_queries where id = $1', [idOf(text)]))
        .rows
    }
    expect(rows).toEqual([{ session_id: 'two' }])
  })

  test('is made anew after the catalog has changed', async () => {
    const body = JSON.stringify({ query: 'Grontley Stackblock', limit: 1 })
    const slug = (text: string) => (JSON.parse(text) as { results: Array<{ slug: string }> }).results[0]?.slug
    const first = slug((await post(body)).text)
    expect(slug((await post(body)).text)).toBe(first)
    await database.pool.query(
      `with gone as (delete from products where slug = $1 returning id, category_id)
       insert into changes (product_id, category_id, aspect) select id, category_id, 'removed' from gone`,
      [first],
    )
    for (let waits = 0; waits < 300 && slug((await post(body)).text) === first; waits++) await sleep(10)
    expect(slug((await post(body)).text)).not.toBe(first)
  })
})

describe('what the short way does not take', () => {
  const body = JSON.stringify({ query: 'tent', limit: 3 })
  let asked: string
  beforeAll(async () => {
    asked = steady((await post(body)).text)
  })

  test('cookies and authorization go the long way and are answered', async () => {
    const nonsense: Array<Record<string, string>> = [
      { cookie: 'souk_session=x' },
      { authorization: 'Bearer x' },
    ]
    for (const headers of nonsense) {
      const { status, text } = await post(body, headers)
      expect([status, steady(text)]).toEqual([200, asked])
    }
  })

  test('a body without a length, and one over 4 KB, are read whole', async () => {
    const stream = new Blob([body]).stream() as ReadableStream<Uint8Array>
    expect(steady((await post(stream)).text)).toBe(asked)
    const large = JSON.stringify({ query: 'tent', limit: 3, padding: 'x'.repeat(100_000) })
    expect(steady((await post(large)).text)).toBe(asked)
    expect((await post(JSON.stringify({ query: 'x', padding: 'x'.repeat(300_000) }))).status).toBe(413)
    const half = Math.floor(body.length / 2)
    const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
    const answer = await onSocket([
      head(null),
      chunk(body.slice(0, half)),
      chunk(body.slice(half)),
      '0\r\n\r\n',
    ])
    expect(answer).toMatch(/^HTTP\/1\.1 200 /)
  })

  test('a wrong request gets the same refusal small or large, asked once or again', async () => {
    for (const wrong of ['', '{', '[]', 'null', '{"query":""}', '{"query":"x","limit":0}']) {
      const first = await post(wrong)
      const again = await post(wrong)
      expect([first.status, again.status]).toEqual([400, 400])
      expect(again.text).toBe(first.text)
      expect(steadyHeaders(again.headers)).toEqual(steadyHeaders(first.headers))
    }
  })

  test('bytes that are no UTF-8 are 400, also when they read like a question asked before', async () => {
    const known = JSON.stringify({ query: 'odd \ufffd tent' })
    expect((await post(known)).status).toBe(200)
    expect((await post(known)).status).toBe(200)
    const broken = Buffer.concat([Buffer.from('{"query":"odd '), Buffer.of(0xff), Buffer.from(' tent"}')])
    expect((await post(broken)).status).toBe(400)
  })

  test('other methods and paths are not its business', async () => {
    const get = await fetch(`${server.address}/api/search/`)
    expect([get.status, get.headers.get('allow')?.includes('POST')]).toEqual([405, true])
    expect((await post(body, {}, '/api/search/else')).status).toBe(404)
    expect((await post(body, {}, '/api/search/?page=2')).status).toBe(200)
  })
})

describe('on the wire', () => {
  const body = JSON.stringify({ query: 'tents — für tents', limit: 2 })
  const bytes = Buffer.from(body)

  test('a body split over many packets, within a character too, is one question', async () => {
    const whole = await post(body)
    const cut = bytes.indexOf(0xc3) + 1
    for (let round = 0; round < 2; round++) {
      const answer = await onSocket([
        head(bytes.length),
        bytes.subarray(0, 5),
        bytes.subarray(5, cut),
        bytes.subarray(cut),
      ])
      expect(answer).toMatch(/^HTTP\/1\.1 200 /)
      expect(steady(answer.slice(answer.indexOf('\r\n\r\n') + 4))).toBe(steady(whole.text))
    }
  })

  test('two questions on one connection are answered in their order', async () => {
    await post(body)
    const first = `${head(bytes.length).replace('Connection: close\r\n', '')}${body}`
    const answer = await onSocket([`${first}${head(bytes.length)}${body}`], 0)
    expect(answer.match(/HTTP\/1\.1 200 /g)).toHaveLength(2)
    expect(new Set(answer.match(new RegExp(ID, 'g'))).size).toBe(2)
  })

  test('clients that hang up midway disturb nobody', async () => {
    const { hostname, port } = new URL(server.address)
    for (let n = 0; n < 30; n++) {
      const socket = connect({ host: hostname, port: Number(port) })
      socket.on('error', () => {})
      socket.write(`${head(bytes.length)}${n % 2 === 0 ? body.slice(0, 10) : body}`)
      await new Promise<void>((resolve) => socket.once('connect', () => resolve()))
      if (n % 3 === 0) socket.resetAndDestroy()
      else socket.destroy()
    }
    await sleep(100)
    const { status, text } = await post(body)
    expect([status, JSON.parse(text).results.length]).toEqual([200, 2])
    expect(logged.lines().filter(({ level }) => level === 'error')).toEqual([])
  })
})
