/**
 * Claiming products of the catalog, one on its own or many of an import. A claim is verified at once when the catalog
 * itself proves it. Whoever claims has the organization's turn, so that what was found before the write holds at it.
 */
import type { Db } from '../db/database.ts'
import { newId } from '../lib/ids.ts'
import type { Org } from '../orgs/orgs.schema.ts'
import {
  type Deed,
  type Doing,
  type Producer,
  recordDeed,
  recordDeeds,
  requireProducer,
} from '../orgs/producer.ts'
import { noSuchProduct, requireSameProduct } from './claim-numbers.ts'
import type { ClaimStanding } from './claim-steps.ts'
import { canonicalSlug } from './product-words.ts'
import {
  countPending,
  findClaim,
  findEvidence,
  findProductRef,
  insertRelationships,
  updateEvidenceUrl,
  updateVerified,
} from './relationships.queries.ts'
import {
  type ClaimRequest,
  proofOf,
  type RelationshipStatus,
  type RelationshipType,
  type VerifiedVia,
} from './relationships.schema.ts'
import {
  type ProductRef,
  type RelationshipHooks,
  type RelationshipsContext,
  takeTurn,
} from './relationships.service.ts'
import { claimsLimit, tooManyWait } from './waiting-limits.ts'

export type Claim = ClaimStanding & { relationshipId: string; product: ProductRef; created: boolean }

/** `created` is false for a claim that was there before; it is looked at again if it was still waiting. */
export async function claimProduct(
  ctx: RelationshipsContext,
  deed: Deed,
  input: ClaimRequest,
): Promise<Claim> {
  const { relationshipHooks } = ctx
  return ctx.db.transaction().execute(async (tx) => {
    const producer = await requireProducer({ db: tx }, deed.caller, 'edit')
    const orgId = producer.org.id
    await takeTurn(tx, orgId)
    const product = await findProductRef(tx, input.product_slug)
    if (!product) throw await noSuchProduct(tx, input)
    await requireSameProduct(tx, product, input)
    const doing = { producer, deed, at: ctx.clock.now() }
    const [productId, type, evidenceUrl] = [product.id, input.relationship_type, input.evidence_url]
    const evidence = (await findEvidence(tx, { orgId, productIds: [productId] })).get(productId)
    const claim = { product, type, via: proofOf(type, evidence), evidenceUrl }
    const known = await findClaim(tx, { orgId, productId, type })
    const stands = known
      ? await claimAgain(tx, { ...doing, relationshipHooks }, { ...claim, known })
      : await claimFirst(tx, { ...doing, relationshipHooks }, claim)
    return {
      ...stands,
      created: !known,
      hasEvidence: (evidenceUrl ?? known?.evidenceUrl ?? null) !== null,
      product,
      type,
      orgDomain: producer.org.domain,
      orgVerified: producer.org.verificationStatus === 'verified',
      brandDomain: evidence?.brandDomain ?? null,
    }
  })
}

type Claiming = Doing & { producer: Producer; relationshipHooks: RelationshipHooks }
type Stands = Pick<Claim, 'relationshipId' | 'status' | 'verifiedVia'>

async function claimFirst(tx: Db, claiming: Claiming, claim: NewClaim): Promise<Stands> {
  const { via } = claim
  const { org } = claiming.producer
  if (via === null && (await roomForClaims(tx, org)) <= 0) throw tooManyWait(claimsLimit(org))
  const id = newId()
  await claimIn(tx, claiming, [{ ...claim, id }])
  return { relationshipId: id, status: statusOf(via), verifiedVia: via }
}

async function claimAgain(
  tx: Db,
  doing: Claiming,
  { known, via, evidenceUrl, product, type }: NewClaim & { known: KnownClaim },
): Promise<Stands> {
  const { id, status, verifiedVia } = known
  if (status === 'pending' && via !== null) {
    await verifyIn(tx, doing, [{ id, product, type, via }])
    return { relationshipId: id, status: 'verified', verifiedVia: via }
  }
  if (status === 'pending' && evidenceUrl !== null && evidenceUrl !== known.evidenceUrl) {
    await updateEvidenceUrl(tx, id, evidenceUrl)
    const detail = { ...claimed(product, type), relationship_id: id, status, evidence: true }
    await recordDeed(tx, doing, 'relationship.claimed', detail)
  }
  return { relationshipId: id, status, verifiedVia }
}

type KnownClaim = {
  id: string
  status: RelationshipStatus
  verifiedVia: VerifiedVia | null
  evidenceUrl: string | null
}

export type NewClaim = {
  product: { id: string; category: string; slug: string }
  type: RelationshipType
  /** What proves it; null for one that waits. */
  via: VerifiedVia | null
  evidenceUrl: string | null
}

/** How many more may wait. */
export async function roomForClaims(tx: Db, org: Pick<Org, 'id' | 'verificationStatus'>): Promise<number> {
  return claimsLimit(org).max - (await countPending(tx, org.id))
}

/** Writes claims that are new and have room, in a few statements for any number of them. */
export async function claimIn(
  tx: Db,
  { relationshipHooks, ...doing }: Claiming,
  claims: ReadonlyArray<NewClaim & { id: string }>,
): Promise<void> {
  if (claims.length === 0) return
  const orgId = doing.producer.org.id
  const { at } = doing
  const productIds = claims.map(({ product }) => product.id)
  await relationshipHooks.changing(tx, { orgId, productIds, at }, () =>
    insertRelationships(
      tx,
      claims.map(({ product, ...claim }) => ({ ...claim, orgId, productId: product.id, at })),
    ),
  )
  await recordDeeds(
    tx,
    doing,
    claims.map(({ id, product, type, via }) => ({
      action: 'relationship.claimed',
      detail: {
        ...claimed(product, type),
        relationship_id: id,
        status: statusOf(via),
        verified_via: via,
      },
    })),
  )
}

/** Waiting claims that the catalog proves by now. */
export async function verifyIn(
  tx: Db,
  { relationshipHooks, ...doing }: Claiming,
  claims: ReadonlyArray<Pick<NewClaim, 'product' | 'type'> & { id: string; via: VerifiedVia }>,
): Promise<void> {
  if (claims.length === 0) return
  const { at, producer } = doing
  const productIds = [...new Set(claims.map(({ product }) => product.id))]
  await relationshipHooks.changing(tx, { orgId: producer.org.id, productIds, at }, async () => {
    for (const [via, proved] of Map.groupBy(claims, (claim) => claim.via))
      await updateVerified(
        tx,
        proved.map(({ id }) => id),
        via,
        at,
      )
  })
  await recordDeeds(
    tx,
    doing,
    claims.map(({ id, product, type, via }) => ({
      action: 'relationship.verified',
      detail: { ...claimed(product, type), relationship_id: id, verified_via: via },
    })),
  )
}

function claimed(product: NewClaim['product'], type: RelationshipType): Record<string, unknown> {
  return { product_slug: canonicalSlug(product), relationship_type: type }
}

function statusOf(via: VerifiedVia | null): RelationshipStatus {
  return via === null ? 'pending' : 'verified'
}
