/**
 * A budgeted plan over several categories, as every face asks for it: read the wish, choose the categories, take candidates
 * from the one ranking, plan, explain. The daily limit is spent only on what is served.
 */

import type { Visit } from '../accounts/context.ts'
import {
  type BundleResponse,
  type ChosenCategory,
  MAX_PIECES,
  MIN_CATEGORIES,
  type Wish,
} from '../bundles/bundles.schema.ts'
import { chooseCategories, spansCategories, takeCategories } from '../bundles/choose-categories.ts'
import { explainPlan } from '../bundles/model-writer.ts'
import { planFitting, withCandidates } from '../bundles/plan.ts'
import { readWish } from '../bundles/read-wish.ts'
import type { SearchFace } from '../db/tables.search.ts'
import { type AppError, invalid } from '../lib/errors.ts'
import type { CandidatesInput } from '../search/candidates.ts'
import { toBundle } from './answer.ts'
import { withDelivery } from './delivery.ts'
import { storedPlan } from './kept.ts'
import { keepPlan, type PlansContext } from './plans.service.ts'
import { giveBack, takeBundle } from './quota.service.ts'
import { currencyNote } from './wish-notes.ts'

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
  visit?: Visit
}

/** Of a plan that is made for nobody in particular. */
export type SketchBundle = Pick<PlanBundle, 'query' | 'filters' | 'budgetCents' | 'categories' | 'wanted'>

/** `plan` and `serve` keep what they make for the person, and throw `rate_limited` over the daily limit. */
export type Bundles = {
  /** Asked for outright: whatever the query says is planned, or refused with a reason. */
  plan(input: PlanBundle): Promise<BundleResponse>
  /** Asked for outright or not; when not, null unless the query is a wish for several things that can be planned. */
  serve(input: PlanBundle & { asked: boolean }): Promise<BundleResponse | null>
  /** A plan to show anybody: counted for nobody, kept for nobody and not logged as a search. */
  sketch(input: SketchBundle): Promise<BundleResponse>
}

export function createBundles(deps: PlansContext): Bundles {
  const { search } = deps

  const read = async ({ query, budgetCents }: SketchBundle) =>
    search.reading((index) => readWish(query, index.vocabulary(), { budgetCents, now: deps.clock.now() }))

  async function choose({ categories, wanted = [] }: SketchBundle, wish: Wish): Promise<ChosenCategory[]> {
    const chosen = categories
      ? await search.reading((index) => takeCategories(index, wish, categories))
      : await chooseCategories(search, wish)
    return chosen.map((one) => ({ ...one, query: [one.query, ...wanted].join(' ') }))
  }

  async function draw(input: SketchBundle, wish: Wish, chosen: ChosenCategory[]) {
    const categories = await withCandidates(search, chosen, input.filters)
    const budgetCents = wish.budget?.cents ?? null
    const plan = planFitting(await withDelivery(deps, wish, { budgetCents, categories }))
    const texts = await explainPlan({ writer: deps.writer, plan, wish, log: deps.log })
    return { plan, texts: { ...texts, overview: `${texts.overview}${currencyNote(wish)}` } }
  }

  async function plan(input: PlanBundle, wish: Wish): Promise<BundleResponse> {
    const started = performance.now()
    const refused = refusalOf(wish, input)
    if (refused) throw refused
    const chosen = await choose(input, wish)
    const taken = await takeBundle(deps, input.userId)
    try {
      const [drawn, vector] = await Promise.all([draw(input, wish, chosen), search.embed(input.query)])
      const { query, face, sessionId, filters, wanted = [], userId, visit } = input
      const { id } = await keepPlan(
        deps,
        { userId, visit },
        {
          ...{ wish, asked: { filters: filters ?? {}, wanted }, totalCents: drawn.plan.totalCents },
          plan: storedPlan(drawn.plan, drawn.texts, { wishes: chosen }),
        },
      )
      const queryId = search.log(
        { query, face, sessionId, filters, limit: drawn.plan.lines.length },
        {
          productIds: drawn.plan.lines.flatMap(({ product }) => product?.id ?? []),
          mode: vector ? 'semantic' : 'keyword',
        },
        performance.now() - started,
      )
      return toBundle(drawn.plan, drawn.texts, { queryId, planId: id })
    } catch (error) {
      await giveBack(deps, taken).catch((fault) =>
        deps.log.error({ err: fault }, 'the quota of a failed bundle could not be refunded'),
      )
      throw error
    }
  }

  return {
    plan: async (input) => plan(input, await read(input)),
    async sketch(input) {
      const wish = await read(input)
      const refused = refusalOf(wish, input)
      if (refused) throw refused
      const { plan, texts } = await draw(input, wish, await choose(input, wish))
      return toBundle(plan, texts, { queryId: '', planId: null })
    },
    async serve({ asked, ...input }) {
      const wish = await read(input)
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
    return invalid(
      'categories',
      `categories: a bundle needs at least ${MIN_CATEGORIES}; add more, or leave them out`,
    )
  const many = Math.max(0, ...things.map(({ quantity }) => quantity))
  if (many > MAX_PIECES)
    return invalid(
      'query',
      `A plan can have up to ${MAX_PIECES.toLocaleString('en-US')} of one product. For more, request a quote from its sellers.`,
      { max: MAX_PIECES },
    )
  return null
}
