/**
 * The turns of phrase that show what a message is about. A phrase only hints: "deals" together with a product asks for
 * its offers, with a category for a list, with a need for advice. intent.ts weighs them.
 */
import {
  foldAt,
  isHyphen,
  type Phrases,
  phraseAt,
  phrases,
  type Range,
  type Token,
  wordSet,
} from '../../../search/understand/tokens.ts'

export type Signal =
  /** Asks for quotes in so many words. */
  | 'quote'
  | 'best-price'
  | 'sellers'
  | 'where'
  | 'price'
  | 'order'
  | 'offer'
  | 'lookup'
  | 'change'
  | 'changeable'
  | 'since'
  | 'period'
  | 'browse'
  | 'categories'
  | 'need'
  | 'praise'
  | 'alike'
  | 'discontinued'
  | 'price_asc'
  | 'price_desc'
  | 'rating'
  | 'newest'
  | 'popular'
export type SignalFound = Range & { signal: Signal }

const PHRASES: Phrases<Signal> = phrases<Signal>([
  [
    'quote',
    `quote|quotes|quoted|quoting|quotation|quotations|rfq|rfqs|request for quote|request for quotes|request a quote|request for quotation|bid|bids|offers from|prices from|pricing from|bulk price|bulk prices|bulk pricing|bulk order|bulk quote|volume price|volume pricing|volume discount|volume discounts|wholesale price|wholesale pricing|tender`,
  ],
  [
    'best-price',
    'compare prices|compare offers|best price|best prices|lowest price|lowest prices|cheapest price|best total|best offer',
  ],
  [
    'sellers',
    'seller|sellers|retailer|retailers|supplier|suppliers|vendor|vendors|dealer|dealers|merchant|merchants|producers|distributor|distributors',
  ],
  [
    'where',
    'who sells|who has|who stocks|where to buy|where can i buy|where can i get|where can i find|where do i buy',
  ],
  [
    'price',
    `how much|cost|costs|price|prices|pricing|priced|charge|charges|what would|what will|what does it cost|expensive|invoice|rate|rates|total`,
  ],
  [
    'order',
    `order|ordering|buy|buying|purchase|purchasing|procure|procurement|deliver|delivered|delivery|delivering|ship|shipped|shipping|get me|source|can i have|can i get|could i have|could i get|can we have|can we get|send|sent`,
  ],
  [
    'offer',
    `offer|offers|offered|deal|deals|discount|discounts|discounted|coupon|coupons|promo|promos|promo code|promo codes|promotion|promotions|promotional|voucher|vouchers|on sale|sale price|sale|special offer|special offers|on offer|rebate|rebates|price cut|marked down|reduced|clearance|cashback|money off|percent off|discount code|discount codes|coupon code|coupon codes|black friday`,
  ],
  [
    'lookup',
    `tell me about|tell me more about|tell me more|tell us about|info|information|details|detail|specs|spec|specification|specifications|spec sheet|datasheet|data sheet|review|reviews|any good|worth it|worth the money|worth buying|worth the price|look up|lookup|pros and cons|what do people say|what do owners say|product page|learn more|know about|know more about|read about|describe|summary of|summarize|summarise|facts about|part number|model number|sku|mpn|product_slug|slug`,
  ],
  [
    'change',
    `what changed|what has changed|what's changed|whats changed|what have changed|anything changed|has anything changed|changed since|changes since|any changes|recent changes|latest changes|list changes|show changes|changes in|changes to|changelog|what's new|whats new|what is new|anything new|something new|any news|new since|update on|updates on|update me on|any update|any updates|latest updates|recent updates|updates since|updates to|updates about|updates for|price change|price changes|price history|price drops|price drop|price increase|price increases|what's different|what is different|catch me up|what did i miss|been added|been updated|been changed|newly added`,
  ],
  [
    'changeable',
    `changed|change|changes|cheaper|pricier|gone up|gone down|go up|go down|went up|went down|come down|came down|drop|dropped|dropping|fallen|risen|increased|decreased|raised|lowered|updated|update|updates|added|new|different|discontinued|in stock|back in stock|more expensive`,
  ],
  ['since', 'since|as of|lately|recently'],
  [
    'period',
    'this week|this month|this year|today|yesterday|last week|last month|past week|past month|in the last|in the past|over the last|over the past',
  ],
  [
    'browse',
    `show|show me|want to see|like to see|want to browse|like to browse|list|list all|browse|browsing|see|view|display|give me|all|every|everything in|what are your|do you have|do you offer|you offer|do you sell|do you carry|do you stock|have you got|you have|let me see|can i see|pull up|go to|open|sort|sorted|order by|ordered by|first|top|limit`,
  ],
  [
    'categories',
    `category|categories|departments|sections|what do you sell|what do you have|what do you carry|what do you stock|what can i buy|what can i shop for|what products|what kinds of products|what kind of products|what types of products|what sort of products|product types`,
  ],
  [
    'need',
    `need|needs|needed|want|wants|looking for|look for|recommend|recommends|recommendation|recommendations|suggest|suggestion|suggestions|advice|advise|find me|help me find|help me choose|help me pick|help me decide|searching for|search for|shopping for|in the market for|gift|should i|which one`,
  ],
  ['praise', 'best|good|great|ideal|perfect|suitable|nice|decent|reliable|cheap|affordable'],
  [
    'alike',
    `something like|anything like|similar to|similar|just like|much like|alternative|alternatives|instead of|rather than|cheaper than|better than|lighter than|smaller than|compare|compared|comparison|comparing|versus|vs|compatible|goes with|go with|accessory|accessories|replacement|replace|upgrade from|other than|equivalent|for my|for our|fits my|fit my|which is better|difference between`,
  ],
  [
    'discontinued',
    'including discontinued|include discontinued|discontinued ones|with discontinued|even discontinued',
  ],
  [
    'price_asc',
    `cheap to expensive|cheapest to most expensive|cheapest first|cheapest|lowest price first|lowest priced|lowest first|by price|price ascending|ascending price|ascending by price|price low to high|low to high|least expensive|lowest to highest|price_asc`,
  ],
  [
    'price_desc',
    `expensive to cheap|most expensive to cheapest|most expensive|most expensive first|priciest|highest price|highest priced|highest price first|price high to low|high to low|price descending|descending price|descending by price|highest to lowest|price_desc`,
  ],
  [
    'rating',
    `highest rated|top rated|best rated|best reviewed|highest rating|highest ratings|best ratings|best reviews|by rating|by ratings|by review score|by stars|rating`,
  ],
  [
    'newest',
    `newest|newest first|newest to oldest|latest|most recent|recently released|new releases|latest releases|new arrivals|by release date|just released|recent releases`,
  ],
  [
    'popular',
    `most popular|popular|by popularity|bestselling|best selling|best sellers|bestsellers|best seller|trending|most reviewed`,
  ],
])

