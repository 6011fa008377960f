/**
 * The built-in writer: a plan in words, from the plan's own figures. Every sentence is there because of a fact (a line over
 * budget, a product passed over, money left), so plans that differ read differently and the same plan always reads the
 * same. Nothing is claimed that the plan does not hold: "first" is a place in the ranking, sums are at the highest
 * prices, and what would bring a plan within budget is computed from it.
 */
import { formatUsd as usd } from '../lib/money.ts'
import type { Plan, PlanLine, PlanTexts, Wish } from './bundles.schema.ts'
import {
  capitalised,
  countOf,
  isPlural,
  listOf,
  lowestCents,
  nameOf,
  passedOverCents,
  pluralOf,
  theThing,
} from './plan-words.ts'
import { writeReasonings } from './write-reasonings.ts'

type Bought = PlanLine & { product: NonNullable<PlanLine['product']> }

const MOST_SENTENCES = 4
const LONGEST_GOAL = 60

export function writePlan(plan: Plan, wish: Wish): PlanTexts {
  return { overview: writeOverview(plan, wish), reasonings: writeReasonings(plan, wish) }
}

function writeOverview(plan: Plan, wish: Wish): string {
  const bought = plan.lines.filter((line): line is Bought => line.product !== null)
  const sentences = [
    ...(bought.length === 0
      ? [nothingFound(plan)]
      : plan.budgetCents === null
        ? withoutBudget(plan, bought, wish)
        : bought.some(({ overBudget }) => overBudget)
          ? overBudget(plan.budgetCents, plan, bought, wish)
          : withinBudget(plan.budgetCents, plan, bought, wish)),
  ]
  if (bought.length > 0) sentences.splice(1, 0, ...missing(plan))
  return sentences.slice(0, MOST_SENTENCES).join(' ')
}

function nothingFound({ lines, budgetCents }: Plan): string {
  if (lines.length === 0)
    return 'We found no matching categories, so there is nothing to plan yet. Try naming the things you need, such as a desk and a chair.'
  const where = listOf(lines.map(({ label }) => pluralOf(label)))
  const kept = budgetCents === null ? '' : ` Your ${usd(budgetCents)} is untouched.`
  return `We found nothing to recommend in ${where}.${kept}`
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
  const priced = bought.filter(({ costCents }) => costCents !== null)
  const unpriced = bought.filter(({ costCents }) => costCents === null)
  const subject = bought.length === 1 ? 'this is the best match' : 'each of these is the best match'
  const sentences = [`${opening(wish, 'Without a budget,')} ${subject} in its category.`]
  if (priced.length > 0)
    sentences.push(`${sumOf(priced)} to ${usd(totalCents)} at the highest listed prices.`)
  if (unpriced.length > 0)
    sentences.push(`The total leaves out ${listOf(unpriced.map(theThing))}, because the price is unknown.`)
  return [...sentences, ...biggest(totalCents, priced, wish), ...cheaper(totalCents, priced)]
}

function withinBudget(budgetCents: number, plan: Plan, bought: Bought[], wish: Wish): string[] {
  const { totalCents } = plan
  const left = budgetCents - totalCents
  const budget = `${wish.budget?.approximate ? 'roughly ' : ''}${usd(budgetCents)}`
  const subject = sumOf(bought)
  const goal = opening(wish, '')
  const start = goal ? `${goal} ${subject.charAt(0).toLowerCase()}${subject.slice(1)}` : subject
  const first =
    left === 0
      ? `${start} to exactly your ${budget} budget.`
      : left < budgetCents * 0.03
        ? `${start} to ${usd(totalCents)}, just ${usd(left)} under your ${budget} budget.`
        : left <= budgetCents * 0.25
          ? `${start} to ${usd(totalCents)}, ${usd(left)} under your ${budget} budget.`
          : `${start} to ${usd(totalCents)}, well under your ${budget} budget: you keep ${usd(left)}.`
  return [
    first,
    ...biggest(totalCents, bought, wish),
    ...tradeOffs(left, budgetCents, bought),
    ...cheaper(totalCents, bought),
  ]
}

function overBudget(budgetCents: number, { totalCents }: Plan, bought: Bought[], wish: Wish): string[] {
  const over = bought.filter((line) => line.overBudget)
  const within = bought.filter((line) => !line.overBudget)
  const spent = within.reduce((sum, { costCents }) => sum + (costCents ?? 0), 0)
  const overNames = listOf(over.map(theThing))
  const goal = opening(wish, '')
  const start = `${goal ? `${goal} your` : 'Your'} ${usd(budgetCents)}`
  const first =
    within.length === 0
      ? `${start} budget does not cover ${bought.length === 1 ? 'any good match' : 'any of these'}, so this shows the lowest-priced good match in each category.`
      : `${start} budget covers ${listOf(within.map(theThing))} (${usd(spent)}${within.length > 1 ? ' together' : ''}), but the remaining ${usd(budgetCents - spent)} is not enough for ${overNames}.`
  const priced = over.map(({ product, costCents }) => `the ${nameOf(product)} at ${usd(costCents ?? 0)}`)
  const second = `With ${listOf(priced)}, the total is ${usd(totalCents)}, ${usd(totalCents - budgetCents)} over budget.`
  const raise = `A budget of ${usd(totalCents)} would cover everything`
  const third = within.length === 0 ? `${raise}.` : `${raise}; without ${overNames}, you pay ${usd(spent)}.`
  return [first, second, third]
}

