/**
 * What is known about an organization and its products when they are judged. Plain values, read in a few statements
 * whatever their number, so that every judgement made of them (issues, readiness) is a pure function.
 */
import type { Product } from '../catalog/catalog.schema.ts'
import type { RelationshipStatus, RelationshipType } from '../catalog/relationships.schema.ts'
import type { Row } from '../db/columns.ts'
import type { RfqIntegration } from '../orgs/integration-health.service.ts'
import type { ProductPricing } from '../pricing/pricing.schema.ts'

export type OrgFacts = {
  domain: string | null
  websiteUrl: string | null
  verified: boolean
  deactivated: boolean
  /** Of the person who asks; a link token has no address to confirm. */
  emailVerified: boolean
  /** Products it has claimed, verified or not. */
  products: number
  integration: IntegrationFacts
  /** Of the last while, newest first; not those that were proposed again. */
  rejectedSubmissions: RejectedSubmission[]
}

/** A product that it proposed for the catalog, and what came back. `title` is its own words, `note` the reviewer's. */
export type RejectedSubmission = { id: string; title: string; at: Date; note: string | null }

/** `skipUntil`: until when its agent is left alone. */
export type IntegrationFacts = Pick<
  RfqIntegration,
  'isManaged' | 'managedRules' | 'status' | 'failuresInARow' | 'skipUntil'
> & { hasCard: boolean }

export const NO_INTEGRATION_FACTS: IntegrationFacts = {
  isManaged: false,
  managedRules: null,
  hasCard: false,
  status: 'pending',
  failuresInARow: 0,
  skipUntil: null,
}

export type RelationshipFacts = {
  id: string
  type: RelationshipType
  status: RelationshipStatus
  hasEvidence: boolean
  createdAt: Date
}

/** `status` is as last set. */
export type OfferFacts = Pick<
  Row<'offers'>,
  | 'id'
  | 'status'
  | 'priceCents'
  | 'listPriceCents'
  | 'destinationUrl'
  | 'startsAt'
  | 'expiresAt'
  | 'updatedAt'
  | 'variant'
>

type EnrichmentFacts = {
  /** When the oldest proposal that waits was made. */
  waitingSince: Date | null
  /** The newest proposal, if it was rejected. */
  rejected: { at: Date; note: string | null } | null
}

export type ProductFacts = Pick<
  Product,
  | ('id' | 'title' | 'discontinued' | 'whereToBuy' | 'gtin' | 'mpn' | 'verificationStatus')
  | ('priceLowCents' | 'priceHighCents' | 'listPriceCents')
> & {
  /** `<category>/<slug>` */
  slug: string
  brand: string | null
  brandDomain: string | null
  hasImage: boolean
  hasDescription: boolean
  specs: number
  relationships: RelationshipFacts[]
  /** Those an issue can be about: not the ones that were ended on purpose, or long ago. */
  offers: OfferFacts[]
  /** Rules of managed pricing, where it would answer for the product; null where it would not, or there are none. */
  pricing: ProductPricing | null
  enrichment: EnrichmentFacts
}

export function isVerified(
  { relationships }: Pick<ProductFacts, 'relationships'>,
  type?: RelationshipType,
): boolean {
  return relationships.some((one) => one.status === 'verified' && (type === undefined || one.type === type))
}

/** Buyers see it at this moment, as far as it depends on the offer. */
export function isLive({ status, startsAt, expiresAt }: OfferFacts, now: Date): boolean {
  return (
    status === 'active' && (startsAt === null || startsAt <= now) && (expiresAt === null || expiresAt > now)
  )
}
