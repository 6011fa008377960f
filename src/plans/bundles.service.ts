/**
 * A budgeted plan over several categories, as every face asks for it: read the wish, choose the categories, take candidates
 * from the one ranking, plan, explain. The daily limit is spent only on what is served.
 */

import {
  type BundleCategory,
  type BundleResponse,
  type ChosenCategory,
  MAX_PIECES,
  MIN_CATEGORIES,
  type Plan,
  type PlanLine,
  type PlanTexts,
  type Wish,
} from '../bundles/bundles.schema.ts'
import { chooseCategories, spansCategories, takeCategories } from '../bundles/choose-categories.ts'
import { explainPlan, type ModelWriter } from '../bundles/model-writer.ts'
import { planFitting, withCandidates } from '../bundles/plan.ts'
import { readWish } from '../bundles/read-wish.ts'
import { priceRange, productPath } from '../catalog/profile.ts'
import type { Db } from '../db/database.ts'
import type { SearchFace } from '../db/tables.search.ts'
import type { Clock } from '../lib/clock.ts'
import { AppError } from '../lib/errors.ts'
import type { Log } from '../lib/log.ts'
import { centsToDollars, formatUsd } from '../lib/money.ts'
import type { CandidatesInput } from '../search/candidates.ts'
import type { Search } from '../search/search.service.ts'
import { giveBundleBack, takeBundle } from './quota.service.ts'

type BundlesDeps = {
  db: Db
  clock: Clock
  log: Log
  search: Search
  /** Null without a configured language model. */
  writer: ModelWriter | null
}

export type PlanBundle = {
  query: string
  /** Of somebody whose email is verified. */
  userId: string
  /** Hold for every product of the plan. A filter by category rules bundles out before it comes here. */
  filters?: CandidatesInput['filters']
  /** A budget said beside the query; the lower one holds where the query names another. */
  budgetCents?: number
  /** The plan fills exactly these, at least two; without them the query decides. */
  categories?: string[]
  /** Looked for in every category beside what the query says of it. */
  wanted?: string[]
  face: SearchFace
  sessionId?: string | null
}

/** Both throw `rate_limited` over the daily limit. */
export type Bundles = {
  /** Asked for outright: whatever the query says is planned, or refused with a reason. */
  plan(input: PlanBundle): Promise<BundleResponse>
  /** Asked for outright or not; when not, null unless the query is a wish for several things that can be planned. */
  serve(input: PlanBundle & { asked: boolean }): Promise<BundleResponse | null>
}

export function createBundles(deps: BundlesDeps): Bundles {
  const { search } = deps

  const read = ({ query, budgetCents }: PlanBundle) =>
    readWish(query, search.index().vocabulary(), { budgetCents })

  async function choose({ categories, wanted = [] }: PlanBundle, wish: Wish): Promise<ChosenCategory[]> {
    const chosen = categories
      ? takeCategories(search, wish, categories)
      : await chooseCategories(search, wish)
    return chosen.map((one) => ({ ...one, query: [one.query, ...wanted].join(' ') }))
  }

  async function plan(input: PlanBundle, wish = read(input)): Promise<BundleResponse> {
    const started = performance.now()
    const refused = refusalOf(wish, input)
    if (refused) throw refused
    const chosen = await choose(input, wish)
    const taken = await takeBundle(deps, input.userId)
    try {
      const [categories, vector] = await Promise.all([
        withCandidates(search, chosen, input.filters),
        search.embed(input.query),
      ])
      const planned = planFitting({ budgetCents: wish.budget?.cents ?? null, categories })
      const texts = await explainPlan({ writer: deps.writer, plan: planned, wish, log: deps.log })
      const { query, face, sessionId, filters } = input
      const queryId = search.log(
        { query, face, sessionId, filters, limit: planned.lines.length },
        {
          productIds: planned.lines.flatMap(({ product }) => product?.id ?? []),
          mode: vector ? 'semantic' : 'keyword',
        },
        performance.now() - started,
      )
      return toResponse(queryId, planned, { ...texts, overview: `${texts.overview}${currencyNote(wish)}` })
    } catch (error) {
      await giveBundleBack(deps, taken).catch((fault) =>
        deps.log.error({ err: fault }, 'the quota of a failed bundle could not be refunded'),
      )
      throw error
    }
  }

  return {
    plan: (input) => plan(input),
    async serve({ asked, ...input }) {
      const wish = read(input)
      if (asked) return plan(input, wish)
      if (!wish.isBundle || refusalOf(wish, input)) return null
      if (!input.categories && !(await spansCategories(search, wish))) return null
      return plan(input, wish)
    },
  }
}

/** Why a wish cannot be planned as it was meant; null when it can. */
function refusalOf({ things }: Wish, { categories }: Pick<PlanBundle, 'categories'>): AppError | null {
  if (categories && new Set(categories).size < MIN_CATEGORIES)
    return new AppError(
      'invalid',
      `categories: a bundle needs at least ${MIN_CATEGORIES}; add more, or leave them out`,
      { field: 'categories' },
    )
  const many = Math.max(0, ...things.map(({ quantity }) => quantity))
  if (many > MAX_PIECES)
    return new AppError(
      'invalid',
      `A plan can have up to ${MAX_PIECES.toLocaleString('en-US')} of one product. For more, request a quote from its sellers.`,
      { field: 'query', max: MAX_PIECES },
    )
  return null
}

const LONGEST_CURRENCY = 10

/** What became of a budget in another currency. No rate is known here, so its amount counts as dollars. */
function currencyNote({ foreignCurrency, budget }: Wish): string {
  if (foreignCurrency === null || budget === null) return ''
  const named = foreignCurrency.length > LONGEST_CURRENCY ? 'this currency' : foreignCurrency
  return ` Prices are in US dollars and there is no exchange rate for ${named}, so we read your budget as ${formatUsd(budget.cents)}.`
}

function toResponse(queryId: string, plan: Plan, texts: PlanTexts): BundleResponse {
  return {
    type: 'bundle',
    query_id: queryId,
    overview: texts.overview,
    budget: centsToDollars(plan.budgetCents),
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
    budget_allocated: centsToDollars(line.allocatedCents),
    over_budget: line.overBudget,
    quantity: line.quantity,
    cost: centsToDollars(line.costCents),
    product: product && {
      slug: product.slug,
      url: productPath(product),
      title: product.title,
      price_range: priceRange(product),
      verdict: product.verdict,
    },
  }
}
