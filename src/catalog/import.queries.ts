/** SQL of the imports table: how far each import came. */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../db/tables.ts'
import { newId } from '../lib/ids.ts'

export type ImportRun = { id: string; lastRow: number; counts: Record<string, number> }

/** The unfinished import of the same file, or a new one. */
export async function openImport(
  db: Kysely<Tables>,
  fingerprint: string,
  source: string,
): Promise<ImportRun> {
  const result = await sql<ImportRun>`
    insert into imports (id, fingerprint, source) values (${newId()}, ${fingerprint}, ${source})
    on conflict (fingerprint) where state = 'running' do update set updated_at = now()
    returning id, last_row as "lastRow", counts`.execute(db)
  const run = result.rows[0]
  if (!run) throw new Error('the import could not be registered')
  return run
}

/** Written in the transaction of the batch it tells of. */
export async function saveImportPosition(
  db: Kysely<Tables>,
  id: string,
  lastRow: number,
  counts: Record<string, number>,
): Promise<void> {
  await sql`update imports set last_row = ${lastRow}, counts = ${JSON.stringify(counts)}::jsonb, updated_at = now() where id = ${id}`.execute(
    db,
  )
}

export async function closeImport(db: Kysely<Tables>, id: string): Promise<void> {
  await sql`update imports set state = 'done', updated_at = now() where id = ${id}`.execute(db)
}
