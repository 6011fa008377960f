/**
 * Everything that is done with a file that somebody brings, as generators from bytes to plain data. They know no
 * database and no clock, so each runs in either thread: `file-readers` runs them apart from the node's own work, where a
 * file of an outsider cannot hold anybody up; a command that does nothing else may run them where it is. What they give
 * comes in batches that are small both ways, by number and by weight, because who takes one handles it in one go.
 */
import { AppError, invalid } from '../lib/errors.ts'
import { cleanLine, shorten } from '../lib/text.ts'
import { startOf } from './bounded-input.ts'
import { indexCategories, type NamedCategory, UNCATEGORIZED } from './category-index.ts'
import { type CurrencyRule, inDollars } from './import/currency.ts'
import { type ReadRowsOptions, readRows } from './import/read-rows.ts'
import {
  createBatch,
  type ImportFormat,
  type ReadingRules,
  type RowProblem,
  type SourceRow,
} from './import/rows.ts'
import {
  type BadRowsAsk,
  badRowsText,
  type Content,
  type LookAsk,
  lookAtFile,
} from './import-drafts.reading.ts'
import { type CatalogLookAsk, lookAtCatalog } from './import-files.look.ts'
import { createKeyReader, type Keyed } from './import-keys.ts'
import {
  type ImportRequest,
  MAX_FILE_BYTES,
  MAX_IMPORT_ROWS,
  SOURCE_FORMATS,
} from './producer-import.schema.ts'
import type { ImportRow } from './producer-import-batch.ts'
import { checkRow, type RefusedRow } from './producer-import-rows.ts'
import { forgiveProductInput, type ProductInput } from './product-input.ts'

/** Rows that are given at once, and how much they may weigh together, one row apart. */
export const BATCH_ROWS = 100
export const BATCH_WEIGHT = 256 * 1024

const MAX_WORDS = 300

export const READINGS = {
  catalog: readCatalogFile,
  catalogLook: (content: Content, ask: CatalogLookAsk) => once(lookAtCatalog(content, ask, readCatalogFile)),
  producer: readProducerFile,
  look: (content: Content, ask: LookAsk) => once(lookAtFile(content, ask)),
  badRows: (content: Content, ask: BadRowsAsk) => once(badRowsText(content, ask)),
} as const

export type ReadingKind = keyof typeof READINGS
export type Ask<Kind extends ReadingKind> = Parameters<(typeof READINGS)[Kind]>[1]
export type Given<Kind extends ReadingKind> =
  ReturnType<(typeof READINGS)[Kind]> extends AsyncGenerator<infer Value> ? Value : never

async function* once<Value>(work: Promise<Value>): AsyncGenerator<Value> {
  yield await work
}

export type CatalogAsk = {
  format: ImportFormat
  mapping?: Record<string, string>
  /** For rows that name no category. */
  defaultCategory?: string
  money: CurrencyRule
  reading?: ReadingRules
  /** How much a packed file may unpack to, in bytes. */
  maxInflatedBytes?: number
  /** Rows up to this one were written before. */
  after: number
}

/** `row` counts the file's rows from 1. `currency` is what its amounts were in. */
export type CatalogRow = { row: number; line: number; item?: number; weight: number } & (
  | { input: ProductInput; keys: string[]; isRepeated: boolean; currency: string | null; notes: RowProblem[] }
  | { problem: RowProblem }
)

/** `readTo` is the last row that was read, given or not. */
type Batch<Row> = { rows: Row[]; notices: string[]; readTo: number }
export type CatalogBatch = Batch<CatalogRow>

/** `check` gives null for a row that is not asked for. */
async function* readFile<Row extends { weight: number }>(
  content: Content,
  options: Omit<ReadRowsOptions, 'onNotice'>,
  check: (source: SourceRow, row: number) => Row | null,
): AsyncGenerator<Batch<Row>> {
  const batch = createBatch<Row>({ rows: BATCH_ROWS, weight: BATCH_WEIGHT })
  let notices: string[] = []
  let readTo = 0
  const take = () => {
    const taken = { rows: batch.take(), notices, readTo }
    notices = []
    return taken
  }
  const onNotice = (text: string) => {
    notices.push(text)
  }
  for await (const source of readRows(content(), { ...options, onNotice })) {
    const row = check(source, ++readTo)
    if (row && batch.add(row)) yield take()
  }
  yield take()
}

