/**
 * /dashboard/pricing: the rules by which Souk answers for an organization, of all products and of one, and what they come
 * to. The two limits of a product go in here and never come out again, not even into the form that was refused.
 */

import { type ProductSlug, ProductSlugInput } from '../../../catalog/relationships.schema.ts'
import { findProduct } from '../../../catalog/relationships.service.ts'
import { AppError } from '../../../lib/errors.ts'
import { getIntegration } from '../../../orgs/integration.service.ts'
import {
  getPricingRules,
  listProductRules,
  setPricingRules,
  setProductRules,
} from '../../../pricing/pricing.service.ts'
import { listMyProducts } from '../../../producers/my-products.service.ts'
import { RfqRequest } from '../../../rfq/rfq.schema.ts'
import { readyToSimulate } from '../../../rfq/simulate.service.ts'
import { type FormState, UNTOUCHED } from '../../kit/fields.tsx'
import { labelledIssues } from '../../kit/labelled-issues.ts'
import { pageNumber } from '../../kit/paging.tsx'
import { asSentences } from '../../kit/parts.tsx'
import { doneWords, sendPage } from '../../page.http.ts'
import { DONE_WORDS as AGENT_DONE } from '../agent/agent.page.tsx'
import type { DashboardDeps } from '../deps.ts'
import type { Dashboard } from '../guard.ts'
import type { Visitor } from '../page.tsx'
import { PRICING_PATH, pricingPath } from '../paths.ts'
import { REQUEST_LABELS, typedQuantity } from '../request.fields.tsx'
import { renderPricing } from './pricing.page.tsx'
import { renderProductPricing } from './product-pricing.page.tsx'
import { LIMITS, RulesForm } from './rules.form.tsx'
import type { Simulation } from './simulator.tsx'
import { VOLUME_PATH, VolumeForm } from './volume.form.tsx'

const PER_PAGE = 25
const AT_A_GLANCE = [1, 2, 5, 10, 50]
const PRODUCT_PATH = `${PRICING_PATH}/:category/:slug`
const DONE_WORDS = {
  managed: AGENT_DONE.managed,
  own: AGENT_DONE.own,
  discounts: 'The volume discounts are saved. They count from now on.',
}
const RULES_DONE = { saved: 'The rules are saved. They count from now on.' }

type Asked = { q?: string; page?: string }
type Params = { category?: string; slug?: string }

