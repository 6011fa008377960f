/**
 * A budgeted plan over several categories, as every face asks for it: read the wish, choose the categories, take candidates
 * from the one ranking, plan, explain. The daily limit is spent only on what is served.
 */
import { priceRange, productPath } from '../catalog/profile.ts'
import type { Db } from '../db/database.ts'
import type { SearchFace } from '../db/tables.search.ts'
import type { Clock } from '../lib/clock.ts'
import { AppError } from '../lib/errors.ts'
import type { Log } from '../lib/log.ts'
import { centsToDollars } from '../lib/money.ts'
import type { CandidatesInput } from '../search/candidates.ts'
import type { Search } from '../search/search.service.ts'
import type { BundleCategory, BundleResponse, Plan, PlanLine, PlanTexts, Wish } from './bundles.schema.ts'
import { chooseCategories, spansCategories } from './choose-categories.ts'
import { explainPlan, type ModelWriter } from './model-writer.ts'
import { planFitting, withCandidates } from './plan-fitting.ts'
import { giveBundleBack, takeBundle } from './quota.service.ts'
import { readWish } from './read-wish.ts'

export type BundlesDeps = {
  db: Db
  clock: Clock
  log: Log
  search: Search
  /** Null without a configured language model. */
  writer: ModelWriter | null
}

export type ServeBundle = {
  query: string
  /** Of somebody whose email is verified. */
  userId: string
  /** Asked for outright; otherwise only a wish for several things gets one. */
  asked: boolean
  /** Hold for every product of the plan. A filter by category rules bundles out before it comes here. */
  filters?: CandidatesInput['filters']
  face: SearchFace
  sessionId?: string | null
}

export type Bundles = {
  /** Null when the query is no wish for several things. Throws `rate_limited` over the daily limit. */
  serve(input: ServeBundle): Promise<BundleResponse | null>
}

export function createBundles(deps: BundlesDeps): Bundles {
  const { search } = deps

  return {
    async serve(input) {
      const started = performance.now()
      const wish = readWish(input.query, search.index().vocabulary())
      if (!input.asked && !wish.isBundle) return null
      if (wish.foreignCurrency !== null) {
        if (!input.asked) return null
        throw inForeignCurrency(wish)
      }
      if (!input.asked && !(await spansCategories(search, wish))) return null
      const chosen = await chooseCategories(search, wish)

      const taken = await takeBundle(deps, input.userId)
      try {
        const [categories, vector] = await Promise.all([
          withCandidates(search, chosen, input.filters),
          search.embed(input.query),
        ])
        const plan = planFitting({ budgetCents: wish.budget?.cents ?? null, categories })
        const texts = await explainPlan({ writer: deps.writer, plan, wish, log: deps.log })
        const { query, face, sessionId, filters } = input
        const queryId = search.log(
          { query, face, sessionId, filters, limit: plan.lines.length },
          {
            productIds: plan.lines.flatMap(({ product }) => product?.id ?? []),
            mode: vector ? 'semantic' : 'keyword',
          },
          performance.now() - started,
        )
        return toResponse(queryId, plan, texts)
      } catch (error) {
        await giveBundleBack(deps, taken).catch((fault) =>
          deps.log.error({ err: fault }, 'a bundle that was not served could not be given back'),
        )
        throw error
      }
    },
  }
}

function inForeignCurrency({ foreignCurrency }: Wish): AppError {
  return new AppError(
    'invalid',
    `Prices here are in US dollars, so a budget in ${foreignCurrency} cannot be kept exactly. Say it in dollars, for example: under $950.`,
    { field: 'query' },
  )
}

function toResponse(queryId: string, plan: Plan, texts: PlanTexts): BundleResponse {
  return {
    type: 'bundle',
    query_id: queryId,
    overview: texts.overview,
    budget: dollars(plan.budgetCents),
    total: centsToDollars(plan.totalCents),
    categories: plan.lines.map((line) => toCategory(line, texts.reasonings[line.slug] ?? '')),
  }
}

function toCategory(line: PlanLine, reasoning: string): BundleCategory {
  const { product } = line
  return {
    slug: line.slug,
    label: line.label,
    reasoning,
    budget_allocated: dollars(line.allocatedCents),
    over_budget: line.overBudget,
    quantity: line.quantity,
    cost: dollars(line.costCents),
    product: product && {
      slug: product.slug,
      url: productPath(product),
      title: product.title,
      price_range: priceRange(product),
      verdict: product.verdict,
    },
  }
}

function dollars(cents: number | null): number | null {
  return cents === null ? null : centsToDollars(cents)
}
