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
    return `We left this out because none of the ${things} we found, such as the ${nameOf(because.passedOver)}, has a known price.`
  const kept = allocatedCents === null ? '' : ' and takes nothing from your budget'
  return `We found no ${things} to recommend, so this stays open${kept}.`
}

function whyThis(line: PlanLine, product: Product, vary: Vary): string {
  if (line.overBudget) return overBudget(line, product, vary)
  if (line.because.passedOver) return passedOver(line, product, line.because.passedOver, vary)
  const name = `the ${nameOf(product)}`
  const things = pluralOf(line.label)
  if (line.costCents === null)
    return `${capitalised(name)} is the best match of the ${things}, but its price is unknown.`
  const price = priceOf(line)
  if (line.because.upgraded)
    return vary('upgraded', [
      `${capitalised(name)} is the best match of the ${things}; savings elsewhere made room for its ${price}.`,
      `Savings elsewhere paid for the best of the ${things}: ${name}, for ${price}.`,
      `At ${price}, ${name} takes more than its share of the budget, but no other of the ${things} matches better.`,
    ])
  const room = line.allocatedCents === null ? 0 : line.allocatedCents - line.costCents
  if (room > line.costCents * 0.1)
    return vary('room', [
      `${capitalised(name)} is the best match of the ${things} and, at ${price}, costs ${usd(room)} less than planned.`,
      `Paying more would not beat ${name}: it takes ${price} of the ${usd(line.allocatedCents ?? 0)} planned for it.`,
      `We planned ${usd(line.allocatedCents ?? 0)} here, and the best match, ${name}, needs only ${price}.`,
    ])
  return vary('first', [
    `${capitalised(name)} is the best match of the ${things}, at ${price}.`,
    `Our first choice of the ${things}: ${name}, for ${price}.`,
    `At ${price}, ${name} is the best of the ${things} for this.`,
  ])
}

function overBudget(line: PlanLine, product: Product, vary: Vary): string {
  const { allocatedCents, costCents, label } = line
  const things = pluralOf(label)
  const name = `the ${nameOf(product)}`
  const short = usd((costCents ?? 0) - (allocatedCents ?? 0))
  const standing = line.because.place === 1 ? 'the best match' : 'the lowest-priced good match'
  if (!allocatedCents)
    return vary('nothing left', [
      `There is no budget left for ${things}. This is ${name}, ${standing}: all of its ${priceOf(line)} is over budget.`,
      `Nothing is left for ${things} either; ${name}, ${standing}, would add ${priceOf(line)} over budget.`,
    ])
  return vary('over', [
    `No good match fits the ${usd(allocatedCents)} left for ${things}, so this is over budget: ${name}, ${standing}, at ${priceOf(line)}, is ${short} more.`,
    `${usd(allocatedCents)} is not enough for good ${things}; ${name}, ${standing}, costs ${priceOf(line)}, which is ${short} over budget.`,
  ])
}

function passedOver(line: PlanLine, product: Product, first: Product, vary: Vary): string {
  const name = `the ${nameOf(product)}`
  const dearer = `the ${nameOf(first)}`
  const place = ordinalOf(line.because.place)
  const wouldCost = passedOverCents(line)
  const price = priceOf(line)
  if (wouldCost === null)
    return `${capitalised(dearer)} is a better match, but its price is unknown; ${name} at ${price} is the best with a known price.`
  const more = usd(wouldCost - (line.costCents ?? 0))
  if (line.because.place > 5)
    return vary('far down', [
      `${capitalised(name)} is only the ${place} best match, but it fits the budget: ${price}, compared to ${usd(wouldCost)} for the best, ${dearer}.`,
      `The budget decided here: ${name} at ${price} is the ${place} best match, but better ones, such as ${dearer} at ${usd(wouldCost)}, do not fit.`,
    ])
  if (line.because.upgraded)
    return vary('raised', [
      `Savings elsewhere got you ${name} at ${price}, the ${place} best match; the best, ${dearer}, costs ${more} more.`,
      `We raised this share to get ${name} (the ${place} best match) for ${price}; the best, ${dearer}, costs ${usd(wouldCost)}.`,
    ])
  return vary('passed', [
    `${capitalised(name)} is the ${place} best match and costs ${price}; the best, ${dearer}, costs ${more} more.`,
    `${capitalised(dearer)} is the best match, but ${usd(wouldCost)} is too much for this budget, so we chose ${name}, the ${place} best, for ${price}.`,
    `For ${price}, ${name} is the best match that leaves enough for the rest; ${dearer} costs ${more} more.`,
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
    return `Its rating of ${stars} comes from just ${reviews}${suits && `; ${suits}`}.`
  if (rating < LOW_RATING) return `Note the rating: ${stars} from ${reviews}${suits && `, though ${suits}`}.`
  const and = suits && `, and ${suits}`
  if (rating >= HIGH_RATING && reviewCount >= MANY_REVIEWS)
    return vary('well proven', [
      `${reviews} average ${stars} stars${and}.`,
      `Buyers rate it ${stars} in ${reviews}${and}.`,
      `It has ${stars} stars from ${reviews}${suits && `; ${suits}`}.`,
    ])
  return vary('rated', [
    `It is rated ${stars} in ${reviews}${and}.`,
    `Reviewers rate it ${stars} (${reviews})${and}.`,
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
