/**
 * What managed pricing would answer now, with the steps of the calculation, for the producer's own eyes. Nothing is
 * stored or sent, and the floors show only as what they do to the price.
 */
import { getProfiles } from '../catalog/catalog.service.ts'
import { ProductSlugInput } from '../catalog/relationships.schema.ts'
import { findProduct } from '../catalog/relationships.service.ts'
import { AppError } from '../lib/errors.ts'
import { parseInput } from '../lib/validate.ts'
import { getIntegration } from '../orgs/integration.service.ts'
import { type Deed, requireProducer } from '../orgs/producer.ts'
import { findRules } from '../pricing/pricing.service.ts'
import type { RfqContext } from './context.ts'
import { answerManaged, type ManagedAnswer } from './managed.ts'
import { findProducersOf } from './producers.queries.ts'
import type { RfqRequest } from './rfq.schema.ts'

export async function simulateQuote(
  ctx: RfqContext,
  deed: Pick<Deed, 'caller'>,
  request: RfqRequest,
): Promise<ManagedAnswer> {
  const { org } = await requireProducer(ctx, deed.caller, 'read')
  // It would not be asked, which is not the same as having no relationship to the product.
  if (org.deactivatedAt !== null)
    throw new AppError('forbidden', `${org.name} is deactivated, so it is not asked for quotes`, {
      code: 'org_deactivated',
    })
  const product = await findProduct(ctx, parseInput(ProductSlugInput, request.product_slug))
  const now = ctx.clock.now()
  const producers = product ? await findProducersOf(ctx.db, product.id, now) : []
  const own = producers.find(({ id }) => id === org.id)
  const [profile] = product && own ? await getProfiles(ctx, [product.id]) : []
  if (!product || !own || !profile)
    throw new AppError('not_found', 'your organization has no verified relationship to such a product', {
      code: 'not_found',
    })
  const [integration, rules] = await Promise.all([
    getIntegration(ctx, deed),
    findRules(ctx, product.id, [org.id]),
  ])
  const producer = { org: own, orgRules: integration.managedRules, productRules: rules.get(org.id) ?? null }
  const { quantity, delivery_region: deliveryRegion, deadline_iso: deadlineIso } = request
  return answerManaged(producer, { profile, quantity, deliveryRegion, deadlineIso, now })
}
