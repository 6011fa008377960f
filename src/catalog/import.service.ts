/**
 * Imports a catalog file of any size: rows stream in, are checked, and are written in batches, each batch with its
 * position in one transaction. Cut off anywhere, the same file goes on after its last batch; finished, it can be
 * imported again without effect, and taken back as a whole (see import-undo). A value that is wrong is left out and
 * noted; a row that cannot be read is reported with its line, and never stops the others; what is no row's fault stops
 * the import with its reason and its position. A dry run is the run, in one transaction that is taken back at its end.
 */
import type { Db, Tx } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { conflict } from '../lib/errors.ts'
import { newId } from '../lib/ids.ts'
import type { Log } from '../lib/log.ts'
import { type Category, OPERATOR_SOURCE } from './catalog.schema.ts'
import { listAllCategories } from './catalog.service.ts'
import { findCategoryNames } from './categories.queries.ts'
import { type CategoryInput, writeCategories } from './categories.service.ts'
import { type ReadFile, readHere } from './file-readers.ts'
import type { CatalogAsk, CatalogRow } from './file-readings.ts'
import type { CurrencyRule } from './import/currency.ts'
import type { RowProblem } from './import/rows.ts'
import { type CategoryChooser, type CategoryRules, createCategoryChooser } from './import-categories.ts'
import type { CategoryCount, ImportCounts, JoinedRow, Twin } from './import-files.schema.ts'
import { asStopped, inSavepoint, inTransaction, writeRows } from './import-run.ts'
import {
  closeImport,
  findDeletedKeys,
  findPlaced,
  findTwins,
  forgetDeletedKeys,
  type ImportRun,
  openImport,
  saveImportPosition,
} from './imports.queries.ts'
import { editedNote, type UpsertResult, upsertProducts } from './upsert.service.ts'

export type ImportSummary = ImportCounts & {
  /** What it can be taken back by; null for a dry run. */
  importId: string | null
  resumedAfterRow: number
  notes: number
  categories: CategoryCount[]
  /** Some titles of each new category, by its slug. */
  titles: ReadonlyMap<string, readonly string[]>
  /** How many rows had amounts in each currency. */
  currencies: Record<string, number>
  /** The first of the rows that were joined. */
  joinedRows: JoinedRow[]
  /** Products that the import made and that may be the same as another. */
  twins: { total: number; twins: Twin[] }
}

export type ImportOptions = Omit<CatalogAsk, 'money' | 'after'> & {
  categoryRules?: CategoryRules
  money?: CurrencyRule
  /** Whose ids these are; kept as the provenance of every field the file states. */
  source: string
  /** Somebody said so; otherwise it is a guess by the file's name, and held against what its ids mean. */
  isSourceSure?: boolean
  fileName?: string
  /** Says that it is the same file with the same options, for going on after a cut. */
  fingerprint: string
  /** Brings back products that the operator deleted. */
  restoreDeleted?: boolean
  /** Takes what the file says even where somebody edited it by hand. */
  overwriteEdits?: boolean
  dryRun?: boolean
  /** Categories that a dry run should take as given although they are not in the catalog yet. */
  dryRunCategories?: CategoryInput[]
  /** Where the file is read: in this thread unless given. */
  read?: ReadFile
  onProgress?: (rows: number, counts: ImportCounts) => void
  onProblem?: (problem: RowProblem) => void
  /** Something was changed on the way in, such as a text that was cut. */
  onNote?: (note: RowProblem) => void
  onNotice?: (text: string) => void
}

type Context = { db: Db; clock: Clock; log: Log }

const BATCH = 500
const BATCH_WEIGHT = 4 * 1024 ** 2
const SHOWN_JOINED = 100
const SHOWN_TWINS = 50
const MOST_TWINS = 1_000
const NONE: ImportCounts = {
  created: 0,
  updated: 0,
  unchanged: 0,
  further: 0,
  deleted: 0,
  failed: 0,
  joined: 0,
}
const DOLLARS: CurrencyRule = { currency: 'USD', rates: {} }

export async function importProducts(
  ctx: Context,
  input: AsyncIterable<Uint8Array>,
  options: ImportOptions,
): Promise<ImportSummary> {
  if (!options.dryRun)
    return runImport(ctx, input, options, (work) => inTransaction(ctx.db, { dryRun: false }, work))
  const whole = await ctx.db.startTransaction().execute()
  try {
    const { dryRunCategories = [] } = options
    await writeCategories(whole, dryRunCategories, ctx.clock.now())
    const once = { ...options, fingerprint: `dry run ${newId()}` }
    const summary = await runImport({ ...ctx, db: whole }, input, once, (work) => inSavepoint(whole, work))
    return { ...summary, importId: null }
  } finally {
    await whole
      .rollback()
      .execute()
      .catch(() => {})
  }
}

