/**
 * Measures the product must have: "15-inch", "under 2 kg", "at least 16 GB", "5 to 50 lb", "sleeps 6", "24x36 cm".
 * `value` stays in the unit that was written; `low` and `high` are what satisfies it, in base units, so that a product
 * described in the other system is found. `words` say which of a product's measures is meant ("30 hour battery").
 * Ages ("seven year old") are about people and are left to audience.ts.
 */
import { factsOf } from '../lexical/tokenize.ts'
import { readNumber } from './budget.ts'
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
import { measureOf, unitAt, unitOrInchAt } from './units.ts'

export type Comparison = 'eq' | 'lt' | 'gt'
export type Size = {
  value: number
  unit: string
  comparison: Comparison
  phrase: string
  /** What is measured: length, mass, people … */
  dimension: string
  /** What satisfies it, in base units. Both ends of "5 to 10 kg" have the whole range. */
  low: number
  high: number
  /** One of several sides: "24x36 cm". */
  side: boolean
  /** What has more will do, but this is what was asked for: "for 4 people". */
  snug?: boolean
  /** Stems of the words beside it, nearest first. */
  words: string[]
  /** The stem of what has this size, which may be another thing than the one asked for: "on a 1000 W inverter". */
  of?: string
}
export type SizeFound = Size & Range

type CueMeaning = { comparison: Comparison; upTo: boolean }
const LESS = { comparison: 'lt', upTo: false } as const
const MORE = { comparison: 'gt', upTo: false } as const
const CUES: Phrases<CueMeaning> = phrases<CueMeaning>([
  [
    LESS,
    `under|below|less than|lower than|lighter than|smaller than|shorter than|thinner than|narrower than|quieter than|fewer than|max|maximum|maximum of|max of|at most|within|sub|<|< =|≤`,
  ],
  [{ comparison: 'lt', upTo: true }, 'up to|upto'],
  [
    MORE,
    `over|above|more than|at least|min|minimum|minimum of|longer than|larger than|bigger than|heavier than|greater than|wider than|taller than|thicker than|higher than|faster than|deeper than|atleast|>|> =|≥`,
  ],
])
const SUFFIXES: Phrases<Comparison> = phrases<Comparison>([
  [
    'gt',
    'or more|or above|or over|or higher|or longer|or larger|or bigger|or greater|or better|or wider|or taller|or warmer|or hotter|and up|and above|plus|minimum|min|at least|+',
  ],
  [
    'lt',
    'or less|or under|or below|or lower|or fewer|or smaller|or shorter|or lighter|or thinner|or colder|or cooler|and under|max|maximum|tops|at most',
  ],
])
const TOLERANCES: Phrases<true> = phrases<true>([[true, 'give or take|plus or minus|±|+ / -']])
const OPPOSITE: Record<Comparison, Comparison> = { eq: 'eq', lt: 'gt', gt: 'lt' }
const NEGATORS = wordSet("no not nothing never isn't doesn't don't won't")
/** What "holds up to 300 lb" asks for is a product that reaches 300. */
const REACHES = wordSet(
  `support supports supporting hold holds holding carry carries carrying handle handles lift lifts fit fits rated
  capacity extend extends expands expandable goes reaches go adjust adjusts adjustable charges for of`,
)
const FILLERS = wordSet('about around approximately roughly a of only just')
const MAX_FILLERS = 3
const ABOUT = wordSet('about around approximately approx roughly circa nearly almost ~')
const COUNTS = wordSet('hundred thousand dozen couple')
/** "6 inches thick or less" */
const DIMENSIONS = wordSet('wide tall deep thick high screen')
/** "I weigh 110 kg" measures the person. */
const ABOUT_ME = wordSet("weigh weighs i'm im am he's she's")
const RELATIVE = wordSet('that which it')
const PEOPLE_VERBS = wordSet('sleeps seats serves feeds')
/** "set of 4" counts pieces. */
export const PACKS = wordSet('set pack box case bundle lot')
/** "size 12" names its measure first. */
const NAMED_FIRST = wordSet('size sizes')

