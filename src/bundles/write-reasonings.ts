/**
 * One or two sentences for each line of a plan: first why this product at this money, then what speaks for it. A case
 * that comes again in the same plan takes its next wording, so that neighbours do not read alike.
 */
import { formatUsd as usd } from '../lib/money.ts'
import type { Plan, PlanLine, Wish } from './bundles.schema.ts'
import {
  capitalised,
  countOf,
  eachCents,
  nameOf,
  ordinalOf,
  passedOverCents,
  pluralOf,
} from './plan-words.ts'

type Product = NonNullable<PlanLine['product']>
/** Gives the wording for a case: the first when it comes first, and so on around. */
type Vary = (kind: string, wordings: string[]) => string

const FEW_REVIEWS = 50
const MANY_REVIEWS = 1000
const HIGH_RATING = 4.5
const LOW_RATING = 4

export function writeReasonings(plan: Plan, wish: Wish): Record<string, string> {
  const used = new Map<string, number>()
  const vary: Vary = (kind, wordings) => {
    const times = used.get(kind) ?? 0
    used.set(kind, times + 1)
    return wordings[times % wordings.length] ?? ''
  }
  return Object.fromEntries(
    plan.lines.map((line) => {
      if (!line.product) return [line.slug, emptyLine(line)]
      const why = whyThis(line, line.product, vary)
      const evidence = whatSpeaksForIt(line.product, wish, vary)
      return [line.slug, evidence ? `${why} ${evidence}` : why]
    }),
  )
}

function emptyLine({ label, allocatedCents, because }: PlanLine): string {
  const things = pluralOf(label)
  if (because.passedOver)
    return `No price is known for any of the ${things} found, the ${nameOf(because.passedOver)} among them, and a budget cannot be kept with unknown prices.`
  const kept = allocatedCents === null ? '' : ' and no money is set aside for it'
  return `None of the ${things} in the catalog could be recommended, so this stays open${kept}.`
}

function whyThis(line: PlanLine, product: Product, vary: Vary): string {
  if (line.overBudget) return overBudget(line, product, vary)
  if (line.because.passedOver) return passedOver(line, product, line.because.passedOver, vary)
  const name = `the ${nameOf(product)}`
  const things = pluralOf(line.label)
  if (line.costCents === null)
    return `${capitalised(name)} ranks first among ${things}, but no price is known for it.`
  const price = priceOf(line)
  if (line.because.upgraded)
    return vary('upgraded', [
      `${capitalised(name)}, first among ${things}, costs more than the first share for it; money from the other lines makes up the ${price}.`,
      `At ${price}, ${name} was beyond the first split of the money, but the rest could spare it, and nothing among ${things} ranks higher.`,
      `The ${price} for ${name} was found by moving money here from other lines: it ranks first of the ${things}.`,
    ])
  const room = line.allocatedCents === null ? 0 : line.allocatedCents - line.costCents
  if (room > line.costCents * 0.1)
    return vary('room', [
      `${capitalised(name)} ranks first among ${things} and, at ${price}, leaves ${usd(room)} of what was set aside for it.`,
      `Nothing dearer ranks higher than ${name}: it takes ${price} of the ${usd(line.allocatedCents ?? 0)} meant for it.`,
      `${usd(line.allocatedCents ?? 0)} was set aside here, and the first in the ranking, ${name}, needs only ${price}.`,
    ])
  return vary('first', [
    `${capitalised(name)} ranks first among ${things}, at ${price}.`,
    `First choice of the ${things}: ${name}, for ${price}.`,
    `At ${price}, ${name} is the one that ranks first of the ${things}.`,
  ])
}

function overBudget(line: PlanLine, product: Product, vary: Vary): string {
  const { allocatedCents, costCents, label } = line
  const things = pluralOf(label)
  const name = `the ${nameOf(product)}`
  const short = usd((costCents ?? 0) - (allocatedCents ?? 0))
  const standing =
    line.because.place === 1
      ? 'first in its ranking'
      : 'which costs least of those that suit nearly as well as the first'
  if (!allocatedCents)
    return vary('nothing left', [
      `There is no money left for ${things}. This is ${name}, ${standing}: its ${priceOf(line)} would be over the budget, all of it.`,
      `Nothing remains for ${things} either; the ${priceOf(line)} for ${name}, ${standing}, would come on top, over the budget.`,
    ])
  return vary('over', [
    `None of the ${things} considered fits the ${usd(allocatedCents)} left for it, so this is over the budget: ${name}, ${standing}, at ${priceOf(line)}, ${short} more than there is.`,
    `${usd(allocatedCents)} is too little for any of the ${things} considered; ${name}, ${standing}, costs ${priceOf(line)}, which is ${short} over.`,
  ])
}

