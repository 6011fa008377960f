/**
 * The built-in writer: a plan in words for the person who asked. It says what they get and pay, why each product, what was
 * given up and what more money would buy. Every sentence stands on a fact of the plan, so the same plan always reads the
 * same, and nothing is claimed that the plan does not hold.
 */
import { formatUsd as usd } from '../lib/money.ts'
import type { Plan, PlanLine, PlanTexts, Wish } from './bundles.schema.ts'
import type { Flaw } from './grade.ts'
import {
  capitalised,
  countOf,
  eachCents,
  isPlural,
  listOf,
  lowestCents,
  nameOf,
  nounOf,
  passedOverCents,
  pluralOf,
  theThing,
} from './plan-words.ts'

type Product = NonNullable<PlanLine['product']>
type Bought = PlanLine & { product: Product }

const MOST_SENTENCES = 4
const LONGEST_GOAL = 60
const LONGEST_USE = 60
const FEW_REVIEWS = 50

export function writePlan(plan: Plan, wish: Wish): PlanTexts {
  return {
    overview: writeOverview(plan, wish),
    reasonings: Object.fromEntries(plan.lines.map((line) => [line.slug, writeReasoning(line, wish)])),
  }
}

function writeOverview(plan: Plan, wish: Wish): string {
  const bought = plan.lines.filter((line): line is Bought => line.product !== null)
  if (bought.length === 0) return nothingFound(plan)
  const over = bought.filter(({ overBudget }) => overBudget)
  const sentences =
    plan.budgetCents === null
      ? [...withoutBudget(plan, bought, wish), ...missing(plan), ...cheaper(plan, bought)]
      : over.length > 0
        ? [...overBudget(plan, plan.budgetCents, bought, wish), ...missing(plan)]
        : [
            withinBudget(plan, plan.budgetCents, bought, wish),
            ...missing(plan),
            ...givenUp(plan),
            ...inTime(wish, bought),
            ...moreMoney(plan, plan.budgetCents, bought),
            ...cheaper(plan, bought),
          ]
  return sentences.slice(0, MOST_SENTENCES).join(' ')
}

function nothingFound({ lines, budgetCents }: Plan): string {
  if (lines.length === 0)
    return 'We found no matching categories, so there is nothing to plan yet. Try naming the things you need, such as a desk and a chair.'
  const kept = budgetCents === null ? '' : ` Your ${usd(budgetCents)} is untouched.`
  return `We found nothing to recommend in ${listOf(lines.map(({ label }) => pluralOf(label)))}.${kept}`
}

function missing({ lines }: Plan): string[] {
  const empty = lines.filter(({ product }) => product === null)
  if (empty.length === 0) return []
  const where = listOf(empty.map(({ label }) => pluralOf(label)))
  return [
    empty.every(({ because }) => because.passedOver)
      ? `We left out ${where}, because the products we found there have no known price.`
      : `We found nothing suitable in ${where}.`,
  ]
}

function withoutBudget({ totalCents }: Plan, bought: Bought[], wish: Wish): string[] {
  const unpriced = bought.filter(({ costCents }) => costCents === null)
  const many = bought.length > 1
  const start = `${opening(wish)}${many ? 'these are good choices that most people can live with' : 'this is a good choice'}`
  const total = unpriced.length === bought.length ? '' : `: ${usd(totalCents)}${many ? ' together' : ''}`
  return [
    `${capitalised(start)}${total}.`,
    ...(unpriced.length > 0 && unpriced.length < bought.length
      ? [`The total leaves out ${listOf(unpriced.map(theThing))}, because the price is unknown.`]
      : []),
    ...(many ? ['Tell us a budget, and we will fit the plan to it.'] : []),
  ]
}

function withinBudget({ totalCents }: Plan, budgetCents: number, bought: Bought[], wish: Wish): string {
  const left = budgetCents - totalCents
  const things = listOf(bought.map(theThing))
  const verb = bought.length > 1 || bought.some(isPlural) ? 'cost' : 'costs'
  const rest = left === 0 ? `, exactly your budget` : `, ${usd(left)} under your ${usd(budgetCents)} budget`
  return `${capitalised(`${opening(wish)}${things} ${verb} ${usd(totalCents)}${rest}`)}.`
}

