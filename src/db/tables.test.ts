/** The table types are written by hand; this holds them against the migrated database. */
import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../test/harness.ts'

test('the table types name exactly the columns that the migrations make', async () => {
  const { pool } = await createTestDatabase()
  const source = fs
    .globSync('tables*.ts', { cwd: import.meta.dirname, exclude: ['*.test.ts'] })
    .map((file) => fs.readFileSync(path.join(import.meta.dirname, file), 'utf8'))
    .join('')
  const types = new Map(
    [...source.matchAll(/export type (\w+Table) = \{\n([\s\S]*?)\n\}/g)].map(([, name = '', body = '']) => [
      name,
      [...body.matchAll(/^ {2}(\w+): /gm)].map(([, column]) => column).sort(),
    ]),
  )
  const lists = [...source.matchAll(/export type \w+Tables = \{\n([\s\S]*?)\n\}/g)].map(([, list]) => list)
  const declared = [...lists.join('\n').matchAll(/^ {2}(\w+): (\w+)$/gm)].map(([, table, type = '']) => ({
    table,
    columns: types.get(type),
  }))
  expect(declared.length).toBeGreaterThan(20)
  const { rows } = await pool.query<{ table: string; columns: string[] }>(
    `select table_name as table, array_agg(column_name::text order by column_name) as columns
     from information_schema.columns where table_schema = 'public' and table_name = any($1) group by 1 order by 1`,
    [declared.map(({ table }) => table)],
  )
  expect(declared.sort((a, b) => (String(a.table) < String(b.table) ? -1 : 1))).toEqual(rows)
})
