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
import { type Ranked, type ReceivedQuote, totalOf } from './quote.schema.ts'

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
  of(entry: Entry): number
  /** Why `better` stands before the next one. */
  ahead(better: Entry, next: Entry): string
  /** Why it stands behind `name`; null where the plain facts of the quote already say it. */
  behind(worse: Entry, better: Entry, name: string): string | null
  /** Said to the producer, where `behind` has nothing. */
  loss?(worse: Entry): string
}

const HEALTH = { active: 0, pending: 1, unreachable: 2 } as const
const MANY_FAILURES = 1_000_000

const MEASURES: readonly Measure[] = [
  {
    of: ({ quote }) => (quote.answer.inStock ? 0 : 1),
    ahead: () => 'in stock; the next is not',
    behind: () => null,
    loss: () => 'you were out of stock; the winner was not',
  },
  {
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
  },
  {
    of: ({ shippingStated }) => (shippingStated ? 0 : 1),
    ahead: () => 'states shipping cost; the next does not',
    behind: () => null,
    loss: () => 'you gave no shipping cost; the winner did',
  },
  {
    of: ({ totalCents }) => totalCents,
    ahead: (better, next) =>
      `${formatUsd(next.totalCents - better.totalCents)} cheaper ${inTotal(better)} than the next`,
    behind: (worse, better, name) =>
      `${formatUsd(worse.totalCents - better.totalCents)} more ${inTotal(worse)} than ${name}`,
  },
  {
    of: ({ days }) => days ?? Number.POSITIVE_INFINITY,
    ahead: (better, next) =>
      next.days === null
        ? 'same total as the next, which gives no delivery time'
        : `same total as the next, ${businessDays(next.days - (better.days ?? 0))} faster`,
    behind: (worse, better, name) =>
      worse.days === null
        ? `same total as ${name}, but no delivery time stated`
        : `same total as ${name}, ${businessDays(worse.days - (better.days ?? 0))} slower`,
  },
  {
    of: ({ quote: { health } }) =>
      HEALTH[health.status] * MANY_FAILURES + Math.min(health.failuresInARow, MANY_FAILURES - 1),
    ahead: () => 'same price and delivery as the next, has answered more reliably',
    behind: (_worse, _better, name) => `same price and delivery as ${name}, has answered less reliably`,
  },
  {
    of: ({ quote }) => (quote.org.verified ? 0 : 1),
    ahead: () => 'same price and delivery as the next, from a verified organization',
    behind: (_worse, _better, name) => `same price and delivery as ${name}, organization not verified`,
  },
  {
    of: ({ claimHost }) => (claimHost === null ? 0 : 1),
    ahead: () => 'same price and delivery as the next, whose link leaves its seller’s domain',
    behind: (_worse, _better, name) =>
      `same price and delivery as ${name}, whose link stays on its seller’s domain`,
  },
  {
    of: ({ quote }) => quote.responseMs,
    ahead: () => 'same price and delivery as the next, answered sooner',
    behind: (_worse, _better, name) => `same price and delivery as ${name}, answered later`,
  },
]

/** Where every measure is the same. */
const TIE: Measure = {
  of: () => 0,
  ahead: () => 'identical to the next',
  behind: (_worse, _better, name) => `identical to ${name}`,
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
    lossReason: lossOf(entry, winner ?? entry),
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
  if (next) compared.push(deciding(entry, next).ahead(entry, next))
  const behind = above && deciding(entry, above).behind(entry, above, 'the one above')
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
function lossOf(entry: Entry, winner: Entry): string | null {
  if (entry === winner)
    return entry.quote.answer.inStock ? null : 'you were out of stock, and so was everyone'
  const measure = deciding(entry, winner)
  return measure.behind(entry, winner, 'the winner') ?? measure.loss?.(entry) ?? null
}

function inTotal({ shippingStated }: Entry): string {
  return shippingStated ? 'in total' : 'before shipping'
}

function businessDays(days: number): string {
  return days === 1 ? '1 business day' : `${days} business days`
}
