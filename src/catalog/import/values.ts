/**
 * What a cell says. Text is turned into a number, a list or a flag only where it is clearly one; anything else
 * stays the text it was, so that the schema can refuse it and quote it back.
 * All prices are US dollars: another currency is a problem of its own, never a number taken at face value.
 */
import type { RowProblem } from './rows.ts'

const CURRENCY_CODES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))
const CURRENCY_WORDS: ReadonlySet<string> = new Set(['kr', 'zł', 'kč', 'ft', 'lei', 'fr', 'rs', 'rp'])
const DOLLARS: ReadonlySet<string> = new Set(['', '$', 'usd', 'us$', 'usd$', '$usd'])

export type Money = number | { currency: string } | null
export type PriceRange = { low: number; high: number }

/** Longer text is no amount, and not worth a pattern that tries every way to split it. */
const MAX_AMOUNT_LENGTH = 40

/** "12.50", "$1,299.00", "12,50", "1.299,00 USD". Null when it is not clearly an amount. */
export function parseMoney(text: string): Money {
  if (text.length > MAX_AMOUNT_LENGTH) return null
  const match = /^([^\d.,-]*)(\d[\d.,' \u00a0\u202f]*|\.\d+)([^\d]*)$/.exec(text.trim())
  if (!match) return null
  const unit = `${match[1]}${match[3]}`.replace(/\s/g, '').toLowerCase()
  if (DOLLARS.has(unit)) return parseAmount((match[2] ?? '').trim())
  const isCurrency =
    /\p{Sc}/u.test(unit) || CURRENCY_WORDS.has(unit) || CURRENCY_CODES.has(unit.toUpperCase())
  return isCurrency ? { currency: unit.toUpperCase() } : null
}

/** One amount, or two with a dash or "to" between them. */
export function parsePrice(text: string): PriceRange | { currency: string } | null {
  const single = parseMoney(text)
  if (typeof single === 'number') return { low: single, high: single }
  if (single) return single
  if (text.length > 2 * MAX_AMOUNT_LENGTH) return null
  const ends = text.split(/\s*[-–—]\s*|\s+to\s+/i)
  if (ends.length !== 2) return null
  const [low, high] = ends.map(parseMoney)
  if (low !== null && typeof low === 'object') return low
  if (high !== null && typeof high === 'object') return high
  return typeof low === 'number' && typeof high === 'number' ? { low, high } : null
}

/** A plain number, with either kind of thousands mark. Null when it is not clearly one. */
export function parseNumber(text: string): number | null {
  const plain = text.trim()
  return /^-?\d+(\.\d+)?$/.test(plain) ? Number(plain) : parseAmount(plain)
}

/** "1.299" is left alone: it is one dollar thirty here and thirteen hundred there. */
function parseAmount(digits: string): number | null {
  const plain = digits.replace(/(?<=\d)[' \u00a0\u202f](?=\d{3}(?!\d))/g, '')
  if (/^\d+$|^\d*\.(\d{1,2}|\d{4,})$/.test(plain)) return Number(plain)
  if (/^\d{1,3}(,\d{3})+(\.\d{1,2})?$/.test(plain)) return Number(plain.replaceAll(',', ''))
  if (/^\d{1,3}(\.\d{3})+,\d{1,2}$|^\d{1,3}(\.\d{3}){2,}$|^\d+,\d{1,2}$/.test(plain)) {
    return Number(plain.replaceAll('.', '').replace(',', '.'))
  }
  return null
}

/**
 * Reads the money of one row and remembers the first amount in another currency, since that makes the whole
 * row a problem. Unclear text is given back as it is.
 */
export function createMoneyReader(line: number) {
  let problem: RowProblem | null = null
  const refuse = (field: string, text: string) => {
    problem ??= {
      line,
      field,
      problem: `is "${excerpt(text)}", which is not in US dollars`,
      fix: 'convert it: prices are USD, written as plain numbers such as 12.50',
    }
    return text
  }
  return {
    amount(field: string, text: string): number | string {
      const money = parseMoney(text)
      if (money !== null && typeof money === 'object') return refuse(field, text)
      return money ?? text
    },
    range(field: string, text: string): PriceRange | string {
      const price = parsePrice(text)
      if (price !== null && 'currency' in price) return refuse(field, text)
      return price ?? text
    },
    problem: (): RowProblem | null => problem,
  }
}

export function parseFlag(text: string): boolean | null {
  const word = text.trim().toLowerCase()
  if (['true', 'yes', 'y', '1'].includes(word)) return true
  if (['false', 'no', 'n', '0'].includes(word)) return false
  return null
}

export function splitList(text: string): string[] {
  return text
    .split(/[|\n]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
}

/** Addresses may also be separated by commas, which they themselves may hold: a comma counts before a scheme. */
export function splitUrls(text: string): string[] {
  return splitList(text).flatMap((entry) => entry.split(/,(?=\s*https?:)/i).map((url) => url.trim()))
}

/** Without alternative texts, because nobody wrote any. */
export function imagesOf(urls: readonly string[]): { url: string }[] {
  return [...new Set(urls)].map((url) => ({ url }))
}

export function hostOf(url: string): string | null {
  return URL.parse(url)?.hostname.replace(/^www\./, '') || null
}

/** "Home > Kitchen > Kettles" is about kettles. */
export function lastSegment(path: string): string {
  const segments = path.split('>').map((segment) => segment.trim())
  return segments.findLast((segment) => segment !== '') ?? ''
}

/** "Product_Name", "product name" and "PRODUCT NAME" are one name. */
export function plainName(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
}

/** Names come from the file: plain assignment would let one called `__proto__` replace the prototype. */
export function setOwn(target: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') target[name] = value
}

/** For a message: all of a usual list, and enough of an absurd one. */
export function listNames(names: readonly string[]): string {
  const shown = names.slice(0, 50).map((name) => `"${excerpt(name.trim())}"`)
  return names.length > 50 ? `${shown.join(', ')} and ${names.length - 50} more` : shown.join(', ')
}

/** Short enough for a message. */
export function excerpt(text: string): string {
  return text.length > 60 ? `${text.slice(0, 57)}…` : text
}
