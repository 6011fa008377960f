/** What backups were taken of this database: the last of them, kept with the data for the operator's pages. */
import type { Db } from '../db/database.ts'
import { all, value } from '../db/rows.ts'
import type { Client } from './backup.queries.ts'

export type BackupDone = {
  at: string
  /** The name of the file, without its folder. */
  file: string
  bytes: number
  tables: number
  rows: number
  secret: 'inside' | 'left out' | 'in SOUK_SECRET' | 'none'
  /** What reading it again found; null where it was not read again. */
  checked: 'whole' | 'damaged' | null
}

/** A restore that was tried: of which file, into a database that was thrown away, and how it went. */
export type DrillDone = {
  at: string
  file: string
  /** When the backup was taken; null where the file could not be read. */
  takenAt: string | null
  tables: number
  rows: number
  seconds: number
  /** Why it failed; null where everything came back. */
  problem: string | null
}

const DRILL = 'restore_drill'
const SETTING = 'backups'
const KEPT = 100

/** In one statement: two backups at once are both recorded. */
export async function recordBackup(client: Client, done: BackupDone): Promise<void> {
  await client.query(
    `insert into settings as s (name, value) values ($1, jsonb_build_array($2::jsonb))
     on conflict (name) do update set updated_at = now(), value = (
       select jsonb_agg(e order by e->>'at' desc) from (
         select e from jsonb_array_elements(s.value || excluded.value) e order by e->>'at' desc limit ${KEPT}) last)`,
    [SETTING, JSON.stringify(done)],
  )
}

/** Newest first. */
export async function findBackups(db: Db): Promise<BackupDone[]> {
  const rows = await all<{ value: BackupDone[] }>(db)`
    select value from settings where name = ${SETTING}`
  return rows[0]?.value ?? []
}

/** Only the last one is kept. */
export async function recordDrill(client: Client, done: DrillDone): Promise<void> {
  await client.query(
    `insert into settings (name, value) values ($1, $2)
     on conflict (name) do update set value = excluded.value, updated_at = now()`,
    [DRILL, JSON.stringify(done)],
  )
}

export function findDrill(db: Db): Promise<DrillDone | null> {
  return value<DrillDone>(db)`select value from settings where name = ${DRILL}`
}
