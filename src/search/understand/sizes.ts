/**
 * Measures the product must have: "15-inch", "under 2 kg", "at least 16 GB", "5 to 50 lb", "sleeps 6", "24x36 cm".
 * Values stay in the unit that was written, under one name per unit; nothing is converted, because products are
 * described in both systems. Ages ("seven year old") are about people and are left to audience.ts.
 */
import { type NumberRead, readNumber } from './numbers.ts'
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

export type Comparison = 'eq' | 'lt' | 'gt'
export type Size = { value: number; unit: string; comparison: Comparison; phrase: string }
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
    'or more|or above|or over|or higher|or longer|or larger|or bigger|or greater|or better|or wider|or taller|and up|and above|plus|minimum|min|at least|+',
  ],
  [
    'lt',
    'or less|or under|or below|or lower|or fewer|or smaller|or shorter|or lighter|or thinner|and under|max|maximum|tops|at most',
  ],
])
const OPPOSITE: Record<Comparison, Comparison> = { eq: 'eq', lt: 'gt', gt: 'lt' }
const NEGATORS = wordSet("no not nothing never isn't doesn't don't won't")
/** What "holds up to 300 lb" asks for is a product that reaches 300. */
const REACHES = wordSet(
  `support supports supporting hold holds holding carry carries carrying handle handles lift lifts fit fits rated
  capacity extend extends expands expandable goes reaches go adjust adjusts adjustable charges for of`,
)
const FILLERS = wordSet('about around approximately roughly a of only just')
const MAX_FILLERS = 3
const COUNTS = wordSet('hundred thousand dozen couple')
/** "6 inches thick or less" */
const DIMENSIONS = wordSet('wide tall long deep thick high screen')
/** "I weigh 110 kg" measures the person. */
const ABOUT_ME = wordSet("weigh weighs i'm im am he's she's")
const PEOPLE_VERBS = wordSet('sleeps seats serves feeds')
/** "size 12" names its measure first. */
const NAMED_FIRST = wordSet('size sizes')

export function findSizes(query: string, tokens: readonly Token[], taken: Uint8Array): SizeFound[] {
  const found: SizeFound[] = []
  let index = 0
  while (index < tokens.length) {
    const sizes = taken[index] ? [] : readSizes(query, tokens, index)
    found.push(...sizes)
    index = Math.max(index + 1, ...sizes.map((size) => size.to))
  }
  return found.filter((size) => !taken.slice(size.from, size.to).some(Boolean))
}

type Measure = { values: number[]; unit: string; from: number; to: number; joined: boolean }

function readSizes(query: string, tokens: readonly Token[], index: number): SizeFound[] {
  const between = foldAt(tokens, index) === 'between' || foldAt(tokens, index) === 'from'
  const cue = between ? null : phraseAt(CUES, tokens, index)
  const start = cue || between ? skipFillers(tokens, cue?.to ?? index + 1) : index
  const measure = readMeasure(tokens, start, between)
  if (!measure || ABOUT_ME.has(foldAt(tokens, index - 1))) return []
  const negator = cue && NEGATORS.has(foldAt(tokens, index - 1)) ? index - 1 : null
  const dimension = DIMENSIONS.has(foldAt(tokens, measure.to)) ? measure.to + 1 : measure.to
  const suffix = phraseAt(SUFFIXES, tokens, dimension)
  const range = { from: negator ?? index, to: suffix?.to ?? measure.to }
  const phrase = sliceRange(query, tokens, range)
  const size = (value: number, comparison: Comparison): SizeFound => ({
    value,
    unit: measure.unit,
    comparison,
    phrase,
    ...range,
  })
  const [first, second] = measure.values
  if (first !== undefined && second !== undefined && !measure.joined)
    return [size(Math.min(first, second), 'gt'), size(Math.max(first, second), 'lt')]
  const said = cue ? comparisonOf(tokens, index, cue.meaning) : (suffix?.meaning ?? 'eq')
  return measure.values.map((value) => size(value, negator === null ? said : OPPOSITE[said]))
}

function comparisonOf(tokens: readonly Token[], index: number, cue: CueMeaning): Comparison {
  return cue.upTo && REACHES.has(foldAt(tokens, index - 1)) ? 'gt' : cue.comparison
}

function readMeasure(tokens: readonly Token[], index: number, between: boolean): Measure | null {
  const word = foldAt(tokens, index)
  if (PEOPLE_VERBS.has(word) || NAMED_FIRST.has(word)) {
    const number = readNumber(tokens, skipFillers(tokens, index + 1))
    // "size one hand fold": only digits name a size.
    if (!number || (number.spelled && NAMED_FIRST.has(word)) || unitAt(tokens, number.to)) return null
    const unit = NAMED_FIRST.has(word) ? 'size' : 'person'
    return { values: [number.value], unit, from: index, to: number.to, joined: true }
  }
  const first = readValue(tokens, index)
  if (!first) return null
  const firstUnit = unitAt(tokens, first.to)
  const second = readSecond(tokens, firstUnit?.to ?? first.to, between)
  const unit = second ? unitAt(tokens, second.number.to) : firstUnit
  if (!unit || isAge(tokens, unit.to)) return null
  // "2 lb 10 oz" are two measures; "5 lb to 10 lb" is one.
  if (second && firstUnit && firstUnit.unit !== unit.unit && !second.joined)
    return { values: [first.value], unit: firstUnit.unit, from: index, to: firstUnit.to, joined: true }
  const values = second ? [first.value, second.number.value] : [first.value]
  return { values, unit: unit.unit, from: index, to: unit.to, joined: second?.joined ?? false }
}

/** A number of its own: the 2 of "skn2" and the 5 of "v5" are parts of names. */
function readValue(tokens: readonly Token[], index: number): NumberRead | null {
  if (isGlued(tokens, index) && isWord(tokens, index - 1)) return null
  if (isGlued(tokens, index) && isHyphen(tokens, index - 1) && isWord(tokens, index - 2)) {
    if (isGlued(tokens, index - 1) && foldAt(tokens, index - 2) !== 'sub') return null
  }
  const number = readNumber(tokens, index)
  return number && Number.isFinite(number.value) && number.value > 0 ? number : null
}

function readSecond(
  tokens: readonly Token[],
  index: number,
  between: boolean,
): { number: NumberRead; joined: boolean } | null {
  const word = foldAt(tokens, index)
  const joined = word === 'x' || word === '×' || word === 'by'
  const connects = joined || word === 'to' || isHyphen(tokens, index) || (word === 'and' && between)
  if (!connects) return null
  const number = readNumber(tokens, index + 1)
  return number && unitAt(tokens, number.to) ? { number, joined } : null
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
