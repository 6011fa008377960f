/**
 * The turns of phrase that show what a message is about. What search reads itself (an order, a bargain, "something like")
 * is not read again here. A phrase only hints; route-message.ts weighs them.
 */
import { STOP_WORDS } from '../../../search/lexical/tokenize.ts'
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

const WORDS = {
  quote:
    'quote|quotes|quoted|quoting|quotation|quotations|rfq|rfqs|request for quote|bid|bids|offers from|prices from|pricing from|bulk price|bulk pricing|bulk order|volume price|volume discount|wholesale price|tender',
  best: 'best price|best prices|lowest price|cheapest price|compare prices|compare offers|best offer',
  sellers:
    'seller|sellers|retailer|retailers|supplier|suppliers|vendor|vendors|dealer|dealers|merchants|distributors|who sells|who has|who stocks|where to buy|where can i buy|where can i get',
  price: 'how much|cost|costs|price|prices|pricing|charge|going to cost|rate|rates|total',
  order:
    'order|buy|purchase|procure|deliver|delivered|delivery|ship|shipped|shipping|get me|can i get|can we get|could i get|send',
  offer:
    'offer|offers|deal|deals|discount|discounts|coupon|coupons|promo|promo code|promo codes|promotion|promotions|voucher|vouchers|on sale|sale|special offer|rebate|discount code|discount codes|coupon code|coupon codes|black friday',
  lookup:
    'tell me about|tell me more|info|information|details|specs|spec|specification|specifications|review|reviews|any good|worth it|worth the money|worth buying|look up|pros and cons|learn more|know about|describe|facts about|part number|model number|sku',
  change:
    "what changed|what has changed|what's changed|anything changed|changed since|changes since|any changes|recent changes|changes in|changes to|what's new|whats new|what is new|anything new|any news|update on|updates on|any update|any updates|updates for|price change|price changes|price history|price drop|price drops",
  changeable:
    'changed|change|changes|cheaper|gone up|gone down|go up|go down|went up|went down|dropped|fallen|risen|increased|raised|lowered|updated|updates|added|new|in stock',
  since:
    'since|lately|recently|this week|this month|this year|today|yesterday|last week|last month|past week|past month|in the last|in the past',
  browse:
    'show|show me|list|list all|browse|see|view|display|all|every|do you have|do you offer|do you sell|do you carry|have you got|first|top',
  categories:
    'category|categories|departments|what do you sell|what do you have|what do you carry|what can i buy|what products',
  need: 'need|needs|want|wants|looking for|recommend|recommendation|recommendations|suggest|suggestion|advice|find me|help me find|help me choose|searching for|search for|shopping for|gift|should i|which one',
  alike:
    'something like|anything like|similar to|alternative|alternatives|instead of|compare|compared|comparison|versus|vs|compatible|goes with|go with|accessories|replacement|for my|which is better|difference between',
  discontinued: 'including discontinued|include discontinued|discontinued ones|with discontinued',
  sort: 'cheapest first|cheapest|cheap to expensive|most expensive|most expensive first|highest rated|top rated|best rated|rating|by rating|newest|newest first|latest|most popular|most popular first|popular',
}
export type Signal = keyof typeof WORDS
export type SignalFound = Range & { signal: Signal }
const PHRASES: Phrases<Signal> = phrases(Object.entries(WORDS) as Array<[Signal, string]>)

/** Words around a wish that say nothing of it, and words of a list that do not narrow it. */
const IDLE = wordSet(
  `hi hello hey good morning afternoon evening there thanks thank please kindly ok okay sure yes no well help assist
  question start test anyone souk shop store could would should can may might will let know tell show hoping try trying
  im i'm i'd i've we're you're it's that's what's who's whats now right currently current available really also hear give
  talk welcome everyone product products item items model models catalog catalogue inventory stock selection range section
  whole full entire complete listing ones options choices kind kinds type types sort sorted ordered result results page
  everything sell highest lowest last only just five ten different various price prices`,
)

/** Longest phrase first at each place; a phrase hides the shorter ones inside it. */
export function findSignals(tokens: readonly Token[], taken: Uint8Array): SignalFound[] {
  const found: SignalFound[] = []
  for (let at = 0; at < tokens.length; at++) {
    const phrase = taken[at] || isHyphen(tokens, at - 1) ? null : phraseAt(PHRASES, tokens, at)
    if (!phrase) continue
    const [before, signal] = [foldAt(tokens, at - 1), phrase.meaning]
    // "What tents do you offer" speaks of the range; "do not request a quote" of no quote.
    const verb = signal === 'offer' && /^(?:you|they|we|can|to|for)$/.test(before)
    if (!verb && !(signal === 'quote' && isDeclined(tokens, at)))
      found.push({ signal, from: at, to: phrase.to })
    at = phrase.to - 1
  }
  return found
}

/** "Don't hesitate to quote" asks for one. */
function isDeclined(tokens: readonly Token[], at: number): boolean {
  for (let before = at - 1; before >= Math.max(0, at - 5); before--) {
    const word = foldAt(tokens, before)
    if (/^(?:[.,;:!?]|hesitate|forget|wait|only|just|why)$/.test(word)) return false
    if (/^(?:not|don't|dont|never|without|no|needn't)$/.test(word)) return true
  }
  return false
}

/** Places of the words that say something of the thing itself. */
export function contentAt(tokens: readonly Token[], taken: Uint8Array, signals: readonly Range[]): number[] {
  return tokens.flatMap(({ kind, fold }, at) => {
    if (kind !== 'word' || taken[at] || signals.some(({ from, to }) => at >= from && at < to)) return []
    const bare = fold.replace(/'(?:s|re|d|ve|ll|m)$/, '')
    const idle = [STOP_WORDS, IDLE].some((set) => set.has(fold) || set.has(bare))
    return idle || (fold.length === 1 && !isHyphen(tokens, at + 1)) ? [] : [at]
  })
}
