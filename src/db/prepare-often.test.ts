import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../test/harness.ts'
import { createPreparer } from './prepare-often.ts'

const { db, pool } = await createTestDatabase()
const LABELS = 'select label from categories where slug = $1'

async function often(work: () => Promise<unknown>): Promise<void> {
  for (let time = 0; time < 60; time++) await work()
}

test('what is sent often gets a name, what names no columns or is new each time does not', () => {
  const nameOf = createPreparer()
  const afterMany = (text: string) => Array.from({ length: 100 }, () => nameOf(text)).at(-1)
  expect(nameOf(LABELS)).toBeUndefined()
  const name = afterMany(LABELS)
  expect(name).toMatch(/^often_\d+$/)
  expect(nameOf(LABELS)).toBe(name)
  expect(afterMany('select count(*) from jobs where a = 2 * $1')).toMatch(/^often_/)
  for (const star of ['select * from x', 'select p.*, 1', 'insert … returning *', 'select 1, * from x'])
    expect(afterMany(star)).toBeUndefined()
  for (let n = 0; n < 10_000; n++) expect(nameOf(`select ${n}`)).toBeUndefined()
  expect(afterMany('select after so many others')).toBeUndefined()
})

test('a connection that is asked often has it prepared, through the builder and through the pool, with the same answers', async () => {
  await db.connection().execute(async (one) => {
    const read = (label: string) =>
      sql<{ label: string }>`select ${label}::text as label, 'builder'`.execute(one)
    await often(() => read('x'))
    expect((await read('what is asked')).rows).toEqual([{ label: 'what is asked', '?column?': 'builder' }])
    const { rows } = await sql<{ statement: string }>`select statement from pg_prepared_statements`.execute(
      one,
    )
    expect(rows.map(({ statement }) => statement)).toContainEqual(expect.stringContaining(`'builder'`))
  })
  const client = await pool.connect()
  await often(() => client.query(LABELS, ['nothing']))
  expect((await client.query(LABELS, ['nothing'])).rows).toEqual([])
  await expect(client.query(LABELS, [])).rejects.toThrow('bind message')
  const told = await new Promise((resolve) =>
    client.query(LABELS, ['x'], (_, { rowCount }) => resolve(rowCount)),
  )
  expect(told).toBe(0)
  client.release()
})

test('a table that gets a column, an index or another type in between is read as before', async () => {
  const client = await pool.connect()
  await client.query('create table shelves (id int primary key, room text)')
  await client.query(`insert into shelves values (1, 'hall')`)
  const read = () => client.query('select id, room from shelves where room = $1', ['hall'])
  await often(read)
  await client.query('alter table shelves add column height int')
  await client.query('create index on shelves (room)')
  expect((await read()).rows).toEqual([{ id: 1, room: 'hall' }])
  client.release()
})
