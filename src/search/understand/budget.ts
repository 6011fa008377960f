/**
 * What may be spent. An amount counts when it carries a currency, or a budget word and nothing else it could
 * measure. The first firm cap wins over softer ones: in "ideally $50, max $80" the eighty is the
 * limit, in "laptop under $900 with a sleeve under $40" the first amount is the purchase. An amount in another
 * currency counts by the operator's rate; without one it is kept apart.
 */
import { MAX_CENTS } from '../../lib/money.ts'
import {
  foldAt,
  isGlued,
  isHyphen,
  isWord,
  type Phrases,
  phraseAt,
  phrases,
  type Range,
  sliceRange,
  type Token,
  wordSet,
} from './tokens.ts'
import { unitAt } from './units.ts'

/**
 * Reads a number as people write it: "1,200", "2 1/2", "two hundred and fifty", "a couple hundred". A lone "a" is
 * one only before hundred, thousand or dozen, and "and" joins only after a hundred or a thousand, so that
 * "between a hundred and two hundred" stays two numbers.
 */

export type NumberRead = {
  value: number
  to: number
  /** 100 or 1000 when the number ended in that word, so that "2 to 3 hundred" can share it. */
  scale: number
  /** "a couple hundred", "a few thousand" */
  vague: boolean
  spelled: boolean
}

const SMALL =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'
const UNITS = new Map(SMALL.split(' ').map((word, value) => [word, value]))
const TENS = new Map(
  'twenty thirty forty fifty sixty seventy eighty ninety'
    .split(' ')
    .map((word, index) => [word, (index + 2) * 10]),
)
const SCALES = new Map([
  ['hundred', 100],
  ['thousand', 1000],
])
/** A few hundred is taken as four hundred: read as a cap, less would shut out what was meant. */
const VAGUE = new Map([
  ['couple', 2],
  ['few', 4],
  ['several', 5],
])

/** `joinAnd` false reads "a hundred and fifty" as a hundred. */
export function readNumber(tokens: readonly Token[], index: number, joinAnd = true): NumberRead | null {
  return tokens[index]?.kind === 'number' ? readDigits(tokens, index) : readSpelled(tokens, index, joinAnd)
}

function readDigits(tokens: readonly Token[], index: number): NumberRead | null {
  const first = tokens[index]?.value ?? null
  if (first === null) return null
  const plain = { vague: false, spelled: false, scale: 1 }
  const fraction = readFraction(tokens, index)
  if (fraction) return { ...plain, ...fraction }
  const mixed = Number.isInteger(first) ? readFraction(tokens, index + 1) : null
  if (mixed && !tokens[index + 1]?.glued) return { ...plain, value: first + mixed.value, to: mixed.to }
  const scale = SCALES.get(foldAt(tokens, index + 1))
  if (scale) return { ...plain, value: first * scale, to: index + 2, scale }
  return { ...plain, value: first, to: index + 1 }
}

function readFraction(tokens: readonly Token[], index: number): { value: number; to: number } | null {
  const top = tokens[index]?.value ?? null
  const bottom = tokens[index + 2]?.value ?? null
  if (top === null || !bottom || top >= bottom || foldAt(tokens, index + 1) !== '/') return null
  return tokens[index + 1]?.glued && tokens[index + 2]?.glued ? { value: top / bottom, to: index + 3 } : null
}

function readSpelled(tokens: readonly Token[], index: number, joinAnd: boolean): NumberRead | null {
  let at = index
  if (foldAt(tokens, at) === 'a' && /^(grand|dollar|buck)$/.test(foldAt(tokens, at + 1)))
    return { value: 1, to: at + 1, scale: 1, vague: false, spelled: true }
  if (['a', 'an', 'one'].includes(foldAt(tokens, at)) && opensCount(tokens, at + 1)) at++
  const vague = VAGUE.get(foldAt(tokens, at))
  if (vague !== undefined) {
    const next = foldAt(tokens, at + 1) === 'of' ? at + 2 : at + 1
    const scale = SCALES.get(foldAt(tokens, next))
    return scale ? { value: vague * scale, to: next + 1, scale, vague: true, spelled: true } : null
  }
  if (foldAt(tokens, at) === 'dozen') return { value: 12, to: at + 1, scale: 1, vague: false, spelled: true }
  const head = SCALES.has(foldAt(tokens, at)) ? { value: 1, to: at } : readBelowHundred(tokens, at)
  if (!head) return null
  let { value, to } = head
  let scale = 1
  // At most "hundred thousand".
  for (let times = 0; times < 2; times++) {
    const step = SCALES.get(foldAt(tokens, to))
    if (!step) break
    value *= step
    scale = step
    to++
  }
  const rest = scale > 1 ? readRest(tokens, to, joinAnd) : null
  return rest
    ? { value: value + rest.value, to: rest.to, scale: 1, vague: false, spelled: true }
    : { value, to, scale, vague: false, spelled: true }
}

