/**
 * What managed pricing would answer now, for the producer's own eyes. Nothing is stored or sent, and the floors show only
 * as what they do to the price. How it was calculated is for those who set the rules: steps that end below the price
 * would tell every member that there is a floor, and that this is it.
 */
import { getProfiles } from '../catalog/catalog.service.ts'
import { type ChosenVariant, chooseVariant } from '../catalog/chosen-variant.ts'
import { ProductSlugInput } from '../catalog/relationships.schema.ts'
import { AppError, conflict } from '../lib/errors.ts'
import { parseInput } from '../lib/validate.ts'
import { getIntegration } from '../orgs/integration.service.ts'
import { type Act, hasRight, requireProducer } from '../orgs/producer.ts'
import { findRules, requireOwnProduct } from '../pricing/pricing.service.ts'
import type { QuoteStep } from '../pricing/quote.ts'
import type { RfqContext } from './context.ts'
import { answerManaged, type ManagedAnswer } from './managed.ts'
import { findProducersOf } from './producers.queries.ts'
import type { RfqRequest } from './rfq.schema.ts'

export type Simulated = ManagedAnswer & {
  /** Null for members below admin and for link tokens. */
  calculation: { steps: QuoteStep[]; limited: boolean } | null
}

/** The variant may be that of an earlier request, which the catalog need not list any more. */
type SimulatedRequest = Omit<RfqRequest, 'quantity' | 'variant'> & {
  variant: string | ChosenVariant | null
}

export async function simulateQuote(
  ctx: RfqContext,
  act: Pick<Act, 'caller'>,
  request: SimulatedRequest & { quantity: number },
): Promise<Simulated> {
  const simulate = await readyToSimulate(ctx, act, request)
  return simulate(request.quantity)
}

/** Reads once what the answers to all quantities go by. */
export async function readyToSimulate(
  ctx: RfqContext,
  act: Pick<Act, 'caller'>,
  request: SimulatedRequest,
): Promise<(quantity: number) => Simulated> {
  const { org, role } = await requireProducer(ctx, act.caller, 'read')
  // It would not be asked, which is not the same as having no relationship to the product.
  if (org.deactivatedAt !== null)
    throw new AppError('forbidden', `${org.name} is deactivated, so it gets no requests for quote`, {
      code: 'org_deactivated',
    })
  const slug = parseInput(ProductSlugInput, request.product_slug)
  const product = await requireOwnProduct(ctx.db, org.id, slug)
  const now = ctx.clock.now()
  const { variant: asked } = request
  const chosen =
    typeof asked === 'string' ? await chooseVariant(ctx, { productId: product.id, named: asked }) : asked
  const variantId = chosen?.id ?? null
  const [[profile], producers, integration, rules] = await Promise.all([
    getProfiles(ctx, [product.id]),
    findProducersOf(ctx.db, { productId: product.id, variantId }, now),
    getIntegration(ctx, act),
    findRules(ctx, product.id, [org.id]),
  ])
  const own = producers.find(({ id }) => id === org.id)
  if (!profile || !own) throw conflict('this was just changed; try again')
  const producer = { org: own, orgRules: integration.managedRules, productRules: rules.get(org.id) ?? null }
  const { delivery_region: deliveryRegion, deadline_iso: deadlineIso } = request
  const manages = role !== null && hasRight(role, 'manage')
  return (quantity) => {
    const answer = answerManaged(producer, { profile, variantId, quantity, deliveryRegion, deadlineIso, now })
    return { ...answer, calculation: manages ? calculationOf(answer) : null }
  }
}

function calculationOf({ quote }: ManagedAnswer): Simulated['calculation'] {
  return { steps: quote?.steps ?? [], limited: quote?.limited ?? false }
}
