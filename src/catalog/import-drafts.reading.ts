/**
 * Looks into a file without importing it: which format it has, how many rows, what its columns are called, how its
 * first rows are read, and which of its rows failed. Pure, and run in a thread of its own (see file-readings): a whole
 * file is walked through once, when it comes or is read in another way.
 */
import { AppError, invalid } from '../lib/errors.ts'
import { cleanLine } from '../lib/text.ts'
import { type CategoryIndex, indexCategories, type NamedCategory } from './category-index.ts'
import type { ByteStream } from './import/bytes.ts'
import { cellsOf, takeSample } from './import/csv.ts'
import {
  COLUMN_FIELDS,
  type ColumnField,
  type ColumnPlan,
  columnNamed,
  isOwnColumn,
  OWN_COLUMNS,
  planColumns,
  type Sample,
} from './import/csv-columns.ts'
import { delimiterOf, detectFormat, readCells, readRows } from './import/read-rows.ts'
import type { SourceRow } from './import/rows.ts'
import { tableText, withoutGuard } from './import/values.ts'
import {
  asWritten,
  type DraftRow,
  type DraftSource,
  fixFor,
  type Mapping,
  PREVIEW_BOUNDS,
  type Preview,
  type PreviewRow,
  problemOf,
  type Sheet,
  sourceOf,
} from './import-drafts.schema.ts'
import { MAX_FILE_BYTES, MAX_IMPORT_ROWS, SOURCE_FORMATS } from './producer-import.schema.ts'
import { checkRow } from './producer-import-rows.ts'

const MAX_SAMPLE = 60
const MAX_NOTICE = 600
const START_BYTES = 64 * 1024

/** Reads the file from its start on every call; stops reading when the caller stops iterating. */
export type Content = () => ByteStream

export type LookAsk = {
  fileName: string
  /** Null: told from what the file starts with, and from its name. */
  source: DraftSource | null
  /** One that is given; or what each column is to be read as; or the first of several that fits the columns. */
  mapping: { given: Mapping } | { reading: ReadonlyMap<number, string> } | { candidates: Mapping[] }
  /** Whether the rows are to be counted, for which all of the file is read. */
  count: boolean
  categories: readonly NamedCategory[]
  now: Date
}

export type Look = { source: DraftSource; rowCount: number | null; mapping: Mapping; preview: Preview }

/** Throws for a file with no rows or too many, and for one that cannot be read at all. */
export async function lookAtFile(content: Content, ask: LookAsk): Promise<Look> {
  const { now, categories } = ask
  const source = ask.source ?? (await detectSource(content, ask.fileName))
  const rowCount = ask.count ? await countRows({ content, source }, now) : null
  // A mapping belongs to sheets; one that was made before the format was changed is kept, and not used.
  const mapping =
    source === 'csv' ? await mappingOf(content, ask.mapping) : 'given' in ask.mapping ? ask.mapping.given : {}
  const preview = await previewFile(
    { content, source, mapping: source === 'csv' ? mapping : {} },
    indexCategories(categories),
    now,
  )
  return { source, rowCount, mapping, preview }
}

async function detectSource(content: Content, fileName: string): Promise<DraftSource> {
  const format = detectFormat(fileName, await startOf(content))
  const source = format && sourceOf(format)
  if (source) return source
  throw invalid('source', 'the format of this file could not be detected; choose it')
}

export async function startOf(content: Content): Promise<Uint8Array> {
  for await (const piece of content()) return piece.subarray(0, START_BYTES)
  return new Uint8Array()
}