function opensCount(tokens: readonly Token[], index: number): boolean {
  const word = foldAt(tokens, index)
  return SCALES.has(word) || VAGUE.has(word) || word === 'dozen'
}

function readBelowHundred(tokens: readonly Token[], index: number): { value: number; to: number } | null {
  const unit = UNITS.get(foldAt(tokens, index))
  if (unit !== undefined) return { value: unit, to: index + 1 }
  const tens = TENS.get(foldAt(tokens, index))
  if (tens === undefined) return null
  const next = isHyphen(tokens, index + 1) ? index + 2 : index + 1
  const more = UNITS.get(foldAt(tokens, next))
  return more !== undefined && more > 0 && more < 10
    ? { value: tens + more, to: next + 1 }
    : { value: tens, to: index + 1 }
}

/** "and fifty", "fifty": what follows a hundred, unless it is a number of its own ("and two hundred"). */
function readRest(
  tokens: readonly Token[],
  index: number,
  joinAnd: boolean,
): { value: number; to: number } | null {
  const and = foldAt(tokens, index) === 'and'
  if (and && !joinAnd) return null
  const rest = readBelowHundred(tokens, and ? index + 1 : index)
  if (!rest || rest.value === 0 || SCALES.has(foldAt(tokens, rest.to))) return null
  return foldAt(tokens, rest.to) === 'grand' ? null : rest
}

/**
 * Reads one amount of money, or a number that could be one: "$1,200", "1.5k", "a hundred bucks", "US$40", "80 €".
 * Whether a number without a currency is a budget is for budget.ts to say. Prices are in US dollars; an amount in
 * another currency keeps its code, so that it is never mistaken for dollars.
 */

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

/**
 * The words around an amount that say what it is: a cap, a floor, a middle, or no price at all. A number without a
 * currency is only believed after a budget word, before nothing it could count, and when nothing in front of it is
 * measured ("size under 12", "kids under 5", "holds up to 300"): a wrong cap hides the right product, a missed one
 * only ranks it lower.
 */

export type Cue = 'max' | 'min' | 'about' | 'between' | 'from' | 'budget'
/** Bare: this cue may be believed before a number without a currency. */
type CueMeaning = { cue: Cue; bare: boolean }

const SURE = true
const WITH_CURRENCY = false
const CUES: Phrases<CueMeaning> = phrases<CueMeaning>([
  [
    { cue: 'max', bare: SURE },
    'under|below|less than|lower than|cheaper than|up to|upto|maximum|maximum of|max of|max.|max|at most|at max|<|< =|≤|sub|not to exceed',
  ],
  [{ cue: 'max', bare: WITH_CURRENCY }, 'within|capped at|cap of|limit of|beneath|south of|no higher than'],
  [
    { cue: 'min', bare: WITH_CURRENCY },
    'over|above|more than|higher than|at least|minimum|minimum of|min|upwards of|exceed|exceeds|exceeding|north of|>|> =|≥',
  ],
  [{ cue: 'min', bare: SURE }, 'starting at|starting from'],
  [{ cue: 'about', bare: SURE }, 'around|about|approximately|approx|approx .|roughly|~|≈'],
  [{ cue: 'about', bare: WITH_CURRENCY }, 'near|close to|circa|somewhere near'],
  [{ cue: 'between', bare: SURE }, 'between'],
  [{ cue: 'from', bare: WITH_CURRENCY }, 'from'],
  [
    { cue: 'budget', bare: SURE },
    'budget of|budget is|budget|budget :|budget is :|budget =|spend|spending|pay|paying|afford',
  ],
])
const MAX_FILLERS = 4
const FILLERS = wordSet('about around approximately roughly like say maybe only just a the of : ~ our my')
const VAGUE_FILLERS = wordSet('about around approximately roughly like say maybe ~')

