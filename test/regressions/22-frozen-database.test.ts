/**
 * A database that stops answering in the middle of something. Each moment gets a proxy of its own, so that all of them
 * freeze at the same time and the file takes seconds. Nothing here waits for a fault of the test's own making: what
 * must not happen is that a promise fails with nobody to hear it, which ends a process.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { importCategories } from '../../src/catalog/categories.service.ts'
import { importProducts } from '../../src/catalog/import.service.ts'
import { loadConfig } from '../../src/config.ts'
import { connectDatabase } from '../../src/db/connect.ts'
import { openDatabase } from '../../src/db/database.ts'
import { createJobRunner, defineJob, enqueue } from '../../src/jobs/runner.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createIndexKeeper } from '../../src/search/index-keeper.ts'
import { startServer } from '../../src/server.ts'
import { createRandom } from '../../trials/random.ts'
import { type FreezingProxy, startFreezingProxy } from '../freezing-proxy.ts'
import { captureLog, createTestDatabase, SILENT, type TestDatabase } from '../harness.ts'
import { type Loopback, serve } from '../loopback.ts'
import { startSouk, tempDataDir } from '../server-process.ts'

const SEED = 22
/** Spread over the whole of a start or a rebuilding. */
const MOMENTS = 10
/** Three pages of the index and two of the catalog. */
const PRODUCTS = 650
/** Two pages of the index: while the second asks for its vectors, nobody waits for the first. */
const FEW_PRODUCTS = 300
/** Where no watchdog looks yet, longer than it would need to say that the database is away. */
const FROZEN_MS = 7_000
const AWAY = 'the database does not answer'
const MODEL = { id: 'none', dims: 16 }

let database: TestDatabase
let embedder: Loopback
const unheard: string[] = []
const note = (reason: unknown) => unheard.push(String(reason))

beforeAll(async () => {
  process.on('unhandledRejection', note)
  database = await createCatalog(PRODUCTS)
  // An endpoint in place of the model: twenty of those would take their time to load.
  embedder = await serve((request, response) => {
    request.resume().once('end', () => {
      response.end(JSON.stringify({ data: [{ index: 0, embedding: [1, 0, 0, 0] }] }))
    })
  })
})
afterAll(async () => {
  process.off('unhandledRejection', note)
  await embedder.close()
})

async function createCatalog(products: number): Promise<TestDatabase> {
  const made = await createTestDatabase()
  const ctx = { db: made.db, clock: systemClock, log: SILENT }
  await importCategories(ctx, [{ slug: 'kettles', label: 'Kettles' }])
  const bytes = (async function* () {
    for (let n = 0; n < products; n++)
      yield Buffer.from(
        `${JSON.stringify({ slug: `kettle-${n}`, title: `Kettle ${n}`, category: 'kettles' })}\n`,
      )
  })()
  await importProducts(ctx, bytes, { format: 'jsonl', source: 'test', fingerprint: 'frozen' })
  return made
}

const settings = (url: string) => ({
  DATABASE_URL: url,
  SOUK_DATA_DIR: tempDataDir(),
  SOUK_SECRET: 'a secret for tests of at least 32 characters',
  SOUK_CATALOG: 'none',
  SOUK_POOL_SIZE: '4',
  PORT: '0',
})

/** Whole numbers from 0 to `most`, the same in every run. */
function moments(most: number): number[] {
  const random = createRandom(SEED)
  return Array.from({ length: MOMENTS }, (_, n) => Math.floor(((n + random()) / MOMENTS) * most))
}

/** Until the watchdog has said that the database is away. */
async function thawAfterAway(proxy: FreezingProxy, text: () => string): Promise<void> {
  await proxy.frozen()
  const limit = performance.now() + FROZEN_MS
  while (performance.now() < limit && !text().includes(AWAY)) await sleep(50)
  proxy.thaw()
}

async function start(url: string, { log, text } = captureLog()) {
  const config = loadConfig({
    ...settings(url),
    SOUK_EMBEDDER_URL: `http://127.0.0.1:${embedder.port}`,
    SOUK_EMBEDDER_MODEL: 'm',
  })
  const server = await startServer(config, {
    log,
    database: await connectDatabase(config, { role: 'server', log }),
  })
  return { server, text }
}

async function untilReady(address: string): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    if ((await fetch(`${address}/readyz`)).status === 200) return
    await sleep(100)
  }
  throw new Error(`${address} is not ready`)
}