async function countRows(file: { content: Content; source: DraftSource }, now: Date): Promise<number> {
  let count = 0
  for await (const _ of file.source === 'csv' ? cellsBelowHeader(file.content) : rowsOf(file, now))
    if (++count > MAX_IMPORT_ROWS)
      throw new AppError(
        'too_large',
        `the file has more than ${MAX_IMPORT_ROWS.toLocaleString('en-US')} rows; split it and upload the parts`,
        { code: 'body_too_large', max: MAX_IMPORT_ROWS },
      )
  if (count === 0)
    throw new AppError(
      'invalid',
      file.source === 'csv'
        ? 'the file has no rows below its header'
        : 'no products could be read in this format',
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
function readSheet(content: Content) {
  return readCells(content(), { maxInflatedBytes: MAX_FILE_BYTES })
}

function rowsOf(
  { content, source, mapping = {} }: { content: Content; source: DraftSource; mapping?: Mapping },
  now: Date,
  onNotice: (text: string) => void = () => {},
): AsyncGenerator<SourceRow> {
  const format = SOURCE_FORMATS[source]
  return readRows(content(), { format, mapping, now, maxInflatedBytes: MAX_FILE_BYTES, onNotice })
}

async function mappingOf(content: Content, wanted: LookAsk['mapping']): Promise<Mapping> {
  if ('given' in wanted) return wanted.given
  const { header, sample } = await startOfSheet(content)
  if ('reading' in wanted) return chosenMapping(header, wanted.reading, sample)
  const fits = (mapping: Mapping) => {
    const columns = Object.values(mapping)
    return columns.length > 0 && columns.every((name) => header[columnNamed(header, name)]?.trim() === name)
  }
  return wanted.candidates.find(fits) ?? {}
}

/** The names of the columns, as a mapping calls them, and the rows that the reader tells their meaning from. */
export async function startOfSheet(content: Content): Promise<{ header: string[]; sample: Sample }> {
  const rows = readSheet(content)
  try {
    const { header, held } = await takeSample(rows)
    return { header: header && 'cells' in header ? header.cells : [], sample: cellsOf(held) }
  } finally {
    await rows.return(undefined)
  }
}

/** The mapping that reads the columns as somebody chose. */
export function chosenMapping(
  header: string[],
  reading: ReadonlyMap<number, string>,
  sample: Sample,
): Mapping {
  const wanted: string[] = []
  for (const [column, read] of reading) {
    const name = header[column]
    // A spec that nobody named is called like its column.
    if (name !== undefined) wanted[column] = read === 'spec:' ? `spec:${specNameOf(name)}` : read
  }
  return mappingFor(header, wanted, sample)
}

function specNameOf(column: string): string {
  return column
    .replace(/^\s*specs?\s*[:.]/i, '')
    .trim()
    .slice(0, 80)
}

async function previewFile(
  file: { content: Content; source: DraftSource; mapping: Mapping },
  categories: CategoryIndex<NamedCategory>,
  now: Date,
): Promise<Preview> {
  const notices: string[] = []
  const rows: PreviewRow[] = []
  let problem: string | null = null
  const said = (text: string) => {
    if (notices.length < PREVIEW_BOUNDS.notices) notices.push(asWritten(text, MAX_NOTICE))
  }
  try {
    for await (const row of rowsOf(file, now, said))
      if (rows.push(previewRow(row, rows.length + 1, categories)) >= PREVIEW_BOUNDS.rows) break
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    problem = asWritten(error.message, MAX_NOTICE)
  }
  const sheet = file.source === 'csv' ? await sheetOf(file) : null
  return { rows, notices, problem, sheet }
}

function previewRow(source: SourceRow, row: number, categories: CategoryIndex<NamedCategory>): PreviewRow {
  const checked = checkRow(source, row, categories)
  const { line } = checked
  if ('problem' in checked) {
    const { field, problem, fix } = checked.problem
    return {
      row,
      line,
      title: titleOf(source),
      field: field && asWritten(field, MAX_SAMPLE),
      problem: asWritten(problem, MAX_NOTICE),
      fix: asWritten(fix, MAX_NOTICE),
    }
  }
  const { brand, category, facts } = checked.input
  const numbers = [
    facts.gtin && `GTIN ${facts.gtin}`,
    facts.mpn && `MPN ${facts.mpn}`,
    facts.sku && `SKU ${facts.sku}`,
  ].filter((number) => typeof number === 'string' && number !== '') as string[]
  return {
    row,
    line,
    title: facts.title,
    brand: brand ?? null,
    category,
    numbers,
    lowCents: facts.priceLowCents ?? null,
    highCents: facts.priceHighCents ?? null,
  }
}

function titleOf(row: SourceRow): string | null {
  const title = 'product' in row ? row.product.title : null
  return typeof title === 'string' ? asWritten(title, 200) : null
}

/** The columns of a table, and what each is read as. */
export async function sheetOf({ content, mapping }: { content: Content; mapping: Mapping }): Promise<Sheet> {
  const { header: names, sample } = await startOfSheet(content)
  const reading = readingOf(names, mapping, sample)
  const theirs = names.flatMap((name, index) => (isOwnColumn(name) ? [] : [{ name, index }]))
  return {
    columns: theirs.slice(0, PREVIEW_BOUNDS.columns).map(({ name, index }) => {
      const cell = sample.map((cells) => cells[index]?.trim() ?? '').find((text) => text !== '') ?? ''
      return {
        index,
        name: asWritten(name, MAX_SAMPLE),
        sample: asWritten(cell, MAX_SAMPLE),
        reading: reading[index] ?? '',
        mappable: canBeMapped(names, index),
      }
    }),
    columnCount: theirs.length,
    unusedCount: theirs.filter(({ index }) => reading[index] === '').length,
    missing: ['title', 'category'].filter((field) => !reading.includes(field)),
  }
}

export const LEFT_OUT = ''
const SPEC = 'spec:'
/** Of the tool's own input, where a column is named and where a field is. */
const MAX_COLUMN_NAME = 200
const MAX_SPEC_NAME = 80

/*
 * Between a mapping as the reader takes it (our field to their column, what differs from its guess) and the columns of a
 * sheet as people see them (each with what it is read as); pure. A column is read as '' (left out), as a field, or as
 * 'spec:Weight'. A column that no mapping can name stays as it was guessed.
 */

/** What each column is read as, by its name and by what the first rows hold. */
export function readingOf(header: readonly string[], mapping: Mapping, sample: Sample = []): string[] {
  const reading = header.map(() => LEFT_OUT)
  const plan = planOf(header, mapping, sample)
  for (const [field, columns] of plan?.fields ?? []) for (const column of columns) reading[column] = field
  for (const { name, column } of plan?.specs ?? []) reading[column] = `${SPEC}${name}`
  return reading
}

/** Null when nothing of it is understood, which is where somebody has to say what is what. */
function planOf(header: readonly string[], mapping: Mapping, sample: Sample): ColumnPlan | null {
  try {
    return planColumns(header, mapping, sample)
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}

/** Whether a mapping can speak of it: by a name that is a name and can be stored, and that no column before it has. */
function canBeMapped(header: readonly string[], column: number): boolean {
  const name = header[column]?.trim() ?? ''
  if (name === '' || name.length > MAX_COLUMN_NAME || name.includes('\0')) return false
  return columnNamed(header, name) === column
}

/** The mapping that reads the columns so. `field` of an error is `column_<index>`. */
export function mappingFor(
  header: readonly string[],
  wanted: readonly string[],
  sample: Sample = [],
): Mapping {
  const guessed = readingOf(header, {}, sample)
  const reading = header.map((_, column) =>
    canBeMapped(header, column) ? (wanted[column] ?? guessed[column] ?? '') : (guessed[column] ?? ''),
  )
  const mapping: Mapping = {}
  const give = (ours: string, column: number) => {
    if (!canBeMapped(header, column)) return
    if (Object.hasOwn(mapping, ours)) throw refused(column, `another column is already mapped to ${ours}`)
    mapping[ours] = header[column]?.trim() ?? ''
  }
  for (const field of COLUMN_FIELDS) giveField(field)
  for (const [column, read] of reading.entries()) {
    if (read === guessed[column]) continue
    if (read === LEFT_OUT) give(`ignore:${column + 1}`, column)
    else if (read.startsWith(SPEC)) give(specKey(read, column), column)
    else if (!isField(read)) throw refused(column, `there is no field "${read.slice(0, 40)}"`)
  }
  return mapping

  function giveField(field: ColumnField): void {
    const columns = columnsOf(reading, field)
    if (columns.join() === columnsOf(guessed, field).join()) return
    for (const [index, column] of columns.entries()) {
      // "specs:2" would be the spec called 2.
      if (index > 0 && field === 'specs') throw refused(column, 'only one column can hold all specs')
      give(index === 0 ? field : `${field}:${index + 1}`, column)
    }
  }
}

function columnsOf(reading: readonly string[], field: string): number[] {
  return reading.flatMap((read, column) => (read === field ? [column] : []))
}

function isField(read: string): read is ColumnField {
  return (COLUMN_FIELDS as string[]).includes(read)
}

function specKey(read: string, column: number): string {
  const name = cleanLine(read.slice(SPEC.length))
  if (name === '') throw refused(column, 'give the spec a name')
  if (name.length > MAX_SPEC_NAME)
    throw refused(column, `a spec's name has at most ${MAX_SPEC_NAME} characters`)
  return `${SPEC}${name}`
}

function refused(column: number, problem: string): AppError {
  return invalid(`column_${column}`, problem)
}

export type BadRowsAsk = { source: DraftSource; failed: readonly DraftRow[] }

/**
 * The rows that failed, to be corrected and brought again. Of a sheet they are as they were, under the same header and
 * behind two columns of ours that say what is wrong; the reader passes those two over. Of other formats, whose records
 * are no lines, a list of what is wrong where. Pure: the file is read in a thread of its own.
 */
export async function badRowsText(content: Content, { source, failed }: BadRowsAsk): Promise<string> {
  const lines = source === 'csv' ? await sheetLines(content, failed) : listLines(failed, source)
  const delimiter = source === 'csv' ? delimiterOf(await startOf(content)) : ','
  return tableText(lines, delimiter)
}

async function sheetLines(content: Content, failed: readonly DraftRow[]): Promise<string[][]> {
  const problems = new Map(failed.map((row) => [row.row, row]))
  const lines: string[][] = []
  let own: ReadonlySet<number> = new Set()
  let row = -1
  for await (const read of readSheet(content)) {
    row++
    // What stood guarded in their file is not guarded twice.
    const cells = ('cells' in read ? read.cells : (read.found ?? [])).map(withoutGuard)
    if (row === 0) own = new Set(cells.flatMap((name, column) => (isOwnColumn(name) ? [column] : [])))
    const theirs = cells.filter((_, column) => !own.has(column))
    const bad = problems.get(row)
    if (row === 0) lines.push([...OWN_COLUMNS, ...theirs])
    else if (bad) lines.push([problemOf(bad), fixFor(bad, 'csv'), ...theirs])
  }
  return lines
}

function listLines(failed: readonly DraftRow[], source: DraftSource): string[][] {
  return [
    ['Row', 'Line', 'Product', 'Problem', 'Fix'],
    ...failed.map((row) => [
      String(row.row),
      String(row.line),
      row.title ?? '',
      problemOf(row),
      fixFor(row, source),
    ]),
  ]
}
