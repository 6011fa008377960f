/**
 * Plans lines that should stay as they are: what must stay stays, and of the rest as few change as the budget asks for. Each
 * way to hold them is a plan over fewer candidates. A plan is as good as any when as few of its lines are over budget,
 * left out or empty as can be; of those that change equally few lines, the one that spends most is taken. Pure.
 */
import type { Plan, PlanInput } from '../bundles/bundles.schema.ts'
import { alternativesTo, planFitting } from '../bundles/plan.ts'

type Category = PlanInput['categories'][number]

/** More lines than that are chosen anew together: there would be too many ways to try. */
const MOST_FREED = 3

export function planHolding({ budgetCents, categories }: PlanInput): Plan {
  const held = categories.map((one) => (one.keep ? only(one, one.keep) : one))
  const planned = (freed: readonly Category[]) =>
    planFitting({
      budgetCents,
      categories: held.map((one) => (one.prefer && !freed.includes(one) ? only(one, one.prefer) : one)),
    })
  const preferring = held.filter(({ prefer }) => prefer)
  const all = planned(preferring)
  const least = flawsOf(all, categories)
  for (let count = 0; count <= Math.min(MOST_FREED, preferring.length - 1); count++) {
    const [best] = choices(preferring, count)
      .map(planned)
      .filter((plan) => flawsOf(plan, categories) <= least)
      .sort((a, b) => b.totalCents - a.totalCents)
    if (best) return withReasons(best, { budgetCents, categories })
  }
  return withReasons(all, { budgetCents, categories })
}

function only(category: Category, productId: string): Category {
  return { ...category, candidates: category.candidates.filter(({ product }) => product.id === productId) }
}

function flawsOf(plan: Plan, categories: readonly Category[]): number {
  const good = plan.lines.filter(({ overBudget, product }) => !overBudget && product !== null)
  return categories.length - good.length
}

/** Every way to take so many, in order. */
function choices<T>(from: readonly T[], count: number): T[][] {
  if (count === 0) return [[]]
  return from.flatMap((one, at) => choices(from.slice(at + 1), count - 1).map((rest) => [one, ...rest]))
}

/** A line that was held had no rivals; its place is among all that could fill it. */
function withReasons(plan: Plan, input: PlanInput): Plan {
  const lines = plan.lines.map((line) => {
    const ranked = rankedFor(input, plan, line.slug)
    const at = ranked.findIndex(({ product }) => product.id === line.product?.id)
    const first = ranked[0]?.product ?? null
    const kept = line.product !== null && input.categories.some(({ keep }) => keep === line.product?.id)
    return {
      ...line,
      kept,
      because: {
        ...line.because,
        place: line.product === null ? 0 : at < 0 ? ranked.length + 1 : at + 1,
        passedOver: at === 0 || line.overBudget ? null : first,
      },
    }
  })
  return { ...plan, lines }
}

/** What can fill a line, best first, the product that it has among them. */
export function rankedFor(input: PlanInput, plan: Plan, slug: string) {
  const cost = plan.lines.find((line) => line.slug === slug)?.costCents ?? 0
  const without = {
    ...plan,
    totalCents: plan.totalCents - cost,
    lines: plan.lines.map((line) =>
      line.slug === slug ? { ...line, product: null, costCents: null } : line,
    ),
  }
  return alternativesTo(input, without, slug)
}