// A process of its own, which mostly waits: beside the next.
test.concurrent('a node whose database freezes for 9 s when its index first asks for vectors goes on and is ready', {
  timeout: 90_000,
}, async () => {
  const few = await createCatalog(FEW_PRODUCTS)
  const proxy = await startFreezingProxy(few.connection.database)
  proxy.freezeAfter({ request: 'product_vectors' })
  void proxy
    .frozen()
    .then(() => sleep(9_000))
    .then(proxy.thaw)
  const node = await startSouk(settings(proxy.url))
  await proxy.frozen()
  expect((await fetch(`${node.address}/healthz`)).status).toBe(200)
  node.kill('SIGTERM')
  expect(await node.ended).toBe(0)
  expect(node.output()).toContain('the search index could not be loaded; trying again')
  expect(node.output()).not.toContain('unhandled promise rejection')
})

test.concurrent('a node that starts comes up, at whatever moment the database freezes', {
  timeout: 90_000,
}, async () => {
  const usual = await startFreezingProxy(database.connection.database)
  const { server } = await start(usual.url)
  await untilReady(server.address)
  const pieces = usual.passed()
  await server.stop()

  const ends = await Promise.all(
    moments(pieces).map(async (after) => {
      const proxy = await startFreezingProxy(database.connection.database)
      proxy.freezeAfter({ pieces: after })
      const logged = captureLog()
      void thawAfterAway(proxy, logged.text)
      try {
        const { server: node } = await start(proxy.url, logged)
        await untilReady(node.address)
        await proxy.frozen()
        await node.stop()
        return 'up'
      } catch (error) {
        return `after ${after} of ${pieces}: ${error}`
      }
    }),
  )
  expect(unheard).toEqual([])
  expect(ends).toEqual(ends.map(() => 'up'))
})

test('an index that is built anew stays in use, at whatever moment the database freezes', {
  timeout: 90_000,
}, async () => {
  const { rows } = await database.pool.query<{ id: string; category_id: string }>(
    'select id, category_id from products',
  )
  const events = rows.map(({ id, category_id }, seq) => ({
    seq,
    xid: '1',
    productId: id,
    categoryId: category_id,
    aspect: 'price' as const,
    at: new Date(),
  }))

  /** A change of every product and one more leave more dead slots than living ones. */
  async function beginRebuild(freezeAfter: number | null) {
    const proxy = await startFreezingProxy(database.connection.database)
    const { log, text } = captureLog()
    const own = openDatabase({ connectionString: proxy.url }, log, { poolSize: 3, watched: true })
    const keeper = createIndexKeeper({ db: own.db, log }, MODEL, 0)
    await keeper.fill()
    await keeper.apply(events)
    const before = proxy.passed()
    await keeper.apply(events.slice(0, 1))
    if (freezeAfter !== null) {
      proxy.freezeAfter({ pieces: freezeAfter })
      void thawAfterAway(proxy, text)
    }
    return async () => {
      await keeper.settled()
      await own.close()
      const failed = text().includes('could not be rebuilt')
      return { size: keeper.current()?.size, pieces: proxy.passed() - before, failed }
    }
  }

  const usual = await (await beginRebuild(null))()
  expect(usual).toMatchObject({ size: PRODUCTS, failed: false })
  // Begun one after another: a node that is busy for seconds would take its own delay for the database's.
  const ends: Array<ReturnType<Awaited<ReturnType<typeof beginRebuild>>>> = []
  for (const after of moments(usual.pieces)) ends.push((await beginRebuild(after))())
  const all = await Promise.all(ends)
  expect(unheard).toEqual([])
  expect(all.map(({ size }) => size)).toEqual(all.map(() => PRODUCTS))
  expect(all.some(({ failed }) => failed)).toBe(true)
})

test('a job whose payload nobody understands fails for good, and its node goes on', async () => {
  const { log, text } = captureLog()
  const job = defineJob({
    kind: 'planted',
    payload: z.object({ id: z.string() }),
    maxAttempts: 1,
    leaseMs: 10_000,
    run: async () => {},
    gaveUp: async () => {},
  })
  await enqueue(database.db, job, { id: 7 })
  const runner = createJobRunner({ db: database.db, log, jobs: [job], pollMs: 20 })
  runner.start()
  const state = () => database.pool.query(`select state from jobs where kind = 'planted'`)
  for (let tries = 0; tries < 500 && (await state()).rows[0]?.state !== 'failed'; tries++) await sleep(20)
  expect((await state()).rows).toEqual([{ state: 'failed' }])
  await runner.stop()
  expect(unheard).toEqual([])
  expect(text()).toContain('job failed for good')
})
