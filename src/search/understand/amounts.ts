/**
 * Reads one amount of money, or a number that could be one: "$1,200", "1.5k", "a hundred bucks", "US$40", "80 €".
 * Whether a number without a currency is a budget is for budget.ts to say. Prices are in US dollars; an amount in
 * another currency keeps its code, so that it is never mistaken for dollars.
 */
import { MAX_CENTS } from '../../lib/money.ts'
import { type NumberRead, readNumber } from './numbers.ts'
import { foldAt, isGlued, isHyphen, isWord, type Token, wordSet } from './tokens.ts'

export type Amount = {
  dollars: number
  currency: 'usd' | 'other' | 'none'
  /** ISO 4217, of another currency; null where several go by that name ("kr"). */
  code: string | null
  /** "40ish", "a couple hundred" */
  vague: boolean
  /** 100 or 1000 when written with "hundred", "thousand", "k" or "grand". */
  scale: number
  /** "4k" and its like also name a screen: without a currency they are no amount. */
  resolution: boolean
  from: number
  to: number
}

const DOLLAR_WORDS = wordSet('dollar dollars bucks buck usd')
const OTHER_CODES = new Map(
  Object.entries({
    EUR: 'eur euro euros €',
    GBP: 'gbp quid sterling £',
    JPY: 'yen jpy ¥',
    INR: 'inr rupee rupees ₹',
    CAD: 'cad c$ ca$ canadian',
    AUD: 'aud a$ au$ australian',
    NZD: 'nzd nz$',
    SGD: 'sgd s$ singapore',
    HKD: 'hkd hk$ hongkong',
    CHF: 'chf franc francs',
    SEK: 'sek krona kronor',
    NOK: 'nok',
    DKK: 'dkk',
    PLN: 'zloty pln zl',
    MXN: 'peso pesos mxn mx$',
    CNY: 'yuan rmb cny',
    KRW: 'won krw ₩',
    BRL: 'real reais brl r$',
    TRY: '₺',
    ILS: '₪',
  }).flatMap(([code, words]) => words.split(' ').map((word) => [word, code] as const)),
)
const OTHER_WORDS = new Set(['kr', ...[...OTHER_CODES.keys()].filter((word) => /^[a-z]+$/.test(word))])
const OTHER_DOLLARS = wordSet('canadian australian singapore hongkong')
const RESOLUTIONS = new Set([4000, 5000, 8000])

export function readAmount(tokens: readonly Token[], index: number, joinAnd = true): Amount | null {
  const sign = readSign(tokens, index)
  const start = sign?.to ?? index
  const number = readSpaced(tokens, start, sign) ?? readNumber(tokens, start, joinAnd)
  if (!number) return null
  // The 30 of "q30" and the 2 of "skn2" are parts of a name.
  if (!sign && isGlued(tokens, index) && isWord(tokens, index - 1)) return null
  const scaled = readScale(tokens, number)
  const ish = readIsh(tokens, scaled.to)
  const word = readCurrencyWord(tokens, ish ?? scaled.to)
  // "$50 CAD" is not fifty US dollars.
  const currency = sign && word?.currency !== 'other' ? sign : word
  const to = Math.max(ish ?? scaled.to, currency?.to ?? 0)
  const tail = readIsh(tokens, to)
  const cents = currency?.currency === 'cents'
  const written = currency?.currency === 'other' ? continental(tokens, start, scaled.value) : scaled.value
  const dollars = cents ? written / 100 : written
  if (!(dollars * 100 <= MAX_CENTS)) return null
  return {
    dollars,
    currency: currency ? (currency.currency === 'other' ? 'other' : 'usd') : 'none',
    code: currency?.currency === 'other' ? (OTHER_CODES.get(currency.said ?? '') ?? null) : null,
    vague: number.vague || ish !== null || tail !== null,
    scale: scaled.scale,
    resolution: scaled.k && RESOLUTIONS.has(scaled.value),
    from: index,
    to: skipRepeatedCurrency(tokens, tail ?? to, sign !== null),
  }
}

