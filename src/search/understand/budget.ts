/**
 * What may be spent. An amount counts when it carries a currency, or a budget word and nothing else it could
 * measure (budget-words.ts). The first firm cap wins over softer ones: in "ideally $50, max $80" the eighty is the
 * limit, in "laptop under $900 with a sleeve under $40" the first amount is the purchase. An amount in another
 * currency is kept apart, because no exchange rate is known here.
 */
import { type Amount, readAmount } from './amounts.ts'
import {
  bareIsBudget,
  bareRangeIsBudget,
  COSTING,
  type Cue,
  cueAt,
  endsThere,
  negatorBefore,
  pointsAtAThing,
  type Suffix,
  skipFillers,
  speaksOfSomethingElse,
  suffixAt,
} from './budget-words.ts'
import { foldAt, isGlued, isHyphen, type Range, sliceRange, type Token } from './tokens.ts'
import { unitAt } from './units.ts'

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
    const believed = cue.bare || costing || goesOn || (shape === 'max' && negator !== null)
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