function readCatalogFile(content: Content, ask: CatalogAsk): AsyncGenerator<CatalogBatch> {
  const { format, mapping, reading, after, maxInflatedBytes } = ask
  const keysOf = createKeyReader()
  return readFile(content, { format, mapping, maxInflatedBytes, ...reading }, (source, row) => {
    // Counted in rows, which are always read in the same order: a line of XML may hold many products. Checked all the
    // same, because what a row is called depends on the rows before it.
    const checked = checkCatalogRow(source, row, ask, keysOf)
    return row > after ? checked : null
  })
}

function checkCatalogRow(
  source: SourceRow,
  row: number,
  { defaultCategory = UNCATEGORIZED, money }: CatalogAsk,
  keysOf: (input: ProductInput) => Keyed,
): CatalogRow {
  const { line, item } = source
  const place = { row, line, ...(item !== undefined && { item }) }
  if ('problem' in source) return { ...place, weight: 0, problem: source.problem }
  const { product, currency, original, note } = inDollars(source.product, money)
  const { category } = product
  const checked = forgiveProductInput(hasName(category) ? product : { ...product, category: defaultCategory })
  const where = { line, ...(item !== undefined && { item }), ...idOf(source.product) }
  if ('problem' in checked) return { ...place, weight: 0, problem: { ...where, ...checked.problem } }
  const input = { ...checked.input, original }
  const notes = [...(source.notes ?? []), ...(note ? [note] : []), ...checked.notes]
  return {
    ...place,
    weight: weigh(input),
    input,
    ...keysOf(input),
    currency,
    notes: notes.map((one) => ({ ...where, ...one })),
  }
}

/** A category that is no name is as good as none. */
function hasName(category: unknown): boolean {
  const names: unknown[] = Array.isArray(category) ? category : [category]
  return names.length > 0 && names.every((name) => typeof name === 'string' && name.trim() !== '')
}

/** What the file calls the row, for messages. */
function idOf({ id, sku, slug }: Record<string, unknown>): { id?: string } {
  const said = id ?? sku ?? slug
  return typeof said === 'string' || typeof said === 'number' ? { id: words(String(said)) } : {}
}

type ProducerAsk = {
  source: ImportRequest['source']
  mapping?: Record<string, string>
  categories: readonly NamedCategory[]
  now: Date
  /** What the file came by, for what is wrong with it as a whole. */
  field: 'url' | 'content' | 'file'
}

/** With the title that the file gives it, for the list of results. */
export type ProducerRow = { title: string | null; weight: number } & (ImportRow | RefusedRow)

async function* readProducerFile(content: Content, ask: ProducerAsk): AsyncGenerator<Batch<ProducerRow>> {
  const { source, mapping, now, field } = ask
  const categories = indexCategories(ask.categories)
  const options = { format: SOURCE_FORMATS[source], maxInflatedBytes: MAX_FILE_BYTES, now, mapping }
  const batches = readFile(content, options, (found, row): ProducerRow => {
    if (row > MAX_IMPORT_ROWS)
      throw new AppError('too_large', `the file has more than ${MAX_IMPORT_ROWS} rows; split it`, {
        ...{ code: 'body_too_large', field, max: MAX_IMPORT_ROWS },
      })
    const checked = checkRow(found, row, categories)
    return { ...checked, title: titleOf(found), weight: 'problem' in checked ? 0 : weigh(checked.input) }
  })
  for await (const batch of batches) {
    if (batch.readTo === 0) throw invalid(field, `${field}: no rows in the file could be read as ${source}`)
    yield batch
  }
}

function titleOf(row: SourceRow): string | null {
  const title = 'product' in row ? row.product.title : null
  return typeof title === 'string' ? words(title) : null
}

/** A reader quotes what it found, and a file may hold anything. */
export function words(text: string): string {
  return shorten(cleanLine(startOf(text, MAX_WORDS)), MAX_WORDS)
}

/** The letters of a value, and something for each part of it. */
function weigh(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 8
  let weight = 16
  for (const part of Object.values(value)) weight += weigh(part)
  return weight
}
