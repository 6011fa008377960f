/**
 * What demo sellers would quote for one piece now, ranked, for pages that explain how quotes work. Nothing is stored or
 * sent. Quotes of real sellers are for those who ask them.
 */
import type { ProductProfile } from '../catalog/profile.ts'
import { idsOf } from '../lib/ids.ts'
import { findIntegrations } from '../orgs/integration-health.service.ts'
import { findRules } from '../pricing/pricing.service.ts'
import type { RfqContext } from './context.ts'
import { answerManaged } from './managed.ts'
import { findProducersOf } from './producers.queries.ts'
import type { Ranked, ReceivedQuote } from './quote.schema.ts'
import { rankQuotes } from './rank.ts'
import type { RfqRequest } from './rfq.schema.ts'

export async function previewDemoQuotes(ctx: RfqContext, profile: ProductProfile): Promise<Ranked[]> {
  const quotes = await demoQuotes(ctx, profile, { quantity: 1, delivery_region: null })
  return rankQuotes(quotes, { quantity: 1, deadline: null, now: ctx.clock.now() })
}

/** Not yet ranked. Demo sellers with agents of their own are not asked. */
export async function demoQuotes(
  ctx: RfqContext,
  profile: ProductProfile,
  { quantity, delivery_region: deliveryRegion }: Pick<RfqRequest, 'quantity' | 'delivery_region'>,
): Promise<ReceivedQuote[]> {
  const now = ctx.clock.now()
  const sellers = (await findProducersOf(ctx.db, { productId: profile.id, variantId: null }, now)).filter(
    ({ demo }) => demo,
  )
  const ids = idsOf(sellers)
  const [integrations, rules] = await Promise.all([
    findIntegrations(ctx, ids),
    findRules(ctx, profile.id, ids),
  ])
  return sellers.flatMap((org): ReceivedQuote[] => {
    const integration = integrations.get(org.id)
    if (!integration?.isManaged) return []
    const producer = { org, orgRules: integration.managedRules, productRules: rules.get(org.id) ?? null }
    const ask = { profile, quantity, variantId: null, deliveryRegion, deadlineIso: null, now }
    const given = answerManaged(producer, ask)
    if (given.kind === 'decline') return []
    const { id, name, orgType, verified, domain } = org
    return [
      {
        id,
        org: { id, name, orgType, verified, domain, demo: true },
        answer: given.answer,
        responseMs: 0,
        health: { status: 'active', failuresInARow: 0 },
      },
    ]
  })
}