/** "These four come", "The office chair comes": before " to $900". */
function sumOf(bought: Bought[]): string {
  const [first, second] = bought
  if (bought.length > 2 || !first) return `These ${countOf(bought.length)} come`
  if (second) return `${capitalised(theThing(first))} and ${theThing(second)} come`
  return `${capitalised(theThing(first))} ${isPlural(first) ? 'come' : 'comes'}`
}

/** "For the home office," in the shopper's own words, if they can stand in a sentence. */
function opening({ goal, people }: Wish, otherwise: string): string {
  const words =
    goal
      ?.trim()
      .replace(/^my\b/i, 'your')
      .replace(/^our\b/i, 'your') ?? ''
  if (!/^[\p{L}\p{N}' -]{2,}$/u.test(words) || words.length > LONGEST_GOAL) return otherwise
  const named = /^(an?|the|your|his|her|their|\d)\b/i.test(words) ? words : `the ${words}`
  const forWhom = people > 1 && !/\d|\bfor\b/.test(words) ? ` for ${countOf(people)}` : ''
  return `${otherwise ? `${otherwise.slice(0, -1)} for` : 'For'} ${named}${forWhom},`
}

function biggest(totalCents: number, bought: Bought[], wish: Wish): string[] {
  const [top, next, ...others] = bought.toSorted((a, b) => (b.costCents ?? 0) - (a.costCents ?? 0))
  if (!top || !next || totalCents === 0) return []
  const most = top.costCents ?? 0
  const second = next.costCents ?? 0
  if (most === second) return []
  const asked = wish.things.some(({ category, emphasis }) => category === top.slug && emphasis === 'more')
  const wanted = asked ? ', as you wanted' : ''
  const thing = theThing(top)
  if (most * 2 > totalCents) {
    const share = most * 3 > totalCents * 2 ? 'More than two thirds' : 'More than half'
    return [`${share} of it goes to ${thing} (${usd(most)})${wanted}.`]
  }
  if (others.length > 1 && second > (others[0]?.costCents ?? 0) && (most + second) * 3 > totalCents * 2)
    return [`Most of it, ${usd(most + second)}, goes to ${thing} and ${theThing(next)}.`]
  return [`The biggest part, ${usd(most)}, goes to ${thing}${wanted}.`]
}

/** What was given up for the budget, what the moved money bought, or that nothing was given up. */
function tradeOffs(left: number, budgetCents: number, bought: Bought[]): string[] {
  const passed = bought
    .filter((line) => passedOverCents(line) !== null)
    .toSorted((a, b) => extra(b) - extra(a))
  const [line] = passed
  if (!line?.because.passedOver) {
    if (bought.some(({ because }) => because.passedOver)) return []
    if (left > budgetCents * 0.1) {
      const who = bought.length === 1 ? 'It' : 'Each'
      return [`${who} is the best match in its category, so spending more would not get you a better one.`]
    }
    return bought.length > 1 ? ['No compromises: each is the best match in its category.'] : []
  }
  const who = theThing(line)
  const first = `the ${nameOf(line.because.passedOver)}`
  const cost = usd(passedOverCents(line) ?? 0)
  const sentences = [
    passed.length === 1
      ? `The only compromise is ${who}: ${first} is a better match, but at ${cost} it does not fit the budget.`
      : `The biggest compromise is ${who}: ${first} is a better match, but at ${cost} it does not fit the budget.`,
  ]
  const upgraded = bought.filter(({ because }) => because.upgraded && because.place === 1)
  if (upgraded.length > 0)
    sentences.push(`Savings elsewhere paid for an upgrade of ${listOf(upgraded.map(theThing))}.`)
  return sentences
}

function extra(line: Bought): number {
  return (passedOverCents(line) ?? 0) - (line.costCents ?? 0)
}

/** The plan counts each product's highest shop price; says so when shops differ. */
function cheaper(totalCents: number, bought: Bought[]): string[] {
  const lowest = bought.reduce((sum, line) => sum + (lowestCents(line) ?? 0), 0)
  if (totalCents - lowest < totalCents * 0.01) return []
  return [`We use the highest shop prices; at the lowest, you pay ${usd(lowest)}.`]
}