export type Suffix = 'max' | 'min' | 'about' | 'plain'
type SuffixMeaning = { suffix: Suffix; bare: boolean }
const SUFFIXES: Phrases<SuffixMeaning> = phrases<SuffixMeaning>([
  [{ suffix: 'max', bare: SURE }, 'or less|or under|or cheaper|or below|or lower|and under|and below|budget'],
  [
    { suffix: 'max', bare: SURE },
    'max|maximum|tops|at most|at max|to spend|to spend max|to spend at most|to spend tops',
  ],
  [{ suffix: 'max', bare: WITH_CURRENCY }, 'limit|cap|price limit'],
  [
    { suffix: 'min', bare: WITH_CURRENCY },
    'and up|and above|and over|or more|or above|or over|or higher|plus|+|minimum|at least',
  ],
  [{ suffix: 'about', bare: SURE }, 'give or take'],
  [{ suffix: 'about', bare: WITH_CURRENCY }, 'or so|or thereabouts|price range|range|price point|ballpark'],
])

/** "less than" flips to a floor, "more than" to a cap, when one of these stands before, across price talk only. */
const NEGATORS = wordSet(
  `no not never nothing without cannot nor don't doesn't didn't won't can't isn't shouldn't wouldn't couldn't
  dont doesnt wont cant isnt shouldnt wouldnt couldnt mustn't`,
)
const PRICE_TALK = wordSet(
  `want to wanna spend spending pay paying go going be being cost costs costing is anything that for looking
  wanting afford it priced much willing able something`,
)

export function negatorBefore(tokens: readonly Token[], index: number): number | null {
  for (let at = index - 1; at >= 0 && at >= index - 8; at--) {
    const word = foldAt(tokens, at)
    if (NEGATORS.has(word)) return at
    if (!PRICE_TALK.has(word)) return null
  }
  return null
}

export function skipFillers(tokens: readonly Token[], index: number): { to: number; vague: boolean } {
  let at = index
  let vague = false
  // "a hundred" and "a couple hundred" keep their "a".
  while (at < index + MAX_FILLERS && FILLERS.has(foldAt(tokens, at))) {
    if (/^(hundred|thousand|grand|couple|few|dollar|buck)$/.test(foldAt(tokens, at + 1))) break
    // So does "A$200".
    if (foldAt(tokens, at + 1) === '$' && isGlued(tokens, at + 1)) break
    vague ||= VAGUE_FILLERS.has(foldAt(tokens, at))
    at++
  }
  return { to: at, vague }
}

const RATES = wordSet(
  'month mo year yr week day hour page mile gallon ounce oz lb pound kg liter serving sheet',
)
const OTHER_MONEY = wordSet(
  'off coupon coupons discount gift giftcard rebate voucher credit value worth bill bills cashback refund savings fee fees subscription deposit sign signs',
)
const OTHER_MONEY_VERBS = wordSet('save saves saved saving worth paid was')

/** A monthly fee, a saving or a gift card says nothing of what may be spent. */
export function speaksOfSomethingElse(tokens: readonly Token[], { from, to }: Range): boolean {
  const after = foldAt(tokens, to)
  if (OTHER_MONEY.has(after) || /^(monthly|yearly|annually|weekly)$/.test(after)) return true
  if (/^(a|an|per|each|every|\/)$/.test(after) && RATES.has(foldAt(tokens, to + 1))) return true
  // "a monthly fee of $10"
  if (foldAt(tokens, from - 1) === 'of' && OTHER_MONEY.has(foldAt(tokens, from - 2))) return true
  return OTHER_MONEY_VERBS.has(foldAt(tokens, from - 1))
}

/** "the $500 one": a thing that is known, not a limit. */
export function pointsAtAThing(tokens: readonly Token[], from: number): boolean {
  return /^(the|that|those|these)$/.test(foldAt(tokens, from - 1))
}