function overBudget({ totalCents }: Plan, budgetCents: number, bought: Bought[], wish: Wish): string[] {
  const over = bought.filter((line) => line.overBudget)
  const within = bought.filter((line) => !line.overBudget)
  const spent = within.reduce((sum, { costCents }) => sum + (costCents ?? 0), 0)
  const things = listOf(over.map(theThing))
  const first =
    within.length === 0
      ? `${opening(wish)}your ${usd(budgetCents)} is not enough for ${things}.`
      : `${opening(wish)}your ${usd(budgetCents)} covers ${listOf(within.map(theThing))} (${usd(spent)}), but not ${things}.`
  const without = within.length === 0 ? '' : ` Without ${things} you pay ${usd(spent)}.`
  return [
    capitalised(first),
    `Everything together costs ${usd(totalCents)}, ${usd(totalCents - budgetCents)} over budget.${without}`,
  ]
}

/** What the shopper might expect and does not get. */
function givenUp({ dropped, lines }: Plan): string[] {
  if (dropped.length === 0) return []
  const good = lines.every(({ because }) => because.flaw === null)
  const things = listOf(dropped.slice(0, 3).map(({ label }) => pluralOf(label)))
  return [`We left out ${things} ${good ? 'so that the rest is good' : 'to stay within your budget'}.`]
}

function inTime({ arriveInDays }: Wish, bought: Bought[]): string[] {
  if (arriveInDays === null) return []
  const late = bought.filter(({ because }) => because.late)
  if (late.length === 0) return ['Sellers state that all of it can arrive in time.']
  return [`We do not know whether ${listOf(late.map(theThing))} can arrive in time.`]
}

/** The upgrade that gives most for the money, and how much is missing for it. */
function moreMoney({ totalCents }: Plan, budgetCents: number, bought: Bought[]): string[] {
  const left = budgetCents - totalCents
  const [best] = bought
    .flatMap((line) => (line.because.upgrade ? [{ line, ...line.because.upgrade }] : []))
    .toSorted((a, b) => a.extraCents - b.extraCents)
  if (!best || best.extraCents <= left) return []
  const { line, product, extraCents } = best
  return [`With ${usd(extraCents - left)} more, ${theThing(line)} could be the ${nameOf(product)}.`]
}

/** The plan counts each product's highest shop price; says so when shops differ. */
function cheaper({ totalCents }: Plan, bought: Bought[]): string[] {
  const lowest = bought.reduce((sum, line) => sum + (lowestCents(line) ?? 0), 0)
  if (totalCents - lowest <= totalCents * 0.01) return []
  return [`Prices are the highest we know; at the lowest you pay ${usd(lowest)}.`]
}

