/**
 * A plan as facts: what a language model is told of it, and which figures and names a text about it may hold. Both come from
 * here, so a model is never told a figure that its answer may not repeat. Lines are numbered; no ids or slugs go out.
 */
import { formatUsd as usd } from '../lib/money.ts'
import type { Plan, PlanLine, Wish } from './bundles.schema.ts'
import { costOf } from './grade.ts'
import { eachCents, lowestCents, nameOf, nounOf, passedOverCents, pluralOf } from './plan-words.ts'

type Product = NonNullable<PlanLine['product']>

export type Figures = {
  cents: Set<number>
  /** Counts, ratings, places. */
  numbers: Set<number>
  /** Whole percents. */
  percents: Set<number>
  /** How many lines there are. */
  lines: number
}

type Part = Omit<Figures, 'lines'>

export type Names = {
  /** Whole names, longest first: they may hold digits and capitals of their own. */
  phrases: string[]
  /** Words of those names, lower case. */
  words: Set<string>
}

export function describePlan(plan: Plan, wish: Wish): object {
  const { budgetCents, totalCents, lines } = plan
  const money = (cents: number | null) => (cents === null ? undefined : usd(cents))
  return {
    shopper_said: wish.query,
    goal: wish.goal ?? undefined,
    people: wish.people > 1 ? wish.people : undefined,
    budget: money(budgetCents),
    total: usd(totalCents),
    left_out: plan.dropped.map(({ label }) => label),
    left_over: budgetCents !== null && totalCents <= budgetCents ? usd(budgetCents - totalCents) : undefined,
    over_by: budgetCents !== null && totalCents > budgetCents ? usd(totalCents - budgetCents) : undefined,
    lines: lines.map((line, at) => ({
      line: at + 1,
      category: line.label,
      quantity: line.quantity,
      product: line.product ? nameOf(line.product) : null,
      full_title: line.product?.title,
      price_each: money(eachCents(line)),
      cost: money(line.costCents),
      set_aside: money(line.allocatedCents),
      over_budget: line.overBudget,
      place_in_ranking: line.product ? line.because.place : undefined,
      role: line.role,
      kept_by_the_shopper: line.kept || undefined,
      weakness: line.because.flaw ?? undefined,
      ranked_first_but_not_chosen: line.because.passedOver
        ? { product: nameOf(line.because.passedOver), cost: money(passedOverCents(line)) ?? 'no known price' }
        : undefined,
      more_money_would_buy: line.because.upgrade
        ? { product: nameOf(line.because.upgrade.product), extra: usd(line.because.upgrade.extraCents) }
        : undefined,
      rating: line.product?.rating ?? undefined,
      reviews: line.product?.reviewCount ?? undefined,
      good_for: line.product?.bestFor,
      verdict: line.product?.verdict ?? undefined,
    })),
  }
}

/** What may be said of one line: its own figures and those of the whole. */
export function figuresOfLine(plan: Plan, wish: Wish, line: PlanLine): Figures {
  return join(plan, [ofWhole(plan, wish), ofLine(plan, line)])
}

export function figuresOfPlan(plan: Plan, wish: Wish): Figures {
  return join(plan, [ofWhole(plan, wish), ...plan.lines.map((line) => ofLine(plan, line))])
}

function ofWhole({ budgetCents, totalCents, lines }: Plan, wish: Wish): Part {
  const spent = lines.reduce((sum, line) => sum + (line.overBudget ? 0 : (line.costCents ?? 0)), 0)
  const lowest = lines.reduce((sum, line) => sum + (lowestCents(line) ?? 0), 0)
  const [most = 0, next = 0] = lines.map(({ costCents }) => costCents ?? 0).sort((a, b) => b - a)
  const cents = new Set([totalCents, spent, lowest, most + next])
  const percents = new Set<number>()
  if (budgetCents !== null) {
    for (const amount of [budgetCents, Math.abs(budgetCents - totalCents), budgetCents - spent])
      cents.add(amount)
    addShare(percents, totalCents, budgetCents)
    addShare(percents, budgetCents - totalCents, budgetCents)
  }
  const filled = lines.filter(({ product }) => product).length
  return { cents, percents, numbers: new Set([lines.length, filled, wish.people]) }
}

function ofLine(plan: Plan, line: PlanLine): Part {
  const { costCents, allocatedCents, quantity, product, because } = line
  const passed = passedOverCents(line)
  const cents = [
    costCents,
    allocatedCents,
    eachCents(line),
    lowestCents(line),
    product?.priceLowCents,
    passed,
  ]
  if (because.passedOver) cents.push(costOf(because.passedOver, 1), because.passedOver.priceLowCents)
  if (costCents !== null && allocatedCents !== null) cents.push(Math.abs(allocatedCents - costCents))
  if (costCents !== null && passed !== null) cents.push(Math.abs(passed - costCents))
  if (because.upgrade) {
    const { product: better, extraCents } = because.upgrade
    const left = Math.max(0, (plan.budgetCents ?? 0) - plan.totalCents)
    cents.push(extraCents, extraCents - left, costOf(better, quantity), costOf(better, 1))
  }
  const numbers = [quantity, because.place, product?.rating, product?.reviewCount, because.passedOver?.rating]
  const percents = new Set<number>()
  addShare(percents, costCents ?? 0, plan.totalCents)
  addShare(percents, costCents ?? 0, plan.budgetCents ?? 0)
  return { cents: known(cents), numbers: known(numbers), percents }
}

function addShare(percents: Set<number>, part: number, whole: number): void {
  if (whole > 0 && part >= 0) percents.add(Math.round((part * 100) / whole))
}

function known(values: Array<number | null | undefined>): Set<number> {
  return new Set(values.filter((value) => typeof value === 'number'))
}

function join({ lines }: Plan, parts: Part[]): Figures {
  const merge = (key: keyof Part) => new Set(parts.flatMap((part) => [...part[key]]))
  const [cents, numbers, percents] = [merge('cents'), merge('numbers'), merge('percents')]
  return { cents, numbers, percents, lines: lines.length }
}

function productsOf({ lines }: Plan): Product[] {
  return lines.flatMap(({ product, because }) =>
    [product, because.passedOver, because.upgrade?.product ?? null].filter((one) => one !== null),
  )
}

/** Names that can stand for this product. */
export function namesOf({ title, brand, model, ...rest }: Product): string[] {
  const short = nameOf({ title, brand, model, ...rest })
  // A model called "27" or "X" would let any 27 or X pass.
  const alone = model && model.length > 2 && /\p{L}/u.test(model) ? [model] : []
  return [title, short, ...alone, ...(brand ? [brand] : [])]
}

export function namesIn(plan: Plan): Names {
  const phrases = [
    ...productsOf(plan).flatMap(namesOf),
    ...plan.dropped.flatMap(({ label }) => [label, pluralOf(label)]),
    ...plan.lines.flatMap((line) => [line.label, pluralOf(line.label), nounOf({ ...line, quantity: 1 })]),
  ]
  const words = new Set(phrases.flatMap((phrase) => phrase.toLowerCase().split(/[\s,()/]+/)))
  return { phrases: [...new Set(phrases)].sort((a, b) => b.length - a.length), words }
}

/** Everything written about the products of the plan: a claim made there may be repeated. */
export function saidInPlan(plan: Plan): string {
  const texts = productsOf(plan).flatMap(({ title, verdict, bestFor }) => [title, verdict ?? '', ...bestFor])
  return [...texts, ...plan.lines.map(({ label }) => label)].join(' \n ')
}
