/**
 * Delimited text (comma, semicolon, tab or bar) as rows of cells with the line each starts on; the first row that is
 * given is the header, and each has as many cells as it. The parser is set so that it never fails by itself: an error in a stream would throw away rows that
 * were already parsed but not yet taken, and which ones would depend on how the bytes happened to arrive.
 */
import { pipeline, Readable } from 'node:stream'
import { type Info, parse } from 'csv-parse'
import { parse as parseSync } from 'csv-parse/sync'
import { type ByteStream, normalizeText, peek } from './bytes.ts'
import { isKnownColumn } from './csv-columns.ts'
import { withClosedQuotes } from './quotes.ts'
import {
  MAX_COLUMNS,
  MAX_RECORD_SIZE,
  problemRow,
  type ReaderOptions,
  type RowNote,
  type RowProblem,
  RUNAWAY_SIZE,
} from './rows.ts'

export type DelimitedRow =
  | { line: number; cells: string[]; notes?: RowNote[] }
  /** With the cells where they were asked for and there are any. */
  | { line: number; problem: RowProblem; found?: string[] }

type ParsedRecord = { record: string[]; info: Info }

/** Where the header has to end for it and the delimiter to be told. */
const HEADER_SIZE = 64 * 1024

/** Titles and notes of a spreadsheet that stand above its header. */
const MOST_LINES_ABOVE = 10
const DELIMITERS = [',', ';', '\t', '|'] as const
type Delimiter = (typeof DELIMITERS)[number]

const LENIENT = {
  record_delimiter: '\n',
  // A quote inside an unquoted cell is an inch mark, not a mistake.
  relax_quotes: true,
  relax_column_count: true,
  skip_empty_lines: true,
  skip_records_with_error: true,
}

const UNCLOSED_FIX = 'close the quote, and double every quote inside quoted text'

type DelimitedOptions = Pick<ReaderOptions, 'encoding' | 'onNotice'> & {
  keepCells?: boolean
  runawaySize?: number
}

export async function* readDelimited(
  input: ByteStream,
  { keepCells = false, runawaySize = RUNAWAY_SIZE, encoding, onNotice }: DelimitedOptions = {},
): AsyncGenerator<DelimitedRow> {
  const { head, stream } = await peek(normalizeText(input, { encoding, onNotice }), HEADER_SIZE)
  const { delimiter, names, above, below } = findHeader(head.toString('utf8'))
  /** What is to be said of lines that the parser does not get, or gets otherwise than they are. */
  const left: DelimitedRow[] = []
  const closed = new Set<number>()
  const closing = withClosedQuotes(stream, {
    delimiter,
    columns: names.length,
    maxSize: runawaySize,
    onUnclosed: (line, isKept) => {
      if (isKept) closed.add(line)
      else
        left.push(
          problemRow(line, null, 'opens a quote that is never closed, and was left out', UNCLOSED_FIX),
        )
    },
    onEndless: (line) => {
      const problem = `does not end within ${runawaySize / MAX_RECORD_SIZE} MB, so nothing after it was read`
      left.push(problemRow(line, null, problem, UNCLOSED_FIX))
    },
  })
  const parser = parse({ ...LENIENT, delimiter, info: true })
  // What goes wrong upstream is thrown by the loop below.
  pipeline(Readable.from(closing), parser, () => {})

  let columns = 0
  let records = 0
  const isBesideHeader = (at: number) => at < above || (at > above && at <= above + below)
  for await (const { record, info } of parser as AsyncIterable<ParsedRecord>) {
    const text = record.join('')
    const line = info.lines - (text.split('\n').length - 1)
    while ((left[0]?.line ?? line) < line) yield* left.splice(0, 1)
    if (isBesideHeader(records++) || text.trim() === '') continue
    const isHeader = columns === 0
    if (isHeader) columns = record.length
    const problem = recordProblem(line, record, text, columns)
    if (problem)
      yield { line, problem, ...(keepCells && text.length <= MAX_RECORD_SIZE && { found: record }) }
    else yield { line, ...fitted(record, text, columns, closed.delete(line)) }
    if (problem && isHeader) return
  }
  yield* left
}

function recordProblem(line: number, record: string[], text: string, columns: number): RowProblem | null {
  if (text.length > MAX_RECORD_SIZE) {
    return {
      line,
      field: null,
      problem: 'is over 1 MB, perhaps because a quote in it is not closed',
      fix: UNCLOSED_FIX,
    }
  }
  if (columns > MAX_COLUMNS) {
    return {
      line,
      field: null,
      problem: `has ${columns.toLocaleString('en-US')} columns, and at most ${MAX_COLUMNS.toLocaleString('en-US')} are read`,
      fix: 'remove the columns you do not need',
    }
  }
  const used = usedCells(record)
  if (used > MAX_COLUMNS) {
    return {
      line,
      field: null,
      problem: `has ${used} columns where the header has ${columns}`,
      fix: 'give each row one cell per column, in quotes if it contains the delimiter',
    }
  }
  return null
}

/** Spreadsheets pad rows with empty cells: those take nothing away. */
function usedCells(record: readonly string[]): number {
  return record.findLastIndex((cell) => cell.trim() !== '') + 1
}