type Within = <Result>(work: (tx: Tx) => Promise<Result>) => Promise<Result>

async function runImport(
  ctx: Context,
  input: AsyncIterable<Uint8Array>,
  options: ImportOptions,
  within: Within,
): Promise<ImportSummary> {
  const categories = await listAllCategories(ctx)
  const names = await findCategoryNames(ctx.db)
  const chooser = createCategoryChooser(categories, options.categoryRules ?? {}, names)
  const { fingerprint, source, fileName = null } = options
  const run = await openImport(ctx.db, { fingerprint, source, fileName })
  const counts = { ...NONE, ...run.counts }
  const position = { row: run.lastRow, line: null }
  const state: ImportState = {
    run,
    chooser,
    options,
    counts,
    position,
    within,
    currencies: {},
    joinedRows: [],
  }
  try {
    const notes = await importRows(ctx, input, state)
    const told = {
      categories: chooser.counts(),
      currencies: state.currencies,
      joinedRows: state.joinedRows,
      twins: await findTwins(ctx.db, run.id, { shown: SHOWN_TWINS, most: MOST_TWINS }),
    }
    await closeImport(ctx.db, run.id, { at: ctx.clock.now(), report: { ...told, notes } })
    const titles = chooser.titles()
    return { ...state.counts, ...told, titles, importId: run.id, resumedAfterRow: run.lastRow, notes }
  } catch (error) {
    const stopped = asStopped(error, stopWords(state))
    if (stopped !== error) ctx.log.error({ err: error, ...state.position }, 'an import stopped early')
    throw stopped
  }
}

/** Answers how many things were changed on the way. */
async function importRows(
  ctx: Context,
  input: AsyncIterable<Uint8Array>,
  state: ImportState,
): Promise<number> {
  const { options, counts } = state
  let notes = 0
  let readTo = state.position.row
  const note = (told: RowProblem) => {
    notes++
    options.onNote?.(told)
  }
  async function* ableRows(): AsyncGenerator<BatchRow> {
    const { format, mapping, defaultCategory, reading, money = DOLLARS, fingerprint } = options
    const { maxInflatedBytes } = options
    const ask = { format, mapping, defaultCategory, reading, money, maxInflatedBytes, after: readTo }
    const { read = readHere } = options
    for await (const given of read('catalog', () => input, ask, { who: fingerprint })) {
      for (const text of given.notices) options.onNotice?.(text)
      readTo = given.readTo
      for (const row of given.rows) {
        if ('problem' in row) {
          counts.failed++
          options.onProblem?.(row.problem)
          continue
        }
        for (const one of row.notes) note(one)
        if (row.isRepeated) note(repeatedNote(row))
        if (row.currency) state.currencies[row.currency] = (state.currencies[row.currency] ?? 0) + 1
        yield row
      }
    }
  }
  await writeRows<BatchRow, UpsertResult>(ctx, ableRows(), {
    most: { rows: BATCH, weight: BATCH_WEIGHT },
    write: (rows) => writeTogether(ctx, rows, state),
    refused({ line }) {
      counts.failed++
      const fix = 'import this row again; see the log for details'
      return { line, problem: { field: null, problem: 'could not be stored', fix } }
    },
    written(rows, results) {
      results.forEach((result, at) => {
        const { line, item, input: { id } = { id: null } } = rows[at] ?? { line: result.line }
        const named = { line, ...(item !== undefined && { item }), ...(id !== null && { id }) }
        if ('problem' in result) options.onProblem?.({ ...named, ...result.problem })
        else for (const one of result.notes) note({ ...named, ...one })
      })
      options.onProgress?.(rows.at(-1)?.row ?? readTo, counts)
    },
  })
  return notes
}

function repeatedNote({ line, item, input: { id, slug } }: BatchRow): RowProblem {
  const named = id ?? slug
  return {
    line,
    ...(item !== undefined && { item }),
    ...(named !== null && { id: named }),
    field: null,
    problem: 'repeats a product of an earlier row; the later row wins',
    fix: 'give each product an id of its own',
  }
}

function stopWords({ position: { row, line }, options }: ImportState): { after: string; how: string } {
  const at = row.toLocaleString('en-US')
  const after = line === null ? `row ${at}` : `row ${at} (line ${line.toLocaleString('en-US')})`
  return options.dryRun
    ? { after, how: 'this was a check and nothing was changed; fix that and check again' }
    : { after, how: 'fix that and import the same file again to continue after this row' }
}