const MEASURED_BEFORE = wordSet(
  `size sizes weight weights weighing weighs height width length depth diameter capacity temperature temp temps
  volume speed power wattage range age ages aged noise screen display resolution rated rating ratings shoe level
  supports supporting support holds hold holding carries carry lifts lift fits fit handles handle charges
  extends expands expandable adjustable reaches goes go works heats cools sleeps seats waist chest bust
  kids kid children child toddlers toddler babies infants boys girls teens tweens men women people adults seniors
  is are be of measures measuring dimensions long wide tall most
  lens lenses zoom focal ladies anyone someone everyone dogs dog cats cat pets puppies players riders hikers beginners those grades`,
)
const FOLLOWS = wordSet(
  `for with that and but or in on if please which without no not to because so at by from is it i we ideally
  preferably max maximum total shipped including incl plus as w tax delivered has have must can should would all
  altogether each apiece`,
)
/** "costing at least 1500": what follows is a price, with or without a currency. */
export const COSTING = wordSet('cost costs costing priced pay paying spend spending')
const PRICE_BEFORE = wordSet('for budget price cost spend pay')
const YEARS = { from: 1900, to: 2099 }

/** Is a number with no currency a price? `cueFrom` is where the words that introduce it begin. */
export function bareIsBudget(
  tokens: readonly Token[],
  amount: Amount,
  cue: { from: number; word: string; isCap: boolean },
  isProductWord: (word: string) => boolean,
): boolean {
  const { dollars, to } = amount
  const year = dollars > YEARS.from && dollars < YEARS.to && dollars % 50 !== 0
  if (amount.resolution || dollars < leastFor(cue.word) || year) return false
  if (hasFractionOfCents(dollars) || unitAt(tokens, to)) return false
  if (MEASURED_BEFORE.has(foldAt(tokens, cue.from - 1))) return false
  if (/^(max|maximum|tops)$/.test(cue.word) && !maxIsBudget(tokens, cue.from, dollars)) return false
  // "under 60 headphones" is a price; "up to 15 coffee cups" counts cups.
  const counts = cue.word === 'up' || cue.word === 'upto'
  return endsThere(tokens, to, dollars) || (cue.isCap && !counts && isProductWord(foldAt(tokens, to)))
}

const LEAST_OF_RANGE = 20
const ROUND = 5

/** "80-120" and "from 50 to 90" without a currency: round sums, or the ends of "1-2k". */
export function bareRangeIsBudget(
  tokens: readonly Token[],
  { from, low, high }: { from: number; low: Amount; high: Amount },
  isProductWord: (word: string) => boolean,
): boolean {
  const round = low.dollars % ROUND === 0 && high.dollars % ROUND === 0
  if (!round || low.dollars < LEAST_OF_RANGE || low.dollars >= high.dollars || low.resolution) return false
  return bareIsBudget(tokens, high, { from, word: '', isCap: true }, isProductWord)
}

function hasFractionOfCents(dollars: number): boolean {
  return Math.abs(dollars * 100 - Math.round(dollars * 100)) > 1e-6
}

/** "Up to" and "about" introduce measures more often than prices, and measures are mostly small. */
function leastFor(cue: string): number {
  if (cue === 'up' || cue === 'upto') return 50
  return /^(about|around|approximately|approx|roughly|~|≈)$/.test(cue) ? 20 : 10
}

/** "Max" also ends product names ("… Max 90"): alone before a number it needs a round sum or a break before it. */
function maxIsBudget(tokens: readonly Token[], from: number, dollars: number): boolean {
  const before = tokens[from - 1]
  return !before || before.kind === 'mark' || PRICE_BEFORE.has(before.fold) || dollars % 50 === 0
}

export function endsThere(tokens: readonly Token[], index: number, dollars: number): boolean {
  const next = tokens[index]
  if (!next) return true
  if (next.kind === 'mark') {
    if (isHyphen(tokens, index)) return !isGlued(tokens, index)
    return /^[,.;:!?()[\]…]$/.test(next.fold)
  }
  // "under 27 in monitor" are inches that lost their place; "under 300 in black" is a price.
  if (next.fold === 'in') return dollars >= 100
  // "800 by 400", "15 to 18 hours", "2 or 3"
  if (/^(by|to|or|and)$/.test(next.fold) && tokens[index + 1]?.kind === 'number') return false
  return next.kind === 'word' && !next.glued && FOLLOWS.has(next.fold)
}

export function cueAt(tokens: readonly Token[], index: number): (CueMeaning & { to: number }) | null {
  const found = phraseAt(CUES, tokens, index)
  return found ? { ...found.meaning, to: found.to } : null
}

