import { expect, test } from 'vitest'
import { createTestDatabase } from './harness.ts'
import { watchRows } from './written-rows.ts'

test('rows that are new, gone or different are seen, no matter who wrote them, and a row written as it was is not', async () => {
  const { pool } = await createTestDatabase()
  const add = (slug: string) =>
    pool.query(`insert into categories (id, slug, label) values (gen_random_uuid(), $1, 'Old')`, [slug])
  for (const slug of ['kept', 'changed', 'gone', 'back']) await add(slug)
  const written = await watchRows(pool)
  const before = await written.now()
  expect(await written.since(before)).toEqual([])
  await pool.query('update categories set label = label')
  await pool.query(`update categories set label = 'New' where slug in ('changed', 'back')`)
  await pool.query(`update categories set label = 'Old' where slug = 'back'`)
  await pool.query(`delete from categories where slug = 'gone'`)
  await add('added')
  await add('undone')
  await pool.query(`delete from categories where slug = 'undone'`)
  const seen = (await written.since(before)).map((row) => row.replace(/\(.*?,(\w+),(\w+).*/, '$1 $2'))
  expect(seen.sort()).toEqual([
    '+ categories added Old',
    '+ categories changed New',
    '- categories changed Old',
    '- categories gone Old',
  ])
  expect(await written.since(before, 'added')).toHaveLength(1)
  expect(await written.since(await written.now())).toEqual([])
  await expect(pool.query('truncate categories cascade')).rejects.toThrow('would not be written down')
})
