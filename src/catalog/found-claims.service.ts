/**
 * Claims that the catalog proves already: products whose brand or shop links lie in an organization's verified domain are
 * found, shown, and claimed together once somebody confirms the list. What is confirmed is judged again in the transaction
 * that writes it. What one confirmation made can be taken back as a whole.
 */
import type { Db } from '../db/database.ts'
import { conflict, notFound } from '../lib/errors.ts'
import { idsOf, isUuid, newId } from '../lib/ids.ts'
import { isSharedDomain } from '../lib/shared-domains.ts'
import type { Org } from '../orgs/orgs.schema.ts'
import { type Act, recordActions, requireProducer } from '../orgs/producer.ts'
import { claimIn, type NewClaim } from './claim.service.ts'
import {
  type BatchedClaim,
  type Candidate,
  type ClaimBatch,
  deleteRelationships,
  findBatchedClaims,
  findClaimable,
  findClaimBatches,
  findClaimsTo,
  markBatch,
} from './found-claims.queries.ts'
import { proofOf, RELATIONSHIP_TYPES, type RelationshipType } from './relationships.schema.ts'
import { type RelationshipsContext, takeTurn } from './relationships.service.ts'

export type { ClaimBatch }

/** Of one list: a seller of more confirms it, and then the next one. */
export const MOST_FOUND = 500
const MOST_BATCHES = 20

type Proof = { type: RelationshipType; via: 'brand_domain' | 'shop_link' }
export type FoundProduct = Pick<Candidate, 'id' | 'slug' | 'category' | 'title'> & { proofs: Proof[] }

/** Why nothing is looked for. */
export type NotSearched = 'no_domain' | 'unverified' | 'shared_domain' | 'demo'

export type FoundClaims = {
  domain: string | null
  notSearched: NotSearched | null
  products: FoundProduct[]
  /** There are more; they are found once these are claimed. */
  more: boolean
}

export async function findOwnProducts(
  ctx: Pick<RelationshipsContext, 'db'>,
  act: Pick<Act, 'caller'>,
): Promise<FoundClaims> {
  const { org } = await requireProducer(ctx, act.caller, 'read')
  return findIn(ctx, org)
}

async function findIn({ db }: Pick<RelationshipsContext, 'db'>, org: Org): Promise<FoundClaims> {
  const { domain } = org
  const notSearched = whyNot(org)
  if (notSearched !== null || domain === null) return { domain, notSearched, products: [], more: false }
  const candidates = await findClaimable(db, { orgId: org.id, domain, limit: MOST_FOUND * 2 })
  const found = candidates.flatMap(({ brandDomain, shopUrls, ...product }) => {
    const proofs = RELATIONSHIP_TYPES.flatMap((type): Proof[] => {
      // A brand's own domain shows that it makes the product; that it sells it as well is for it to say.
      const via = proofOf(type, {
        orgDomain: domain,
        shopUrls,
        brandDomain: type === 'sells' ? null : brandDomain,
      })
      return via === null ? [] : [{ type, via }]
    })
    return proofs.length === 0 ? [] : [{ ...product, proofs }]
  })
  return { domain, notSearched, products: found.slice(0, MOST_FOUND), more: found.length > MOST_FOUND }
}

function whyNot({ domain, verificationStatus, demo }: Org): NotSearched | null {
  if (domain === null) return 'no_domain'
  if (verificationStatus !== 'verified') return 'unverified'
  if (demo) return 'demo'
  return isSharedDomain(domain) ? 'shared_domain' : null
}

export type ClaimedTogether = { batchId: string; products: number; claims: number }

/** Claims those of the products that are found at this moment. */
export async function claimFound(
  ctx: RelationshipsContext,
  act: Act,
  { productIds }: { productIds: readonly string[] },
): Promise<ClaimedTogether> {
  return ctx.db.transaction().execute(async (tx) => {
    const producer = await requireProducer({ db: tx }, act.caller, 'edit')
    await takeTurn(tx, producer.org.id)
    const { products } = await findIn({ db: tx }, producer.org)
    const chosen = new Set(productIds)
    const claims = products
      .filter(({ id }) => chosen.has(id))
      .flatMap(({ proofs, ...product }) =>
        proofs.map((proof): NewClaim & { id: string } => ({
          id: newId(),
          product,
          ...proof,
          evidenceUrl: null,
        })),
      )
    if (claims.length === 0)
      throw conflict('none of these products can be claimed by your domain any more; look again')
    const batchId = newId()
    const { relationshipHooks, clock } = ctx
    await claimIn(tx, { producer, act, at: clock.now(), relationshipHooks }, claims)
    await markBatch(tx, idsOf(claims), batchId)
    return { batchId, claims: claims.length, products: new Set(claims.map(({ product }) => product.id)).size }
  })
}

export async function listClaimBatches(
  ctx: Pick<RelationshipsContext, 'db'>,
  act: Pick<Act, 'caller'>,
): Promise<ClaimBatch[]> {
  const { org } = await requireProducer(ctx, act.caller, 'read')
  return findClaimBatches(ctx.db, org.id, MOST_BATCHES)
}

/** Withdraws what is left of the claims that were made together; returns how many. Offers of the products are paused. */
export function undoClaims(
  ctx: RelationshipsContext,
  act: Act,
  { batchId }: { batchId: string },
): Promise<number> {
  return withdraw(ctx, act, async (tx, orgId) =>
    isUuid(batchId) ? findBatchedClaims(tx, { orgId, batchId }) : [],
  )
}

/** Withdraws every claim to these products; returns how many. */
export function withdrawClaimsTo(
  ctx: RelationshipsContext,
  act: Act,
  { productIds }: { productIds: readonly string[] },
): Promise<number> {
  return withdraw(ctx, act, (tx, orgId) => findClaimsTo(tx, { orgId, productIds: productIds.filter(isUuid) }))
}

async function withdraw(
  { db, clock, relationshipHooks: hooks }: RelationshipsContext,
  act: Act,
  find: (tx: Db, orgId: string) => Promise<BatchedClaim[]>,
): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const producer = await requireProducer({ db: tx }, act.caller, 'edit')
    const orgId = producer.org.id
    await takeTurn(tx, orgId)
    const claims = await find(tx, orgId)
    if (claims.length === 0) throw notFound('there are no such claims')
    const at = clock.now()
    const doing = { producer, act, at }
    const productIds = [...new Set(claims.map(({ productId }) => productId))]
    await hooks.changing(tx, { orgId, productIds, at }, () => deleteRelationships(tx, idsOf(claims)))
    await recordActions(
      tx,
      doing,
      claims.map(({ id, productSlug, type }) => ({
        action: 'relationship.withdrawn',
        detail: { relationship_id: id, product_slug: productSlug, relationship_type: type },
      })),
    )
    return claims.length
  })
}
