/**
 * Delimited text (comma, semicolon or tab) as rows of cells with the line each starts on; the first row is the
 * header. The parser is set so that it never fails by itself: an error in a stream would throw away rows that
 * were already parsed but not yet taken, and which ones would depend on how the bytes happened to arrive.
 */
import { pipeline, Readable } from 'node:stream'
import { type Info, parse } from 'csv-parse'
import { parse as parseSync } from 'csv-parse/sync'
import { type ByteStream, normalizeText, peek } from './bytes.ts'
import { MAX_COLUMNS, MAX_RECORD_SIZE, problemRow, type RowProblem, RUNAWAY_SIZE } from './rows.ts'

export type DelimitedRow =
  | { line: number; cells: string[] }
  /** With the cells where they were asked for and there are any. */
  | { line: number; problem: RowProblem; found?: string[] }

type ParsedRecord = { record: string[]; info: Info }

/** Where the header has to end for the delimiter to be told from it. */
const HEADER_SIZE = 64 * 1024

/** What may be on its way between the feed and the parser, far above what it ever is. */
const IN_FLIGHT = 1024 * 1024

const UNCLOSED_FIX = 'close the quote, and double every quote that belongs to a text in quotes'

export async function* readDelimited(
  input: ByteStream,
  { keepCells = false, runawaySize = RUNAWAY_SIZE }: { keepCells?: boolean; runawaySize?: number } = {},
): AsyncGenerator<DelimitedRow> {
  const { head, stream } = await peek(normalizeText(input), HEADER_SIZE)
  let isQuoteOpen = false
  let isCutOff = false
  const parser = parse({
    delimiter: detectDelimiter(head.toString('utf8')),
    record_delimiter: '\n',
    // A quote inside an unquoted cell is an inch mark, not a mistake.
    relax_quotes: true,
    relax_column_count: true,
    skip_empty_lines: true,
    info: true,
    skip_records_with_error: true,
    on_skip: () => {
      isQuoteOpen = true
      return undefined
    },
  })

  async function* feed(): AsyncGenerator<Uint8Array> {
    let sinceRecord = 0
    let seen = 0
    for await (const piece of stream) {
      yield piece
      const passed = parser.info.records + parser.info.empty_lines
      sinceRecord = passed === seen ? sinceRecord + piece.length : 0
      seen = passed
      isCutOff = sinceRecord > runawaySize + IN_FLIGHT
      if (isCutOff) return
    }
  }
  // What goes wrong upstream is thrown by the loop below.
  pipeline(Readable.from(feed()), parser, () => {})

  let columns = 0
  let line = 0
  let endLine = 0
  let emptyLines = 0
  for await (const { record, info } of parser as AsyncIterable<ParsedRecord>) {
    const text = record.join('')
    line = info.lines - (text.split('\n').length - 1)
    endLine = info.lines
    emptyLines = info.empty_lines
    const isHeader = columns === 0
    if (!isHeader && text.trim() === '') continue
    if (text.length > runawaySize) {
      isCutOff = true
      break
    }
    if (isHeader) columns = record.length
    const problem = recordProblem(line, record, text, columns)
    if (problem)
      yield { line, problem, ...(keepCells && text.length <= MAX_RECORD_SIZE && { found: record }) }
    else yield { line, cells: record.slice(0, columns) }
    if (problem && isHeader) return
  }
  if (isQuoteOpen) {
    const openedAt = endLine + 1 + parser.info.empty_lines - emptyLines
    yield problemRow(
      openedAt,
      null,
      'opens a quote that is never closed, so nothing after it was read',
      UNCLOSED_FIX,
    )
  } else if (isCutOff) {
    const problem = `does not end within ${runawaySize / MAX_RECORD_SIZE} MB, so nothing after it was read`
    yield problemRow(line, null, problem, UNCLOSED_FIX)
  }
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
      fix: 'leave out the columns that say nothing about the product',
    }
  }
  // Spreadsheets pad rows with empty cells: those take nothing away.
  const used = record.findLastIndex((cell) => cell.trim() !== '') + 1
  if (record.length < columns || used > columns) {
    const count = Math.max(used, Math.min(record.length, columns))
    return {
      line,
      field: null,
      problem: `has ${count} columns where the header has ${columns}`,
      fix: 'write one cell for each column of the header, in quotes where it holds the delimiter',
    }
  }
  // Bytes that are not UTF-8 have been decoded to this character.
  if (text.includes('\ufffd')) {
    return {
      line,
      field: null,
      problem: 'holds characters that are not UTF-8',
      fix: 'save the file as "CSV UTF-8"',
    }
  }
  return null
}

/** A tab in a header is never part of a name; between the others the more frequent one wins. */
export function detectDelimiter(text: string): ',' | ';' | '\t' {
  const bare = headerLine(text).replace(/"[^"]*"/g, '')
  if (bare.includes('\t')) return '\t'
  return bare.split(';').length > bare.split(',').length ? ';' : ','
}

/** The names in the header of a text that may be cut off anywhere; empty when there is no header. */
export function headerNames(text: string): string[] {
  const header: string[][] = parseSync(headerLine(text), {
    delimiter: detectDelimiter(text),
    relax_quotes: true,
    skip_records_with_error: true,
    to: 1,
  })
  return header[0] ?? []
}

function headerLine(text: string): string {
  const start = text.search(/[^\n]/)
  return start === -1 ? '' : (/^(?:"[^"]*"|[^"\n])*/.exec(text.slice(start))?.[0] ?? '')
}
