/**
 * Rows as a CSV file (RFC 4180). Words of strangers are in it, and spreadsheets run what begins like a formula, so such a
 * cell is given an apostrophe first, which they show as text.
 */
export type Cell = string | number | null

/** In full width too; blanks before it do not help. One that has an apostrophe already gets another, so none is lost. */
const FORMULA = /^'*\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r]/
const NEEDS_QUOTES = /[",\r\n]/

export function writeCsv(rows: ReadonlyArray<readonly Cell[]>): string {
  return rows.map((cells) => `${cells.map(cellOf).join(',')}\r\n`).join('')
}

function cellOf(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return String(cell)
  const text = FORMULA.test(cell) ? `'${cell}` : cell
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