export function suffixAt(tokens: readonly Token[], index: number): (SuffixMeaning & { to: number }) | null {
  const found = phraseAt(SUFFIXES, tokens, index)
  return found ? { ...found.meaning, to: found.to } : null
}

export type Budget = {
  minCents: number | null
  maxCents: number | null
  approximate: boolean
  phrase: string
}
/** What was said in another currency, in units of it; `currency` is its code, null when the word leaves it open. */
export type ForeignBudget = {
  currency: string | null
  min: number | null
  max: number | null
  approximate: boolean
  phrase: string
  /** US dollars for one unit; null when the operator gave none, and then nothing is applied. */
  rate: number | null
}
type Rates = Readonly<Record<string, number>>
export type BudgetFound = {
  budget: Budget | null
  foreignBudget: ForeignBudget | null
  taken: Range[]
  foreign: Range[]
}

/** "Around $100" is from 85 to 115 dollars. */
const ABOUT_LOW = 0.85
const ABOUT_HIGH = 1.15

/** "Cookware above 500": a large round sum without a currency. */
const LEAST_FLOOR = 100
const FLOOR_STEP = 50
/** "20ish" and less counts years or inches. */
const LEAST_ISH = 50

type Span = { low: Amount; high: Amount | null; currency: Amount['currency']; to: number }
type Shape = 'max' | 'min' | 'between' | 'about' | 'plain'
type Finding = Range & {
  shape: Shape
  low: number | null
  high: number | null
  approximate: boolean
  foreign: boolean
  code: string | null
}

/**
 * `wide` reads what a search passes over, for who must know an amount: one of nothing ("under $0"), and one in another
 * currency, as if it were dollars. `foreign` tells of the latter.
 */
export function findBudget(
  query: string,
  tokens: readonly Token[],
  isProductWord: (word: string) => boolean = () => false,
  { wide = false, rates = {} }: { wide?: boolean; rates?: Rates } = {},
): BudgetFound {
  const findings: Finding[] = []
  let index = 0
  while (index < tokens.length) {
    const finding =
      readCued(tokens, index, isProductWord, wide, findings.at(-1)) ??
      readPlain(tokens, index, isProductWord, wide)
    if (finding) findings.push(finding)
    index = finding ? finding.to : index + 1
  }
  const dollars = findings.filter((finding) => wide || !finding.foreign)
  const others = findings.filter((finding) => finding.foreign)
  const foreign = foreignBudget(combine(query, tokens, others), others, rates)
  return {
    budget: dollarBudget(combine(query, tokens, dollars)) ?? converted(foreign),
    foreignBudget: foreign,
    taken: findings,
    foreign: others.map(({ from, to }) => ({ from, to })),
  }
}

/** "under $100", "between 50 and 80", "budget of 300", "don't want to spend more than 60". */
function readCued(
  tokens: readonly Token[],
  index: number,
  isProductWord: (word: string) => boolean,
  wide: boolean,
  before: Finding | undefined,
): Finding | null {
  const cue = cueAt(tokens, index)
  // The "~" of "2~4" only joins two numbers.
  if (!cue || (isGlued(tokens, index) && tokens[index - 1]?.kind === 'number')) return null
  const start = skipFillers(tokens, isHyphen(tokens, cue.to) && isGlued(tokens, cue.to) ? cue.to + 1 : cue.to)
  const span = readSpan(tokens, start.to, cue.cue)
  if (!span || (span.low.dollars === 0 && !wide)) return null
  const negator = cue.cue === 'min' || cue.cue === 'max' ? negatorBefore(tokens, index) : null
  const shape = shapeOf(cue.cue, negator !== null, span)
  const costing = COSTING.has(foldAt(tokens, index - 1))
  const from = negator ?? (costing ? index - 1 : index)
  if (span.currency === 'none') {
    const introduced = { from, word: foldAt(tokens, index), isCap: shape === 'max' }
    // "under $90 but more than 50"
    const goesOn =
      before !== undefined && /^(and|but|,)$/.test(foldAt(tokens, from - 1)) && before.to === from - 1
    const round = shape === 'min' && span.low.dollars >= LEAST_FLOOR && span.low.dollars % FLOOR_STEP === 0
    const believed = cue.bare || costing || goesOn || round || (shape === 'max' && negator !== null)
    const range = cue.cue === 'from' && span.high && { from, low: span.low, high: span.high }
    const isBudget = range
      ? bareRangeIsBudget(tokens, range, isProductWord)
      : believed && bareIsBudget(tokens, last(span), introduced, isProductWord)
    if (!isBudget) return null
  }
  if (speaksOfSomethingElse(tokens, { from, to: span.to })) return null
  const suffix = suffixAt(tokens, span.to)
  const vague = start.vague || span.low.vague || suffix?.suffix === 'about'
  // "around 100 dollars or less"
  const capped = shape === 'about' && suffix?.suffix === 'max'
  return finding(capped ? 'max' : shape, span, { from, to: suffix?.to ?? span.to }, vague)
}

