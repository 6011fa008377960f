/**
 * Splits a budget over categories and chooses a product in each. The objective, exactly: with as few categories over
 * budget as can be, the sum of points (grade.ts) of the lines within budget is the greatest whose costs sum to at most the
 * budget; then the least cost; then the first slugs, categories in order of their slugs. choose-options.ts finds it.
 * A category is over budget only when not even its cheapest product fits beside the cheapest others; it gets the
 * cheapest of those nearly as good as its best, whatever that costs. Without a budget every category gets its best.
 * Allocations: the budget is first split by median price × quantity × weight. In the end each line has its cost, and what
 * is left goes to the lines over budget, where it buys nothing, or else, in whole dollars, stays with those that spent less
 * than their first share. Their sum is at most the budget, and a line within budget never costs more than its own.
 */
import { byText } from '../lib/text.ts'
import type { CandidatesInput } from '../search/candidates.ts'
import type { Search } from '../search/search.service.ts'
import {
  type Alternative,
  type ChosenCategory,
  MIN_CATEGORIES,
  type Plan,
  type PlanInput,
  type PlanLine,
} from './bundles.schema.ts'
import { chooseOptions, type PricedOption } from './choose-options.ts'
import { gradeCandidates, type Option } from './grade.ts'

type Category = PlanInput['categories'][number]

type Draft = {
  category: Category
  /** Best first. */
  ranking: Option[]
  priced: PricedOption[]
  /** What the first split goes by; 0 when nothing can be bought. */
  level: number
}

/** A price of a category in the first split, at a thousandth of its weight. */
const WEIGHT_STEPS = 1000
const DOLLAR = 100
const NEARLY_AS_GOOD = 0.8

export function planBundle({ budgetCents: given, categories }: PlanInput): Plan {
  const budgetCents =
    given === null ? null : Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.trunc(given)))
  // Everything is worked out in the order of slugs, so that the order of the input cannot tell.
  const inOrder = categories.toSorted((a, b) => byText(a.slug, b.slug))
  const weights = inOrder.reduce((sum, { weight }) => sum + weight, 0)
  const drafts = inOrder.map((category) =>
    draftOf(category, (category.weight * inOrder.length) / weights, budgetCents !== null),
  )
  const lines = budgetCents === null ? drafts.map(bestOf) : withinBudget(drafts, budgetCents)
  const lineOf = new Map(inOrder.map((category, at) => [category, lines[at]]))
  return {
    budgetCents,
    totalCents: lines.reduce((sum, { costCents }) => sum + (costCents ?? 0), 0),
    lines: categories.flatMap((category) => lineOf.get(category) ?? []),
    dropped: [],
  }
}

function draftOf(category: Category, relativeWeight: number, spending: boolean): Draft {
  const { quantity } = category
  const ranking = gradeCandidates(category.candidates, { quantity, relativeWeight, spending })
  const priced = ranking.filter((option): option is PricedOption => option.costCents !== null)
  const costs = priced.map(({ costCents }) => costCents).sort((a, b) => a - b)
  const median = costs[costs.length >> 1]
  // At least 1, or a category of free things would count as one of nothing.
  const level = median === undefined ? 0 : Math.max(1, Math.round(median * category.weight * WEIGHT_STEPS))
  return { category, ranking, priced, level }
}

function bestOf(draft: Draft): PlanLine {
  return lineOf(draft, draft.ranking[0] ?? null, { allocatedCents: null, overBudget: false, upgraded: false })
}

function withinBudget(drafts: Draft[], budgetCents: number): PlanLine[] {
  const firstShares = split(
    budgetCents,
    drafts.map(({ level }) => level),
  )
  const fillable = drafts.filter(({ priced }) => priced.length > 0)
  const choices = chooseOptions(
    fillable.map(({ priced }) => priced),
    budgetCents,
  )
  const chosen = drafts.map((draft) => choices[fillable.indexOf(draft)] ?? null)
  const spent = chosen.reduce((sum, option) => sum + (option?.costCents ?? 0), 0)
  const overBudget = drafts.map(({ priced }, at) => priced.length > 0 && !chosen[at])
  const left = budgetCents - spent
  const unspent = drafts.map((_, at) => Math.max(0, (firstShares[at] ?? 0) - (chosen[at]?.costCents ?? 0)))
  const rest = overBudget.includes(true)
    ? split(
        left,
        drafts.map(({ level }, at) => (overBudget[at] ? level : 0)),
      )
    : split(Math.floor(left / DOLLAR), unspent).map((dollars) => dollars * DOLLAR)
  return drafts.map((draft, at) => {
    const option = chosen[at] ?? cheapestGood(draft)
    const allocatedCents = (chosen[at]?.costCents ?? 0) + (rest[at] ?? 0)
    const upgraded = chosen[at] ? isUpgrade(draft, chosen[at], firstShares[at] ?? 0) : false
    return lineOf(draft, option, { allocatedCents, overBudget: overBudget[at] ?? false, upgraded })
  })
}