export function findSizes(query: string, tokens: readonly Token[], taken: Uint8Array): SizeFound[] {
  const found: SizeFound[] = []
  let index = 0
  while (index < tokens.length) {
    const last = found.at(-1)
    const tolerance = last && !taken[index] ? toleranceAt(tokens, index, last) : null
    if (last && tolerance) found.splice(-1, 1, { ...last, ...within(last, tolerance.off) })
    const sizes = taken[index] || tolerance ? [] : readSizes(query, tokens, index)
    found.push(...sizes)
    index = Math.max(index + 1, tolerance?.to ?? 0, ...sizes.map((size) => size.to))
  }
  return found.filter((size) => !taken.slice(size.from, size.to).some(Boolean))
}

/** A number with how many digits were written behind its point. */
export type Value = { value: number; to: number; spelled: boolean; decimals: number }
type Measure = { values: Value[]; unit: string; from: number; to: number; joined: boolean }

function readSizes(query: string, tokens: readonly Token[], index: number): SizeFound[] {
  const between = foldAt(tokens, index) === 'between' || foldAt(tokens, index) === 'from'
  const cue = between ? null : phraseAt(CUES, tokens, index)
  const start = cue || between ? skipFillers(tokens, cue?.to ?? index + 1) : index
  const measure = readMeasure(tokens, start, between) ?? (cue && readSingle(tokens, start))
  if (!measure || isAboutPerson(tokens, index - 1)) return []
  const negator = cue && NEGATORS.has(foldAt(tokens, index - 1)) ? index - 1 : null
  const dimension = DIMENSIONS.has(foldAt(tokens, measure.to)) ? measure.to + 1 : measure.to
  const suffix = phraseAt(SUFFIXES, tokens, dimension)
  const range = { from: negator ?? index, to: suffix?.to ?? measure.to }
  const whole = {
    unit: measure.unit,
    dimension: measureOf(measure.unit).dimension,
    phrase: sliceRange(query, tokens, range),
    side: measure.joined,
    words: wordsBeside(tokens, range),
    ...range,
  }
  const isPlace = isOfPlace(tokens, measure.unit, measure.from)
  const of = cue || suffix || isPlace ? null : otherThing(tokens, measure)
  const [first, second] = measure.values
  if (first && second && !measure.joined) {
    const [least, most] = first.value <= second.value ? [first, second] : [second, first]
    const { low } = boundsOf(least, whole.unit, 'gt', false)
    const { high } = boundsOf(most, whole.unit, 'lt', false)
    return [
      { ...whole, value: least.value, comparison: 'gt', low, high },
      { ...whole, value: most.value, comparison: 'lt', low, high },
    ]
  }
  const said = cue ? comparisonOf(tokens, index, cue.meaning) : (suffix?.meaning ?? plainly(tokens, measure))
  const comparison = negator === null ? said : OPPOSITE[said]
  const snug = !cue && !suffix && comparison === 'gt'
  const about = ABOUT.has(foldAt(tokens, start - 1))
  return measure.values.map((number) => ({
    ...whole,
    value: number.value,
    comparison,
    ...(snug && { snug }),
    ...(of !== null && { of }),
    ...boundsOf(number, whole.unit, comparison, about),
  }))
}

/** "At least a foot", "under a pound" */
function readSingle(tokens: readonly Token[], index: number): Measure | null {
  const unit = /^an?$/.test(foldAt(tokens, index - 1)) ? unitAt(tokens, index) : null
  const { dimension } = measureOf(unit?.unit ?? '')
  if (!unit || !DIVIDED.test(dimension) || foldAt(tokens, index).length < LONG_UNIT) return null
  return measureFrom(index, [{ value: 1, to: index, spelled: true, decimals: 0 }], unit)
}

/** "20 l, give or take two litres", "27 inches ± 5 %": how far off it may be, in the unit of the size. */
function toleranceAt(
  tokens: readonly Token[],
  index: number,
  { value, unit, comparison }: Size,
): { off: number; to: number } | null {
  const cue = comparison === 'eq' ? phraseAt(TOLERANCES, tokens, index) : null
  if (!cue) return null
  const size = Math.abs(value)
  const number = readNumber(tokens, cue.to)
  if (!number) return { off: size * ABOUT_SHARE, to: cue.to }
  const own = unitOrInchAt(tokens, number.to)
  if (own?.unit === 'percent') return { off: (size * number.value) / 100, to: own.to }
  const [asked, said] = [measureOf(unit), measureOf(own?.unit ?? unit)]
  if (said.dimension !== asked.dimension) return null
  return { off: (number.value * said.factor) / asked.factor, to: own?.to ?? number.to }
}

