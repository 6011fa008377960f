/** SQL of the imports table: how far each import came. */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../db/tables.ts'
import { AppError } from '../lib/errors.ts'
import { newId } from '../lib/ids.ts'

export type ImportRun = { id: string; lastRow: number; counts: Record<string, number> }

/** The unfinished import of the same file, or a new one. */
export async function openImport(
  db: Kysely<Tables>,
  { fingerprint, source, fileName }: { fingerprint: string; source: string; fileName: string | null },
): Promise<ImportRun> {
  const result = await sql<ImportRun>`
    insert into imports (id, fingerprint, source, file_name) values (${newId()}, ${fingerprint}, ${source}, ${fileName})
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
  const { numAffectedRows } = await sql`
    update imports set last_row = ${lastRow}, counts = ${JSON.stringify(counts)}::jsonb, updated_at = now()
    where id = ${id} and state = 'running'`.execute(db)
  if (numAffectedRows === 0n)
    throw new AppError('conflict', 'this import was taken back while it ran', { code: 'conflict' })
}

export async function closeImport(
  db: Kysely<Tables>,
  id: string,
  { at, report }: { at: Date; report: unknown },
): Promise<void> {
  await sql`
    update imports set state = 'done', updated_at = now(), finished_at = ${at}, report = ${JSON.stringify(report)}::jsonb
    where id = ${id}`.execute(db)
}

/** The last one of this fingerprint, if it came to its end and stands. */
export async function findFinishedImport(
  db: Kysely<Tables>,
  fingerprint: string,
): Promise<(ImportRun & { report: unknown }) | null> {
  const { rows } = await sql<ImportRun & { report: unknown; state: string }>`
    select id, last_row as "lastRow", counts, report, state from imports
    where fingerprint = ${fingerprint} order by started_at desc, id desc limit 1`.execute(db)
  const [last] = rows
  return last?.state === 'done' ? last : null
}

export type Twins = { slug: string; other: string; title: string }

/** Products that the import made, each with another of the same brand and title; `total` counts no further than `most`. */
export async function findTwins(
  db: Kysely<Tables>,
  importId: string,
  { shown, most }: { shown: number; most: number },
): Promise<{ total: number; twins: Twins[] }> {
  const { rows } = await sql<Twins>`
    with made as (
      select p.id, p.slug, p.title, p.brand_id from import_writes w join products p on p.id = w.id
      where w.import_id = ${importId} and w.kind = 'product' and w.before is null)
    select m.slug, q.slug as other, m.title from made m join products q
      on q.brand_id = m.brand_id and folded_name(q.title) = folded_name(m.title) and q.id < m.id
    union all
    select m.slug, q.slug, m.title from made m join products q
      on m.brand_id is null and q.brand_id is null and folded_name(q.title) = folded_name(m.title) and q.id < m.id
    order by 1, 2 limit ${most}`.execute(db)
  return { total: rows.length, twins: rows.slice(0, shown) }
}