/** Over budget, the cheapest of several good matches helps most. */
function cheapestGood({ priced }: Draft): PricedOption | null {
  const best = Math.max(...priced.map(({ points }) => points))
  const good = priced.filter(({ points }) => points >= best * NEARLY_AS_GOOD)
  return good.toSorted((a, b) => a.costCents - b.costCents)[0] ?? null
}

/** Better than anything the first share would have bought. */
function isUpgrade({ priced }: Draft, { points }: PricedOption, firstShareCents: number): boolean {
  const affordable = priced.find(({ costCents }) => costCents <= firstShareCents)
  return affordable === undefined || affordable.points < points
}

function lineOf(
  { category, ranking }: Draft,
  option: Option | null,
  { upgraded, ...money }: { allocatedCents: number | null; overBudget: boolean; upgraded: boolean },
): PlanLine {
  const { slug, label, role, quantity, named } = category
  const first = ranking[0]?.product ?? null
  return {
    ...{ slug, label, role, quantity, named },
    kept: option !== null && option.product.id === category.keep,
    ...money,
    product: option?.product ?? null,
    costCents: option?.costCents ?? null,
    because: {
      place: option?.place ?? 0,
      passedOver: first === option?.product || money.overBudget ? null : first,
      upgraded,
    },
  }
}

/** Whole cents in proportion to the claims, rounded down: the parts never sum to more than the amount. */
function split(cents: number, claims: number[]): number[] {
  const all = claims.reduce((sum, claim) => sum + BigInt(claim), 0n)
  return claims.map((claim) => (all === 0n ? 0 : Number((BigInt(cents) * BigInt(claim)) / all)))
}

const CANDIDATES = 40

export function withCandidates(
  search: Search,
  chosen: readonly ChosenCategory[],
  filters: CandidatesInput['filters'] = {},
): Promise<PlanInput['categories']> {
  return Promise.all(
    chosen.map(async (category) => {
      const { query, slug } = category
      const candidates = await search.candidates({ query, category: slug, filters, limit: CANDIDATES })
      return { ...category, candidates }
    }),
  )
}

/**
 * A plan that makes sense as a whole. What the shopper named stays in, over budget if it must; what we only thought of for
 * the goal is left out rather than marked, as long as two categories remain.
 */
export function planFitting({ budgetCents, categories }: PlanInput): Plan {
  const plan = planBundle({ budgetCents, categories })
  const unfilled = new Set(
    plan.lines.flatMap(({ slug, overBudget, product }) => (overBudget || !product ? [slug] : [])),
  )
  // The least relevant first, one at a time: without it the others may fit.
  const [spare] = categories
    .filter(({ slug, named }) => !named && unfilled.has(slug))
    .sort((a, b) => a.weight - b.weight || (a.slug < b.slug ? -1 : 1))
  if (!spare || categories.length <= MIN_CATEGORIES) return plan
  return planFitting({ budgetCents, categories: categories.filter((one) => one !== spare) })
}

const ALTERNATIVES = 6

/** What else could fill a line, best first, while every other line stays. */
export function alternativesTo({ categories }: PlanInput, plan: Plan, slug: string): Alternative[] {
  const category = categories.find((one) => one.slug === slug)
  const line = plan.lines.find((one) => one.slug === slug)
  if (!category) return []
  const others = plan.totalCents - (line?.costCents ?? 0)
  const ranking = gradeCandidates(category.candidates, {
    quantity: category.quantity,
    relativeWeight: 1,
    spending: plan.budgetCents !== null,
  })
  return ranking
    .filter(({ product }) => product.id !== line?.product?.id)
    .slice(0, ALTERNATIVES)
    .map(({ product, costCents }) => {
      const totalCents = costCents === null ? null : others + costCents
      const fits = plan.budgetCents === null || (totalCents !== null && totalCents <= plan.budgetCents)
      return { product, costCents, totalCents, fits }
    })
}