function within({ value, unit }: Size, off: number): { low: number; high: number } {
  const { factor } = measureOf(unit)
  const most = Math.max(off, Math.abs(value) * SLACK)
  return { low: (value - most) * factor, high: (value + most) * factor }
}

/** "Runs on a 1000 W inverter": the stem of what has the size when a preposition leads to it. */
function otherThing(tokens: readonly Token[], { from, to }: Measure): string | null {
  const thing = tokens[to]
  const isLed = /^(a|an|my|our)$/.test(foldAt(tokens, from - 1)) && LEADS_AWAY.has(foldAt(tokens, from - 2))
  return isLed && thing?.kind === 'word' && !factsOf(thing.fold).stop ? factsOf(thing.fold).term : null
}

/** "A chair that weighs 20 kg" is about the chair. */
function isAboutPerson(tokens: readonly Token[], at: number): boolean {
  return ABOUT_ME.has(foldAt(tokens, at)) && !RELATIVE.has(foldAt(tokens, at - 1))
}

/** A tent "for 4 people" may have more room, a "4 person tent" is of that size. */
function plainly(tokens: readonly Token[], { unit, from }: Measure): Comparison {
  if (isOfPlace(tokens, unit, from)) return 'gt'
  const before = foldAt(tokens, from - 1)
  return unit === 'person' && (before === 'for' || PEOPLE_VERBS.has(foldAt(tokens, from))) ? 'gt' : 'eq'
}

/** "For a room of 40 m²", "for our 500 sq ft flat": what covers more will do. */
function isOfPlace(tokens: readonly Token[], unit: string, from: number): boolean {
  if (measureOf(unit).dimension !== 'area') return false
  const before = tokens.slice(Math.max(0, from - WORDS_BESIDE), from).map(({ fold }) => fold)
  return /\bfor (?:an?|the|my|our|his|her|their)\b/.test(before.join(' '))
}

/** Slack of a bound, so that a converted "50 lb" still is at most 50 lb. */
const SLACK = 0.005
const ABOUT_SHARE = 0.12
/** What stands behind these is not the thing itself. */
const LEADS_AWAY = wordSet('on with from off for in to by behind under')
/** A number is rounded to its last digit, but 1 TB is not 0.6 TB; and 120 cm is sold as 48 inches. */
const MOST_ROUNDED = 0.1
const LEAST_ROUNDED = 0.018
const LEAST_ROUNDED_DECIMAL = 0.01
/** Screen sizes are truncated or rounded: 15.6 inches are sold as 15. */
const CUT_INCHES = 0.65
const FIRST_CUT = 10
const WORDS_BESIDE = 4
const ENDS_WORDS = wordSet('and with or but')

function boundsOf(
  { value, decimals }: Value,
  unit: string,
  comparison: Comparison,
  about: boolean,
): { low: number; high: number } {
  const { factor } = measureOf(unit)
  const size = Math.abs(value)
  if (comparison === 'lt') return { low: Number.NEGATIVE_INFINITY, high: (value + size * SLACK) * factor }
  if (comparison === 'gt') return { low: (value - size * SLACK) * factor, high: Number.POSITIVE_INFINITY }
  const rounded = Math.min(0.5 * 10 ** -decimals, size * MOST_ROUNDED)
  const least = decimals > 0 ? LEAST_ROUNDED_DECIMAL : LEAST_ROUNDED
  const off = Math.max(rounded, size * (about ? ABOUT_SHARE : least))
  const above = unit === 'inch' && decimals === 0 && value >= FIRST_CUT ? Math.max(off, CUT_INCHES) : off
  return { low: (value - off) * factor, high: (value + above) * factor }
}

/** Of the words around a size up to the next number: those behind it first, then those before it. */
function wordsBeside(tokens: readonly Token[], { from, to }: Range): string[] {
  const words: string[] = []
  for (let at = to; at < to + WORDS_BESIDE && !endsWords(tokens, at); at++) addStem(words, tokens, at)
  const before: string[] = []
  let at = from - 1
  for (; at >= from - WORDS_BESIDE && !endsWords(tokens, at); at--) addStem(before, tokens, at)
  // "16 GB memory 512 GB storage": the memory belongs to the size before it.
  return tokens[at]?.kind === 'number' || isUnitOf(tokens, at) ? words : [...words, ...before]
}

function endsWords(tokens: readonly Token[], at: number): boolean {
  const token = tokens[at]
  if (!token || token.kind === 'number') return true
  return token.kind === 'mark' ? !isHyphen(tokens, at) : ENDS_WORDS.has(token.fold) || isUnitOf(tokens, at)
}

