/** The embedder may fail, hang or be absent, and the index may not be there yet: what a shopper gets then. */
import fs from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { connectDatabase } from '../../src/db/connect.ts'
import { wholeCatalog } from '../../src/search/catalog.ts'
import { createClickRecorder } from '../../src/search/clicks.service.ts'
import type { Embedder } from '../../src/search/embed/embedder.ts'
import { createIndexKeeper, type IndexKeeper } from '../../src/search/index-keeper.ts'
import { createQueryLog } from '../../src/search/query-log.ts'
import { loadLearned } from '../../src/search/rank/rank.ts'
import { createSearch } from '../../src/search/search.service.ts'
import { createSearchRuntime } from '../../src/search/start.ts'
import { startServer } from '../../src/server.ts'
import {
  captureLog,
  createDemoDatabase,
  createTestApp,
  EMBEDDER as real,
  SILENT,
  type TestDatabase,
  testConfig,
} from '../harness.ts'
import { type Loopback, serve } from '../loopback.ts'
import { tempDataDir } from '../server-process.ts'
import { ask, find, NO_SALES, put, slugs } from './search.world.ts'

let database: TestDatabase
let keeper: IndexKeeper

/** One product in twenty, and those that the tests ask for by name: an index is filled nine times here. */
const KEPT = `slug like '%grontley-stackblock%' or id in (
  select id from (select id, row_number() over (order by slug) as n from products) p where n % 20 = 1)`

beforeAll(async () => {
  database = await createDemoDatabase()
  await database.pool.query(`delete from products where not (${KEPT})`)
  keeper = createIndexKeeper({ db: database.db, log: SILENT }, real)
  await keeper.fill()
})

/** The app with an embedder of our choice in place of the model. */
async function appWith(embedder: Pick<Embedder, 'embedQuery'> | null) {
  const { ctx, logged } = await createTestApp({ database })
  const queryLog = createQueryLog(ctx)
  const index = keeper.current
  const open = () => {
    const current = index()
    return current && wholeCatalog(current)
  }
  const search = createSearch({ ...ctx, index, embedder, learned: loadLearned(), sales: NO_SALES, queryLog })
  const recordClick = createClickRecorder({ ...ctx, queryLog, open })
  const { app } = await createTestApp({ database, search: { search, recordClick } })
  const modeOf = async (queryId: string) => {
    await queryLog.settled()
    const { rows } = await database.pool.query(
      'select mode from search_queries q join search_answers a on a.id = q.answer_id where q.id = $1',
      [queryId],
    )
    return rows[0]?.mode as string | undefined
  }
  const warnings = () => logged.lines().filter(({ msg }) => msg === 'no embedding: answering by keywords')
  return { app, modeOf, warnings }
}

const body = { query: 'Grontley Stackblock', include: ['explain'] }

describe('without an answer from the embedder', () => {
  test('one that throws: keyword results, the log says so once, and semantic ones as soon as it is back', async () => {
    let broken = true
    const { app, modeOf, warnings } = await appWith({
      embedQuery: (text) => (broken ? Promise.reject(new Error('planted')) : real.embedQuery(text)),
    })
    const first = await find(app, body)
    expect(first.results.length).toBeGreaterThan(0)
    expect(first.results[0]?.slug).toContain('grontley-stackblock')
    expect(first.explain?.mode).toBe('keyword')
    expect(await modeOf(first.query_id)).toBe('keyword')
    await find(app, { query: 'tent' })
    expect(warnings()).toHaveLength(1)
    expect(JSON.stringify(warnings())).toContain('planted')
    broken = false
    const after = await find(app, body)
    expect(after.explain?.mode).toBe('semantic')
    expect(await modeOf(after.query_id)).toBe('semantic')
    broken = true
    expect((await find(app, body)).explain?.mode, 'a semantic answer is remembered').toBe('semantic')
  })

  test('one that throws at once, without a promise, is no different', async () => {
    const { app, warnings } = await appWith({
      embedQuery: () => {
        throw new Error('planted')
      },
    })
    expect((await find(app, body)).explain?.mode).toBe('keyword')
    expect(warnings()).toHaveLength(1)
  })

  test('one that never answers: keyword results after a few seconds', async () => {
    const { app, warnings } = await appWith({ embedQuery: () => new Promise(() => {}) })
    const started = performance.now()
    const { explain, results } = await find(app, body)
    expect(performance.now() - started).toBeLessThan(6_000)
    expect([explain?.mode, results.length > 0]).toEqual(['keyword', true])
    expect(warnings()).toHaveLength(1)
  })

  test('none configured: keyword results, filters and all, without a warning', async () => {
    const { app, warnings } = await appWith(null)
    const asked = { query: 'headphones', include: ['explain'], filters: { max_price: 100 } }
    const { results, explain } = await find(app, asked)
    expect([explain?.mode, results.length > 0]).toEqual(['keyword', true])
    const again = await find(app, asked)
    expect(slugs(again.results)).toEqual(slugs(results))
    expect(warnings()).toEqual([])
  })
})

