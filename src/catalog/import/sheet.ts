/**
 * A list that people take away as a file, change in a spreadsheet and bring back: CSV or TSV, one thing a row, under the
 * names of the list's own file. It only reads: what a cell means is for the feature whose list it is.
 */
import { AppError, invalid } from '../../lib/errors.ts'
import type { ByteStream } from './bytes.ts'
import { readDelimited } from './delimited.ts'
import { currencyMeant, parseMoney } from './money.ts'
import { plainName, withoutGuard } from './values.ts'

export const MAX_SHEET_BYTES = 2 * 1024 * 1024
export const MAX_SHEET_ROWS = 1_000
/** What a cell says that takes a value away; an empty one leaves it as it is. */
const CLEARED = new Set(['none', 'null', 'clear', '-', '–'])

/** `name`: what the row is for, as far as it can be told. */
export type SheetProblem = { line: number; name: string | null; field: string | null; problem: string }
/** The texts of its cells by field; those that are empty too. */
export type SheetRow = { line: number; cells: ReadonlyMap<string, string> }
export type Sheet = {
  rows: SheetRow[]
  problems: SheetProblem[]
  /** What each column was read as; null for one that was not. */
  columns: Array<{ name: string; field: string | null }>
}

type SheetSpec = {
  /** What a column of each field may be called, blanks between. */
  names: Readonly<Record<string, string>>
  /** What the list's own file says beside its fields, and nobody can change by it. */
  shown?: readonly string[]
  maxRows?: number
  /** Refuses a header: which fields it has, and what its columns are called. */
  check(fields: ReadonlySet<string>, names: readonly string[]): string | null
}

export async function readSheet(
  input: ByteStream,
  { names, shown = [], maxRows = MAX_SHEET_ROWS, check }: SheetSpec,
): Promise<Sheet> {
  const fieldOf = new Map(
    Object.entries(names).flatMap(([field, own]) =>
      own.split(' ').map((name) => [plainName(name), field] as const),
    ),
  )
  const known = new Set(shown.map(plainName))
  const sheet: Sheet = { rows: [], problems: [], columns: [] }
  let fields: Array<string | null> | null = null
  for await (const row of readDelimited(input)) {
    if (sheet.rows.length + sheet.problems.length >= maxRows)
      throw new AppError('too_large', `the file has over ${maxRows.toLocaleString('en-US')} rows; split it`, {
        field: 'file',
        max: maxRows,
      })
    if ('problem' in row) {
      const { problem, fix } = row.problem
      sheet.problems.push({ line: row.line, name: null, field: null, problem: `${problem}; ${fix}` })
    } else if (fields === null) {
      const used = new Set<string>()
      fields = row.cells.map((name) => {
        const field = fieldOf.get(plainName(name)) ?? null
        if (field === null || used.has(field)) return null
        used.add(field)
        return field
      })
      const problem = check(used, row.cells)
      if (problem !== null) throw invalid('file', problem)
      sheet.columns = row.cells.flatMap((name, at) =>
        known.has(plainName(name)) ? [] : [{ name, field: fields?.[at] ?? null }],
      )
    } else {
      const cells = new Map<string, string>()
      for (const [at, field] of fields.entries())
        if (field !== null) cells.set(field, withoutGuard((row.cells[at] ?? '').trim()))
      sheet.rows.push({ line: row.line, cells })
    }
  }
  if (fields === null) throw invalid('file', 'the file is empty')
  return sheet
}

export function isCleared(text: string): boolean {
  return CLEARED.has(text.toLowerCase())
}

/** Dollars where the text is clearly money; else the text, for a schema to refuse. */
export function dollarsIn(text: string): number | string {
  if (/^free$/i.test(text)) return 0
  const money = parseMoney(text)
  return money !== null && currencyMeant(money.currency, 'USD') === 'USD' ? money.amount : text
}

/** A moment as the interface has it: spreadsheets leave out the zone, which is UTC then, or the time. */
export function momentIn(text: string): string {
  const day = /^\d{4}-\d\d-\d\d$/.exec(text)
  if (day) return `${text}T00:00:00Z`
  const local = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d(?:\.\d+)?)?$/.exec(text)
  return local ? `${local[1]}T${local[2]}${local[3] ?? ':00'}Z` : text
}

export function listIn(text: string): string[] {
  return text
    .split(/[|;,\n]/)
    .map((one) => one.trim())
    .filter((one) => one !== '')
}
