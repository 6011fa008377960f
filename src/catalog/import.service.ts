/**
 * Imports a catalog file of any size: rows stream in, are checked, and are written in batches, each batch with its
 * position in one transaction. Cut off anywhere, the same file goes on after its last batch; finished, it can be
 * imported again without effect. A bad row is reported with its line and a way to mend it, and never stops the others;
 * what is no row's fault stops the import with its reason and its position.
 */

import type { Db } from '../db/database.ts'
import { awaitLater } from '../lib/background.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { asStopped, inTransaction, togetherOrOneByOne } from './batch-write.ts'
import { listCategories } from './catalog.service.ts'
import { type CategoryInput, writeCategories } from './categories.service.ts'
import { type CategoryIndex, indexCategories } from './category-index.ts'
import { type ReadFile, readHere } from './file-readers.ts'
import type { CatalogRow } from './file-readings.ts'
import type { ImportFormat, RowProblem } from './import/rows.ts'
import { closeImport, openImport, saveImportPosition } from './import.queries.ts'
import { type UpsertResult, type UpsertRow, upsertProducts } from './upsert.service.ts'

export type ImportCounts = { created: number; updated: number; unchanged: number; failed: number }
export type ImportSummary = ImportCounts & { resumedAfterRow: number; notes: number }

export type ImportOptions = {
  format: ImportFormat
  mapping?: Record<string, string>
  /** For files that do not name a category a row. */
  defaultCategory?: string
  /** Kept as the provenance of every field the file states. */
  source: string
  /** Says that it is the same file with the same options, for going on after a cut. */
  fingerprint: string
  dryRun?: boolean
  /** Categories that a dry run should take as given although they are not in the catalog yet. */
  dryRunCategories?: CategoryInput[]
  /** Where the file is read: in this thread unless given. */
  read?: ReadFile
  onProgress?: (rows: number, counts: ImportCounts) => void
  onProblem?: (problem: RowProblem) => void
  /** Something was mended on the way in, such as a text that was cut. */
  onNote?: (note: RowProblem) => void
  onNotice?: (text: string) => void
}

type Context = { db: Db; clock: Clock; log: Log }

const BATCH = 500
/** A batch is put into words in one go: rows that weigh much come fewer at a time. */
const BATCH_WEIGHT = 4 * 1024 ** 2

export async function importProducts(
  ctx: Context,
  input: AsyncIterable<Uint8Array>,
  options: ImportOptions,
): Promise<ImportSummary> {
  const categories = indexCategories(await listCategories(ctx))
  const run = options.dryRun ? null : await openImport(ctx.db, options.fingerprint, options.source)
  const resumedAfterRow = run?.lastRow ?? 0
  const state: ImportState = {
    categories,
    options,
    runId: run?.id ?? null,
    counts: { created: 0, updated: 0, unchanged: 0, failed: 0, ...run?.counts },
    position: { row: resumedAfterRow, line: null },
  }
  try {
    const notes = await writeRows(ctx, input, state)
    if (run) await closeImport(ctx.db, run.id)
    return { ...state.counts, resumedAfterRow, notes }
  } catch (error) {
    const stopped = asStopped(error, stopWords(state))
    if (stopped !== error) ctx.log.error({ err: error, ...state.position }, 'an import stopped on the way')
    throw stopped
  }
}

/** Answers how many things were mended on the way. */
async function writeRows(
  ctx: Context,
  input: AsyncIterable<Uint8Array>,
  state: ImportState,
): Promise<number> {
  const { options, counts } = state
  let notes = 0
  let rows = state.position.row
  let batch: BatchRow[] = []
  let weight = 0
  // The database writes one batch while the next is read and checked; batches still commit one after the other.
  let writing: Promise<void> = Promise.resolve()
  const write = async (full: BatchRow[]) => {
    for (const result of await writeBatch(ctx, full, state)) {
      if ('problem' in result) options.onProblem?.({ line: result.line, ...result.problem })
    }
    options.onProgress?.(full.at(-1)?.row ?? rows, counts)
  }
  const flush = async () => {
    const full = batch
    batch = []
    weight = 0
    await writing
    // Awaited before the next batch or at the end.
    writing = awaitLater(write(full))
  }
  const take = async (row: CatalogRow) => {
    if ('problem' in row) {
      counts.failed++
      options.onProblem?.(row.problem)
      return
    }
    batch.push(row)
    weight += row.weight
    notes += row.notes.length
    for (const note of row.notes) options.onNote?.(note)
    if (batch.length >= BATCH || weight >= BATCH_WEIGHT) await flush()
  }
  const { format, mapping, defaultCategory, fingerprint, read = readHere } = options
  const ask = { format, mapping, defaultCategory, after: rows }
  try {
    for await (const given of read('catalog', () => input, ask, { who: fingerprint })) {
      for (const text of given.notices) options.onNotice?.(text)
      rows = given.readTo
      for (const row of given.rows) await take(row)
    }
    await flush()
  } finally {
    await writing
  }
  return notes
}

function stopWords({ position: { row, line }, options }: ImportState): { after: string; how: string } {
  const at = row.toLocaleString('en-US')
  const after = line === null ? `row ${at}` : `row ${at} (line ${line.toLocaleString('en-US')})`
  return options.dryRun
    ? { after, how: 'it was a check and changed nothing; check again when that is put right' }
    : { after, how: 'import the same file again when that is put right, and it goes on after this row' }
}

/** `row` counts the file's rows from 1; the position of an import is the last one written. */
type BatchRow = UpsertRow & { row: number }
type ImportState = {
  categories: CategoryIndex
  options: ImportOptions
  runId: string | null
  counts: ImportCounts
  /** The last row that was written, and where it starts, if it was in this run. */
  position: { row: number; line: number | null }
}

function writeBatch(ctx: Context, rows: BatchRow[], state: ImportState): Promise<UpsertResult[]> {
  return togetherOrOneByOne(
    rows,
    (some) => writeTogether(ctx, some, state),
    ({ line }, error) => {
      ctx.log.warn({ err: error, line }, 'the database refused an imported row')
      state.counts.failed++
      const fix = 'import this row again; the log says more'
      return { line, problem: { field: null, problem: 'could not be stored', fix } }
    },
  )
}

async function writeTogether(ctx: Context, rows: BatchRow[], state: ImportState): Promise<UpsertResult[]> {
  const { options, runId } = state
  const last = rows.at(-1)
  const results = await inTransaction(ctx.db, { dryRun: options.dryRun ?? false }, async (tx) => {
    let { categories } = state
    if (options.dryRun && options.dryRunCategories) {
      await writeCategories(tx, options.dryRunCategories, ctx.clock.now())
      categories = indexCategories(await listCategories({ db: tx }))
    }
    const { source } = options
    const written = await upsertProducts(tx, rows, { categories, source, now: ctx.clock.now() })
    if (runId) await saveImportPosition(tx, runId, last?.row ?? 0, tally({ ...state.counts }, written))
    return written
  })
  // In place: rows refused by their own fault are counted here too, while this batch was being written.
  tally(state.counts, results)
  if (last) state.position = { row: last.row, line: last.line }
  return results
}

function tally(counts: ImportCounts, results: UpsertResult[]): ImportCounts {
  for (const result of results) counts['problem' in result ? 'failed' : result.outcome]++
  return counts
}
