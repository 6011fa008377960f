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
const TABLE =
  'create table if not exists migrations (name text primary key, applied_at timestamptz not null default now())'

export function listMigrations(folder = FOLDER): string[] {
  return fs
    .readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
}

/** Returns the names it applied, and tells `onApply` whether the database is a new one. With `only`, those and no others: the schema of an earlier Souk. */
export async function migrate(
  pool: pg.Pool,
  folder = FOLDER,
  onApply: (name: string, isNew: boolean) => void = () => {},
  only: readonly string[] | null = null,
): Promise<string[]> {
  return withAdvisoryLock(pool, LOCKS.migrations, async (client) => {
    await client.query(TABLE)
    const { rows } = await client.query<{ name: string }>('select name from migrations')
    const done = new Set(rows.map((row) => row.name))
    const known = listMigrations(folder)
    const unknown = [...done].filter((name) => !known.includes(name))
    if (unknown.length > 0) {
      throw new Error(
        `the database was migrated by a newer Souk (${unknown.join(', ')}): run that version or newer`,
      )
    }
    const missing = known.filter((name) => !done.has(name) && (only?.includes(name) ?? true))
    for (const name of missing) {
      onApply(name, done.size === 0)
      await applyOne(client, name, fs.readFileSync(path.join(folder, name), 'utf8'))
    }
    return missing
  })
}

/**
 * Inside a transaction of the caller, who brings the data along with the schema: all of it is there in the end, or
 * nothing. Nodes that start meanwhile wait. Returns the names it applied.
 */
export async function migrateWithin(client: pg.ClientBase, names: readonly string[]): Promise<string[]> {
  await client.query('select pg_advisory_xact_lock($1)', [LOCKS.migrations])
  await client.query(TABLE)
  const { rows } = await client.query<{ name: string }>('select name from migrations')
  const done = new Set(rows.map((row) => row.name))
  const missing = listMigrations().filter((name) => names.includes(name) && !done.has(name))
  for (const name of missing) await run(client, name, fs.readFileSync(path.join(FOLDER, name), 'utf8'))
  return missing
}

async function run(client: pg.ClientBase, name: string, text: string): Promise<void> {
  await client.query(text)
  await client.query('insert into migrations (name) values ($1)', [name])
}

async function applyOne(client: pg.PoolClient, name: string, text: string): Promise<void> {
  try {
    await client.query('begin')
    await run(client, name, text)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw new Error(`migration ${name} failed and was rolled back: ${(error as Error).message}`, {
      cause: error,
    })
  }
}

/** What a start would apply, and what a newer Souk has applied already. Only reads; the table may not be there yet. */
export async function compareMigrations(pool: pg.Pool): Promise<{ missing: string[]; unknown: string[] }> {
  const { rows: found } = await pool.query<{ there: boolean }>(
    `select to_regclass('migrations') is not null as there`,
  )
  const { rows } = found[0]?.there
    ? await pool.query<{ name: string }>('select name from migrations order by name')
    : { rows: [] }
  const done = rows.map(({ name }) => name)
  const known = listMigrations()
  return {
    missing: known.filter((name) => !done.includes(name)),
    unknown: done.filter((name) => !known.includes(name)),
  }
}

/** Null when every migration of this program is applied, else what is missing. */
export async function pendingMigration(pool: pg.Pool): Promise<string | null> {
  const { rows } = await pool.query<{ name: string }>('select name from migrations')
  const done = new Set(rows.map((row) => row.name))
  return listMigrations().find((name) => !done.has(name)) ?? null
}
