/**
 * Price wishes without an amount ("affordable", "money is no object") and the wish for a reduced price. Sayings
 * that hold a negation ("won't break the bank") are taken out of the query here, before they could be read as
 * something the product must lack; single words stay in it, because products are described with them too.
 */
import { foldAt, type Phrases, phraseAt, phrases, type Range, type Token, wordSet } from './tokens.ts'

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
