/**
 * What the columns of a sheet hold, told from its first rows: it says what a column is where its name says nothing, and
 * how the file writes its numbers.
 */
import { isGtin } from '../product-input.ts'
import { type DecimalMark, parseMoney } from './money.ts'

/** How much of a file is looked at before its columns are settled. */
export const SAMPLE_ROWS = 300
export const SAMPLE_SIZE = 64 * 1024

export type Sample = readonly (readonly string[])[]

/** Of the cells that are filled: how many, how many different ones, how long, and how many are of a kind. */
export type ColumnContent = {
  column: number
  filled: number
  distinct: number
  averageLength: number
  maxLength: number
  words: number
  links: number
  pictures: number
  gtins: number
  amounts: number
  numbers: number
  dates: number
  flags: number
}

export function contentOf(sample: Sample, column: number): ColumnContent {
  const cells = sample.map((row) => row[column]?.trim() ?? '').filter((cell) => cell !== '')
  const count = (test: (cell: string) => boolean) => cells.filter(test).length
  const total = cells.reduce((sum, cell) => sum + cell.length, 0)
  return {
    column,
    filled: cells.length,
    distinct: new Set(cells).size,
    averageLength: cells.length === 0 ? 0 : total / cells.length,
    maxLength: Math.max(0, ...cells.map((cell) => cell.length)),
    words: count((cell) => /\p{L}{2}.*\s\S*\p{L}/u.test(cell.slice(0, 100))),
    links: count((cell) => LINK.test(cell)),
    pictures: count((cell) => LINK.test(cell) && PICTURE.test(cell)),
    gtins: count((cell) => cell.length >= 12 && isGtin(cell)),
    amounts: count(isAmount),
    numbers: count((cell) => /^-?[\d.,]+$/.test(cell)),
    dates: count((cell) => DATE.test(cell)),
    flags: count((cell) => FLAG.test(cell)),
  }
}

const LINK = /^["'[{\s]{0,4}(https?:)?\/\/\S/i
const PICTURE = /\.(jpe?g|png|webp|gif|avif)\b/i
const DATE = /^(\d{4}[-/.]\d\d?[-/.]\d\d?|\d\d?[-/.]\d\d?[-/.]\d{4})(\D|$)/
const FLAG = /^(true|false|yes|no|ja|nein|y|n|0|1|-1)$/i

/** Money is written with its cents or its currency; a bare number may be anything. */
function isAmount(cell: string): boolean {
  const money = parseMoney(cell)
  return money !== null && (money.currency !== null || /\d[.,]\d\d$/.test(cell))
}

/** The mark that more of the amounts have before their cents; undefined where none of them says. */
export function decimalMarkOf(amounts: readonly string[]): DecimalMark | undefined {
  let commas = 0
  let points = 0
  for (const amount of amounts) {
    const [, mark] =
      /^[^\d]{0,12}[\d.,' \u00a0\u202f]{0,20}?([.,])\d{1,2}(?!\d)[^\d]{0,12}$/.exec(amount) ?? []
    if (mark === ',') commas++
    else if (mark === '.') points++
  }
  return commas === points ? undefined : commas > points ? ',' : '.'
}
