/**
 * The words around an amount that say what it is: a cap, a floor, a middle, or no price at all. A number without a
 * currency is only believed after a budget word, before nothing it could count, and when nothing in front of it is
 * measured ("size under 12", "kids under 5", "holds up to 300"): a wrong cap hides the right product, a missed one
 * only ranks it lower.
 */
import type { Amount } from './amounts.ts'
import {
  foldAt,
  isGlued,
  isHyphen,
  type Phrases,
  phraseAt,
  phrases,
  type Range,
  type Token,
  wordSet,
} from './tokens.ts'
import { unitAt } from './units.ts'

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
