/**
 * The order of quotes, as a pure function, and why it is so in plain words: to the buyer for each place, to the
 * producer for each loss. The order is a list of measures, smaller first; the first measure in which two quotes
 * differ decides between them, and is also what their reasons speak of, so that words and order cannot disagree.
 * A deadline is met only when a delivery time is stated and is early enough. Ties end at the organization's id,
 * so the order never depends on who is listed first.
 */
import { foreignHost } from '../lib/domains.ts'
import { formatUsd } from '../lib/money.ts'
import { arrivalDay } from '../pricing/pricing.schema.ts'
import { type Help, type MeasureName, type Ranked, type ReceivedQuote, totalOf } from './quote.schema.ts'

type RankOptions = {
  quantity: number
  deadline: Date | null
  /** Delivery times count from here. */
  now: Date
}

type Entry = {
  quote: ReceivedQuote
  totalCents: number
  shippingStated: boolean
  days: number | null
  /** Null without a deadline, and where no delivery time is stated. */
  meets: boolean | null
  hasDeadline: boolean
  claimHost: string | null
}

type Measure = {
  name: MeasureName
  of(entry: Entry): number
  /** Why `better` stands before the next one. */
  ahead(better: Entry, next: Entry): string
  /** Why it stands behind the one above; null where the plain facts of the quote already say it. */
  behind(worse: Entry, better: Entry): string | null
  /** Said to the producer. It holds nothing from which the winner's price could be computed. */
  loss(worse: Entry, winner: Entry): string
  /** What would have helped the producer most. */
  help: Help | ((worse: Entry, winner: Entry) => Help)
}

const HEALTH = { active: 0, pending: 1, unreachable: 2 } as const
const MANY_FAILURES = 1_000_000

const MEASURES: readonly Measure[] = [
  {
    name: 'stock',
    of: ({ quote }) => (quote.answer.inStock ? 0 : 1),
    ahead: () => 'in stock; the next is not',
    behind: () => null,
    loss: () => 'you were out of stock; the winner was not',
    help: 'stock',
  },
  {
    name: 'deadline',
    of: ({ hasDeadline, meets }) => (!hasDeadline || meets === true ? 0 : 1),
    ahead: (_, next) =>
      next.meets === null
        ? 'arrives by your deadline; the next gives no delivery time'
        : 'arrives by your deadline; the next does not',
    behind: () => null,
    loss: ({ meets }) =>
      meets === null
        ? 'you gave no delivery time; the winner meets the deadline'
        : 'you deliver after the deadline; the winner meets it',
    help: 'delivery',
  },
  {
    name: 'shipping',
    of: ({ shippingStated }) => (shippingStated ? 0 : 1),
    ahead: () => 'states shipping cost; the next does not',
    behind: () => null,
    loss: () => 'you gave no shipping cost; the winner did',
    help: 'shipping',
  },
  {
    name: 'total',
    of: ({ totalCents }) => totalCents,
    ahead: (better, next) => lessWords(better, next),
    behind: (worse, better) =>
      `${formatUsd(worse.totalCents - better.totalCents)} more ${inTotal(worse)} than the one above`,
    loss: (worse, winner) =>
      `your total was ${bandWords(gapBand(worse, winner) ?? '0-5')} above the winner’s`,
    help: (worse, winner) =>
      (worse.quote.answer.shippingCostCents ?? 0) >= worse.totalCents - winner.totalCents
        ? 'shipping'
        : 'price',
  },
  {
    name: 'days',
    of: ({ days }) => days ?? Number.POSITIVE_INFINITY,
    ahead: (better, next) =>
      next.days === null
        ? 'same total as the next, which gives no delivery time'
        : `same total as the next, ${businessDays(next.days - (better.days ?? 0))} faster`,
    behind: (worse, better) =>
      worse.days === null
        ? 'same total as the one above, but no delivery time stated'
        : `same total as the one above, ${businessDays(worse.days - (better.days ?? 0))} slower`,
    loss: ({ days }) =>
      days === null
        ? 'price was not what decided: you gave no delivery time; the winner did'
        : 'price was not what decided: the winner delivers faster',
    help: 'delivery',
  },
  {
    name: 'health',
    of: ({ quote: { health } }) =>
      HEALTH[health.status] * MANY_FAILURES + Math.min(health.failuresInARow, MANY_FAILURES - 1),
    ahead: () => 'same price and delivery as the next, has answered more reliably',
    behind: () => 'same price and delivery as the one above, has answered less reliably',
    loss: () => 'price was not what decided: the winner has answered more reliably',
    help: 'answer',
  },
  {
    name: 'verified',
    of: ({ quote }) => (quote.org.verified ? 0 : 1),
    ahead: () => 'same price and delivery as the next, from a verified organization',
    behind: () => 'same price and delivery as the one above, organization not verified',
    loss: () => 'price was not what decided: the winner is verified',
    help: 'price',
  },
  {
    name: 'link',
    of: ({ claimHost }) => (claimHost === null ? 0 : 1),
    ahead: () => 'same price and delivery as the next, whose link leaves its seller’s domain',
    behind: () => 'same price and delivery as the one above, whose link stays on its seller’s domain',
    loss: () => 'price was not what decided: the winner’s link stays on its own domain',
    help: 'answer',
  },
  {
    name: 'speed',
    of: ({ quote }) => quote.responseMs,
    ahead: () => 'same price and delivery as the next, answered sooner',
    behind: () => 'same price and delivery as the one above, answered later',
    loss: () => 'price was not what decided: the winner answered sooner',
    help: 'answer',
  },
]

