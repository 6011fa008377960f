/**
 * An organization's claims to products. A claim is verified at once when the catalog itself proves it, later when the
 * organization proves its domain, or else by an operator. What hangs on a relationship (offers) is handed in, because
 * it lives above the catalog.
 */
import { type AuditActor, recordAudits } from '../accounts/audit.service.ts'
import type { Db } from '../db/database.ts'
import type { Searched } from '../db/like.ts'
import type { Clock } from '../lib/clock.ts'
import { type AppError, conflict, notFound } from '../lib/errors.ts'
import { idsOf, isUuid } from '../lib/ids.ts'
import { type Act, recordAction, requireProducer } from '../orgs/producer.ts'
import {
  deleteRelationship,
  findEvidence,
  findPendingClaims,
  findPendingOf,
  findProductRef,
  findRelatedProducts,
  findRelationship,
  findRelationships,
  findRelationshipsPage,
  findRelationshipsTo,
  findVerified,
  lockTurn,
  type PendingClaim,
  type ProductRef,
  type Relationship,
  updateUnverified,
  updateVerified,
} from './relationships.queries.ts'
import {
  type ProductSlug,
  ProductSlugInput,
  proofOf,
  type RelationshipType,
  type VerifiedVia,
  type WithdrawRequest,
} from './relationships.schema.ts'

export type { PendingClaim, ProductRef, Relationship }

/** Goes around every write that verifies or ends a relationship, in its transaction. */
export type RelationshipHooks = {
  changing<T>(
    tx: Db,
    change: { orgId: string; productIds: string[]; at: Date },
    write: () => Promise<T>,
  ): Promise<T>
}

const SYSTEM: AuditActor = { kind: 'system', id: null }

export type RelationshipsContext = { db: Db; clock: Clock; relationshipHooks: RelationshipHooks }

/**
 * What an organization does with its products and offers happens one action after another: whether an offer is shown
 * hangs on both, and two actions at once could each miss what the other does. Taken right after the organization's row.
 */
export function takeTurn(tx: Db, orgId: string): Promise<void> {
  return lockTurn(tx, orgId)
}

export function findProduct(ctx: { db: Db }, slug: ProductSlug): Promise<ProductRef | null> {
  return findProductRef(ctx.db, slug)
}

/** By what a person or a link wrote, in either form of the slug; null for what names no product. */
export async function findNamedProduct(ctx: { db: Db }, name: string): Promise<ProductRef | null> {
  const named = ProductSlugInput.safeParse(name)
  return named.success ? findProduct(ctx, named.data) : null
}

/** How an organization is known to be related to a product; empty for not at all. */
export function verifiedRelationships(
  ctx: { db: Db },
  input: { orgId: string; productId: string },
): Promise<RelationshipType[]> {
  return findVerified(ctx.db, input)
}

/** Those of the products that an organization is known to be related to. */
export function relatedProducts(
  ctx: { db: Db },
  input: { orgId: string; productIds: string[] },
): Promise<Set<string>> {
  return findRelatedProducts(ctx.db, input)
}

/** A page of them, newest first, and how many there are in all. */
export async function listRelationships(
  ctx: { db: Db },
  act: Act,
  page: { limit: number; offset: number },
): Promise<{ relationships: Relationship[]; total: number }> {
  const { org } = await requireProducer(ctx, act.caller, 'read')
  return findRelationshipsPage(ctx.db, { orgId: org.id, ...page })
}

/** The organization's to one product, oldest first; empty for a product that it has not claimed. */
export async function listRelationshipsTo(
  ctx: { db: Db },
  act: Pick<Act, 'caller'>,
  { productId }: { productId: string },
): Promise<Relationship[]> {
  const { org } = await requireProducer(ctx, act.caller, 'read')
  return findRelationshipsTo(ctx.db, { orgId: org.id, productId })
}

/** For faces and features that know the organization already. */
export function relationshipsOf(ctx: { db: Db }, orgId: string): Promise<Relationship[]> {
  return findRelationships(ctx.db, orgId)
}

export async function withdrawRelationship(
  ctx: RelationshipsContext,
  act: Act,
  input: WithdrawRequest,
): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const producer = await requireProducer({ db: tx }, act.caller, 'edit')
    const id = input.relationship_id
    await lockTurn(tx, producer.org.id)
    const known = isUuid(id) ? await findRelationship(tx, { id, orgId: producer.org.id }) : null
    if (!known) throw noRelationship()
    const at = ctx.clock.now()
    const change = { orgId: producer.org.id, productIds: [known.productId], at }
    await ctx.relationshipHooks.changing(tx, change, () => deleteRelationship(tx, known.id))
    await recordAction(tx, { producer, act, at }, 'relationship.withdrawn', {
      relationship_id: known.id,
      product_slug: known.productSlug,
      relationship_type: known.type,
    })
  })
}

