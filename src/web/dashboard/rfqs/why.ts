/**
 * What came of a request for the organization that was asked, in plain words, and what would change it. It speaks of the
 * organization's own numbers; of others it says only how many they were.
 */
import { counted } from '../../../lib/words.ts'
import type { Outcome, ReceivedRfqRow } from '../../../rfq/inspector.service.ts'
import type { Loss } from '../../../rfq/quote.schema.ts'
import { sentence } from '../../format.ts'
import type { Word } from '../../kit/parts.tsx'
import { reasonSentence } from '../attempts/readable.ts'

export const OUTCOME_WORDS: Record<Outcome, Word> = {
  won: { words: 'Won', tone: 'good' },
  first: { words: 'Ranked first', tone: 'good' },
  lost: { words: 'Lost', tone: 'mixed' },
  declined: { words: 'Declined', tone: 'quiet' },
  failed: { words: 'Failed', tone: 'bad' },
  waiting: { words: 'Waiting', tone: 'quiet' },
  canceled: { words: 'Withdrawn', tone: 'quiet' },
}

/** What quotes are compared by, in this order; the first in which two differ decides (rank.ts). */
export const MEASURES = {
  stock: {
    name: 'In stock',
    advice: 'Quotes in stock rank before quotes out of stock, whatever the price.',
  },
  deadline: {
    name: 'Arrives by the deadline',
    advice:
      'Quotes that arrive by the buyer’s deadline rank first. A delivery time that is not stated counts as too late.',
  },
  shipping: {
    name: 'Shipping cost stated',
    advice: 'Quotes that state a shipping cost rank before those that don’t. State 0 for free shipping.',
  },
  total: {
    name: 'Lower total',
    advice:
      'The lowest total wins: price × quantity, plus shipping. Lower your price or your shipping to win.',
  },
  days: {
    name: 'Faster delivery',
    advice:
      'The totals were the same, so the faster delivery won. Quotes that state no delivery time rank last.',
  },
  health: {
    name: 'Answers reliably',
    advice: 'Price and delivery were the same, so the seller that answers more reliably won.',
  },
  verified: {
    name: 'Verified organization',
    advice: 'Price and delivery were the same, so the seller with a verified domain won.',
  },
  link: {
    name: 'Link on the verified domain',
    advice:
      'Price and delivery were the same, so the link on the seller’s own domain won. Point claim_url to your verified domain.',
  },
  speed: {
    name: 'Answers faster',
    advice: 'Everything else was the same, so the faster answer won.',
  },
}
export type Measure = keyof typeof MEASURES
export const COMPARED = Object.keys(MEASURES) as Measure[]

/** Requests from before the reason was kept as data have none. */
function adviceOn(loss: Loss | null): string[] {
  if (loss === null) return []
  return loss.measure === 'tie'
    ? ['The quotes were equal in everything we compare. There is nothing to fix.']
    : [MEASURES[loss.measure].advice]
}

/** "2 of 4"; null before there is a place. */
export function placeOf({ rank, quotes }: Pick<ReceivedRfqRow, 'rank' | 'quotes'>): string | null {
  return rank === null ? null : `${rank} of ${quotes}`
}

/** What happened, and why and what would change it. */
export function outcomeWords(rfq: ReceivedRfqRow): { headline: string; sentences: string[] } {
  const { kind, state, verdict, reason, quotes, clicks } = rfq
  const say = (headline: string, ...sentences: string[]) => ({ headline, sentences })
  switch (rfq.outcome) {
    case 'won':
      return say(
        'You won: the buyer chose your quote.',
        `${quotes === 1 ? 'It was the only quote.' : `It came ${placeOf(rfq)}.`} A choice is not an order.`,
      )
    case 'first':
      return say(
        quotes === 1 ? 'Yours is the only quote.' : `You rank first of ${counted(quotes, 'quote')}.`,
        clicks === 0
          ? 'The buyer hasn’t opened your link yet.'
          : `Your link was opened ${counted(clicks, 'time')}.`,
      )
    case 'lost': {
      const chose = rfq.choice === 'another' ? ['The buyer chose another quote.'] : []
      const why = rfq.lossReason === null ? [] : [sentence(rfq.lossReason)]
      const headline = rfq.rank === 1 ? 'First, but not a win.' : `Your quote came ${placeOf(rfq)}.`
      return say(headline, ...chose, ...why, ...adviceOn(rfq.loss))
    }
    case 'declined':
      if (kind === 'agent')
        return say(
          'You declined.',
          'Your agent can’t fulfill this request. Declining doesn’t count against you.',
        )
      return say('Your rules declined this request.', ...(reason === null ? [] : [sentence(reason)]))
    case 'canceled':
      return say('The buyer withdrew the request.', 'It has nothing to do with your answer.')
    case 'waiting':
      if (state === 'submitted') return say('This request is still running.')
      return say('This request ended before we recorded your answer.', 'It doesn’t count against you.')
    case 'failed':
      if (verdict === 'quoted' || verdict === 'out_of_stock')
        return say('We couldn’t finish this request.', 'Your answer was fine; the error was ours.')
      if (verdict === 'skipped')
        return say(
          'We didn’t ask your agent.',
          'It had just failed many times in a row, so we paused requests to it for a minute.',
        )
      return say(
        verdict === 'timeout' ? 'Your answer came too late.' : 'Your answer didn’t count.',
        ...(reason === null ? [] : [reasonSentence(reason)]),
      )
  }
}
