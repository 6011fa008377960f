/**
 * What a producer does with enrichments: propose, look what became of it, take it back. A proposal changes nothing that
 * anybody sees until an operator approves it (enrichment-review.service.ts).
 */
import type { Db } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { type AppError, conflict, forbidden, notFound } from '../lib/errors.ts'
import { isUuid, newId } from '../lib/ids.ts'
import { type Act, type Doing, recordAction, recordActions, requireProducer } from '../orgs/producer.ts'
import { findProfile } from './catalog.queries.ts'
import type { VerificationStatus } from './catalog.schema.ts'
import {
  closeEnrichment,
  type Enrichment,
  findOpenEnrichments,
  findOwnEnrichments,
  holdVerifiedRelationships,
  insertEnrichments,
  type ListedEnrichment,
  lockEnrichment,
  touchEnrichedProducts,
  withdrawEnrichments,
} from './enrichment.queries.ts'
import {
  isSameProposal,
  type Proposal,
  partsOf,
  readProposal,
  type SubmitEnrichment,
} from './enrichment.schema.ts'
import type { ProductProfile } from './profile.ts'
import type { ProductSlug, RelationshipType } from './relationships.schema.ts'
import { tooManyWait, WAITING_PROPOSALS, type WaitingLimit } from './waiting-limits.ts'

type Context = { db: Db; clock: Clock }

/** `created` is false when the same proposal was waiting already: a repeated call does no harm. */
export async function submitEnrichment(
  ctx: Context,
  act: Act,
  input: SubmitEnrichment,
): Promise<{ id: string; created: boolean }> {
  const proposal = readProposal(input)
  return ctx.db.transaction().execute(async (tx) => {
    const { producer, productId, held, open } = await requireProposer(tx, act, input.product_slug)
    if (proposal.confirmsProfile && !held.includes('manufactured_by'))
      throw noRelationship('only the verified manufacturer can confirm a whole profile')
    const { twin, limit } = compareWithOpen(proposal, open)
    if (twin) return { id: twin.id, created: false }
    if (limit) throw tooManyWait(limit)
    const id = newId()
    await proposeIn(tx, { producer, act, at: ctx.clock.now() }, [{ id, productId, proposal }])
    return { id, created: true }
  })
}

/** Who may propose a change of this product, and what of theirs waits; held until the transaction ends. */
export async function requireProposer(tx: Db, act: Act, slug: ProductSlug) {
  const producer = await requireProducer({ db: tx }, act.caller, 'edit')
  const { id: productId } = await requireProduct(tx, slug)
  const { relationships, open } = await holdProposals(tx, {
    orgId: producer.org.id,
    productIds: [productId],
  })
  const held = relationships.get(productId) ?? []
  if (held.length === 0)
    throw noRelationship('claim this product first; you can propose changes once the claim is verified')
  return { producer, productId, held, open: open.get(productId) ?? [] }
}

/** Held until the transaction ends, so that of several proposals for a product each is judged by what waits then. */
export async function holdProposals(
  tx: Db,
  of: { orgId: string; productIds: readonly string[] },
): Promise<{ relationships: Map<string, RelationshipType[]>; open: Map<string, Enrichment[]> }> {
  const relationships = await holdVerifiedRelationships(tx, { ...of, hold: 'update' })
  return { relationships, open: await findOpenEnrichments(tx, of) }
}

/** The same proposal if it waits already; else the limit if no more may wait for the product. */
export function compareWithOpen(
  proposal: Proposal,
  open: readonly Enrichment[] = [],
): { twin?: Enrichment; limit?: WaitingLimit } {
  const twin = open.find((known) => isSameProposal(known, proposal))
  if (twin) return { twin }
  return open.length < WAITING_PROPOSALS.max ? {} : { limit: WAITING_PROPOSALS }
}

export type NewProposal = {
  id: string
  productId: string
  proposal: Proposal
  /** Came from an import, in place of these: not under their id, which an operator may be about to approve. */
  imported?: { replaces: readonly string[] }
}

/** Writes proposals that were judged, in a few statements for any number of them. */
export async function proposeIn(tx: Db, doing: Doing, proposals: readonly NewProposal[]): Promise<void> {
  const made = { orgId: doing.producer.org.id, createdAt: doing.at, status: 'pending' } as const
  await withdrawEnrichments(
    tx,
    proposals.flatMap(({ imported }) => imported?.replaces ?? []),
  )
  await insertEnrichments(
    tx,
    proposals.map(({ id, productId, proposal, imported }) => ({
      ...proposal,
      ...made,
      id,
      productId,
      fromImport: imported !== undefined,
    })),
  )
  await recordActions(
    tx,
    doing,
    proposals.map(({ id, productId, proposal, imported }) => ({
      action: 'enrichment.submitted',
      detail: {
        enrichment_id: id,
        product_id: productId,
        parts: partsOf(proposal),
        ...(imported && imported.replaces.length > 0 && { replaces: imported.replaces }),
      },
    })),
  )
}

function noRelationship(message: string): AppError {
  return forbidden(message, 'no_verified_relationship')
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
  act: Pick<Act, 'caller'>,
  input: { productSlug: ProductSlug; limit: number; offset: number },
): Promise<EnrichmentStanding> {
  const { org } = await requireProducer(ctx, act.caller, 'read')
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
  act: Act,
  page: { limit: number; offset: number },
): Promise<{ enrichments: ListedEnrichment[]; total: number }> {
  const { org } = await requireProducer(ctx, act.caller, 'read')
  return findOwnEnrichments(ctx.db, { ...page, orgId: org.id, productId: null })
}

export async function withdrawEnrichment(
  ctx: Context,
  act: Act,
  { enrichmentId }: { enrichmentId: string },
): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const producer = await requireProducer({ db: tx }, act.caller, 'edit')
    const known = isUuid(enrichmentId) ? await lockEnrichment(tx, enrichmentId) : null
    if (known?.orgId !== producer.org.id) throw unknownEnrichment()
    requirePending(known)
    await closeEnrichment(tx, known.id, { status: 'withdrawn' })
    const detail = { enrichment_id: known.id, product_id: known.productId }
    await recordAction(tx, { producer, act, at: ctx.clock.now() }, 'enrichment.withdrawn', detail)
  })
}

export function unknownEnrichment(): AppError {
  return notFound('there is no such enrichment')
}

export function requirePending({ status }: { status: string }): void {
  if (status !== 'pending') throw conflict(`this enrichment is already ${status}`)
}

/** For the organization's hooks: its name, verification or being active changed. */
export async function enrichingOrgChanged(tx: Db, orgId: string, at: Date): Promise<void> {
  await touchEnrichedProducts(tx, orgId, at)
}

async function requireProduct(db: Db, { category, slug }: ProductSlug): Promise<ProductProfile> {
  const profile = await findProfile(db, slug)
  if (profile && (category === null || category === profile.category.slug)) return profile
  throw notFound('there is no such product', { field: 'product_slug' })
}