/** "For your home office, " in the shopper's own words, if they can stand in a sentence. */
function opening({ goal, people }: Wish): string {
  const words =
    goal
      ?.trim()
      .replace(/^my\b/i, 'your')
      .replace(/^our\b/i, 'your') ?? ''
  if (!/^[\p{L}\p{N}' -]{2,}$/u.test(words) || words.length > LONGEST_GOAL) return ''
  const named = /^(an?|the|your|his|her|their|\d)\b|^\w+ing$/i.test(words) ? words : `your ${words}`
  const forWhom = people > 1 && !/\d|\bfor\b/.test(words) ? ` for ${countOf(people)}` : ''
  return `for ${named}${forWhom}, `
}

function writeReasoning(line: PlanLine, wish: Wish): string {
  const { product, label, because } = line
  if (!product) {
    const things = pluralOf(label)
    return because.passedOver
      ? `We left this out because none of the ${things} we found, such as the ${nameOf(because.passedOver)}, has a known price.`
      : `We found no ${things} to recommend.`
  }
  return [whyThis(line, product, wish), ...tradeOff(line, product), ...unsettled(line)].join(' ')
}

/** Who it suits and what buyers say of it. */
function whyThis(line: PlanLine, product: Product, wish: Wish): string {
  const name = `the ${nameOf(product)}`
  const price = line.costCents === null ? 'price unknown' : priceOf(line)
  const use = useFor(product, wish)
  const rated = ratingOf(product)
  const kept = line.kept ? 'You chose to keep ' : ''
  if (kept) return `${kept}${name}: ${price}.${rated ? ` ${capitalised(rated)}.` : ''}`
  const suits = use ? ` suits ${use}` : ''
  const facts = [suits && `it${suits}`, rated].filter(Boolean)
  const start = `${capitalised(name)}, ${price}`
  return facts.length === 0 ? `${start}.` : `${start}: ${facts.join(', and ')}.`
}

const FLAWS: Record<Flaw, string> = {
  late: 'No seller states that it arrives in time; ask them before you buy.',
  rating: 'Buyers rate it low, but nothing better fits your budget.',
  verdict: 'Reviewers are not convinced of it, but nothing better fits your budget.',
  not_the_thing: 'It is not quite what you asked for, but nothing closer fits your budget.',
  other_use: 'It is made for a use of its own, but nothing closer fits your budget.',
  for_others: 'It is made for others than you named, but nothing closer fits your budget.',
  denied: 'It does not meet everything you asked for, and nothing here does.',
  too_dear: 'It costs more than you wanted to spend on it, because nothing cheaper will do.',
  share: 'It takes a large part of your budget, because nothing cheaper will do.',
}

function tradeOff(line: PlanLine, product: Product): string[] {
  const { because, overBudget, allocatedCents, costCents, label } = line
  if (overBudget) {
    const left = allocatedCents ?? 0
    return [
      left > 0
        ? `No good ${pluralOf(label)} cost ${usd(left)} or less, which is what is left: it is ${usd((costCents ?? 0) - left)} over.`
        : `Nothing is left for it: all of it is over budget.`,
    ]
  }
  if (because.flaw) return [FLAWS[because.flaw]]
  const first = because.passedOver
  if (!first) return []
  const cost = passedOverCents(line)
  const dearer = `the ${nameOf(first)}`
  if (cost === null) return [`${capitalised(dearer)} might suit you better, but its price is unknown.`]
  const extra = cost - (costCents ?? 0)
  if (extra <= 0) return []
  const stars = (first.rating ?? 0) > (product.rating ?? 0) ? ` (${starsOf(first)})` : ''
  return [`${capitalised(dearer)}${stars} is better still, for ${usd(extra)} more.`]
}

/** What has to be looked at before it is bought. */
function unsettled({ because: { holds, open } }: PlanLine): string[] {
  const other = holds && nounOf({ label: holds.label, quantity: 1 })
  const held =
    holds?.fits === null
      ? [`Check that it fits the ${other}: the sizes are not stated.`]
      : holds?.fits === false
        ? [`It does not fit the ${other}, but nothing that does fits your budget.`]
        : []
  return [...held, ...(open ? ['Its facts do not say everything you asked for; check before you buy.'] : [])]
}

/** "$349", or for several "$240 for two ($120 each)". */
function priceOf(line: PlanLine): string {
  const { quantity, costCents } = line
  if (quantity === 1) return usd(costCents ?? 0)
  return `${usd(costCents ?? 0)} for ${countOf(quantity)} (${usd(eachCents(line) ?? 0)} each)`
}

function ratingOf(product: Product): string {
  const { rating, reviewCount } = product
  if (rating === null) return ''
  const stars = starsOf(product)
  if (!reviewCount) return `it is rated ${stars} of 5`
  const reviews = `${reviewCount.toLocaleString('en-US')} ${reviewCount === 1 ? 'review' : 'reviews'}`
  return reviewCount < FEW_REVIEWS
    ? `its ${stars} stars come from just ${reviews}`
    : `${reviews} give it ${stars} stars`
}

function starsOf({ rating }: Product): string {
  return (rating ?? 0).toLocaleString('en-US', { minimumFractionDigits: 1 })
}

/** What it is best for, nearest to the wish; only phrases that can follow "it suits". */
function useFor({ bestFor }: Product, { query, goal, audience }: Wish): string | null {
  const wished = new Set(wordsOf([query, goal ?? '', ...audience].join(' ')))
  const shared = (phrase: string) => wordsOf(phrase).filter((word) => wished.has(word)).length
  const fitting = bestFor.filter(
    (phrase) => /^(people|an?|the|any\w+|\w+ing)\b|s$/i.test(phrase) && phrase.length <= LONGEST_USE,
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
