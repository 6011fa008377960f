/**
 * The order that a query asks for: "cheapest", "best rated", "newest". Such words are no part of a product, so they
 * leave the text. "Cheap" is a wish about the price and "best … for …" an opinion: neither asks for an order.
 */
import type { Sort } from '../search.schema.ts'
import { brandAt, isProductWord, type Lexicon, modelAt, termOf } from './names.ts'
import { CONTRACTIONS, STOPS } from './negation.ts'
import {
  foldAt,
  isHyphen,
  isWord,
  type Phrases,
  phraseAt,
  phrases,
  type Range,
  type Token,
  wordSet,
} from './tokens.ts'

/**
 * Price wishes without an amount ("affordable", "money is no object") and the wish for a reduced price. Sayings
 * that hold a negation ("won't break the bank") are taken out of the query here, before they could be read as
 * something the product must lack; single words stay in it, because products are described with them too.
 */

export type PriceLevel = 'cheap' | 'premium'
type Saying = { level: PriceLevel; takeOut: boolean }

const SAYINGS: Phrases<Saying> = phrases<Saying>([
  [
    { level: 'cheap', takeOut: false },
    `cheap|cheaper|cheapo|cheaply|affordable|inexpensive|budget|economical|economy|low cost|low price|low priced|bargain|thrifty|entry level|value for money|good value|best value|great value|bang for the buck|bang for my buck|bang for your buck|budget friendly`,
  ],
  [
    { level: 'cheap', takeOut: true },
    `won't break the bank|wont break the bank|not break the bank|doesn't break the bank|without breaking the bank|doesn't cost a fortune|doesnt cost a fortune|not cost a fortune|won't cost a fortune|without spending a fortune|without costing a fortune|don't cost a fortune|not expensive|not too expensive|not very expensive|not overpriced|not crazy expensive|nothing expensive|nothing too expensive|isn't expensive|isn't too expensive|not pricey|not too pricey|on a budget|on a tight budget|tight budget|don't want to spend much|don't want to spend a lot|can't afford much|without spending a lot`,
  ],
  [
    { level: 'premium', takeOut: false },
    `premium|high end|highend|luxury|luxurious|deluxe|upscale|top of the line|top end|top tier|flagship|splurge|best of the best`,
  ],
  [
    { level: 'premium', takeOut: true },
    `money is no object|money no object|price is no object|price no object|cost is no object|no expense spared|no budget limit|best money can buy|the best money can buy|price doesn't matter|price does not matter|money doesn't matter|no matter the price|no matter the cost|don't care about price|don't care about the price`,
  ],
])
/** "feels cheap" and "cheap looking" are about looks; "not cheap" is no wish for a low price. */
const LOOKS_BEFORE = wordSet("feel feels look looks not sound sounds seem seems isn't too")
const LOOKS_AFTER = wordSet('looking feeling plastic plasticky')

const SALE: Phrases<true> = phrases<true>([
  [
    true,
    'on sale|sale|sales|discounted|discount|discounts|deal|deals|clearance|closeout|markdown|marked down|reduced price|price drop|special offer|on offer|half price|half off|on promotion|promo|black friday|% off|percent off',
  ],
])
/** "for sale" only means that it can be bought; "deal with" and "deal breaker" are no bargains. */
const NOT_A_SALE_BEFORE = wordSet('for yard garage big ideal')
const NOT_A_SALE_AFTER = wordSet('with breaker of sign signs')

export type PriceWords = {
  price: PriceLevel | null
  priceRanges: Range[]
  taken: Range[]
  sale: boolean
  saleRanges: Range[]
}

export function findPriceWords(tokens: readonly Token[], taken: Uint8Array): PriceWords {
  const found: PriceWords = { price: null, priceRanges: [], taken: [], sale: false, saleRanges: [] }
  let index = 0
  while (index < tokens.length) {
    const before = foldAt(tokens, index - 1)
    const saying = taken[index] ? null : phraseAt(SAYINGS, tokens, index)
    if (saying && !isAboutLooks(tokens, before, saying.to)) {
      // A low price is a limit and wins over a wish for quality.
      if (found.price !== 'cheap') found.price = saying.meaning.level
      found.priceRanges.push({ from: index, to: saying.to })
      if (saying.meaning.takeOut) found.taken.push({ from: index, to: saying.to })
    }
    const sale = taken[index] ? null : phraseAt(SALE, tokens, index)
    if (sale && !NOT_A_SALE_BEFORE.has(before) && !NOT_A_SALE_AFTER.has(foldAt(tokens, sale.to))) {
      found.sale = true
      found.saleRanges.push({ from: index, to: sale.to })
    }
    index = saying?.to ?? sale?.to ?? index + 1
  }
  return found
}

function isAboutLooks(tokens: readonly Token[], before: string, to: number): boolean {
  return LOOKS_BEFORE.has(before) || LOOKS_AFTER.has(foldAt(tokens, to))
}

export type Order = Exclude<Sort, 'relevance'>
export type OrderFound = Range & { order: Order }

