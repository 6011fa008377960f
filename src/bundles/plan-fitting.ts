/**
 * From chosen categories to a plan that makes sense as a whole. What the shopper named stays in, over budget if it must; what
 * we only thought of for the goal is left out rather than marked, as long as two categories remain.
 */
import type { CandidatesInput } from '../search/candidates.ts'
import type { Search } from '../search/search.service.ts'
import { type ChosenCategory, MIN_CATEGORIES, type Plan, type PlanInput } from './bundles.schema.ts'
import { planBundle } from './plan.ts'

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