export function mountPricing(dashboard: Dashboard, { site, ctx }: DashboardDeps): void {
  dashboard.get(PRICING_PATH, 'read', async (c, visitor) => {
    const done = doneWords(DONE_WORDS, c.req.query('done'))
    return sendPage(c, await showAll(visitor, { asked: c.req.query(), state: UNTOUCHED, done }))
  })

  dashboard.post(VOLUME_PATH, {
    schema: VolumeForm,
    page: PRICING_PATH,
    render: ({ visitor, state }) => showAll(visitor, { asked: {}, state, done: null }),
    async act({ act, input: tiers }) {
      const volumeDiscounts = tiers.length === 0 ? null : tiers
      await setPricingRules(ctx, act, { productSlug: null, rules: {}, volumeDiscounts })
      return `${PRICING_PATH}?done=discounts`
    },
  })

  dashboard.get(PRODUCT_PATH, 'read', async (c, visitor) => {
    const simulation = await simulate(visitor, slugOf(c.req.param()), c.req.query())
    const done = doneWords(RULES_DONE, c.req.query('done'))
    const html = await showOne(visitor, slugOf(c.req.param()), { state: UNTOUCHED, simulation, done })
    return sendPage(c, html, { status: simulation && simulation.answer === null ? 400 : 200 })
  })

  dashboard.post(PRODUCT_PATH, {
    schema: RulesForm,
    page: (c) => pathOf(c.req.param()),
    async render({ c, visitor, state }) {
      const slug = slugOf(c.req.param())
      return showOne(visitor, slug, {
        state: withoutLimits(state),
        simulation: await simulate(visitor, slug, {}),
        done: null,
      })
    },
    async act({ c, act, input: rules }) {
      const productSlug = slugOf(c.req.param())
      await setProductRules(ctx, act, { productSlug, rules }).catch(inWordsOfTheForm)
      return `${pathOf(c.req.param())}?done=saved`
    },
  })

  async function showAll(
    visitor: Visitor,
    { asked, state, done }: { asked: Asked; state: FormState; done: string | null },
  ): Promise<string> {
    const query = (asked.q ?? '').trim().slice(0, 100)
    const page = pageNumber(asked.page)
    const [pricing, { agentCardUrl }, { products, total }] = await Promise.all([
      getPricingRules(ctx, visitor, null),
      getIntegration(ctx, visitor),
      listMyProducts(ctx, visitor, {
        relationshipType: null,
        verificationStatus: 'verified',
        query: query || null,
        hasIssues: null,
        limit: PER_PAGE,
        offset: (page - 1) * PER_PAGE,
      }),
    ])
    const ids = products.map(({ facts }) => facts.id)
    const rules = await listProductRules(ctx, visitor, ids)
    return renderPricing({
      site,
      visitor,
      pricing,
      hasCard: agentCardUrl !== null,
      products: products.map((product) => ({ product, rules: rules.get(product.facts.id) ?? null })),
      total,
      query,
      page,
      pages: Math.ceil(total / PER_PAGE),
      state,
      done,
    })
  }

  async function showOne(
    visitor: Visitor,
    slug: ProductSlug,
    shown: { state: FormState; simulation: Simulation | null; done: string | null },
  ): Promise<string> {
    const [{ product, ...pricing }, found] = await Promise.all([
      getPricingRules(ctx, visitor, slug),
      findProduct(ctx, slug),
    ])
    if (!product || !found) throw new AppError('not_found', 'there is no such product')
    return renderProductPricing({
      site,
      visitor,
      title: found.title,
      pricing: { ...pricing, product },
      ...shown,
    })
  }

  /** Null when the organization is asked for nothing. */
  async function simulate(
    visitor: Visitor,
    slug: ProductSlug,
    typed: Record<string, string>,
  ): Promise<Simulation | null> {
    if (visitor.org.deactivatedAt !== null) return null
    const parsed = RfqRequest.safeParse(
      { ...typed, quantity: typedQuantity(typed.quantity), product_slug: `${slug.category}/${slug.slug}` },
      { reportInput: true },
    )
    if (!parsed.success) {
      const errors = asSentences(labelledIssues(parsed.error, REQUEST_LABELS))
      return { state: { values: typed, errors }, answer: null, glance: [] }
    }
    const request = parsed.data
    const simulated = await readyToSimulate(ctx, visitor, request)
    const glance = AT_A_GLANCE.map((quantity) => ({ quantity, simulated: simulated(quantity) }))
    const answer = { request, simulated: simulated(request.quantity) }
    return { state: { values: typed, errors: {} }, answer, glance }
  }
}

/** What cannot be a product's name is as absent as one that is nobody's. */
function slugOf({ category = '', slug = '' }: Params): ProductSlug {
  const named = ProductSlugInput.safeParse(`${category}/${slug}`)
  if (named.success) return named.data
  throw new AppError('not_found', 'there is no such product')
}

function pathOf({ category = '', slug = '' }: Params): string {
  return pricingPath(`${encodeURIComponent(category)}/${encodeURIComponent(slug)}`)
}

function withoutLimits({ values, errors }: FormState): FormState {
  const names: readonly string[] = LIMITS
  return {
    values: Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name))),
    errors,
  }
}

/** The one conflict there is: one limit was given, and the other can no longer be read. */
function inWordsOfTheForm(error: unknown): never {
  if (error instanceof AppError && error.kind === 'conflict' && error.message.includes('limits'))
    throw new AppError(
      'conflict',
      'the limits set before can no longer be read; give both, or tick the boxes to remove them',
      { code: 'conflict', field: 'reserve_price_usd' },
    )
  throw error
}