/** "1.200 €" is twelve hundred: where prices are not in dollars, a point before three digits parts thousands. */
function continental(tokens: readonly Token[], start: number, value: number): number {
  return /^\d{1,3}\.\d{3}$/.test(foldAt(tokens, start)) ? value * 1_000 : value
}

/** "12 000 kr": parted by a space, and only where another currency says that it is one number. */
function readSpaced(tokens: readonly Token[], start: number, sign: Currency | null): NumberRead | null {
  const [high, low] = [foldAt(tokens, start), foldAt(tokens, start + 1)]
  if (!/^\d{1,3}$/.test(high) || !/^\d{3}$/.test(low)) return null
  const currency = sign ?? readCurrencyWord(tokens, start + 2)
  if (currency?.currency !== 'other') return null
  return { value: Number(high) * 1_000 + Number(low), to: start + 2, scale: 1, vague: false, spelled: false }
}

/** `said` is the word or sign of another currency. */
type Currency = { currency: 'usd' | 'other' | 'cents'; to: number; said?: string }

/** "$", "US$", "USD", "C$", "€": before the number. */
function readSign(tokens: readonly Token[], index: number): Currency | null {
  const first = tokens[index]
  if (first?.kind === 'sign') return signOf(first, index)
  if (first?.kind !== 'word') return null
  const next = tokens[index + 1]
  const us = first.fold === 'us' || first.fold === 'usd'
  if (next?.fold === '$' && next.glued)
    return us
      ? { currency: 'usd', to: index + 2 }
      : { currency: 'other', to: index + 2, said: `${first.fold}$` }
  if (next?.kind !== 'number') return null
  if (first.fold === 'usd') return { currency: 'usd', to: index + 1 }
  const before = first.fold.length === 3 || first.fold === 'kr'
  return OTHER_WORDS.has(first.fold) && before ? { currency: 'other', to: index + 1, said: first.fold } : null
}

function readCurrencyWord(tokens: readonly Token[], index: number): Currency | null {
  const hyphen = isHyphen(tokens, index) && isGlued(tokens, index) && isGlued(tokens, index + 1)
  const at = hyphen ? index + 1 : index
  const token = tokens[at]
  // The sign of "100 $50" and of "£50-£80" belongs to what follows.
  const opens = tokens[at + 1]?.kind === 'number' && isGlued(tokens, at + 1) && (hyphen || !token?.glued)
  if (token?.kind === 'sign' && !opens)
    return token.fold === '¢' ? { currency: 'cents', to: at + 1 } : signOf(token, at)
  const word = foldAt(tokens, at)
  if (DOLLAR_WORDS.has(word)) return { currency: 'usd', to: at + 1 }
  if (word === 'cents' || word === 'cent') return { currency: 'cents', to: at + 1 }
  if (OTHER_WORDS.has(word) && !OTHER_DOLLARS.has(word)) return { currency: 'other', to: at + 1, said: word }
  const dollars = DOLLAR_WORDS.has(foldAt(tokens, at + 1))
  if (dollars && word === 'us') return { currency: 'usd', to: at + 2 }
  return dollars && OTHER_DOLLARS.has(word) ? { currency: 'other', to: at + 2, said: word } : null
}

function signOf({ fold }: Token, at: number): Currency {
  return fold === '$' ? { currency: 'usd', to: at + 1 } : { currency: 'other', to: at + 1, said: fold }
}

function readScale(
  tokens: readonly Token[],
  number: NumberRead,
): { value: number; to: number; scale: number; k: boolean } {
  const word = foldAt(tokens, number.to)
  const k = word === 'k' && isGlued(tokens, number.to) && !number.spelled
  if (!k && word !== 'grand') return { ...number, k }
  return { value: number.value * 1000, to: number.to + 1, scale: 1000, k }
}

function readIsh(tokens: readonly Token[], index: number): number | null {
  if (foldAt(tokens, index) === 'ish') return index + 1
  return isHyphen(tokens, index) && foldAt(tokens, index + 1) === 'ish' ? index + 2 : null
}

/** "$50 usd", "$50 dollars" name the currency twice. */
function skipRepeatedCurrency(tokens: readonly Token[], index: number, signed: boolean): number {
  return signed && DOLLAR_WORDS.has(foldAt(tokens, index)) ? index + 1 : index
}
