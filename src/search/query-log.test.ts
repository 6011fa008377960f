/** The log of searches on a real database: what repeated askings share is there once, and all of it goes in time. */
import { beforeEach, expect, test } from 'vitest'
import { captureLog, createTestDatabase } from '../../test/harness.ts'
import { manualClock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import { createSearchSweep } from './query-log.job.ts'
import { createQueryLog, type QueryEntry } from './query-log.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const NOW = new Date('2026-11-01T12:00:00Z')
const { db, pool } = await createTestDatabase()
const log = createQueryLog({ db, log: captureLog().log })

beforeEach(async () => void (await pool.query('truncate search_queries, search_answers cascade')))

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

test('after ninety days askings are forgotten, and answers once nothing can name them', async () => {
  const productIds = [newId()]
  const ago = (days: number) => new Date(NOW.getTime() - days * DAY_MS)
  // Asked often for years, as a remembered answer is: it is written anew each day.
  await write(entry({ at: ago(200) }), entry({ productIds, at: ago(91.5) }))
  await write(entry({ productIds, at: ago(90.6) }), entry({ productIds, at: ago(89.9) }))
  expect(await counts()).toEqual({ askings: 4, answers: 3 })
  await createSearchSweep({ db, clock: manualClock(NOW.toISOString()) }).run({}, {
    log: captureLog().log,
  } as never)
  expect(await counts()).toEqual({ askings: 1, answers: 1 })
  const { rows } = await pool.query(
    'select from search_queries q join search_answers a on a.id = q.answer_id',
  )
  expect(rows).toHaveLength(1)
})
