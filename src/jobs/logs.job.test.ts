/** Logs that are partitioned by time: made ahead, dropped when all of a partition is old, and nothing written is refused. */
import { beforeEach, describe, expect, test } from 'vitest'
import { captureLog, createTestDatabase, type TestDatabase } from '../../test/harness.ts'
import { auditLog } from '../accounts/sweep.job.ts'
import { DAY_MS, manualClock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import { searchLogs } from '../search/query-log.job.ts'
import { createLogsSweep, type KeptLog } from './logs.job.ts'

let database: TestDatabase
beforeEach(async () => {
  database = await createTestDatabase()
})

const keep = { searches: 90, attempts: null, audit: null, requests: null }
const SEARCHES: KeptLog = { table: 'search_queries', step: 'week', days: 90 }

async function sweep(
  at: Date,
  logs: KeptLog[] = [...searchLogs({ keep }), auditLog({ keep })],
  batchRows?: number,
) {
  const job = createLogsSweep({ db: database.db, clock: manualClock(at.toISOString()) }, logs, { batchRows })
  const context = { log: captureLog().log, signal: new AbortController().signal, attempt: 1, jobId: newId() }
  await job.run({}, context)
}

/** Names and ends, in order. */
async function partitionsOf(table: string): Promise<string[]> {
  const { rows } = await database.pool.query<{ name: string }>(
    `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = $1::regclass order by 1`,
    [table],
  )
  return rows.map(({ name }) => name.slice(table.length + 1))
}

async function holding(table: string): Promise<Record<string, number>> {
  const { rows } = await database.pool.query<{ name: string; count: number }>(
    `select tableoid::regclass::text as name, count(*)::int as count from ${table} group by 1 order by 1`,
  )
  return Object.fromEntries(rows.map(({ name, count }) => [name.slice(table.length + 1), count]))
}

const search = (at: Date) =>
  database.pool.query('insert into search_queries (id, at, answer_id, ms) values ($1, $2, $1, 1)', [
    newId(),
    at,
  ])
const act = (at: Date) =>
  database.pool.query(
    `insert into audit_log (id, at, actor_kind, action) values ($1, $2, 'system', 'tried')`,
    [newId(), at],
  )

/** The end of what was there before, which follows the clock of the machine. */
async function firstEnd(table: string): Promise<Date> {
  const { rows } = await database.pool.query<{ until: Date }>(
    `select substring(pg_get_expr(relpartbound, oid) from 'TO \\(''([^'']+)''')::timestamptz as until
     from pg_class where relname = $1`,
    [`${table}_before`],
  )
  return rows[0]?.until ?? new Date(0)
}
const later = (from: Date, days: number) => new Date(from.getTime() + days * DAY_MS)
const named = (at: Date) => at.toISOString().slice(0, 10).replaceAll('-', '_')

describe('partitions', () => {
  test('are made ahead, week by week from Monday and month by month, once, on two nodes at once too', async () => {
    expect(await partitionsOf('search_queries')).toEqual(['before', 'other'])
    const monday = await firstEnd('search_queries')
    expect([monday.getUTCDay(), monday.getUTCHours()]).toEqual([1, 0])
    const first = await firstEnd('audit_log')
    expect(first.getUTCDate()).toBe(1)
    const now = later(monday, -1)
    await Promise.all([sweep(now), sweep(now)])
    const weeks = [0, 7, 14, 21].map((days) => named(later(monday, days)))
    expect(await partitionsOf('search_queries')).toEqual([...weeks, 'before', 'other'])
    const months = (await partitionsOf('audit_log')).slice(0, -2)
    expect(months[0]).toBe(named(first))
    expect(months.every((name) => name.endsWith('_01'))).toBe(true)
    expect(months.length).toBeGreaterThan(2)
  })

  test('take what is written in their time, and what nobody made one for is kept until it has one', async () => {
    const monday = await firstEnd('search_queries')
    for (const days of [-100, -0.001, 0, 6.9, 7, 40]) await search(later(monday, days))
    expect(await holding('search_queries')).toEqual({ before: 2, other: 4 })
    await sweep(later(monday, 1), [{ ...SEARCHES, days: null }])
    expect(await holding('search_queries')).toEqual({
      before: 2,
      [named(monday)]: 2,
      [named(later(monday, 7))]: 1,
      other: 1,
    })
    await search(later(monday, 8))
    expect((await holding('search_queries'))[named(later(monday, 7))]).toBe(2)
  })

  test('go as a whole when all their rows are old; of what was there before, rows go', async () => {
    const monday = await firstEnd('search_queries')
    for (const days of [-95, -1]) await search(later(monday, days))
    await sweep(monday, [SEARCHES])
    expect(await holding('search_queries')).toEqual({ before: 1 })
    for (const days of [1, 8]) await search(later(monday, days))
    await sweep(later(monday, 90), [SEARCHES])
    expect(await holding('search_queries')).toEqual({ [named(monday)]: 1, [named(later(monday, 7))]: 1 })
    expect(await partitionsOf('search_queries')).not.toContain('before')
    await sweep(later(monday, 97), [SEARCHES])
    expect(await holding('search_queries')).toEqual({ [named(later(monday, 7))]: 1 })
    await search(later(monday, -300))
    await sweep(later(monday, 97), [SEARCHES])
    expect(await holding('search_queries')).toEqual({ [named(later(monday, 7))]: 1 })
  })

  test('of the audit log stay for ever unless the operator says how long', async () => {
    const first = await firstEnd('audit_log')
    await sweep(first)
    for (const days of [-4_000, -40, 10]) await act(later(first, days))
    await sweep(later(first, 5_000), [auditLog({ keep })])
    expect(Object.values(await holding('audit_log')).reduce((sum, count) => sum + count)).toBe(3)
    await sweep(later(first, 400), [auditLog({ keep: { ...keep, audit: 365 } })])
    expect(await holding('audit_log')).toEqual({})
    // The month of the day that counts stays whole.
    await act(later(first, 34))
    await sweep(later(first, 400), [auditLog({ keep: { ...keep, audit: 365 } })])
    expect(Object.values(await holding('audit_log'))).toEqual([1])
  })

  test('wait for nobody for long, and are dropped when the readers have gone', async () => {
    const monday = await firstEnd('search_queries')
    await sweep(monday, [SEARCHES])
    await search(later(monday, 1))
    const reader = await database.pool.connect()
    try {
      await reader.query('begin')
      await reader.query('select count(*) from search_queries')
      const dropping = sweep(later(monday, 120), [SEARCHES])
      await expect
        .poll(
          async () =>
            (await database.pool.query("select from pg_locks where not granted and locktype = 'relation'"))
              .rowCount,
        )
        .toBe(1)
      // Who comes meanwhile is answered within the time that the change waits.
      await search(later(monday, 130))
      await reader.query('commit')
      await dropping
    } finally {
      reader.release()
    }
    expect(await partitionsOf('search_queries')).not.toContain(named(monday))
  })
})

test('a node of before cannot delete rows by their place, which would be those of other partitions too', async () => {
  const monday = await firstEnd('search_queries')
  for (const days of [-95, 1]) await search(later(monday, days))
  for (const table of ['search_queries', 'search_answers'])
    await expect(
      database.pool.query(
        `delete from ${table} where ctid = any(array(select ctid from ${table} where at < now() - interval '90 days'))`,
      ),
    ).rejects.toThrow(/go with their partition/)
  expect(Object.values(await holding('search_queries')).reduce((sum, count) => sum + count)).toBe(2)
})
