/**
 * What every import reader gives: records in the shape of the import contract, still unchecked, and
 * problems in words the owner of the file can act on. A reader never stops at a bad record; it reports it
 * and goes on, unless the file itself cannot be read past that point.
 */
export const IMPORT_FORMATS = [
  'jsonl',
  'csv',
  'google',
  'shopify',
  'woocommerce',
  'magento',
  'bigcommerce',
  'json',
  'jsonld',
  'xml',
] as const
export type ImportFormat = (typeof IMPORT_FORMATS)[number]

/**
 * What is wrong with a row, where, and how to put it right. The words follow the name of the field, or "row" where
 * it has no field, and the fix follows them: "row is not valid UTF-8; save the file as UTF-8".
 */
export type RowProblem = {
  line: number
  /** Its number in the file, where a line may hold many. */
  item?: number
  field: string | null
  problem: string
  fix: string
  /** What the file calls the row. */
  id?: string
  /** What was found. */
  value?: string
}

/** Something that was changed on the way; the row stands. */
export type RowNote = Omit<RowProblem, 'line' | 'item'>

/**
 * A product is in the names of the import contract. Beside those: `id` (what the file calls it), `aliases` (other keys of
 * the same product, such as "sku:TS-1"), `group` and `options` (the product that this is a variant of, and what tells it
 * apart), `variants` (all of them: `id`, `sku`, `gtin`, `options`, `price`, `list_price`, `image`, `availability`), `availability`
 * of a row that is a variant, `category` as a path, outermost first, and `currency` (a code, or a sign such as "kr") where the row says what its amounts are in.
 *
 * `line` is the 1-based line of the file where the record starts. `item` counts the records from 1 in formats where a
 * line may hold all of them.
 */
export type SourceRow =
  | { line: number; item?: number; product: Record<string, unknown>; notes?: RowNote[] }
  | { line: number; item?: number; problem: RowProblem }

export type ReaderOptions = {
  /** Our field to their column, for CSV: `{ title: 'Artikel' }`. */
  mapping?: Record<string, string>
  /** Called with what the owner should know about the file as a whole, once each. */
  onNotice?: (text: string) => void
  /** The moment sale dates are compared with; now unless given. */
  now?: Date
} & ReadingRules

/** What somebody says of a file that it does not say itself. */
export type ReadingRules = {
  /** The shop's address, for files that name products but not their pages. */
  storeUrl?: string
  /** How its letters are written; found out when left out. */
  encoding?: string
}

/** What a file of a stranger may make its reader hold. Each refusal names the line and the limit. */
export const MAX_ATTRIBUTES = 64
export const MAX_DEPTH = 64
export const MAX_TEXT_SIZE = 256 * 1024
export const MAX_COLUMNS = 1_000
export const MAX_JSON_DEPTH = 32
export const MAX_JSON_KEYS = 1_000
export const MAX_JSON_ENTRIES = 10_000

/** A stored value counts for more than its letters, or a million empty ones would be free. */
export const VALUE_COST = 64

/** No product is this long: a longer record is reported and skipped, so one row can never fill the memory. */
export const MAX_RECORD_SIZE = 1024 * 1024

/**
 * A quote or a tag that is never closed makes one endless record. Skipping on would mean guessing where the
 * next one starts, so at this length the reader reports it and ends.
 */
export const RUNAWAY_SIZE = 8 * MAX_RECORD_SIZE

export function problemRow(line: number, field: string | null, problem: string, fix: string) {
  return { line, problem: { line, field, problem, fix } }
}

/** With its number in the file, and, for a problem, what the file calls it. */
export function numbered(row: SourceRow, item: number, id?: string): SourceRow {
  if ('product' in row) return { ...row, item }
  return { ...row, item, problem: { ...row.problem, item, ...(id !== undefined && { id }) } }
}

/** A batch is put into words in one go: rows that weigh much come fewer at a time. */
export type BatchSize = { rows: number; weight: number }

export function createBatch<Row extends { weight: number }>(most: BatchSize) {
  let rows: Row[] = []
  let weight = 0
  return {
    /** Whether it is time to take them. */
    add(row: Row): boolean {
      rows.push(row)
      weight += row.weight
      return rows.length >= most.rows || weight >= most.weight
    },
    take(): Row[] {
      const taken = rows
      rows = []
      weight = 0
      return taken
    },
  }
}

/** JSON for the database. PostgreSQL holds no NUL, and half a character is no text to it. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) =>
    typeof one === 'string' ? one.replaceAll('\0', '').toWellFormed() : one,
  )
}