/** `row` counts the file's rows from 1; the position of an import is the last one written. */
type BatchRow = Extract<CatalogRow, { keys: string[] }>
type ImportState = {
  run: ImportRun
  chooser: CategoryChooser
  options: ImportOptions
  counts: ImportCounts
  /** The last row that was written, and where it starts, if it was in this run. */
  position: { row: number; line: number | null }
  within: Within
  currencies: Record<string, number>
  joinedRows: JoinedRow[]
}

async function writeTogether(ctx: Context, rows: BatchRow[], state: ImportState): Promise<UpsertResult[]> {
  const { options, run, chooser, within } = state
  const { source, restoreDeleted = false, overwriteEdits: overwritesEdits = false } = options
  const last = rows.at(-1)
  const now = ctx.clock.now()
  const keys = rows.map(firstKey)
  const { results, keep, inputs } = await within(async (tx) => {
    if (restoreDeleted) await forgetDeletedKeys(tx, source, keys)
    const deleted = await findDeletedKeys(tx, source, keys)
    const able = rows.filter((row) => !deleted.has(firstKey(row)))
    const placed = overwritesEdits
      ? new Map<string, Category>()
      : await findPlaced(tx, { source, keys, by: OPERATOR_SOURCE })
    // A category that nothing would be in is not made.
    const unplaced = able.filter((row) => !placed.has(firstKey(row))).map(({ input }) => input)
    const { categoryOf, keep } = await chooser.prepare(tx, unplaced, { importId: run.id, now })
    const written = await upsertProducts(tx, able, {
      categoryOf: (input, [key = '']) => placed.get(key) ?? categoryOf(input),
      ...{ source, now, importId: run.id, overwritesEdits },
    })
    if (!options.isSourceSure) requireSameSource(written, source)
    able.forEach((row, at) => {
      const place = placed.get(firstKey(row))
      const result = written[at]
      if (!place || !result || 'problem' in result || chooser.find(row.input)?.id === place.id) return
      result.notes.push(editedNote('category'))
    })
    const byRow = new Map(able.map((row, at) => [row, written[at]]))
    const results = rows.map((row) => byRow.get(row) ?? leftOut(row, deleted.get(firstKey(row))))
    await saveImportPosition(tx, run.id, last?.row ?? 0, tally({ ...state.counts }, results))
    return { results, keep, inputs: unplaced }
  })
  // In place: rows refused by their own fault are counted here too, while this batch was being written.
  tally(state.counts, results)
  keep(inputs)
  keepJoined(state.joinedRows, rows, results)
  if (last) state.position = { row: last.row, line: last.line }
  return results
}

/** What its source calls the product of a row. */
function firstKey({ keys: [key], input }: BatchRow): string {
  return key ?? `slug:${input.slug}`
}

function leftOut({ line }: BatchRow, title = ''): UpsertResult {
  const note = {
    field: null,
    problem: 'belongs to a product that was deleted here, so it was skipped',
    fix: 'import with --restore-deleted to bring it back',
    value: title,
  }
  return { line, slug: '', outcome: 'deleted', joinedBy: null, isStrange: null, notes: [note] }
}

/** Fewer may be renamed by chance. */
const ENOUGH_KNOWN = 5

/** Two shops may number their products alike: the file of one must not write over the products of the other. */
function requireSameSource(results: UpsertResult[], source: string): void {
  const known = results.flatMap((result) => ('problem' in result ? [] : (result.isStrange ?? [])))
  const strange = known.filter(Boolean).length
  if (known.length < ENOUGH_KNOWN || strange * 2 < known.length) return
  throw conflict(
    `the ids in this file belong to different products from "${source}": if this is another shop's file, use --source NAME; if its products were renamed, use --source "${source}"`,
    { field: 'source' },
  )
}

function tally(counts: ImportCounts, results: UpsertResult[]): ImportCounts {
  for (const result of results) {
    if ('problem' in result) counts.failed++
    else {
      counts[result.outcome]++
      if (result.joinedBy) counts.joined++
    }
  }
  return counts
}

function keepJoined(kept: JoinedRow[], rows: BatchRow[], results: UpsertResult[]): void {
  results.forEach((result, at) => {
    if ('problem' in result || !result.joinedBy || kept.length >= SHOWN_JOINED) return
    kept.push({
      line: result.line,
      id: rows[at]?.input.id ?? null,
      slug: result.slug,
      by: result.joinedBy,
    })
  })
}