/** "$80", "40 dollars or less", "$50-70", "60 to 90 bucks", "$200+", "100 budget". */
function readPlain(
  tokens: readonly Token[],
  index: number,
  isProductWord: (word: string) => boolean,
  wide: boolean,
): Finding | null {
  const span = readSpan(tokens, index, 'budget')
  // "a dollar store"
  if (foldAt(tokens, index) === 'a' && span?.low.dollars === 1) return null
  if (!span || (span.low.dollars === 0 && !wide)) return null
  const suffix = suffixAt(tokens, span.to)
  const to = suffix?.to ?? span.to
  if (span.currency === 'none') {
    if (unitAt(tokens, span.to) || !isBareSum(tokens, span, { from: index, to }, suffix, isProductWord))
      return null
  }
  if (speaksOfSomethingElse(tokens, { from: index, to: span.to })) return null
  if (!suffix && pointsAtAThing(tokens, index)) return null
  return finding(plainShape(span, suffix?.suffix), span, { from: index, to }, span.low.vague)
}

/** "100 max", "900ish", "80-120", "in the 80 to 120 range" */
function isBareSum(
  tokens: readonly Token[],
  span: Span,
  { from, to }: Range,
  suffix: { suffix: Suffix; bare: boolean } | null,
  isProductWord: (word: string) => boolean,
): boolean {
  const { low } = span
  const high = span.high && { ...span.high, to }
  // What stands before has been read as a cue already, and was not believed.
  if (/^(from|between|to|than|about|around|under|over|of)$/.test(foldAt(tokens, from - 1))) return false
  if (high) return bareRangeIsBudget(tokens, { from, low, high }, isProductWord)
  const ish = low.vague && low.scale === 1 && tokens[from]?.kind === 'number' && low.dollars >= LEAST_ISH
  if (!suffix?.bare && !ish) return false
  const cue = { from, word: suffix ? foldAt(tokens, low.to) : '', isCap: true }
  return bareIsBudget(tokens, { ...low, to }, cue, isProductWord)
}

/** One amount or two: "$50", "$50-100", "50 to 100 dollars", "1-2k". */
function readSpan(tokens: readonly Token[], index: number, cue: Cue): Span | null {
  for (const joinAnd of cue === 'between' ? [true, false] : [true]) {
    const low = readAmount(tokens, index, joinAnd)
    if (!low) return null
    const high = readHigh(tokens, low, cue)
    if (high) return pair(low, high)
    if (cue !== 'between') return { low, high: null, currency: low.currency, to: low.to }
  }
  return null
}

function readHigh(tokens: readonly Token[], low: Amount, cue: Cue): Amount | null {
  const word = foldAt(tokens, low.to)
  const hyphen = isHyphen(tokens, low.to)
  const joins = hyphen || word === 'to' || word === 'through' || (word === 'and' && cue === 'between')
  if (!joins || unitAt(tokens, low.to)) return null
  const high = readAmount(tokens, skipFillers(tokens, low.to + 1).to)
  if (!high || high.resolution) return null
  // "$200 - 4 person": a dash with spaces may only be a pause, unless a larger sum ends there.
  const larger =
    low.currency !== 'none' && high.dollars > low.dollars && endsThere(tokens, high.to, high.dollars)
  const loose = hyphen && !isGlued(tokens, low.to) && !larger
  if (high.currency === 'none' && (unitAt(tokens, high.to) || loose)) return null
  return high
}

