/**
 * Databases of earlier versions, with rows in every table, taken to the newest one: nothing is lost, nothing is changed
 * but what a migration changes on purpose, and the app serves from what comes out.
 */
import { describe, expect, test } from 'vitest'
import { listMigrations, migrate } from '../../src/db/migrate.ts'
import { createTestDatabase, type TestDatabase } from '../harness.ts'
import { fillEveryTable } from './fill.ts'
import { expectServed, SECRET } from './serves.ts'

/**
 * The last migration of each earlier state. What a state proves is that tables which are full at it bear the migrations
 * after it, so one between two of these counts only when a table that is new in it is touched before the next.
 */
const STATES = ['0004', '0010', '0017']

type Purpose = { by: string; table: string; dropped?: string[]; emptied?: string[] }

/** What later migrations take away or empty. A column that is not here comes through as it was. */
const ON_PURPOSE: Purpose[] = [
  {
    ...{ by: '0012', table: 'search_queries' },
    dropped: ['query', 'filters', 'face', 'mode', 'product_ids', 'offset_by'],
  },
  { by: '0013', table: 'rfqs', emptied: ['asker_key', 'message_id'] },
  { by: '0013', table: 'a2a_questions', emptied: ['asker_key', 'message_id'] },
]

type Row = Record<string, unknown>

async function readAll({ pool }: TestDatabase): Promise<Map<string, Row[]>> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `select table_name::text as name from information_schema.tables
     where table_schema = 'public' and table_name <> 'migrations' order by 1`,
  )
  const all = new Map<string, Row[]>()
  for (const { name } of tables) {
    const { rows } = await pool.query<{ row: Row }>(`select to_jsonb(t) as row from ${name} t`)
    all.set(
      name,
      rows.map(({ row }) => row),
    )
  }
  return all
}

/** A row as the newest version must have it, in the columns that it had before. */
function expected(state: string, table: string, row: Row): Row {
  const purposes = ON_PURPOSE.filter((purpose) => purpose.table === table && purpose.by > state)
  const dropped = purposes.flatMap((purpose) => purpose.dropped ?? [])
  const emptied = purposes.flatMap((purpose) => purpose.emptied ?? [])
  return Object.fromEntries(
    Object.entries(row)
      .filter(([column]) => !dropped.includes(column))
      .map(([column, value]) => [column, emptied.includes(column) ? null : value]),
  )
}

function inColumns(columns: string[], row: Row): Row {
  return Object.fromEntries(columns.map((column) => [column, row[column]]))
}

const sorted = (rows: Row[]) => rows.map((row) => JSON.stringify(row)).sort()

describe.each(STATES)('a database of %s, full of rows', (state) => {
  test('comes to the newest version with every row as it was, and is served', async () => {
    const database = await createTestDatabase({ empty: true })
    const { pool } = database
    const earlier = listMigrations().filter((name) => name.slice(0, 4) <= state)
    expect(await migrate(pool, undefined, undefined, earlier)).toEqual(earlier)
    await fillEveryTable(pool, SECRET)
    const before = await readAll(database)
    for (const [table, rows] of before) expect(rows.length, table).toBeGreaterThan(1)
    const later = await migrate(pool)
    expect([...earlier, ...later]).toEqual(listMigrations())
    const after = await readAll(database)
    for (const [table, rows] of before) {
      const wanted = rows.map((row) => expected(state, table, row))
      const columns = Object.keys(wanted[0] ?? {})
      const found = (after.get(table) ?? []).map((row) => inColumns(columns, row))
      expect(sorted(found), table).toEqual(sorted(wanted))
    }
    expectMoved(before, after)
    await expectServed(database)
  })
})

/** What went from one table or column to another, in meaning. */
function expectMoved(before: Map<string, Row[]>, after: Map<string, Row[]>): void {
  for (const asked of before.get('search_queries') ?? []) {
    if (!('query' in asked)) continue
    const answer = after.get('search_answers')?.find(({ id }) => id === asked.id)
    expect(answer).toMatchObject(inColumns(['at', 'query', 'filters', 'face', 'mode', 'product_ids'], asked))
    expect(after.get('search_queries')?.find(({ id }) => id === asked.id)).toMatchObject({
      answer_id: asked.id,
    })
  }
  if (before.has('search_queries') && !before.has('product_impressions'))
    expect(
      new Map(after.get('product_impressions')?.map((row) => [row.product_id, row.impressions])),
    ).toEqual(new Map(after.get('products')?.map(({ id }) => [id, before.get('search_queries')?.length])))
  const sessions = new Set(after.get('rfqs')?.map(({ session_id }) => session_id))
  for (const request of before.get('rfqs') ?? []) {
    const now = after.get('rfqs')?.find(({ id }) => id === request.id)
    if (!('session_id' in request)) {
      expect(sessions.size, 'each request has an id for sellers').toBe(after.get('rfqs')?.length)
      expect(sessions, 'which is no task’s').not.toContain(request.id)
    }
    if ('anonymous' in request) continue
    expect(now, 'a stranger’s request stays a stranger’s').toMatchObject({
      anonymous: request.user_id === null,
    })
  }
}
