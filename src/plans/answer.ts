/** A plan as the faces show it: the answer of interface 2.4, and the same with what an owner can change about it. Pure. */
import type {
  Alternative,
  BundleCategory,
  BundleResponse,
  Plan,
  PlanLine,
  PlanTexts,
} from '../bundles/bundles.schema.ts'
import { priceRange, productPath } from '../catalog/profile.ts'
import { centsToDollars } from '../lib/money.ts'

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