/** Words around a wish that say nothing of it. */
export const SMALL_TALK = wordSet(
  `hi hello hey hiya howdy yo greetings good morning afternoon evening day there dear thanks thank thx cheers please pls
  plz kindly ok okay sure yes no yeah hmm well help assist assistance question questions ask start test testing ping
  anyone somebody someone agent bot assistant souk shop store shopping could would should can may might will let know
  tell show wondering wonder hoping hope try trying im i'm i'd id i've we're we'd you're it's that's what's who's
  whats today now right currently current available availability really quick quickly actually maybe also hear
  see say give talk chat friend folks team sir madam bye goodbye nice meet work works welcome everyone`,
)
/** Words of a list that do not narrow it. */
export const LIST_TALK = wordSet(
  `product products item items model models catalog catalogue inventory stock selection range lineup collection
  section whole full entire complete list listing listings ones options option choices kind kinds type types
  sort sorted order ordered result results page everything there sell currently shop store site website
  highest lowest first last max maximum only just five ten please available different various price prices`,
)

/** Longest phrase first at each place; a phrase hides the shorter ones inside it. */
export function findSignals(tokens: readonly Token[], taken: Uint8Array): SignalFound[] {
  const found: SignalFound[] = []
  for (let at = 0; at < tokens.length; at++) {
    const inCompound = isHyphen(tokens, at - 1) && tokens[at]?.glued && tokens[at - 1]?.glued
    const phrase = taken[at] || inCompound ? null : phraseAt(PHRASES, tokens, at)
    if (!phrase || isVerb(tokens, at, phrase.meaning)) continue
    if (phrase.meaning === 'quote' && isDeclined(tokens, at)) {
      at = phrase.to - 1
      continue
    }
    found.push({ signal: phrase.meaning, from: at, to: phrase.to })
    at = phrase.to - 1
  }
  return found
}

/** "What tents do you offer" speaks of the range, not of a bargain; "a good deal of" and "deal with" neither. */
function isVerb(tokens: readonly Token[], at: number, signal: Signal): boolean {
  if (signal !== 'offer') return false
  const word = foldAt(tokens, at)
  if (/^offer(ed)?$/.test(word) && /^(you|they|we|can|to)$/.test(foldAt(tokens, at - 1))) return true
  if (word === 'sale' && foldAt(tokens, at - 1) === 'for') return true
  return word === 'deal' && /^(with|of|breaker)$/.test(foldAt(tokens, at + 1))
}

const NEGATORS = wordSet("not don't dont never without no needn't won't shouldn't")
/** "Don't hesitate to quote" asks for one. */
const URGES = wordSet('hesitate forget wait only just hurry why')
const DECLINED_WITHIN = 5

/** "Do not request a quote", "no quote needed": the caller must not get a quote. */
function isDeclined(tokens: readonly Token[], at: number): boolean {
  for (let before = at - 1; before >= Math.max(0, at - DECLINED_WITHIN); before--) {
    const word = foldAt(tokens, before)
    if (/^[.,;:!?]$/.test(word) || URGES.has(word)) return false
    if (NEGATORS.has(word)) return !URGES.has(foldAt(tokens, before - 1))
  }
  return false
}
