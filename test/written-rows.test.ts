import { expect, test } from 'vitest'
import { createTestDatabase } from './harness.ts'
import { watchRows } from './written-rows.ts'

test('rows that are new, gone or different are seen, no matter who wrote them, and a row written as it was is not', async () => {
  const { pool } = await createTestDatabase()
  const add = (key: string) =>
    pool.query(`insert into brands (id, key, name) values (gen_random_uuid(), $1, 'Old')`, [key])
  for (const key of ['kept', 'changed', 'gone', 'back']) await add(key)
  const written = await watchRows(pool)
  const before = await written.now()
  expect(await written.since(before)).toEqual([])
  await pool.query('update brands set name = name')
  await pool.query(`update brands set name = 'New' where key in ('changed', 'back')`)
  await pool.query(`update brands set name = 'Old' where key = 'back'`)
  await pool.query(`delete from brands where key = 'gone'`)
  await add('added')
  await add('undone')
  await pool.query(`delete from brands where key = 'undone'`)
  const seen = (await written.since(before)).map((row) => row.replace(/\(.*?,(\w+),(\w+).*/, '$1 $2'))
  expect(seen.sort()).toEqual([
    '+ brands added Old',
    '+ brands changed New',
    '- brands changed Old',
    '- brands gone Old',
  ])
  expect(await written.since(before, 'added')).toHaveLength(1)
  expect(await written.since(await written.now())).toEqual([])
  await expect(pool.query('truncate brands cascade')).rejects.toThrow('would not be written down')
})
