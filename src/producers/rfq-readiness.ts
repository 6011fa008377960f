/**
 * Whether a request for quote for a product would reach its producer and be answered. The same conditions as the fan-out
 * has; what managed pricing would say is asked of managed pricing itself, so the two cannot drift.
 */
import { answerManaged, type ManagedAnswer } from '../rfq/managed.ts'
import { isLive, isVerified, type OfferFacts, type OrgFacts, type ProductFacts } from './facts.ts'

export const RFQ_READINESS = [
  'ready',
  'organization_deactivated',
  'claim_not_verified',
  'no_way_to_answer',
  'no_quote_possible',
  'out_of_stock',
  'agent_unreachable',
] as const
export type RfqReadiness = (typeof RFQ_READINESS)[number]

export function rfqReadiness(product: ProductFacts, org: OrgFacts, now: Date): RfqReadiness {
  const { isManaged, hasCard, status } = org.integration
  if (org.deactivated) return 'organization_deactivated'
  if (!isVerified(product)) return 'claim_not_verified'
  // Nobody is asked for it, whatever the rules say of stock.
  if (product.discontinued) return 'out_of_stock'
  if (isManaged) return managedReadiness(askManaged(product, org, now))
  if (!hasCard) return 'no_way_to_answer'
  return status === 'unreachable' ? 'agent_unreachable' : 'ready'
}

/** Why managed pricing could quote not even one of it; null when it could. */
export function managedDecline(product: ProductFacts, org: OrgFacts, now: Date): string | null {
  const answer = askManaged(product, org, now)
  return answer.kind === 'decline' ? answer.reason : null
}

/** Limits are set and cannot be opened: nothing is quoted, because it could be below them. */
export function limitsLost({ pricing }: Pick<ProductFacts, 'pricing'>): boolean {
  return pricing !== null && pricing.floors === null
}

function managedReadiness(answer: ManagedAnswer): RfqReadiness {
  if (answer.kind === 'decline') return 'no_quote_possible'
  return answer.answer.inStock ? 'ready' : 'out_of_stock'
}

function askManaged(product: ProductFacts, org: OrgFacts, now: Date): ManagedAnswer {
  const offer = cheapestLive(product.offers, now)
  return answerManaged(
    {
      org: {
        domain: org.verified ? org.domain : null,
        websiteUrl: org.websiteUrl,
        offerPriceCents: offer?.priceCents ?? null,
        offerUrl: offer?.destinationUrl ?? null,
        offerExpiresAt: offer?.expiresAt ?? null,
      },
      orgRules: org.integration.managedRules,
      productRules: product.pricing,
    },
    {
      ...{ profile: { ...product, variants: [] }, variantId: null },
      ...{ quantity: 1, deliveryRegion: null, deadlineIso: null, now },
    },
  )
}

/** As findProducersOf chooses it for a request that names no variant. */
function cheapestLive(offers: readonly OfferFacts[], now: Date): OfferFacts | null {
  const priced = offers.filter(
    (offer) => offer.priceCents !== null && offer.variant === null && isLive(offer, now),
  )
  const cheaper = (a: OfferFacts, b: OfferFacts) =>
    (a.priceCents ?? 0) - (b.priceCents ?? 0) || (a.id < b.id ? -1 : 1)
  return priced.sort(cheaper)[0] ?? null
}
