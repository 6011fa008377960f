/**
 * Forward-only migrations: ordered .sql files, each applied once in its own transaction. A session advisory lock
 * lets any number of nodes start at once; the first applies, the others wait and find nothing to do.
 */
import fs from 'node:fs'
import path from 'node:path'
import type pg from 'pg'
import { projectFile } from '../lib/paths.ts'
import { LOCKS, withAdvisoryLock } from './advisory-lock.ts'

const FOLDER = projectFile('src', 'db', 'migrations')

export function listMigrations(folder = FOLDER): string[] {
  return fs
    .readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
}

/** Returns the names it applied. */
export async function migrate(
  pool: pg.Pool,
  folder = FOLDER,
  onApply: (name: string) => void = () => {},
): Promise<string[]> {
  return withAdvisoryLock(pool, LOCKS.migrations, async (client) => {
    await client.query(
      'create table if not exists migrations (name text primary key, applied_at timestamptz not null default now())',
    )
    const { rows } = await client.query<{ name: string }>('select name from migrations')
    const done = new Set(rows.map((row) => row.name))
    const known = listMigrations(folder)
    const unknown = [...done].filter((name) => !known.includes(name))
    if (unknown.length > 0) {
      throw new Error(
        `the database was migrated by a newer Souk (${unknown.join(', ')}): run that version or newer`,
      )
    }
    const missing = known.filter((name) => !done.has(name))
    for (const name of missing) {
      onApply(name)
      await applyOne(client, name, fs.readFileSync(path.join(folder, name), 'utf8'))
    }
    return missing
  })
}

async function applyOne(client: pg.PoolClient, name: string, text: string): Promise<void> {
  try {
    await client.query('begin')
    await client.query(text)
    await client.query('insert into migrations (name) values ($1)', [name])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw new Error(`migration ${name} failed and was rolled back: ${(error as Error).message}`, {
      cause: error,
    })
  }
}

/** Null when every migration of this program is applied, else what is missing. */
export async function pendingMigration(pool: pg.Pool): Promise<string | null> {
  const { rows } = await pool.query<{ name: string }>('select name from migrations')
  const done = new Set(rows.map((row) => row.name))
  return listMigrations().find((name) => !done.has(name)) ?? null
}
