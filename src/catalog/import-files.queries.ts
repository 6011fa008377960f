/** SQL of the files that the operator brings. A file that is still being uploaded is as if it were not there. */

import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { all, hasChanged, one, run, value } from '../db/rows.ts'
import { batchOf, type SweepBatch } from '../jobs/sweep.ts'
import { jsonText } from './import/rows.ts'
import type { CatalogLook, FileResult, FileState, ImportFile, ReportedLine } from './import-files.schema.ts'

/** As it is stored: rules and result are read by their schemas. */
export type FileRow = Omit<ImportFile, 'rules' | 'result'> & { rules: unknown; result: unknown }

const FACTS = sql`id, file_name as "fileName", size_bytes::float8 as "sizeBytes", state, rules, done_rows as "doneRows",
  result - 'lines' as result, import_id as "importId", source_id as "sourceId", held, created_at as "createdAt",
  updated_at as "updatedAt"`

/** The newest first, without what they look like; those of sources are found by their source. */
export function findFiles(db: Db, limit: number) {
  return all<FileRow>(db)`
    select ${FACTS}, null as look from import_files where state <> 'uploading' and source_id is null
    order by created_at desc, id limit ${limit}`
}

export function findFile(db: Db, id: string, { hold = false }: { hold?: boolean } = {}) {
  return one<FileRow>(db)`
    select ${FACTS}, look from import_files where id = ${id} and state <> 'uploading'
      ${hold ? sql`for update` : sql``}`
}

/** How far it is; asked for every second. */
export function findFileStep(db: Db, id: string) {
  return one<Pick<FileRow, 'state' | 'doneRows' | 'result'>>(db)`
    select state, done_rows as "doneRows", result - 'lines' as result from import_files
      where id = ${id}`
}

export function findFileOfImport(db: Db, importId: string) {
  return value<string>(db)`
    select id from import_files where import_id = ${importId} order by created_at desc limit 1`
}

export async function findReportedLines(db: Db, id: string): Promise<ReportedLine[]> {
  const rows = await all<{ lines: ReportedLine[] | null }>(db)`
    select result -> 'lines' as lines from import_files where id = ${id}`
  return rows[0]?.lines ?? []
}

export async function findPlaces(
  db: Db,
  slugs: string[],
): Promise<Array<{ slug: string; title: string; category: string }>> {
  if (slugs.length === 0) return []
  return all<{ slug: string; title: string; category: string }>(db)`
    select p.slug, p.title, c.slug as category from products p join categories c on c.id = p.category_id
    where p.slug = any(${slugs})`
}

export function insertFile(
  db: Db,
  { id, userId, fileName, at }: { id: string; userId: string | null; fileName: string; at: Date },
) {
  return run(db)`
    insert into import_files (id, user_id, file_name, created_at, updated_at)
    values (${id}, ${userId}, ${fileName}, ${at}, ${at})`
}

export function insertPart(db: Db, id: string, part: number, bytes: Buffer) {
  return run(db)`insert into import_file_parts (file_id, part, bytes)
    values (${id}, ${part}, ${bytes})`
}

/** Null behind the last one, and when the file is gone. */
export function findPart(db: Db, id: string, part: number) {
  return value<Buffer>(db)`
    select bytes from import_file_parts where file_id = ${id} and part = ${part}`
}

/** False when it is gone, or was here before. */
export function closeUpload(
  db: Db,
  id: string,
  {
    sizeBytes,
    rules,
    sourceId,
    at,
  }: { sizeBytes: number; rules: unknown; sourceId: string | null; at: Date },
) {
  return hasChanged(db)`
    update import_files set state = 'uploaded', size_bytes = ${sizeBytes}, rules = ${jsonText(rules)}::jsonb,
      source_id = ${sourceId}, updated_at = ${at}
    where id = ${id} and state = 'uploading'`
}

export function deleteFile(db: Db, id: string) {
  return run(db)`delete from import_files where id = ${id}`
}

/** Whether it waits for a decision. Its time counts from here. */
export function updateHeld(db: Db, id: string, held: boolean, at: Date) {
  return run(db)`update import_files set held = ${held}, updated_at = ${at} where id = ${id}`
}

/** Files of the source, but for the one that is named and those that wait for a decision. */
export function deleteFilesOfSource(db: Db, sourceId: string, exceptId: string | null) {
  return run(db)`
    delete from import_files
    where source_id = ${sourceId} and not held and id is distinct from ${exceptId}::uuid`
}

export function findFileOfSource(db: Db, sourceId: string) {
  return value<string>(db)`
    select id from import_files where source_id = ${sourceId} and state <> 'uploading'
    order by created_at desc, id desc limit 1`
}

/** Only if it is still read as it was when somebody looked. */
export function storeLook(db: Db, id: string, rules: unknown, look: CatalogLook) {
  return run(db)`
    update import_files set look = ${jsonText(look)}::jsonb
    where id = ${id} and rules = ${jsonText(rules)}::jsonb`
}

/** What was seen and said of it before is of another reading. */
export function storeRules(db: Db, id: string, rules: unknown, at: Date) {
  return run(db)`
    update import_files set rules = ${jsonText(rules)}::jsonb, look = null, result = null, done_rows = 0, state = 'uploaded',
      import_id = null, updated_at = ${at}
    where id = ${id}`
}

export function beginRun(db: Db, id: string, state: FileState, at: Date) {
  return run(db)`
    update import_files set state = ${state}, result = null, done_rows = 0, updated_at = ${at}
      where id = ${id}`
}

export function storeStep(
  db: Db,
  step: { id: string; state: FileState; doneRows: number; result: FileResult; at: Date },
) {
  return run(db)`
    update import_files set done_rows = ${step.doneRows}, result = ${jsonText(step.result)}::jsonb, updated_at = ${step.at}
    where id = ${step.id} and state = ${step.state}`
}

/** False when somebody else ended it. */
export async function endRun(
  db: Db,
  end: {
    id: string
    from: FileState
    to: FileState
    result: FileResult
    lines?: readonly ReportedLine[]
    importId: string | null
    at: Date
  },
): Promise<boolean> {
  const result = jsonText({ ...end.result, ...(end.lines && { lines: end.lines }) })
  const { numAffectedRows } = await sql`
    update import_files set state = ${end.to}, result = ${result}::jsonb, import_id = ${end.importId}, updated_at = ${end.at}
    where id = ${end.id} and state = ${end.from}`.execute(db)
  return numAffectedRows === 1n
}

/** One at a time: each may be 200 MB. */
export async function deleteFilesBefore(db: Db, before: Date): Promise<SweepBatch> {
  const { numAffectedRows } = await sql`
    delete from import_files where id in (
      select id from import_files where updated_at <= ${before} and not held limit 1)`.execute(db)
  return batchOf(numAffectedRows, 1)
}

/** Of imports that ended before then, whether they stand or were taken back. */
export async function deleteWritesBefore(db: Db, before: Date, rows: number): Promise<SweepBatch> {
  const { numAffectedRows } = await sql`
    delete from import_writes where ctid in (
      select w.ctid from imports i join import_writes w on w.import_id = i.id
      where i.state <> 'running' and coalesce(i.finished_at, i.undone_at) <= ${before}
        limit ${rows})`.execute(db)
  return batchOf(numAffectedRows, rows)
}
