/** The log of searches on a real database: what repeated askings share is there once, and all of it goes in time. */
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, expect, test } from 'vitest'
import { captureLog, createTestDatabase } from '../../test/harness.ts'
import { createLogsSweep } from '../jobs/logs.job.ts'
import { manualClock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import { searchLogs } from './query-log.job.ts'
import { createQueryLog, type QueryEntry } from './query-log.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const NOW = new Date('2026-11-01T12:00:00Z')
const { db, pool } = await createTestDatabase()
const log = createQueryLog({ db, log: captureLog().log })

beforeEach(
  async () => void (await pool.query('truncate search_queries, search_answers, product_impressions cascade')),
)

const entry = (change: Partial<QueryEntry> = {}): QueryEntry => ({
  id: newId(),
  at: NOW,
  query: 'tent',
  filters: {},
  sessionId: null,
  face: 'rest',
  mode: 'semantic',
  productIds: [newId()],
  offset: 0,
  ms: 1.5,
  ...change,
})

async function write(...entries: QueryEntry[]): Promise<void> {
  for (const one of entries) log.add(one)
  await log.settled()
}

async function addPlainProducts(count: number): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `with kind as (
       insert into categories (id, slug, label) values (gen_random_uuid(), $2, 'Lamps') returning id)
     insert into products (id, slug, category_id, title)
     select gen_random_uuid(), $2 || n, kind.id, 'A lamp' from kind, generate_series(1, $1) as n returning id`,
    [count, `lamps-${newId()}-`],
  )
  return rows.map(({ id }) => id)
}

async function shownOn(day: string): Promise<Record<string, number>> {
  const { rows } = await pool.query(
    `select product_id, impressions from product_impressions where day = $1::date`,
    [day],
  )
  return Object.fromEntries(rows.map((row) => [row.product_id, row.impressions]))
}

const counts = async () => {
  const { rows } = await pool.query(
    'select (select count(*)::int from search_queries) as askings, (select count(*)::int from search_answers) as answers',
  )
  return rows[0]
}

test('an answer that is asked for again is kept once, a face each, within a batch and over batches', async () => {
  const productIds = [newId(), newId()]
  await write(entry({ productIds }), entry({ productIds, sessionId: 'visit' }))
  await write(entry({ productIds }), entry({ productIds, face: 'tools' }))
  expect(await counts()).toEqual({ askings: 4, answers: 2 })
  const { rows } = await pool.query(
    'select a.face, q.session_id from search_queries q join search_answers a on a.id = q.answer_id order by q.id',
  )
  expect(rows).toEqual([
    { face: 'rest', session_id: null },
    { face: 'rest', session_id: 'visit' },
    { face: 'rest', session_id: null },
    { face: 'tools', session_id: null },
  ])
})

test('an answer whose first writing failed comes along with its next asking', async () => {
  const productIds = [newId()]
  await pool.query('alter table search_answers rename to away')
  await write(entry({ productIds }))
  await pool.query('alter table away rename to search_answers')
  await write(entry({ productIds }))
  expect(await counts()).toEqual({ askings: 1, answers: 1 })
})

test('who waits for an entry does not wait for those that come after it', async () => {
  let written = false
  log.add(entry())
  void log.settled().then(() => {
    written = true
  })
  let later = 0
  // Far longer than writing takes: who waited for all of them would wait until the last.
  const most = 20_000
  for (; later < most && !written; later++) {
    log.add(entry())
    await sleep(1)
  }
  expect(later).toBeLessThan(most)
  await log.settled()
  expect(await counts()).toEqual({ askings: later + 1, answers: later + 1 })
})

test('how often a product was shown is counted by the day, no matter who asked, and of deleted products not at all', async () => {
  const [lamp = '', desk = ''] = await addPlainProducts(2)
  const both = [lamp, desk]
  await write(
    entry({ productIds: both }),
    entry({ productIds: both }),
    entry({ productIds: [desk, desk, newId()] }),
    entry({ productIds: both, at: ago(1) }),
  )
  await write(entry({ productIds: both, face: 'tools' }))
  expect(await shownOn('2026-11-01')).toEqual({ [lamp]: 3, [desk]: 4 })
  expect(await shownOn('2026-10-31')).toEqual({ [lamp]: 1, [desk]: 1 })
  await pool.query('delete from products where id = $1', [lamp])
  expect(await shownOn('2026-11-01')).toEqual({ [desk]: 4 })
})

test('two nodes that count the same products at once lose nothing', async () => {
  const products = await addPlainProducts(30)
  const other = createQueryLog({ db, log: captureLog().log })
  for (let turn = 0; turn < 40; turn++) {
    log.add(entry({ productIds: products }))
    other.add(entry({ productIds: products.toReversed() }))
    if (turn % 4 === 3) await Promise.all([log.settled(), other.settled()])
  }
  expect(await shownOn('2026-11-01')).toEqual(Object.fromEntries(products.map((id) => [id, 80])))
})

const ago = (days: number) => new Date(NOW.getTime() - days * DAY_MS)

const sweep = (searches: number | null, batchRows?: number) =>
  createLogsSweep(
    { db, clock: manualClock(NOW) },
    searchLogs({ keep: { searches, attempts: null, audit: null, requests: null } }),
    { batchRows },
  ).run({}, { log: captureLog().log, signal: new AbortController().signal, attempt: 1, jobId: newId() })

test('after the days that are set askings are forgotten, and answers once nothing can name them', async () => {
  const productIds = [newId()]
  // Asked often for years, as a remembered answer is: it is written anew each day.
  await write(entry({ at: ago(200) }), entry({ productIds, at: ago(91.5) }))
  await write(entry({ productIds, at: ago(90.6) }), entry({ productIds, at: ago(89.9) }))
  expect(await counts()).toEqual({ askings: 4, answers: 3 })
  await sweep(null)
  expect(await counts()).toEqual({ askings: 4, answers: 3 })
  await sweep(90)
  expect(await counts()).toEqual({ askings: 1, answers: 1 })
  const { rows } = await pool.query(
    'select from search_queries q join search_answers a on a.id = q.answer_id',
  )
  expect(rows).toHaveLength(1)
})

test('many are forgotten in batches with their clicks, on two nodes at once, and none that is young', async () => {
  const old = Array.from({ length: 60 }, (_, index) =>
    entry({ at: ago(31 + index / 10), query: `q${index}` }),
  )
  const young = Array.from({ length: 5 }, (_, index) => entry({ at: ago(29), query: `y${index}` }))
  await write(...old, ...young)
  await pool.query(
    'insert into search_clicks (id, at, query_id, product_id) select gen_random_uuid(), at, id, id from search_queries',
  )
  await Promise.all([sweep(30, 7), sweep(30, 7)])
  // What one node was at when the other looked, the next day finds.
  await sweep(30)
  const { rows } = await pool.query(
    'select (select count(*)::int from search_clicks) as clicks, (select count(*)::int from search_queries where at < $1) as old',
    [ago(30)],
  )
  expect(rows).toEqual([{ clicks: 5, old: 0 }])
  expect((await counts()).askings).toBe(5)
})
