/**
 * What came of a request for the organization that was asked, in plain words, and what would change it. Everything is
 * told by its own numbers; of the others only how many they were.
 */
import { counted } from '../../../lib/words.ts'
import type { Outcome, ReceivedRfqRow } from '../../../rfq/inspector.service.ts'
import { sentence } from '../../format.ts'
import type { Tone } from '../../kit/parts.tsx'
import { reasonSentence } from '../attempts/readable.ts'

export const OUTCOME_WORDS: Record<Outcome, { label: string; tone: Tone }> = {
  won: { label: 'Won', tone: 'good' },
  lost: { label: 'Lost', tone: 'mixed' },
  declined: { label: 'Declined', tone: 'quiet' },
  failed: { label: 'Failed', tone: 'bad' },
  waiting: { label: 'Waiting', tone: 'quiet' },
  canceled: { label: 'Withdrawn', tone: 'quiet' },
}

/**
 * What quotes are compared by, in this order; the first in which two differ decides (rank.ts). `told` finds it in the
 * words that the ranking writes.
 */
export const MEASURES = {
  stock: {
    name: 'In stock',
    told: /out of stock/,
    advice: 'A quote that is in stock comes before every one that is not, whatever the price.',
  },
  deadline: {
    name: 'Arrives by the deadline',
    told: /the deadline/,
    advice:
      'A quote that arrives by the buyer’s deadline comes before every one that does not. A delivery time that is not stated counts as too late.',
  },
  shipping: {
    name: 'Shipping cost stated',
    told: /no shipping cost/,
    advice: 'A quote that states its shipping cost comes before every one that leaves it open. State 0 too.',
  },
  total: {
    name: 'Lower total',
    told: / more (?:in total|before shipping) than /,
    advice:
      'The lowest total wins: price × quantity, plus shipping. A lower price or cheaper shipping would change it.',
  },
  days: {
    name: 'Fewer business days',
    told: /^same total /,
    advice:
      'The total was the same, so fewer business days of delivery decided. One that states no time comes last.',
  },
  health: {
    name: 'Answers reliably',
    told: /less reliably/,
    advice: 'Price and delivery were the same, so it counted how reliably you had answered before.',
  },
  verified: {
    name: 'Verified organization',
    told: /not verified/,
    advice: 'Price and delivery were the same, so it counted whose domain is proved.',
  },
  link: {
    name: 'Link on the proved domain',
    told: /whose link stays/,
    advice:
      'Price and delivery were the same, so a link that stays on the proved domain of its seller came first. Let claim_url lead to yours.',
  },
  speed: {
    name: 'Answers sooner',
    told: /answered later/,
    advice: 'Everything else was the same, so the sooner answer came first.',
  },
}
export type Measure = keyof typeof MEASURES
export const MEASURE_NAMES = Object.keys(MEASURES) as Measure[]

/** Null for a tie in everything. */
export function decidedBy(lossReason: string): Measure | null {
  return MEASURE_NAMES.find((measure) => MEASURES[measure].told.test(lossReason)) ?? null
}

const TIED = 'Everything that is compared was the same. There is nothing to mend.'

export function adviceOn(lossReason: string): string {
  const measure = decidedBy(lossReason)
  return measure === null ? TIED : MEASURES[measure].advice
}

export type Told = {
  /** What happened. */
  headline: string
  /** Why, and what would change it. */
  sentences: string[]
}

export function tellOutcome(rfq: ReceivedRfqRow): Told {
  switch (rfq.outcome) {
    case 'won':
      return { headline: wonWords(rfq), sentences: [clickWords(rfq.clicks)] }
    case 'lost': {
      const reason = rfq.lossReason ?? ''
      const headline = rfq.rank === 1 ? 'First, but not a win.' : `Your quote came ${placeOf(rfq)}.`
      return { headline, sentences: [sentence(reason), adviceOn(reason)] }
    }
    case 'declined':
      return declined(rfq)
    case 'canceled':
      return {
        headline: 'The buyer withdrew the request.',
        sentences: ['It says nothing about your answer.'],
      }
    case 'waiting':
      return waiting(rfq)
    case 'failed':
      return failed(rfq)
  }
}

/** "2 of 4"; null before there is a place. */
export function placeOf({ rank, quotes }: Pick<ReceivedRfqRow, 'rank' | 'quotes'>): string | null {
  return rank === null ? null : `${rank} of ${quotes}`
}

function wonWords({ quotes }: ReceivedRfqRow): string {
  return quotes === 1
    ? 'You won: yours was the only quote.'
    : `You won: first of ${counted(quotes, 'quote')}.`
}

function clickWords(clicks: number): string {
  return clicks === 0
    ? 'The buyer has not followed your link yet.'
    : `Your link was followed ${counted(clicks, 'time')}.`
}

function declined({ kind, reason }: ReceivedRfqRow): Told {
  if (kind === 'agent')
    return {
      headline: 'You declined.',
      sentences: ['Your agent answered that it cannot fulfil this request. That costs you nothing.'],
    }
  return {
    headline: 'Declined for you, by your rules.',
    sentences: reason === null ? [] : [sentence(reason)],
  }
}

function waiting({ state }: ReceivedRfqRow): Told {
  if (state === 'submitted') return { headline: 'This request is still running.', sentences: [] }
  return {
    headline: 'This request ended before an answer of yours was recorded.',
    sentences: ['Nothing was held against you.'],
  }
}

function failed({ verdict, reason }: ReceivedRfqRow): Told {
  if (verdict === 'quoted' || verdict === 'out_of_stock')
    return {
      headline: 'The service could not finish this request.',
      sentences: ['Your answer was fine; the fault was ours.'],
    }
  if (verdict === 'skipped')
    return {
      headline: 'Your agent was not asked.',
      sentences: ['It had failed many times in a row just before, so it was left alone for a minute.'],
    }
  const headline = verdict === 'timeout' ? 'Your answer came too late.' : 'Your answer did not count.'
  return { headline, sentences: reason === null ? [] : [reasonSentence(reason)] }
}
