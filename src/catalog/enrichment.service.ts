/**
 * What a producer does with enrichments: propose, look what became of it, take it back. A proposal changes nothing that
 * anybody sees until an operator approves it (enrichment-review.service.ts).
 */
import type { Db } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { AppError } from '../lib/errors.ts'
import { isUuid, newId } from '../lib/ids.ts'
import { type Deed, recordDeed, requireProducer } from '../orgs/producer.ts'
import { findProfile } from './catalog.queries.ts'
import type { VerificationStatus } from './catalog.schema.ts'
import {
  closeEnrichment,
  findOpenEnrichments,
  findOwnEnrichments,
  holdVerifiedRelationships,
  insertEnrichment,
  type ListedEnrichment,
  lockEnrichment,
  touchEnrichedProducts,
} from './enrichment.queries.ts'
import { partsOf, readProposal, type SubmitEnrichment } from './enrichment.schema.ts'
import { isSameProposal } from './enrichment-merge.ts'
import type { ProductProfile } from './profile.ts'
import type { ProductSlug } from './relationships.schema.ts'

type Context = { db: Db; clock: Clock }

/** More than an operator can be asked to judge of one product at a time. */
export const MOST_PENDING = 20

/** `created` is false when the same proposal was waiting already: a repeated call does no harm. */
export async function submitEnrichment(
  ctx: Context,
  deed: Deed,
  input: SubmitEnrichment,
): Promise<{ id: string; created: boolean }> {
  const proposal = readProposal(input)
  return ctx.db.transaction().execute(async (tx) => {
    const producer = await requireProducer({ db: tx }, deed.caller, 'edit')
    const product = await requireProduct(tx, input.product_slug)
    const of = { orgId: producer.org.id, productId: product.id }
    const relationships = await holdVerifiedRelationships(tx, { ...of, hold: 'update' })
    if (relationships.length === 0)
      throw noRelationship('claim this product first; proposals need a verified relationship to it')
    if (proposal.confirmsProfile && !relationships.includes('manufactured_by'))
      throw noRelationship('only its manufacturer, verified as such, can confirm a whole profile')
    const open = await findOpenEnrichments(tx, of)
    const twin = open.find((known) => isSameProposal(known, proposal))
    if (twin) return { id: twin.id, created: false }
    if (open.length >= MOST_PENDING)
      throw new AppError(
        'conflict',
        `${MOST_PENDING} proposals for this product wait for review; withdraw one, or wait`,
        { code: 'conflict', max: MOST_PENDING },
      )
    const [id, at] = [newId(), ctx.clock.now()]
    await insertEnrichment(tx, { ...proposal, ...of, id, createdAt: at, status: 'pending' })
    const detail = { enrichment_id: id, product_id: product.id, parts: partsOf(proposal) }
    await recordDeed(tx, { producer, deed, at }, 'enrichment.submitted', detail)
    return { id, created: true }
  })
}

function noRelationship(message: string): AppError {
  return new AppError('forbidden', message, { code: 'no_verified_relationship' })
}

export type EnrichmentStanding = {
  productSlug: string
  verificationStatus: VerificationStatus
  fields: Array<{ field: string; source: string; verifiedAt: string | null }>
  proposals: ListedEnrichment[]
  total: number
}

/** Who said which field of a product, and what this organization has proposed for it. */
export async function getEnrichmentStatus(
  ctx: { db: Db },
  deed: Deed,
  input: { productSlug: ProductSlug; limit: number; offset: number },
): Promise<EnrichmentStanding> {
  const { org } = await requireProducer(ctx, deed.caller, 'read')
  const product = await requireProduct(ctx.db, input.productSlug)
  const page = { ...input, orgId: org.id, productId: product.id }
  const { enrichments, total } = await findOwnEnrichments(ctx.db, page)
  return {
    productSlug: `${product.category.slug}/${product.slug}`,
    verificationStatus: product.verificationStatus,
    fields: Object.entries(product.provenance).map(([field, said]) => ({ field, ...said })),
    proposals: enrichments,
    total,
  }
}

export async function listEnrichments(
  ctx: { db: Db },
  deed: Deed,
  page: { limit: number; offset: number },
): Promise<{ enrichments: ListedEnrichment[]; total: number }> {
  const { org } = await requireProducer(ctx, deed.caller, 'read')
  return findOwnEnrichments(ctx.db, { ...page, orgId: org.id, productId: null })
}

export async function withdrawEnrichment(
  ctx: Context,
  deed: Deed,
  { enrichmentId }: { enrichmentId: string },
): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const producer = await requireProducer({ db: tx }, deed.caller, 'edit')
    const known = isUuid(enrichmentId) ? await lockEnrichment(tx, enrichmentId) : null
    if (known?.orgId !== producer.org.id) throw unknownEnrichment()
    requirePending(known)
    await closeEnrichment(tx, known.id, { status: 'withdrawn' })
    const detail = { enrichment_id: known.id, product_id: known.productId }
    await recordDeed(tx, { producer, deed, at: ctx.clock.now() }, 'enrichment.withdrawn', detail)
  })
}

export function unknownEnrichment(): AppError {
  return new AppError('not_found', 'there is no such enrichment', { code: 'not_found' })
}

export function requirePending({ status }: { status: string }): void {
  if (status !== 'pending')
    throw new AppError('conflict', `this enrichment is ${status} already`, { code: 'conflict' })
}

/** For the organization's hooks: its name, verification or being active changed. */
export async function enrichingOrgChanged(tx: Db, orgId: string, at: Date): Promise<void> {
  await touchEnrichedProducts(tx, orgId, at)
}

async function requireProduct(db: Db, { category, slug }: ProductSlug): Promise<ProductProfile> {
  const profile = await findProfile(db, slug)
  if (profile && (category === null || category === profile.category.slug)) return profile
  throw new AppError('not_found', 'there is no such product', { code: 'not_found', field: 'product_slug' })
}
