/** What producers see and set of the marketplace over REST, and the keys that prove quotes. */
import type { Hono } from 'hono'
import { z } from 'zod'
import { ProductSlugInput } from '../catalog/relationships.schema.ts'
import { readJson } from '../http/body.ts'
import type { HttpEnv } from '../http/env.ts'
import { toWire } from '../lib/entity.ts'
import { parseInput } from '../lib/validate.ts'
import type { ProducerGuard } from '../orgs/producer.http.ts'
import type { RfqContext } from './context.ts'
import { getReceivedRfq, listReceivedRfqs, OUTCOMES, wireReceived } from './inspector.service.ts'
import { writeAnswer } from './quote.schema.ts'
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

export function mountRfq(app: Hono<HttpEnv>, ctx: RfqContext, guard: ProducerGuard): void {
  app.get('/.well-known/jwks.json', async (c) => {
    c.header('Cache-Control', 'public, max-age=300')
    c.header('Access-Control-Allow-Origin', '*')
    return c.json(await ctx.signingKeys.published())
  })

  app.get('/api/org/rfqs', async (c) => {
    const act = await guard.sessionOrBearer(c)
    const query = parseInput(ListQuery, c.req.query())
    const { limit, product_slug: productSlug, before: beforeId, ...filter } = query
    const found = await listReceivedRfqs(ctx, act, { ...filter, productSlug, beforeId, limit: limit + 1 })
    const rfqs = found.slice(0, limit)
    const next = found.length > limit && { next: rfqs.at(-1)?.id }
    return c.json({ rfqs: rfqs.map(wireReceived), ...next }, 200, NO_STORE)
  })

  app.get('/api/org/rfqs/:id', async (c) => {
    const act = await guard.sessionOrBearer(c)
    const { attempts, limited, ...rfq } = await getReceivedRfq(ctx, act, c.req.param('id'))
    const floors = limited === null ? {} : { limited_by_floor: limited }
    return c.json({ ...wireReceived(rfq), ...floors, attempts }, 200, NO_STORE)
  })

  app.post('/api/org/pricing/simulate', async (c) => {
    const act = await guard.sessionOrBearer(c)
    const simulated = await simulateQuote(ctx, act, await readJson(c, RfqRequest))
    return c.json(wireSimulation(simulated), 200, NO_STORE)
  })
}

function wireSimulation(simulated: Simulated) {
  const { calculation, base, quote } = simulated
  const worked = {
    steps: (calculation?.steps ?? []).map(toWire),
    base_price_source: base?.source ?? null,
    ...(calculation && { limited_by_floor: calculation.limited }),
  }
  if (simulated.kind === 'decline') return { would: 'decline', reason: simulated.reason, ...worked }
  const { shippingBy, stockLeft } = quote?.kind === 'quote' ? quote : { shippingBy: null, stockLeft: null }
  return {
    would: 'quote',
    quote: writeAnswer(simulated.answer),
    ...{ shipping_by: shippingBy, stock_left: stockLeft },
    ...worked,
  }
}