function passedOver(line: PlanLine, product: Product, first: Product, vary: Vary): string {
  const name = `the ${nameOf(product)}`
  const dearer = `the ${nameOf(first)}`
  const place = ordinalOf(line.because.place)
  const wouldCost = passedOverCents(line)
  const price = priceOf(line)
  if (wouldCost === null)
    return `${capitalised(dearer)} ranks first, but without a known price it cannot be planned for; ${name} at ${price} is the highest-ranked that can.`
  const more = usd(wouldCost - (line.costCents ?? 0))
  if (line.because.place > 5)
    return vary('far down', [
      `${capitalised(name)}, ${place} in its ranking, is the highest that fits beside the rest: ${price}, against ${usd(wouldCost)} for ${dearer}, which ranks first.`,
      `Money decided here: ${name} at ${price} is only ${place} in its ranking, but everything above it, such as ${dearer} at ${usd(wouldCost)}, would break the budget.`,
    ])
  if (line.because.upgraded)
    return vary('raised', [
      `Money from other lines raised this to ${name} at ${price}, ${place} in its ranking; the first, ${dearer}, would have taken ${more} more.`,
      `More than its first share went in here, which bought ${name} (${place} in its ranking) for ${price}, though not ${dearer} at ${usd(wouldCost)}.`,
    ])
  return vary('passed', [
    `${capitalised(name)} came ${place} and costs ${price}; ${dearer} ranked first but would have taken ${more} more.`,
    `${capitalised(dearer)} ranks first at ${usd(wouldCost)}, too much beside the rest, so the choice is ${name}, ${place} in the ranking, for ${price}.`,
    `For ${price}, ${name} is the highest-ranked that leaves room for the rest; the first, ${dearer}, is ${more} dearer.`,
  ])
}

/** "$349", or for several "$240 for two". */
function priceOf(line: PlanLine): string {
  const { quantity, costCents } = line
  if (quantity === 1) return usd(costCents ?? 0)
  return `${usd(costCents ?? 0)} for ${countOf(quantity)} (${usd(eachCents(line) ?? 0)} each)`
}

function whatSpeaksForIt(product: Product, wish: Wish, vary: Vary): string {
  const { rating, reviewCount, verdict } = product
  const use = useFor(product, wish)
  const suits = use
    ? vary('use', [`it suits ${use}`, `it is good for ${use}`, `it is recommended for ${use}`])
    : ''
  if (rating === null) return suits ? `${capitalised(suits)}.` : verdict ? closed(verdict) : ''
  const stars = rating.toLocaleString('en-US', { minimumFractionDigits: 1 })
  if (reviewCount === null || reviewCount === 0)
    return `It is rated ${stars} of 5${suits && `, and ${suits}`}.`
  const count = reviewCount.toLocaleString('en-US')
  const reviews = `${count} ${reviewCount === 1 ? 'review' : 'reviews'}`
  if (reviewCount < FEW_REVIEWS)
    return `Its rating of ${stars} rests on just ${reviews}${suits && `; ${suits}`}.`
  if (rating < LOW_RATING) return `Mind the rating, ${stars} over ${reviews}${suits && `, though ${suits}`}.`
  const and = suits && `, and ${suits}`
  if (rating >= HIGH_RATING && reviewCount >= MANY_REVIEWS)
    return vary('well proven', [
      `${reviews} average ${stars} stars${and}.`,
      `Buyers give it ${stars} over ${reviews}${and}.`,
      `It holds ${stars} stars across ${reviews}${suits && `; ${suits}`}.`,
    ])
  return vary('rated', [
    `It is rated ${stars} by ${reviews}${and}.`,
    `Reviews put it at ${stars} (${count} of them)${and}.`,
    `The rating is ${stars} from ${reviews}${suits && `; ${suits}`}.`,
  ])
}

/** What it is best for, nearest to the wish; only phrases that can follow "it suits". */
function useFor({ bestFor }: Product, { query, goal, audience }: Wish): string | null {
  const wished = new Set(wordsOf([query, goal ?? '', ...audience].join(' ')))
  const shared = (phrase: string) => wordsOf(phrase).filter((word) => wished.has(word)).length
  const fitting = bestFor.filter(
    (phrase) => /^(people|an?|the|any\w+|\w+ing)\b|s$/i.test(phrase) && phrase.length <= 60,
  )
  const [best] = fitting.toSorted((a, b) => shared(b) - shared(a))
  if (!best) return null
  // "DIY tops" keep their capitals.
  const said = /^\p{Lu}\p{Ll}/u.test(best) ? `${best.charAt(0).toLowerCase()}${best.slice(1)}` : best
  return said.replace(/[.\s]+$/, '')
}

function wordsOf(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]{4,}/gu) ?? []).map((word) => word.replace(/s$/, ''))
}

/** Its first sentence, with an end. */
function closed(text: string): string {
  const sentence = /^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`
}
