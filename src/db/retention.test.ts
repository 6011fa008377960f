/** The operator's table of what is kept and for how long, held against the schema: a new table must say when its rows go. */
import fs from 'node:fs'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../test/harness.ts'
import { projectFile } from '../lib/paths.ts'

test('the document for operators says of every table when its rows are deleted and by whom, and of no other', async () => {
  const { pool } = await createTestDatabase()
  const { rows } = await pool.query<{ name: string }>(
    `select relname::text as name from pg_class where relnamespace = 'public'::regnamespace
     and relkind in ('r', 'p') and not relispartition order by 1`,
  )
  const text = fs.readFileSync(projectFile('docs', 'operating.md'), 'utf8')
  const [, section = ''] = /^## Retention\n([\s\S]*?)(?=^## )/m.exec(text) ?? []
  const [, lines = ''] = /^\| Table \| Deleted \| By \|\n\|[-|]+\n((?:\|.*\n)+)/m.exec(section) ?? []
  const named = lines
    .split('\n')
    .flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, table = '']) => table))
  expect(named.sort()).toEqual(rows.map(({ name }) => name).sort())
})

test('every sweep that the document names is a job of the service', () => {
  const text = fs.readFileSync(projectFile('docs', 'operating.md'), 'utf8')
  const [, section = ''] = /^## Retention\n([\s\S]*?)(?=^## )/m.exec(text) ?? []
  const named = new Set(section.match(/\b(?:[a-z_0-9]+\.sweep|sweep-[a-z-]+)\b/g))
  expect(named.size).toBeGreaterThan(8)
  const sources = fs
    .readdirSync(projectFile('src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.ts$/.test(file) && !/\.test\.ts$/.test(file))
    .map((file) => fs.readFileSync(projectFile('src', file), 'utf8'))
    .join('\n')
  const kinds = new Set([...sources.matchAll(/kind: '([^']*sweep[^']*)'/g)].map(([, kind]) => kind))
  expect(kinds).toEqual(named)
})
