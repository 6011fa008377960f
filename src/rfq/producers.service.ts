/** Who a request goes to, with what is needed to ask them: how they answer, by which rules, and how often they were asked. */

import { idsOf } from '../lib/ids.ts'
import { findIntegrations, type RfqIntegration } from '../orgs/integration-health.service.ts'
import type { ProductPricing } from '../pricing/pricing.schema.ts'
import { findRules } from '../pricing/pricing.service.ts'
import { findTries } from './attempts.queries.ts'
import type { RfqContext } from './context.ts'
import { findProducersOf, type ProducerRow } from './producers.queries.ts'
import type { Rfq } from './rfq.queries.ts'

export type Asked = {
  org: ProducerRow
  integration: RfqIntegration
  productRules: ProductPricing | null
  /** How often it was asked before, by a node that died. */
  tries: number
}

/**
 * Everybody who sells or makes it and has told how they answer; those who have answered already are left out.
 * `isFirst`: no node has asked anybody before.
 */
export async function findAsked(
  ctx: RfqContext,
  rfq: Pick<Rfq, 'id' | 'productId' | 'variant'>,
): Promise<{ asked: Asked[]; isFirst: boolean }> {
  const producers = await findProducersOf(
    ctx.db,
    { productId: rfq.productId, variantId: rfq.variant?.id ?? null },
    ctx.clock.now(),
  )
  const ids = idsOf(producers)
  const [integrations, rules, tries] = await Promise.all([
    findIntegrations(ctx, ids),
    findRules(ctx, rfq.productId, ids),
    findTries(ctx.db, rfq.id),
  ])
  const triesOf = new Map(tries.map((entry) => [entry.orgId, entry]))
  const asked = producers.flatMap((org) => {
    const integration = integrations.get(org.id)
    const before = triesOf.get(org.id)
    if (!integration || before?.settled) return []
    if (!integration.isManaged && integration.agentCardUrl === null) return []
    return [{ org, integration, productRules: rules.get(org.id) ?? null, tries: before?.tries ?? 0 }]
  })
  return { asked, isFirst: tries.length === 0 }
}
