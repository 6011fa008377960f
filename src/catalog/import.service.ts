/**
 * Imports a catalog file of any size: rows stream in, are checked, and are written in batches, each batch with its
 * position in one transaction. Cut off anywhere, the same file goes on after its last batch; finished, it can be
 * imported again without effect. A bad row is reported with its line and a way to mend it, and never stops the others.
 */
import type { Db } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { inTransaction, togetherOrOneByOne } from './batch-write.ts'
import { listCategories } from './catalog.service.ts'
import { type CategoryInput, writeCategories } from './categories.service.ts'
import { readRows } from './import/read-rows.ts'
import type { ImportFormat, RowProblem, SourceRow } from './import/rows.ts'
import { closeImport, openImport, saveImportPosition } from './import.queries.ts'
import { checkProductInput } from './product-input.ts'
import {
  type CategoryIndex,
  indexCategories,
  type UpsertResult,
  type UpsertRow,
  upsertProducts,
} from './upsert.service.ts'

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
  onProgress?: (rows: number, counts: ImportCounts) => void
  onProblem?: (problem: RowProblem) => void
  /** Something was mended on the way in, such as a text that was cut. */
  onNote?: (note: RowProblem) => void
  onNotice?: (text: string) => void
}

type Context = { db: Db; clock: Clock; log: Log }

const BATCH = 500

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
  }
  let notes = 0
  let rows = 0
  let batch: BatchRow[] = []
  // The database writes one batch while the next is read and checked; batches still commit one after the other.
  let writing: Promise<void> = Promise.resolve()
  const write = async (full: BatchRow[]) => {
    for (const result of await writeBatch(ctx, full, state)) {
      if ('problem' in result) options.onProblem?.({ line: result.line, ...result.problem })
    }
    options.onProgress?.(full.at(-1)?.row ?? rows, state.counts)
  }
  const flush = async () => {
    const full = batch
    batch = []
    await writing
    writing = write(full)
    // Awaited before the next batch or at the end; until then a failure must not count as nobody's.
    writing.catch(() => {})
  }

  const { format, mapping, onNotice } = options
  try {
    for await (const row of readRows(input, { format, mapping, onNotice })) {
      rows++
      // Counted in rows, which are always read in the same order: a line of XML may hold many products.
      if (rows <= resumedAfterRow) continue
      const checked = check(row, options.defaultCategory)
      if ('problem' in checked) {
        state.counts.failed++
        options.onProblem?.(checked.problem)
        continue
      }
      batch.push({ ...checked.row, row: rows })
      notes += checked.notes.length
      for (const note of checked.notes) options.onNote?.(note)
      if (batch.length >= BATCH) await flush()
    }
    await flush()
  } finally {
    await writing
  }
  if (run) await closeImport(ctx.db, run.id)
  return { ...state.counts, resumedAfterRow, notes }
}

function check(
  row: SourceRow,
  defaultCategory: string | undefined,
): { row: UpsertRow; notes: RowProblem[] } | { problem: RowProblem } {
  if ('problem' in row) return { problem: row.problem }
  const { line } = row
  const checked = checkProductInput(
    defaultCategory ? { category: defaultCategory, ...row.product } : row.product,
  )
  if ('problem' in checked) return { problem: { line, ...checked.problem } }
  return { row: { line, input: checked.input }, notes: checked.notes.map((note) => ({ line, ...note })) }
}

/** `row` counts the file's rows from 1; the position of an import is the last one written. */
type BatchRow = UpsertRow & { row: number }
type ImportState = {
  categories: CategoryIndex
  options: ImportOptions
  runId: string | null
  counts: ImportCounts
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
  const results = await inTransaction(ctx.db, { dryRun: options.dryRun ?? false }, async (tx) => {
    let { categories } = state
    if (options.dryRun && options.dryRunCategories) {
      await writeCategories(tx, options.dryRunCategories, ctx.clock.now())
      categories = indexCategories(await listCategories({ db: tx }))
    }
    const { source } = options
    const written = await upsertProducts(tx, rows, { categories, source, now: ctx.clock.now() })
    if (runId) await saveImportPosition(tx, runId, rows.at(-1)?.row ?? 0, tally({ ...state.counts }, written))
    return written
  })
  // In place: rows refused by their own fault are counted here too, while this batch was being written.
  tally(state.counts, results)
  return results
}

function tally(counts: ImportCounts, results: UpsertResult[]): ImportCounts {
  for (const result of results) counts['problem' in result ? 'failed' : result.outcome]++
  return counts
}