/** Cells that are missing at the end are empty; those beyond the header have no meaning. */
function fitted(
  record: string[],
  text: string,
  columns: number,
  wasClosed: boolean,
): { cells: string[]; notes?: RowNote[] } {
  const cells = record.slice(0, columns)
  while (cells.length < columns) cells.push('')
  const notes: RowNote[] = []
  if (wasClosed) {
    notes.push({
      field: null,
      problem: 'opens a quote that is never closed; we closed it where the next column seems to begin',
      fix: UNCLOSED_FIX,
    })
  }
  if (usedCells(record) > columns) {
    notes.push({
      field: null,
      problem: 'has more cells than the header has columns; the extra cells were left out',
      fix: 'put a cell in quotes if it contains the delimiter',
      value: record.slice(columns).join(' ').trim().slice(0, 60),
    })
  }
  // Bytes that are not UTF-8 have been decoded to this character.
  if (text.includes('\ufffd')) {
    notes.push({
      field: null,
      problem: 'has characters that are not UTF-8, which were replaced',
      fix: 'save the file as "CSV UTF-8"',
    })
  }
  return notes.length > 0 ? { cells, notes } : { cells }
}

/** What stands between the cells of a text that may be cut off anywhere. */
export function detectDelimiter(text: string): Delimiter {
  return findHeader(text).delimiter
}

/** The names in the header of a text that may be cut off anywhere; empty when there is no header. */
export function headerNames(text: string): string[] {
  return findHeader(text).names
}

/** `above` and `below` are rows beside the header that hold no product. */
type FoundHeader = { delimiter: Delimiter; names: string[]; above: number; below: number }

/** The delimiter that makes a header of names we know; where none does, the one that makes the most even rows. */
function findHeader(text: string): FoundHeader {
  const start = firstLines(text.replace(/^\n+/, ''), 2 * MOST_LINES_ABOVE)
  const stated = /^"?sep=(.)"?\n/i.exec(start)?.[1]
  const candidates = DELIMITERS.filter((delimiter) => stated === undefined || delimiter === stated)
  const found = (candidates.length > 0 ? candidates : DELIMITERS).map((delimiter) => {
    const rows = firstRows(start, delimiter)
    const first = linesAbove(rows)
    // Marketplaces write names for people and, below, the same for programs. Those for people name the options.
    const below = isForPrograms(rows[first + 1] ?? []) ? 1 : 0
    const isBetter = below > 0 && knownNames(rows[first + 1] ?? []) > knownNames(rows[first] ?? [])
    const above = isBetter ? first + 1 : first
    const names = rows[above] ?? []
    const even = rows.filter((row) => row.length === names.length).length / Math.max(rows.length, 1)
    // Cells of marks alone come from a delimiter that stands inside of cells.
    const said = names.filter((name) => /[\p{L}\p{N}]/u.test(name)).length
    return {
      ...{ delimiter, names, above, known: knownNames(names), score: (said - 1) * even ** 2 },
      below: isBetter ? 0 : below,
    }
  })
  const [best] = found.toSorted((a, b) => b.known - a.known || b.score - a.score)
  return best ?? { delimiter: ',', names: [], above: 0, below: 0 }
}

function firstRows(text: string, delimiter: Delimiter): string[][] {
  return parseSync(text, { ...LENIENT, delimiter })
}

/** How many rows stand above the header: rows of few cells before one of many, whose names are known or are all words. */
function linesAbove(rows: readonly string[][]): number {
  const remarks = rows.map(isRemark)
  const filled = rows.map((row, at) => (remarks[at] ? 1 : row.filter((cell) => cell.trim() !== '').length))
  let most = remarks[0] ? 0 : knownNames(rows[0] ?? [])
  let above = 0
  for (let at = 1; at < Math.min(rows.length, MOST_LINES_ABOVE + 1); at++) {
    const row = rows[at] ?? []
    const size = filled[at] ?? 0
    const widestAbove = Math.max(...filled.slice(0, at))
    const known = remarks[at] ? 0 : knownNames(row)
    const isHeader =
      (size > 0 && widestAbove === 0) ||
      (size > 1 && known > most && widestAbove * 2 <= size) ||
      (size > 2 && widestAbove === 1 && most === 0 && above === 0 && row.every(isWord))
    if (!isHeader) continue
    above = at
    most = known
  }
  return above
}

/** "# Required | A unique id", over each column. A column "#" of numbers is none. */
function isRemark(row: readonly string[]): boolean {
  const said = row.filter((cell) => cell.trim() !== '')
  return said.length > 0 && said.every((cell) => /^\s*#\s*\S/.test(cell))
}

/** "item_sku", "item_name", "standard_price". */
function isForPrograms(row: readonly string[]): boolean {
  const said = row.filter((cell) => cell !== '')
  const joined = said.filter((cell) => cell.includes('_')).length
  const areNames = said.every((cell) => /^[a-z][a-z\d_]*$/.test(cell))
  return areNames && said.length > 2 && joined * 2 >= said.length && knownNames(said) > 1
}

function isWord(cell: string): boolean {
  return cell.length <= 60 && !/\d[.,]?\d|:\/\/|@/.test(cell)
}

function knownNames(cells: readonly string[]): number {
  return cells.filter(isKnownColumn).length
}

/** Of a text that may be cut off inside of a cell. A quote opens a cell only at its start. */
function firstLines(text: string, count: number): string {
  let lines = 0
  let isQuoted = false
  let isStart = true
  for (let at = 0; at < text.length; at++) {
    const letter = text[at] ?? ''
    if (isQuoted) {
      if (letter !== '"') continue
      if (text[at + 1] === '"') at++
      else isQuoted = false
      continue
    }
    if (letter === '"' && isStart) isQuoted = true
    isStart = letter === '\n' || (DELIMITERS as readonly string[]).includes(letter)
    if (letter === '\n' && ++lines === count) return text.slice(0, at + 1)
  }
  return text
}
