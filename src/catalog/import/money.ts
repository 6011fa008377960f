/**
 * Amounts of money as strangers write them: "12.50", "$1,299.00", "12,50 €", "1 299 kr", "from CHF 80". An amount keeps
 * the currency that stands beside it and is never taken for another: turning it into US dollars is a step of its own
 * (see currency.ts), with a rate that somebody gave.
 */

/** Signs that mean one currency. A bare "$" and "kr" mean one of several: the file's own, where it is one of them. */
const SIGNS: Readonly<Record<string, string>> = {
  '€': 'EUR',
  '£': 'GBP',
  '₹': 'INR',
  rs: 'INR',
  '₽': 'RUB',
  rur: 'RUB',
  '₺': 'TRY',
  '₩': 'KRW',
  '₴': 'UAH',
  '₫': 'VND',
  '฿': 'THB',
  '₱': 'PHP',
  '₪': 'ILS',
  '₦': 'NGN',
  zł: 'PLN',
  kč: 'CZK',
  ft: 'HUF',
  lei: 'RON',
  лв: 'BGN',
  fr: 'CHF',
  rp: 'IDR',
  r$: 'BRL',
  us$: 'USD',
  usd$: 'USD',
  $usd: 'USD',
  a$: 'AUD',
  au$: 'AUD',
  c$: 'CAD',
  ca$: 'CAD',
  nz$: 'NZD',
  hk$: 'HKD',
  s$: 'SGD',
  nt$: 'TWD',
  mx$: 'MXN',
  元: 'CNY',
  円: 'JPY',
}

/** What a sign of several currencies means where nobody says more; null where it cannot be told. */
const SHARED: Readonly<Record<string, { of: ReadonlySet<string>; otherwise: string | null }>> = {
  $: {
    of: new Set(['USD', 'CAD', 'AUD', 'NZD', 'MXN', 'SGD', 'HKD', 'TWD', 'ARS', 'CLP', 'COP', 'UYU']),
    otherwise: 'USD',
  },
  kr: { of: new Set(['SEK', 'NOK', 'DKK', 'ISK']), otherwise: null },
  '¥': { of: new Set(['JPY', 'CNY']), otherwise: null },
}

const CODES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))

/** Longer text is no amount, and not worth a pattern that tries every way to split it. */
const MAX_LENGTH = 40

/** `currency` is a code, a sign that several share, or null where none stands there. */
export type Money = { amount: number; currency: string | null }
export type PriceRange = { low: number; high: number }

/** How a file writes the parts of a dollar, where that is known: what "1.299" means depends on it. */
export type DecimalMark = '.' | ','