/** The organization's domain was proved: what waited for that is verified now. Called in the transaction of the proof. */
export async function verifyClaimsOf(
  tx: Db,
  { orgId, at }: { orgId: string; at: Date },
  hooks: RelationshipHooks,
): Promise<void> {
  await lockTurn(tx, orgId)
  const pending = await findPendingOf(tx, orgId)
  const productIds = [...new Set(pending.map(({ productId }) => productId))]
  const evidence = await findEvidence(tx, { orgId, productIds })
  const byProof = Map.groupBy(pending, ({ type, productId }) => proofOf(type, evidence.get(productId)))
  byProof.delete(null)
  if (byProof.size === 0) return
  const proved = [...byProof.values()].flat()
  const change = { orgId, productIds: [...new Set(proved.map((claim) => claim.productId))], at }
  await hooks.changing(tx, change, async () => {
    for (const [via, claims] of byProof) if (via !== null) await verify(tx, claims, { via, at, by: SYSTEM })
  })
}

/** The organization gave the domain up that had proved them: they wait again, for the next proof or an operator. */
export async function unproveClaimsOf(
  tx: Db,
  { orgId, at }: { orgId: string; at: Date },
  hooks: RelationshipHooks,
): Promise<void> {
  await lockTurn(tx, orgId)
  const proved = (await findRelationships(tx, orgId)).filter(
    ({ verifiedVia }) => verifiedVia === 'brand_domain' || verifiedVia === 'shop_link',
  )
  const productIds = [...new Set(proved.map(({ productId }) => productId))]
  await hooks.changing(tx, { orgId, productIds, at }, () => updateUnverified(tx, idsOf(proved)))
  const entry = { actor: SYSTEM, action: 'relationship.unverified', at, orgId }
  await recordAudits(
    tx,
    proved.map((claim) => ({ ...entry, detail: claimDetail(claim) })),
  )
}

/** Who decides about a claim; `seen` is the evidence that was looked at, which the producer may have replaced since. */
type ClaimDecision = { by: AuditActor; seen?: { evidenceUrl: string | null } }

const THE_OPERATOR: ClaimDecision = { by: { kind: 'operator', id: null } }

/** By an operator, who has looked at the evidence. Verifying again changes nothing. */
export async function verifyRelationship(
  ctx: RelationshipsContext,
  id: string,
  decision: ClaimDecision = THE_OPERATOR,
): Promise<Relationship> {
  return ctx.db.transaction().execute(async (tx) => {
    const known = await holdClaim(tx, id, decision)
    if (known.status === 'verified') return known
    const at = ctx.clock.now()
    const change = { orgId: known.orgId, productIds: [known.productId], at }
    await ctx.relationshipHooks.changing(tx, change, () =>
      verify(tx, [known], { via: 'operator', at, by: decision.by }),
    )
    return { ...known, status: 'verified', verifiedVia: 'operator', verifiedAt: at }
  })
}

/** The claim goes; why is in the organization's history. It may be made again, with better evidence. */
export async function rejectRelationship(
  ctx: RelationshipsContext,
  id: string,
  { note, ...decision }: ClaimDecision & { note: string },
): Promise<Relationship> {
  return ctx.db.transaction().execute(async (tx) => {
    const known = await holdClaim(tx, id, decision)
    if (known.status === 'verified') throw conflict('this claim is already verified')
    await deleteRelationship(tx, known.id)
    const { by: actor } = decision
    const detail = { ...claimDetail(known), note }
    await recordAudits(tx, [
      { actor, action: 'relationship.rejected', at: ctx.clock.now(), orgId: known.orgId, detail },
    ])
    return known
  })
}

async function holdClaim(tx: Db, id: string, { seen }: ClaimDecision): Promise<Relationship> {
  const orgId = isUuid(id) ? (await findRelationship(tx, { id, orgId: null }))?.orgId : undefined
  if (orgId === undefined) throw noRelationship()
  await lockTurn(tx, orgId)
  const known = await findRelationship(tx, { id, orgId })
  if (!known) throw noRelationship()
  if (seen && seen.evidenceUrl !== known.evidenceUrl)
    throw conflict('its evidence has changed since you opened it; review it again')
  return known
}

/** What waits for the operator, oldest first. */
export function listPendingRelationships(
  ctx: { db: Db },
  asked: Searched & { type?: RelationshipType | null } = { limit: 1_000 },
): Promise<PendingClaim[]> {
  return findPendingClaims(ctx.db, asked)
}

function noRelationship(): AppError {
  return notFound('there is no such relationship')
}

async function verify(
  tx: Db,
  claims: Relationship[],
  { via, at, by: actor }: { via: VerifiedVia; at: Date; by: AuditActor },
): Promise<void> {
  const ids = idsOf(claims)
  await updateVerified(tx, ids, via, at)
  const entry = { actor, action: 'relationship.verified', at }
  await recordAudits(
    tx,
    claims.map((claim) => ({
      ...entry,
      orgId: claim.orgId,
      detail: { ...claimDetail(claim), verified_via: via },
    })),
  )
}

function claimDetail({ id, productSlug, type }: Relationship): Record<string, unknown> {
  return { relationship_id: id, product_slug: productSlug, relationship_type: type }
}