/** Whether a word is the unit of the number before it. */
function isUnitOf(tokens: readonly Token[], at: number): boolean {
  const number = isHyphen(tokens, at - 1) ? at - 2 : at - 1
  return tokens[number]?.kind === 'number' && unitOrInchAt(tokens, number + 1) !== null
}

function addStem(words: string[], tokens: readonly Token[], at: number): void {
  const token = tokens[at]
  if (token?.kind !== 'word') return
  const { term, stop } = factsOf(token.fold)
  if (!stop && !words.includes(term)) words.push(term)
}

function comparisonOf(tokens: readonly Token[], index: number, cue: CueMeaning): Comparison {
  return cue.upTo && REACHES.has(foldAt(tokens, index - 1)) ? 'gt' : cue.comparison
}

function readMeasure(tokens: readonly Token[], index: number, between: boolean): Measure | null {
  const word = foldAt(tokens, index)
  if (PEOPLE_VERBS.has(word) || NAMED_FIRST.has(word)) {
    const number = readValue(tokens, skipFillers(tokens, index + 1))
    // "size one hand fold": only digits name a size.
    if (!number || (number.spelled && NAMED_FIRST.has(word))) return null
    const unit = unitOrInchAt(tokens, number.to)
    if (unit) return unit.unit === 'person' ? measureFrom(index, [number], unit) : null
    const named = NAMED_FIRST.has(word) ? 'size' : 'person'
    return measureFrom(index, [number], { unit: named, to: number.to })
  }
  if (PACKS.has(word) && foldAt(tokens, index + 1) === 'of') {
    const number = readValue(tokens, index + 2)
    if (!number || unitOrInchAt(tokens, number.to)) return null
    return measureFrom(index, [number], { unit: 'piece', to: number.to })
  }
  const first = readValue(tokens, index)
  if (!first) return null
  const firstUnit = unitOrInchAt(tokens, first.to)
  const whole = firstUnit && readCompound(tokens, first, firstUnit)
  if (whole) return measureFrom(index, [whole.number], whole.unit)
  const second = readSecond(tokens, firstUnit?.to ?? first.to, between)
  const unit = second ? unitOrInchAt(tokens, second.number.to) : firstUnit
  if (!unit || isAge(tokens, unit.to)) return null
  // "2 lb, 10 oz" are two measures; "5 lb to 10 lb" is one.
  if (second && firstUnit && firstUnit.unit !== unit.unit && !second.joined)
    return measureFrom(index, [first], firstUnit)
  return measureFrom(index, second ? [first, second.number] : [first], unit, second?.joined)
}

function measureFrom(
  from: number,
  values: Value[],
  { unit, to }: { unit: string; to: number },
  joined = false,
): Measure {
  return { values, unit, from, to, joined }
}

type UnitRead = { unit: string; to: number }
/** Of each larger unit, the one that may follow it in "5 ft 10 in", "2 lb 10 oz" and "1 h 30 min". */
const PARTS: ReadonlyMap<string, string> = new Map([
  ['foot', 'inch'],
  ['lb', 'oz'],
  ['hour', 'minute'],
  ['minute', 'second'],
])

/** Two numbers that are one: 5'10" is 70 inches. */
export function readCompound(
  tokens: readonly Token[],
  first: Value,
  { unit, to }: UnitRead,
): { number: Value; unit: UnitRead } | null {
  const part = PARTS.get(unit)
  const second = part === undefined ? null : readNumber(tokens, to)
  const partUnit = second && !second.spelled ? unitOrInchAt(tokens, second.to) : null
  if (!second || !partUnit || partUnit.unit !== part) return null
  const value = (first.value * measureOf(unit).factor) / measureOf(part).factor + second.value
  return { number: { value, to: second.to, spelled: false, decimals: 0 }, unit: partUnit }
}