/** `vague`: the word is also said of a part ("the latest chip"), so a thing must follow or stand before. */
type Meaning = { order: Order; vague: boolean }
const ORDERS: Phrases<Meaning> = phrases<Meaning>([
  [
    { order: 'price_asc', vague: false },
    'cheapest|lowest price|lowest prices|lowest priced|lowest cost|least expensive|least costly|least pricey|most affordable|price low to high|price : low to high|sort by price|sorted by price|by price',
  ],
  [
    { order: 'price_desc', vague: false },
    'most expensive|priciest|dearest|costliest|highest price|highest priced|price high to low|price : high to low',
  ],
  [{ order: 'rating', vague: false }, 'sort by rating|sorted by rating|by rating|by ratings'],
  [
    { order: 'popular', vague: false },
    'most popular|bestselling|best selling|bestseller|bestsellers|best seller|best sellers|top selling|top sellers|most reviewed|most sold|most bought|sort by popularity|sorted by popularity|by popularity',
  ],
  [
    { order: 'newest', vague: false },
    'most recently released|just released|newly released|recently released|new releases|new arrivals|newest first|latest first|just came out|sort by newest|sorted by newest|sort by date',
  ],
  [{ order: 'newest', vague: true }, 'newest|latest|most recent'],
])
const ARTICLES = wordSet('the a an your very absolute of')
/** Behind these the words tell of a part, of a person or of what is not asked for. */
const BLOCKED_BEHIND = wordSet(
  'with has have having for my our his her their not than supports uses using runs on in and to need like',
)
const SEEKS = /^(look|looking|search|searching|shop|shopping|hunting)$/
/** "with the best reviews" does ask for them. */
const OF_REVIEWS = /^(?:review|rating)/
const RATED = /^(?:rated|reviewed|ratings?|reviews?)$/
const OTHER_THINGS = wordSet(
  'way ways shipping delivery version versions generation gen standard standards technology tech software firmware trend trends fashion news',
)
/** "the lowest price you can do" asks for a quote. */
const BARGAINS = wordSet('i you we on they')
const CLOSERS = wordSet('first price prices one ones option options')
const THING_WITHIN = 4

export function findOrder(tokens: readonly Token[], taken: Uint8Array, lexicon: Lexicon): OrderFound | null {
  for (let index = 0; index < tokens.length; index++) {
    const found = taken[index] ? null : (phraseAt(ORDERS, tokens, index) ?? bestRatedAt(tokens, index))
    if (!found || isBlocked(tokens, index, found.to) || isInName(tokens, taken, index, lexicon)) continue
    if (found.meaning.vague && !isOfTheThing(tokens, index, found.to, lexicon)) continue
    let to = found.to
    while (CLOSERS.has(foldAt(tokens, to))) to++
    return { order: found.meaning.order, from: firstOf(tokens, index, found.to), to }
  }
  return null
}

/** "best rated", "highest customer ratings" */
function bestRatedAt(tokens: readonly Token[], index: number): { meaning: Meaning; to: number } | null {
  if (!/^(?:best|top|highest)$/.test(foldAt(tokens, index))) return null
  const next = isHyphen(tokens, index + 1) ? index + 2 : index + 1
  const at = RATED.test(foldAt(tokens, next)) ? next : next + 1
  return RATED.test(foldAt(tokens, at)) && isWord(tokens, next)
    ? { meaning: { order: 'rating', vague: false }, to: at + 1 }
    : null
}

/** "with the best reviews" goes as a whole. */
function firstOf(tokens: readonly Token[], index: number, to: number): number {
  if (!OF_REVIEWS.test(foldAt(tokens, to - 1))) return index
  const at = foldAt(tokens, index - 1) === 'the' ? index - 1 : index
  return foldAt(tokens, at - 1) === 'with' ? at - 1 : index
}

function isBlocked(tokens: readonly Token[], index: number, to: number): boolean {
  if (OTHER_THINGS.has(foldAt(tokens, to)) || BARGAINS.has(foldAt(tokens, to))) return true
  let at = index - 1
  while (ARTICLES.has(foldAt(tokens, at))) at--
  const before = foldAt(tokens, at)
  if (CONTRACTIONS.has(before) || CONTRACTIONS.has(foldAt(tokens, at - 1))) return true
  if (before === 'for' && SEEKS.test(foldAt(tokens, at - 1))) return false
  if (before === 'with' && OF_REVIEWS.test(foldAt(tokens, to - 1))) return false
  if (before === 'be') return foldAt(tokens, at - 1) === 'to'
  if (before === 'need') return foldAt(tokens, at - 1) === 'not'
  return BLOCKED_BEHIND.has(before)
}

/** A thing follows before anything else begins, or one was named and nothing follows. */
function isOfTheThing(tokens: readonly Token[], index: number, to: number, lexicon: Lexicon): boolean {
  const isThing = ({ fold }: Token) =>
    isProductWord(lexicon, fold) || lexicon.vocabulary.kinds?.isHead(termOf(fold)) === true
  for (let at = to; at < to + THING_WITHIN && isWord(tokens, at); at++) {
    const token = tokens[at] as Token
    if (STOPS.has(token.fold)) break
    if (isThing(token) || CLOSERS.has(token.fold)) return true
  }
  return !isWord(tokens, to) && tokens.slice(0, index).some(isThing)
}

/** A product may be called "Latest". */
function isInName(tokens: readonly Token[], taken: Uint8Array, index: number, lexicon: Lexicon): boolean {
  for (let from = Math.max(0, index - 2); from <= index; from++) {
    const brand = brandAt(tokens, taken, from, lexicon, false)
    const model = modelAt(tokens, taken, brand?.to ?? from, lexicon, brand !== null)
    if (Math.max(brand?.to ?? 0, model?.to ?? 0) > index) return true
  }
  return false
}