/** Where every measure is the same. */
const TIE: Measure = {
  name: 'tie',
  of: () => 0,
  ahead: () => 'identical to the next',
  behind: () => 'identical to the one above',
  loss: () => 'price was not what decided: you and the winner were equal in everything we compare',
  help: 'price',
}

export function rankQuotes(quotes: readonly ReceivedQuote[], options: RankOptions): Ranked[] {
  const entries = quotes.map((quote) => enter(quote, options)).sort(compare)
  const [winner] = entries
  return entries.map((entry, index) => ({
    ...entry.quote,
    rank: index + 1,
    rankReasons: reasonsOf(entry, entries[index - 1], entries[index + 1]),
    totalCents: entry.totalCents,
    meetsDeadline: entry.meets,
    claimHost: entry.claimHost,
    ...lossOf(entry, winner ?? entry),
  }))
}

function enter(quote: ReceivedQuote, { quantity, deadline, now }: RankOptions): Entry {
  const { shippingCostCents, estimatedShippingDays: days } = quote.answer
  return {
    quote,
    totalCents: totalOf(quote.answer, quantity),
    shippingStated: shippingCostCents !== null,
    days,
    meets: deadline === null || days === null ? null : arrivalDay(now, days) <= deadline,
    hasDeadline: deadline !== null,
    claimHost: foreignHost(quote.answer.claimUrl, quote.org.domain),
  }
}

function compare(a: Entry, b: Entry): number {
  const measure = deciding(a, b)
  if (measure !== TIE) return measure.of(a) < measure.of(b) ? -1 : 1
  return byText(a.quote.org.id, b.quote.org.id)
}

function deciding(a: Entry, b: Entry): Measure {
  return MEASURES.find((measure) => measure.of(a) !== measure.of(b)) ?? TIE
}

/** By code units: the same on every machine, whatever its language. */
function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function reasonsOf(entry: Entry, above: Entry | undefined, next: Entry | undefined): string[] {
  if (!above && !next) return [...factsOf(entry), 'the only quote']
  const compared: string[] = []
  if (next) {
    const measure = deciding(entry, next)
    // The difference that a buyer cares about, whatever decided.
    if (measure.name !== 'total' && isCheaper(entry, next)) compared.push(lessWords(entry, next))
    compared.push(measure.ahead(entry, next))
  }
  const behind = above && deciding(entry, above).behind(entry, above)
  if (behind) compared.push(behind)
  const facts = factsOf(entry).filter((fact) => !compared.some((reason) => reason.startsWith(fact)))
  return [...facts, ...compared]
}

function factsOf({ quote, hasDeadline, meets, shippingStated, claimHost }: Entry): string[] {
  const facts: string[] = []
  if (!quote.answer.inStock) facts.push('out of stock')
  if (hasDeadline && meets === true) facts.push('arrives by your deadline')
  if (hasDeadline && meets === false) facts.push('arrives after your deadline')
  if (hasDeadline && meets === null) facts.push('delivery time not stated; it may miss your deadline')
  if (!shippingStated) facts.push('shipping cost not stated')
  if (claimHost !== null)
    facts.push(
      quote.org.domain === null
        ? `the link goes to ${claimHost}, and the seller has no verified domain`
        : `the link goes to ${claimHost}, not ${quote.org.domain}`,
    )
  return facts
}

/** Being first among those that have nothing to sell is no win. */
function lossOf(entry: Entry, winner: Entry): Pick<Ranked, 'loss' | 'lossReason'> {
  if (entry === winner)
    return entry.quote.answer.inStock
      ? { loss: null, lossReason: null }
      : {
          loss: { measure: 'stock', gapBand: null, help: 'stock' },
          lossReason: 'you were out of stock, and so was everyone',
        }
  const { name: measure, help, loss } = deciding(entry, winner)
  return {
    loss: {
      measure,
      gapBand: gapBand(entry, winner),
      help: typeof help === 'string' ? help : help(entry, winner),
    },
    lossReason: loss(entry, winner),
  }
}

const BAND_PCT = 5
const LAST_BAND = 50

/** How far a total is above the winner's, in steps of 5 %: "5-10"; null if it is not above. */
function gapBand(worse: Entry, winner: Entry): string | null {
  const gapCents = worse.totalCents - winner.totalCents
  if (gapCents <= 0) return null
  const from = Math.floor((gapCents * 100) / Math.max(1, winner.totalCents) / BAND_PCT) * BAND_PCT
  return from >= LAST_BAND ? `${LAST_BAND}+` : `${from}-${from + BAND_PCT}`
}

/** "5–10%", "over 50%". */
export function bandWords(band: string): string {
  return band.endsWith('+') ? `over ${band.slice(0, -1)}%` : `${band.replace('-', '–')}%`
}

/** Whatever the next may still add for shipping. */
function isCheaper(better: Entry, next: Entry): boolean {
  return (better.shippingStated || !next.shippingStated) && better.totalCents < next.totalCents
}

/** Where shipping is not stated, the difference can only grow. */
function lessWords(better: Entry, next: Entry): string {
  const less = formatUsd(next.totalCents - better.totalCents)
  if (better.shippingStated && !next.shippingStated)
    return `${less} less in total than the next before its shipping`
  return `${less} cheaper ${inTotal(better)} than the next`
}

function inTotal({ shippingStated }: Entry): string {
  return shippingStated ? 'in total' : 'before shipping'
}

function businessDays(days: number): string {
  return days === 1 ? '1 business day' : `${days} business days`
}
