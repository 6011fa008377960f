/**
 * Looks into the file of a draft without importing it: how many rows it has, what its columns are called, how its first
 * rows are read. A whole file is walked through once, when it comes or is read in another way; pages look at its start.
 */
import type { Db } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { AppError } from '../lib/errors.ts'
import { listCategories } from './catalog.service.ts'
import type { ByteStream } from './import/bytes.ts'
import { isOwnColumn } from './import/csv-columns.ts'
import { withoutGuard } from './import/guarded-cells.ts'
import { readCells, readRows } from './import/read-rows.ts'
import type { SourceRow } from './import/rows.ts'
import { canBeMapped, readingOf } from './import-drafts.columns.ts'
import type { DraftSource, Mapping } from './import-drafts.schema.ts'
import { asWritten } from './import-drafts.words.ts'
import { MAX_FILE_BYTES, MAX_IMPORT_ROWS, SOURCE_FORMATS } from './producer-import.schema.ts'
import { checkRows } from './producer-import-check.ts'
import type { ProductInput } from './product-input.ts'
import { indexCategories } from './upsert.service.ts'

const SHOWN_ROWS = 5
const SAMPLED_ROWS = 20
const MAX_SAMPLE = 60
const MAX_NOTICE = 600

/** The file from its start, as often as it is asked for; who has seen enough stops, and the rest is not read. */
export type Content = () => ByteStream

type File = { content: Content; source: DraftSource; mapping: Mapping }

export type SheetColumn = {
  index: number
  name: string
  /** The first cell that says something. */
  sample: string
  /** As in `readingOf`. */
  reading: string
  /** False for a name that is no name, or another's too: it is read as it was guessed. */
  mappable: boolean
}

export type PreviewRow = { row: number; line: number } & (
  | { input: ProductInput }
  | { title: string | null; field: string | null; problem: string; fix: string }
)

export type Preview = {
  rows: PreviewRow[]
  notices: string[]
  /** Why nothing can be read, in words. */
  problem: string | null
  /** Of a CSV file only. */
  columns: SheetColumn[] | null
}

/** Throws for a file with no rows or too many, and for one that cannot be read at all. */
export async function countRows({ content, source }: Omit<File, 'mapping'>, now: Date): Promise<number> {
  let count = 0
  for await (const _ of source === 'csv' ? cellsBelowHeader(content) : rowsOf({ content, source }, now))
    if (++count > MAX_IMPORT_ROWS)
      throw new AppError(
        'too_large',
        `the file has more than ${MAX_IMPORT_ROWS.toLocaleString('en-US')} rows; split it and upload the parts`,
        { code: 'body_too_large', max: MAX_IMPORT_ROWS },
      )
  if (count === 0)
    throw new AppError(
      'invalid',
      source === 'csv'
        ? 'the file has no rows below its first line'
        : 'the file holds no products in this format',
    )
  return count
}

async function* cellsBelowHeader(content: Content): AsyncGenerator<unknown> {
  let isHeader = true
  for await (const row of readSheet(content)) {
    if (isHeader && 'problem' in row)
      throw new AppError('invalid', `the first line ${row.problem.problem}; ${row.problem.fix}`)
    if (!isHeader) yield row
    isHeader = false
  }
}

/** A sheet as it stands, the header first. */
export function readSheet(content: Content) {
  return readCells(content(), { maxInflatedBytes: MAX_FILE_BYTES })
}

function rowsOf(
  { content, source, mapping = {} }: Omit<File, 'mapping'> & { mapping?: Mapping },
  now: Date,
  onNotice: (text: string) => void = () => {},
): AsyncGenerator<SourceRow> {
  const format = SOURCE_FORMATS[source]
  return readRows(content(), { format, mapping, now, maxInflatedBytes: MAX_FILE_BYTES, onNotice })
}

/** The names of the columns, as a mapping calls them. */
export async function headerOf(content: Content): Promise<string[]> {
  for await (const row of readSheet(content)) return 'cells' in row ? row.cells.map(withoutGuard) : []
  return []
}

export async function previewFile(ctx: { db: Db; clock: Clock }, file: File): Promise<Preview> {
  const notices: string[] = []
  const read: SourceRow[] = []
  let problem: string | null = null
  // A mapping belongs to sheets; one that was made before the format was changed is kept, and not used.
  const mapping = file.source === 'csv' ? file.mapping : {}
  try {
    const said = (text: string) => void notices.push(asWritten(text, MAX_NOTICE))
    for await (const row of rowsOf({ ...file, mapping }, ctx.clock.now(), said))
      if (read.push(row) >= SHOWN_ROWS) break
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    problem = asWritten(error.message, MAX_NOTICE)
  }
  const { good, refused } = await checkRows(read, indexCategories(await listCategories(ctx)))
  const rows = [
    ...good.map(({ row, line, input }): PreviewRow => ({ row, line, input })),
    ...refused.map(
      ({ row, line, problem }): PreviewRow => ({ row, line, title: titleOf(read[row - 1]), ...problem }),
    ),
  ].toSorted((a, b) => a.row - b.row)
  const columns = file.source === 'csv' ? await columnsOf(file) : null
  return { rows, notices, problem, columns }
}

function titleOf(row: SourceRow | undefined): string | null {
  const title = row && 'product' in row ? row.product.title : null
  return typeof title === 'string' ? asWritten(title, 200) : null
}

async function columnsOf({ content, mapping }: File): Promise<SheetColumn[]> {
  let header: string[] | null = null
  const rows: string[][] = []
  for await (const row of readSheet(content)) {
    const cells = 'cells' in row ? row.cells.map(withoutGuard) : []
    if (header) rows.push(cells)
    header ??= cells
    if (rows.length >= SAMPLED_ROWS) break
  }
  const names = header ?? []
  const reading = readingOf(names, mapping)
  return names.flatMap((name, index) => {
    if (isOwnColumn(name)) return []
    const cell = rows.map((cells) => cells[index]?.trim() ?? '').find((text) => text !== '') ?? ''
    const sample = asWritten(cell, MAX_SAMPLE)
    const shown = asWritten(name, MAX_SAMPLE)
    return [
      { index, name: shown, sample, reading: reading[index] ?? '', mappable: canBeMapped(names, index) },
    ]
  })
}
