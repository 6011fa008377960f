import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { createTestDatabase } from '../../test/harness.ts'
import { listMigrations, migrate, pendingMigration } from './migrate.ts'

function folderWith(files: Record<string, string>): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'souk-migrations-'))
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(folder, name), text)
  return folder
}

describe('migrations', () => {
  test('eight nodes that start at once apply each migration once', async () => {
    const { pool } = await createTestDatabase({ empty: true })
    const applied = await Promise.all(Array.from({ length: 8 }, () => migrate(pool)))
    expect(applied.flat().sort()).toEqual(listMigrations())
    expect(await pendingMigration(pool)).toBeNull()
  })

  test('are applied in order, and again not at all', async () => {
    const { pool } = await createTestDatabase({ empty: true })
    const folder = folderWith({
      '0002_b.sql': 'insert into t values (2)',
      '0001_a.sql': 'create table t (n int)',
    })
    expect(await migrate(pool, folder)).toEqual(['0001_a.sql', '0002_b.sql'])
    expect(await migrate(pool, folder)).toEqual([])
  })

  test('one that fails leaves nothing of itself and names itself; what came before stays', async () => {
    const { pool } = await createTestDatabase({ empty: true })
    const folder = folderWith({
      '0001_a.sql': 'create table a (n int)',
      '0002_b.sql': 'create table b (n int); select 1/0',
    })
    await expect(migrate(pool, folder)).rejects.toThrow(
      'migration 0002_b.sql failed and was rolled back: division by zero',
    )
    const { rows } = await pool.query(
      `select to_regclass('a') is not null as a, to_regclass('b') is null as no_b`,
    )
    expect(rows).toEqual([{ a: true, no_b: true }])
  })

  test('a database of a newer Souk is refused, not guessed at', async () => {
    const { pool } = await createTestDatabase()
    await pool.query(`insert into migrations (name) values ('9999_future.sql')`)
    await expect(migrate(pool)).rejects.toThrow('newer Souk (9999_future.sql)')
  })
})