describe('a remote embedder', () => {
  let remote: Loopback
  let up = false
  const vectorOf = (text: string) => [text.length, ...Array.from(text.slice(0, 15), (c) => c.charCodeAt(0))]
  beforeAll(async () => {
    remote = await serve(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      const { input } = JSON.parse(Buffer.concat(chunks).toString()) as { input: string[] }
      const data = input.map((text, index) => ({ index, embedding: vectorOf(text.padEnd(15)) }))
      response.writeHead(up ? 200 : 500).end(JSON.stringify(up ? { data } : { error: 'planted' }))
    })
  })
  afterAll(() => remote.close())

  test('that is away at start leaves keywords; when it comes, no change made meanwhile is lost', async () => {
    const { ctx, logged, clock } = await createTestApp({ database })
    const url = `http://127.0.0.1:${remote.port}/v1/embeddings`
    const config = testConfig({ SOUK_EMBEDDER_URL: url, SOUK_EMBEDDER_MODEL: 'm' })
    const runtime = createSearchRuntime(ctx, { config, sales: NO_SALES, demo: false, reconnectMs: 100 })
    const search = (query: string) => runtime.search.search({ query, limit: 5, face: 'rest' })
    await runtime.fill()
    expect((await search('Grontley Stackblock')).mode).toBe('keyword')
    expect(logged.text()).toContain('the embedding endpoint does not answer')

    // The new index reads the products while this holds them back; what is committed then must reach it all the same.
    const gate = await database.pool.connect()
    await gate.query('begin; lock table product_vectors in access exclusive mode')
    up = true
    for (let waits = 0; waits < 300; waits++) {
      const { rows } = await database.pool.query(
        `select 1 from pg_locks where relation = 'product_vectors'::regclass and not granted and database = (select oid from pg_database where datname = current_database())`,
      )
      if (rows.length > 0) break
      await sleep(10)
    }
    const { rows: firsts } = await database.pool.query(
      `select p.slug, c.slug as category from products p join categories c on c.id = p.category_id
       order by p.slug limit 1`,
    )
    const first = firsts[0].slug as string
    await put({ ...ctx, clock }, { ...firsts[0], title: 'Zyzzyva grindstone' })
    const { rows: events } = await database.pool.query(
      `select c.seq, c.xid::text as xid, c.product_id as "productId", c.category_id as "categoryId", c.aspect from changes c
       join products p on p.id = c.product_id where p.slug = $1`,
      [first],
    )
    const applied = runtime.apply(events)
    await gate.query('commit')
    gate.release()
    await applied
    for (let waits = 0; waits < 300 && (await search('zyzzyva')).mode === 'keyword'; waits++) await sleep(10)
    const found = await search('zyzzyva')
    expect(found.mode).toBe('semantic')
    expect(found.results[0]?.slug).toBe(first)
    await runtime.stop()
  })

  test('that comes back while the database is away does not end the process', async () => {
    up = false
    const { ctx, logged } = await createTestApp({ database })
    const url = `http://127.0.0.1:${remote.port}/v1/embeddings`
    const config = testConfig({ SOUK_EMBEDDER_URL: url, SOUK_EMBEDDER_MODEL: 'm' })
    const runtime = createSearchRuntime(ctx, { config, sales: NO_SALES, demo: false, reconnectMs: 100 })
    await runtime.fill()
    await database.pool.query('alter table product_vectors rename to product_vectors_away')
    up = true
    for (let waits = 0; waits < 300 && !logged.text().includes('could not be loaded'); waits++)
      await sleep(10)
    expect(logged.text()).toContain('could not be loaded')
    expect((await runtime.search.search({ query: 'tent', limit: 5, face: 'rest' })).mode).toBe('keyword')
    await database.pool.query('alter table product_vectors_away rename to product_vectors')
    const mode = async (query: string) =>
      (await runtime.search.search({ query, limit: 5, face: 'rest' })).mode
    for (let waits = 0; waits < 300 && (await mode(`tent ${waits}`)) === 'keyword'; waits++) await sleep(10)
    expect(await mode('tent')).toBe('semantic')
    await runtime.stop()
  })
})

describe('before the index is filled', () => {
  test('a search is 503 with Retry-After and its code, and after it an answer', async () => {
    const { app, searchRuntime } = await createTestApp({ database })
    const { status, headers, body: refused } = await ask(app, { query: 'tent' })
    expect([status, refused.code]).toEqual([503, 'search_unavailable'])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await ask(app, { query: '' })).status, 'a wrong request is wrong at any time').toBe(400)
    await searchRuntime.fill()
    expect((await find(app, { query: 'tent' })).results.length).toBeGreaterThan(0)
  })

  test('the server lives and says that it is not ready', async () => {
    const gate = await database.pool.connect()
    await gate.query('begin; lock table products in access exclusive mode')
    const dataDir = tempDataDir()
    onTestFinished(() => fs.rmSync(dataDir, { recursive: true, force: true }))
    const config = testConfig({
      DATABASE_URL: database.url,
      SOUK_DATA_DIR: dataDir,
      PORT: '0',
      SOUK_SECRET: 'a secret for tests of at least 32 characters',
    })
    const server = await startServer(config, {
      log: captureLog().log,
      database: await connectDatabase(config, { role: 'server', log: captureLog().log }),
    })
    onTestFinished(() => server.stop())
    const post = () =>
      fetch(`${server.address}/api/search/`, { method: 'POST', body: JSON.stringify({ query: 'tent' }) })
    try {
      expect((await fetch(`${server.address}/healthz`)).status).toBe(200)
      const ready = await fetch(`${server.address}/readyz`)
      expect(ready.status).toBe(503)
      expect(await ready.json()).toMatchObject({ reason: 'the search index is loading' })
      const refused = await post()
      expect(refused.status).toBe(503)
      expect(refused.headers.get('retry-after')).toBeTruthy()
      expect(await refused.json()).toMatchObject({ code: 'search_unavailable' })
    } finally {
      await gate.query('rollback')
      gate.release()
    }
    for (let waits = 0; waits < 1_000; waits++) {
      if ((await fetch(`${server.address}/readyz`)).status === 200) break
      await sleep(10)
    }
    expect((await fetch(`${server.address}/readyz`)).status).toBe(200)
    expect((await post()).status).toBe(200)
  })
})
