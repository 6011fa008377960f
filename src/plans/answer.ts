/** A plan as the faces show it: the answer of interface 2.4, and the same with what an owner can change about it. Pure. */
import type {
  Alternative,
  BundleCategory,
  BundleResponse,
  Plan,
  PlanInput,
  PlanLine,
  PlanTexts,
} from '../bundles/bundles.schema.ts'
import { alternativesTo } from '../bundles/plan.ts'
import { priceRange, productPath } from '../catalog/profile.ts'
import { centsToDollars } from '../lib/money.ts'
import type { KeptPlan } from './kept.ts'
import type { PlanResponse, PlanSummary } from './plans.schema.ts'

export function toBundle(
  plan: Plan,
  { overview, reasonings }: PlanTexts,
  { queryId, planId }: { queryId: string; planId: string | null },
): BundleResponse {
  return {
    type: 'bundle',
    query_id: queryId,
    plan_id: planId,
    overview,
    budget: centsToDollars(plan.budgetCents),
    total: centsToDollars(plan.totalCents),
    categories: plan.lines.map((line) => toCategory(line, reasonings[line.slug] ?? '')),
  }
}

export function toCategory(line: PlanLine, reasoning: string): BundleCategory {
  const { slug, label, role, kept, quantity, product } = line
  return {
    ...{ slug, label, role, kept, reasoning },
    budget_allocated: centsToDollars(line.allocatedCents),
    over_budget: line.overBudget,
    quantity,
    cost: centsToDollars(line.costCents),
    product: product && toProduct(product),
  }
}

export function toProduct(product: Alternative['product']): NonNullable<BundleCategory['product']> {
  const { slug, title, verdict } = product
  return { slug, url: productPath(product), title, price_range: priceRange(product), verdict }
}

/** `input` has the candidates that the alternatives come from. */
export function toPlan(
  kept: KeptPlan,
  {
    plan,
    input,
    texts,
    changed = [],
  }: { plan: Plan; input: PlanInput; texts: PlanTexts; changed?: PlanResponse['changed'] },
): PlanResponse {
  const { query_id: _, ...bundle } = toBundle(plan, texts, { queryId: '', planId: kept.id })
  return {
    ...bundle,
    plan_id: kept.id,
    revision: kept.revision,
    query: kept.wish.query,
    categories: bundle.categories.map((category) => ({
      ...category,
      alternatives: alternativesTo(input, plan, category.slug).map((one) => toAlternative(one, plan)),
    })),
    left_out: kept.plan.aside.map(({ wish: { slug, label }, why }) => ({ slug, label, why })),
    upgrades: upgradesOf(plan, input),
    changed,
    ...timesOf(kept),
  }
}

export function toSummary(kept: KeptPlan): PlanSummary {
  const { id, revision, wish, plan, totalCents } = kept
  return {
    ...{ plan_id: id, revision, query: wish.query },
    budget: centsToDollars(plan.budgetCents),
    total: centsToDollars(totalCents),
    categories: plan.lines.map(({ line }) => line.label),
    ...timesOf(kept),
  }
}

function timesOf({ createdAt, updatedAt }: KeptPlan) {
  return { created_at: createdAt.toISOString(), updated_at: updatedAt.toISOString() }
}

function toAlternative({ product, costCents, totalCents, fits }: Alternative, plan: Plan) {
  return {
    product: toProduct(product),
    cost: centsToDollars(costCents),
    total: centsToDollars(totalCents),
    change: centsToDollars(totalCents === null ? null : totalCents - plan.totalCents),
    fits,
  }
}

/** For each line the best product that ranks above its own and costs more, what fits first, then what adds least. */
function upgradesOf(plan: Plan, input: PlanInput): PlanResponse['upgrades'] {
  if (plan.budgetCents === null) return []
  const costs = (one: Alternative) => (one.totalCents ?? 0) > plan.totalCents
  return plan.lines
    .flatMap((line) => {
      const ranked = rankedFor(input, plan, line.slug)
      const own = ranked.findIndex(({ product }) => product.id === line.product?.id)
      const better = (own < 0 ? ranked : ranked.slice(0, own)).filter(costs)
      const best = better.find(({ fits }) => fits) ?? better[0]
      return best && !line.kept && line.product ? [{ line: line.slug, ...toAlternative(best, plan) }] : []
    })
    .sort((a, b) => Number(b.fits) - Number(a.fits) || (a.change ?? 0) - (b.change ?? 0))
}

/** What can fill a line, best first, the product that it has among them. */
function rankedFor(input: PlanInput, plan: Plan, slug: string) {
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