function pair(low: Amount, high: Amount): Span {
  const currency = low.currency === 'none' ? high.currency : low.currency
  const shares = low.scale === 1 && high.scale > 1 && low.dollars < high.dollars / high.scale
  const dollars = shares ? low.dollars * high.scale : low.dollars
  return { low: { ...low, dollars }, high, currency, to: high.to }
}

function last(span: Span): Amount {
  return span.high ?? span.low
}

function shapeOf(cue: Cue, negated: boolean, span: Span): Shape {
  if (cue === 'between') return 'between'
  if (cue === 'from') return span.high ? 'between' : 'min'
  if (cue === 'budget') return span.high ? 'between' : 'max'
  if (cue === 'about') return span.high ? 'between' : 'about'
  return (cue === 'max') === negated ? 'min' : 'max'
}

function plainShape(span: Span, suffix: Suffix | undefined): Shape {
  if (span.high) return 'between'
  if (suffix) return suffix
  return span.low.vague ? 'about' : 'plain'
}

function finding(shape: Shape, span: Span, range: Range, vague: boolean): Finding {
  const first = span.low.dollars
  const second = last(span).dollars
  const high = Math.max(first, second)
  const low = Math.min(first, second)
  const foreign = span.currency === 'other'
  const approximate = vague || shape === 'about' || shape === 'plain'
  const bounds: Record<Shape, [number | null, number | null]> = {
    max: [null, high],
    min: [low, null],
    between: [low, high],
    about: [low * ABOUT_LOW, high * ABOUT_HIGH],
    plain: [null, high],
  }
  const [from, to] = bounds[shape]
  const code = span.low.code ?? span.high?.code ?? null
  return { ...range, shape, low: from, high: to, approximate, foreign, code }
}

type Combined = { low: number | null; high: number | null; approximate: boolean; phrase: string }

function combine(query: string, tokens: readonly Token[], findings: readonly Finding[]): Combined | null {
  const firm = findings.filter((finding) => !finding.approximate)
  const cap = firm.find((finding) => finding.high !== null) ?? findings.find(({ high }) => high !== null)
  const floor = cap?.low !== null && cap ? cap : findings.find((f) => f.low !== null && f.high === null)
  if (!cap && !floor) return null
  const high = cap?.high ?? null
  const low = floor?.low ?? null
  // A floor above the cap cannot be meant of one purchase; the cap is the promise that must hold.
  const keepsFloor = low === null || high === null || low <= high
  const used = findings.filter((finding) => finding === cap || (finding === floor && keepsFloor))
  return {
    low: keepsFloor ? low : null,
    high,
    approximate: used.some((finding) => finding.approximate),
    phrase: used.map((range) => sliceRange(query, tokens, range)).join(', '),
  }
}

function dollarBudget(combined: Combined | null): Budget | null {
  if (!combined) return null
  const { low, high, approximate, phrase } = combined
  return { minCents: toCents(low), maxCents: toCents(high), approximate, phrase }
}

/** The sum that was said, when the bounds are the widened ones around it. */
export function aroundCents({ minCents, maxCents, approximate }: Budget): number | null {
  if (!approximate || minCents === null || maxCents === null) return null
  const said = Math.round(maxCents / ABOUT_HIGH)
  return Math.round(said * ABOUT_LOW) === minCents ? said : null
}

function foreignBudget(
  combined: Combined | null,
  [first]: readonly Finding[],
  rates: Rates,
): ForeignBudget | null {
  if (!combined) return null
  const { low, high, approximate, phrase } = combined
  const currency = first?.code ?? null
  const rate = currency === null ? null : (rates[currency] ?? null)
  return { currency, min: rounded(low), max: rounded(high), approximate, phrase, rate }
}

/** In US dollars by the operator's rate. */
function converted(foreign: ForeignBudget | null): Budget | null {
  if (!foreign?.rate) return null
  const { min, max, rate, approximate, phrase } = foreign
  const cents = (amount: number | null) => toCents(amount === null ? null : amount * rate)
  return { minCents: cents(min), maxCents: cents(max), approximate, phrase }
}

function rounded(amount: number | null): number | null {
  return amount === null ? null : Math.round(amount * 100) / 100
}

function toCents(dollars: number | null): number | null {
  return dollars === null ? null : Math.round(dollars * 100)
}