/** Null when it is not clearly an amount. */
export function parseMoney(text: string, mark?: DecimalMark): Money | null {
  if (text.length > MAX_LENGTH) return null
  // "49,-" and "49:-" are whole amounts.
  const whole = text.trim().replace(/[,.:][-–]+(?=\s|$)/, '')
  const match = /^((?:[^\d.,-]|\p{L}\.)*)(\d[\d.,' \u00a0\u202f\u2009]*|\.\d+)([^\d]*)$/u.exec(whole)
  if (!match) return null
  const [, before = '', digits = '', after = ''] = match
  const currency = currencyOf(before, after)
  const amount = parseAmount(digits.trim(), mark)
  return currency === undefined || amount === null ? null : { amount, currency }
}

/** One amount, or two with a dash or "to" between them. */
export function parsePrice(
  text: string,
  mark?: DecimalMark,
): (PriceRange & { currency: string | null }) | null {
  const single = parseMoney(text, mark)
  if (single) return { low: single.amount, high: single.amount, currency: single.currency }
  if (text.length > 2 * MAX_LENGTH) return null
  const ends = text.split(/\s*[-–—]\s*|\s+to\s+/i)
  const [low, high] = ends.map((end) => parseMoney(end, mark))
  if (ends.length !== 2 || !low || !high) return null
  const currency = low.currency ?? high.currency
  if (low.currency !== null && high.currency !== null && low.currency !== high.currency) return null
  return { low: low.amount, high: high.amount, currency }
}

/** Undefined where what stands beside the number is no currency. Words in front, such as "from", are passed over. */
function currencyOf(before: string, after: string): string | null | undefined {
  const sides = [before, after].map((side) => side.trim().toLowerCase().replace(/\.$/, ''))
  const [front = '', back = ''] = sides
  const words = front.split(/\s+/)
  const found = [words.at(-1) ?? '', back.split(/[\s/]+/)[0] ?? ''].map(currencyNamed)
  const [beside, behind] = found
  if (behind === undefined) return undefined
  if (beside === undefined) return words.every((word) => /^[\p{L}.:]{1,12}$/u.test(word)) ? behind : undefined
  return beside ?? behind
}

/** The code of a currency, or a sign that several share; null for an empty cell, undefined if it is not a currency. */
export function currencyNamed(text: string): string | null | undefined {
  const plain = text.trim().replace(/\s/g, '').toLowerCase().replace(/\.$/, '')
  if (plain === '') return null
  if (Object.hasOwn(SHARED, plain)) return plain
  if (Object.hasOwn(SIGNS, plain)) return SIGNS[plain]
  const code = plain.toUpperCase()
  return CODES.has(code) ? code : undefined
}

/** The code that a sign means in a file of this currency; null where it cannot be told. */
export function currencyMeant(said: string | null, ofFile: string): string | null {
  if (said === null) return ofFile
  const shared = Object.hasOwn(SHARED, said) ? SHARED[said] : undefined
  if (!shared) return said
  return shared.of.has(ofFile) ? ofFile : shared.otherwise
}

/** A plain number, with either kind of thousands mark. Null when it is not clearly one. */
export function parseNumber(text: string, mark?: DecimalMark): number | null {
  const plain = text.trim()
  return /^-?\d+(\.\d+)?$/.test(plain) ? Number(plain) : parseAmount(plain, mark)
}

/** "1.299" is left alone unless the file's mark is known: it is one dollar thirty here and thirteen hundred there. */
function parseAmount(digits: string, mark?: DecimalMark): number | null {
  const plain = digits.replace(/(?<=\d)[' \u00a0\u202f\u2009](?=\d{3}(?!\d))/g, '').replace(/[.,]$/, '')
  if (mark === ',' && /^\d{1,3}(\.\d{3})+$/.test(plain)) return Number(plain.replaceAll('.', ''))
  if (mark === '.' && /^\d+\.\d{3}$/.test(plain)) return Number(plain)
  if (mark === ',' && /^\d+,\d+$/.test(plain)) return Number(plain.replace(',', '.'))
  if (/^\d+$|^\d*\.(\d{1,2}|\d{4,})$/.test(plain)) return Number(plain)
  if (/^\d{1,3}(,\d{3})+(\.\d{1,2})?$/.test(plain)) return Number(plain.replaceAll(',', ''))
  if (/^\d{1,3}(\.\d{3})+,\d{1,2}$|^\d{1,3}(\.\d{3}){2,}$|^\d+,(\d{1,2}|\d{4,})$/.test(plain)) {
    return Number(plain.replaceAll('.', '').replace(',', '.'))
  }
  return null
}

/**
 * Reads the money of one row. All its amounts are in one currency, the first that is named: an amount in another, like
 * text that is no amount, is given back as the text it was.
 */
export function createMoneyReader(mark?: DecimalMark) {
  let currency: string | null = null
  const agrees = (said: string | null) => {
    if (said !== null && currency !== null && said !== currency) return false
    currency ??= said
    return true
  }
  return {
    amount(text: string): number | string {
      const money = parseMoney(text, mark)
      return money && agrees(money.currency) ? money.amount : text
    },
    range(text: string): PriceRange | string {
      const price = parsePrice(text, mark)
      return price && agrees(price.currency) ? { low: price.low, high: price.high } : text
    },
    /** A code, a sign that several share, or null. */
    currency: (): string | null => currency,
  }
}
