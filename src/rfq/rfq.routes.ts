/** What producers see and set of the marketplace over REST, and the keys that prove quotes. */
import type { Hono } from 'hono'
import { z } from 'zod'
import { ProductSlugInput } from '../catalog/relationships.schema.ts'
import { readJson } from '../http/body.ts'
import type { HttpEnv } from '../http/env.ts'
import { centsToDollars } from '../lib/money.ts'
import { parseInput } from '../lib/validate.ts'
import type { ProducerDoor } from '../orgs/producer.http.ts'
import { ProductRules } from '../pricing/pricing.schema.ts'
import { getProductRules, setProductRules } from '../pricing/pricing.service.ts'
import { writeAnswer } from './answer.ts'
import type { RfqContext } from './context.ts'
import { getReceivedRfq, listReceivedRfqs, OUTCOMES, type ReceivedRfqRow } from './inspector.service.ts'
import { RfqRequest, Since } from './rfq.schema.ts'
import { type Simulated, simulateQuote } from './simulate.service.ts'

const ListQuery = z.object({
  since: Since.optional(),
  product_slug: ProductSlugInput.optional(),
  outcome: z.enum(OUTCOMES).optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
  before: z.uuid('must be the rfq_id of the last one seen').optional(),
})

/** What one organization is shown is not for a cache between it and us. */
const NO_STORE = { 'Cache-Control': 'no-store' }
const SetRules = ProductRules.extend({ product_slug: ProductSlugInput })

export function mountRfq(app: Hono<HttpEnv>, ctx: RfqContext, door: ProducerDoor): void {
  app.get('/.well-known/jwks.json', async (c) => {
    c.header('Cache-Control', 'public, max-age=300')
    c.header('Access-Control-Allow-Origin', '*')
    return c.json(await ctx.signingKeys.published())
  })

  app.get('/api/org/rfqs', async (c) => {
    const deed = await door.sessionOrBearer(c)
    const query = parseInput(ListQuery, c.req.query())
    const found = await listReceivedRfqs(ctx, deed, {
      since: query.since,
      productSlug: query.product_slug,
      outcome: query.outcome,
      limit: query.limit + 1,
      beforeId: query.before,
    })
    const rfqs = found.slice(0, query.limit)
    const next = found.length > query.limit && { next: rfqs.at(-1)?.id }
    return c.json({ rfqs: rfqs.map(wireRfq), ...next }, 200, NO_STORE)
  })

  app.get('/api/org/rfqs/:id', async (c) => {
    const deed = await door.sessionOrBearer(c)
    const { attempts, ...rfq } = await getReceivedRfq(ctx, deed, c.req.param('id'))
    return c.json({ ...wireRfq(rfq), attempts }, 200, NO_STORE)
  })

  app.get('/api/org/pricing', async (c) => {
    const deed = await door.sessionOrBearer(c)
    const { product_slug } = parseInput(z.object({ product_slug: ProductSlugInput }), c.req.query())
    const { productSlug, rules } = await getProductRules(ctx, deed, product_slug)
    return c.json({ product_slug: productSlug, rules }, 200, NO_STORE)
  })

  app.patch('/api/org/pricing', async (c) => {
    const deed = await door.sessionOrBearer(c)
    const { product_slug, ...rules } = await readJson(c, SetRules)
    await setProductRules(ctx, deed, { productSlug: product_slug, rules })
    return c.json({ ok: true })
  })

  app.post('/api/org/pricing/simulate', async (c) => {
    const deed = await door.sessionOrBearer(c)
    const simulated = await simulateQuote(ctx, deed, await readJson(c, RfqRequest))
    return c.json(wireSimulation(simulated), 200, NO_STORE)
  })
}

function wireRfq(rfq: ReceivedRfqRow) {
  return {
    rfq_id: rfq.id,
    product_slug: rfq.productSlug,
    product_title: rfq.productTitle,
    quantity: rfq.quantity,
    delivery_region: rfq.deliveryRegion,
    deadline_iso: rfq.deadlineIso,
    state: rfq.state,
    asked_at: rfq.askedAt,
    answered_by: rfq.kind,
    tries: rfq.tries,
    outcome: rfq.outcome,
    verdict: rfq.verdict,
    reason: rfq.reason,
    response_ms: rfq.responseMs,
    answer: rfq.answer,
    rank: rfq.rank,
    quotes: rfq.quotes,
    loss_reason: rfq.lossReason,
    clicks: rfq.clicks,
  }
}

export function wireSimulation(simulated: Simulated) {
  const { calculation } = simulated
  const steps = (calculation?.steps ?? []).map(({ label, unitPriceCents }) => ({
    label,
    unit_price_usd: centsToDollars(unitPriceCents),
  }))
  return simulated.kind === 'decline'
    ? { would: 'decline', reason: simulated.reason, steps }
    : {
        would: 'quote',
        quote: writeAnswer(simulated.answer),
        steps,
        ...(calculation && { limited_by_floor: calculation.limited }),
      }
}