/** A number of its own: the 2 of "skn2" and the 5 of "v5" are parts of names. */
export function readValue(tokens: readonly Token[], index: number): Value | null {
  if (isGlued(tokens, index) && isWord(tokens, index - 1)) return null
  if (isGlued(tokens, index) && isHyphen(tokens, index - 1) && isWord(tokens, index - 2)) {
    if (isGlued(tokens, index - 1) && foldAt(tokens, index - 2) !== 'sub') return null
  }
  const part = readPartOf(tokens, index)
  if (part) return part
  const sign = FRACTIONS[foldAt(tokens, index)]
  if (sign) return { value: sign, to: index + 1, spelled: false, decimals: 2 }
  const number = readNumber(tokens, index)
  if (!number || !Number.isFinite(number.value)) return null
  const { value, to, spelled } = number
  const rest = isGlued(tokens, to) ? FRACTIONS[foldAt(tokens, to)] : undefined
  if (rest) return { value: value + rest, to: to + 1, spelled, decimals: 2 }
  const behindComma = to === index + 1 ? decimalsAt(tokens, to) : ''
  if (behindComma)
    return { value: Number(`${value}.${behindComma}`), to: to + 2, spelled, decimals: behindComma.length }
  const decimals = to === index + 1 ? (foldAt(tokens, index).split('.')[1]?.length ?? 0) : spelled ? 0 : 2
  const isCold = unitOrInchAt(tokens, to)?.unit === 'degree'
  const dash = isHyphen(tokens, index - 1) && isGlued(tokens, index) && !isGlued(tokens, index - 1)
  const below = isCold && (dash || foldAt(tokens, index - 1) === 'minus')
  return value > 0 || isCold ? { value: below ? -value : value, to, spelled, decimals } : null
}

/** "half an inch", "a full hour"; "half cup" and "full size" are no measures. */
function readPartOf(tokens: readonly Token[], index: number): Value | null {
  const value = PARTS_OF[foldAt(tokens, index)]
  if (value === undefined) return null
  let to = index + 1
  while (to < index + 3 && /^(of|a|an)$/.test(foldAt(tokens, to))) to++
  const unit = foldAt(tokens, to).length > 3 ? unitOrInchAt(tokens, to)?.unit : undefined
  const { dimension } = measureOf(unit ?? '')
  const divided = unit !== 'cup' && DIVIDED.test(dimension)
  return divided && (value < 1 || dimension === 'time') ? { value, to, spelled: true, decimals: 1 } : null
}

const DIVIDED = /^(?:length|mass|ounces|volume|time)$/
const LONG_UNIT = 4
const PARTS_OF: Readonly<Record<string, number>> = { half: 1 / 2, quarter: 1 / 4, full: 1, whole: 1 }
const FRACTIONS: Readonly<Record<string, number>> = {
  '½': 1 / 2,
  '¼': 1 / 4,
  '¾': 3 / 4,
  '⅓': 1 / 3,
  '⅔': 2 / 3,
  '⅛': 1 / 8,
  '⅜': 3 / 8,
  '⅝': 5 / 8,
  '⅞': 7 / 8,
}

/** The digits of "1,5 l" behind its comma; a list of numbers has a space there or no unit. */
function decimalsAt(tokens: readonly Token[], at: number): string {
  if (foldAt(tokens, at) !== ',' || !isGlued(tokens, at) || !isGlued(tokens, at + 1)) return ''
  const digits = foldAt(tokens, at + 1)
  const ends = at + 2 === tokens.length || unitOrInchAt(tokens, at + 2) !== null
  return ends && /^\d{1,2}$/.test(digits) ? digits : ''
}

function readSecond(
  tokens: readonly Token[],
  index: number,
  between: boolean,
): { number: Value; joined: boolean } | null {
  const word = foldAt(tokens, index)
  const joined = word === 'x' || word === '×' || word === 'by'
  const connects = joined || word === 'to' || isHyphen(tokens, index) || (word === 'and' && between)
  if (!connects) return null
  const read = readNumber(tokens, index + 1)
  if (!read || !unitOrInchAt(tokens, read.to)) return null
  const decimals = foldAt(tokens, index + 1).split('.')[1]?.length ?? 0
  return { number: { value: read.value, to: read.to, spelled: read.spelled, decimals }, joined }
}

function isAge(tokens: readonly Token[], index: number): boolean {
  const next = isHyphen(tokens, index) ? index + 1 : index
  return foldAt(tokens, next) === 'old' || foldAt(tokens, next) === 'olds'
}

function skipFillers(tokens: readonly Token[], index: number): number {
  let at = isHyphen(tokens, index) && isGlued(tokens, index) ? index + 1 : index
  const most = at + MAX_FILLERS
  while (at < most && FILLERS.has(foldAt(tokens, at)) && !COUNTS.has(foldAt(tokens, at + 1))) at++
  return at
}
