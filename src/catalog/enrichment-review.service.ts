/**
 * The operators' side of enrichments: what waits, beside what the catalog says now, and the decision. An approval is one
 * transaction: the product, its record of changes, the proposal and the audit log, or none of them. The pages and the
 * search index follow from the record of changes.
 */
import { isDeepStrictEqual } from 'node:util'
import { type AuditActor, recordAudit } from '../accounts/audit.service.ts'
import type { Visit } from '../accounts/context.ts'
import type { Db } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { AppError, conflict, invalid } from '../lib/errors.ts'
import { isUuid, newId } from '../lib/ids.ts'
import { findAnyProfilesById } from './catalog.queries.ts'
import type { Product, VerificationStatus } from './catalog.schema.ts'
import {
  closeEnrichment,
  type Enrichment,
  findEnrichmentsByStatus,
  findQueuedEnrichment,
  holdOrgOfEnrichment,
  holdVerifiedRelationships,
  insertEnrichments,
  lockEnrichment,
  type ProposingOrg,
  type QueuedEnrichment,
} from './enrichment.queries.ts'
import {
  type EnrichmentStatus,
  fieldValue,
  mergeFields,
  nextStatus,
  PROPOSABLE_FIELDS,
  type ProposableField,
  type Proposal,
  partsOf,
  proposedBeside,
  splitProposal,
} from './enrichment.schema.ts'
import { requirePending, unknownEnrichment } from './enrichment.service.ts'
import { diffProducts } from './product-diff.ts'
import type { ProductProfile } from './profile.ts'
import { insertChanges, lockProducts, updateProducts } from './upsert.queries.ts'

type Context = { db: Db; clock: Clock }
type Decision = { by: AuditActor; id: string; note?: string | null; visit?: Visit }

const MOST_SPECS = 100

export type ReviewEntry = QueuedEnrichment & {
  product: ProductProfile
  changes: Array<{ field: ProposableField; current: unknown; proposed: unknown; saidBy: string | null }>
}

export async function listForReview(
  ctx: { db: Db },
  page: { status: EnrichmentStatus; search?: string | null; limit: number; offset: number },
): Promise<{ entries: ReviewEntry[]; total: number }> {
  const { enrichments, total } = await findEnrichmentsByStatus(ctx.db, page)
  const ids = [...new Set(enrichments.map(({ productId }) => productId))]
  const products = new Map((await findAnyProfilesById(ctx.db, ids)).map((product) => [product.id, product]))
  const entries = enrichments.flatMap((enrichment) => {
    const product = products.get(enrichment.productId)
    return product ? [{ ...enrichment, product, changes: changesOf(enrichment, product) }] : []
  })
  return { entries, total }
}

/** One by itself, whether it waits or is decided. */
export async function getForReview(ctx: { db: Db }, id: string): Promise<ReviewEntry> {
  const enrichment = isUuid(id) ? await findQueuedEnrichment(ctx.db, id) : null
  const [product] = enrichment ? await findAnyProfilesById(ctx.db, [enrichment.productId]) : []
  if (!enrichment || !product) throw unknownEnrichment()
  return { ...enrichment, product, changes: changesOf(enrichment, product) }
}

function changesOf({ fields }: Proposal, product: ProductProfile): ReviewEntry['changes'] {
  return PROPOSABLE_FIELDS.filter((field) => Object.hasOwn(fields, field)).map((field) => ({
    field,
    ...proposedBeside(field, { current: fieldValue(field, product), proposed: fields[field] }),
    saidBy: product.provenance[field]?.source ?? null,
  }))
}

export type Approved = {
  productSlug: string
  verificationStatus: VerificationStatus
  approved: string[]
  /** What the operator left out is kept as a rejected proposal of its own. */
  rejected: { id: string; parts: string[] } | null
}

/**
 * `parts`, when given, are the only ones approved: fields by name, `images`, `confirms_profile`. `seen` is when the
 * product that was looked at beside the proposal had changed last: what is replaced is then what was looked at.
 */
export async function approveEnrichment(
  ctx: Context,
  input: Decision & { parts?: string[] | null; seen?: Date },
): Promise<Approved> {
  const { by, note = null, visit } = input
  const review = { by: by.kind === 'user' ? by.id : null, at: ctx.clock.now(), note }
  const work = ctx.db.transaction().execute(async (tx) => {
    const { org, enrichment } = await holdPending(tx, input.id)
    const [chosen, rest] = choose(enrichment, input.parts ?? null)
    const standing = await requireStanding(tx, { org, enrichment, chosen })
    const look = { enrichment, org, at: review.at, seen: input.seen ?? null }
    const { before, product } = await applyTo(tx, chosen, { ...look, ...standing })
    const restParts = partsOf(rest)
    const rejected = restParts.length > 0 ? { id: newId(), parts: restParts } : null
    await closeEnrichment(tx, enrichment.id, { status: 'approved', review, kept: chosen })
    if (rejected)
      await insertEnrichments(tx, [{ ...enrichment, ...rest, id: rejected.id, status: 'rejected', review }])
    const shown = await recordChanges(tx, { before, product, at: review.at })
    const approved = partsOf(chosen)
    await recordAudit(tx, {
      actor: by,
      action: 'enrichment.approved',
      at: review.at,
      orgId: org.id,
      detail: {
        enrichment_id: enrichment.id,
        product_id: product.id,
        parts: approved,
        ...(rejected && { rejected: restParts, rejected_id: rejected.id }),
      },
      ...(visit && { visit }),
    })
    const productSlug = `${shown.category.slug}/${shown.slug}`
    return { productSlug, verificationStatus: product.verificationStatus, approved, rejected }
  })
  return work.catch((error: unknown) => {
    throw ifTaken(error, /^products_by_(gtin|mpn)$/)
  })
}

export async function rejectEnrichment(
  ctx: Context,
  { by, id, note = null, visit }: Decision,
): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const { org, enrichment } = await holdPending(tx, id)
    const at = ctx.clock.now()
    const review = { by: by.kind === 'user' ? by.id : null, at, note }
    await closeEnrichment(tx, enrichment.id, { status: 'rejected', review })
    await recordAudit(tx, {
      actor: by,
      action: 'enrichment.rejected',
      at,
      orgId: org.id,
      detail: { enrichment_id: enrichment.id, product_id: enrichment.productId },
      ...(visit && { visit }),
    })
  })
}

/** Somebody gave an identifier to another product between our look and our write. */
export function ifTaken(error: unknown, constraints: RegExp): unknown {
  const { code, constraint } = error as { code?: string; constraint?: string }
  if (code !== '23505' || !constraints.test(constraint ?? '')) return error
  return conflict('another product just got this identifier; review again', { cause: error })
}

async function holdPending(tx: Db, id: string): Promise<{ org: ProposingOrg; enrichment: Enrichment }> {
  const org = isUuid(id) ? await holdOrgOfEnrichment(tx, id) : null
  const enrichment = org && (await lockEnrichment(tx, id))
  if (!org || !enrichment) throw unknownEnrichment()
  requirePending(enrichment)
  return { org, enrichment }
}

function choose(proposal: Proposal, wanted: string[] | null): [Proposal, Proposal] {
  const parts = partsOf(proposal)
  const unknown = wanted?.find((part) => !parts.includes(part))
  if (unknown !== undefined)
    throw invalid('fields', 'fields: includes a field that this enrichment does not propose', {
      valid: parts,
    })
  return splitProposal(proposal, new Set(wanted ?? parts))
}

/** What held when it was proposed must hold when it is approved. */
async function requireStanding(
  tx: Db,
  { org, enrichment, chosen }: { org: ProposingOrg; enrichment: Enrichment; chosen: Proposal },
): Promise<{ byManufacturer: boolean }> {
  if (org.deactivated)
    throw new AppError('conflict', `${org.name} is deactivated`, { code: 'org_deactivated' })
  const { orgId, productId } = enrichment
  const held = await holdVerifiedRelationships(tx, { orgId, productIds: [productId], hold: 'share' })
  const relationships = held.get(productId) ?? []
  const byManufacturer = relationships.includes('manufactured_by')
  if (relationships.length > 0 && (byManufacturer || !chosen.confirmsProfile)) return { byManufacturer }
  throw new AppError('conflict', `${org.name} no longer has the verified relationship this requires`, {
    code: 'no_verified_relationship',
  })
}

async function applyTo(
  tx: Db,
  chosen: Proposal,
  {
    enrichment,
    org,
    byManufacturer,
    at,
    seen,
  }: {
    enrichment: Enrichment
    org: ProposingOrg
    byManufacturer: boolean
    at: Date
    seen: Date | null
  },
): Promise<{ before: ProductProfile; product: Product }> {
  const [known] = await findAnyProfilesById(tx, [enrichment.productId])
  if (!known) throw unknownEnrichment()
  const { gtin, mpn } = chosen.fields as { gtin?: string | null; mpn?: string | null }
  const part = known.brandId && mpn ? { brandId: known.brandId, mpn: mpn.toLowerCase() } : null
  const locked = await lockProducts(tx, {
    slugs: [known.slug],
    gtins: gtin ? [gtin] : [],
    brandIds: part ? [part.brandId] : [],
    mpns: part ? [part.mpn] : [],
  })
  // Read again under the lock: an import may have written since.
  const current = locked.find(({ id }) => id === known.id)
  const [before] = await findAnyProfilesById(tx, [known.id])
  if (!current || !before) throw unknownEnrichment()
  if (seen !== null && seen.getTime() !== before.updatedAt.getTime())
    throw conflict('the product has changed since you opened it; review it again')
  const other = locked.find(({ id }) => id !== known.id)
  if (other) {
    const field = other.gtin === gtin ? 'gtin' : 'mpn'
    throw conflict(`${field} belongs to another product, ${other.slug}`, { field })
  }
  const merged = mergeFields(current, chosen.fields, { source: org.name, verifiedAt: at.toISOString() })
  if (merged.specs.length > MOST_SPECS)
    throw conflict(`the product would have more than ${MOST_SPECS} specs`, {
      field: 'specs',
      max: MOST_SPECS,
    })
  const shownImages = new Set((before.additionalImages ?? []).map(({ url }) => url))
  const changes =
    diffProducts(current, merged).length > 0 || chosen.images.some(({ url }) => !shownImages.has(url))
  const verificationStatus = nextStatus(current.verificationStatus, {
    byManufacturer,
    confirms: chosen.confirmsProfile,
    changes,
  })
  const product = { ...merged, verificationStatus, updatedAt: at }
  await updateProducts(tx, [product])
  return { before, product }
}

/** Always a `text` change, were it only for who stands behind a field: every form shows that, and is made anew. */
async function recordChanges(
  tx: Db,
  { before, product, at }: { before: ProductProfile; product: Product; at: Date },
): Promise<ProductProfile> {
  const [after] = await findAnyProfilesById(tx, [product.id])
  if (!after) throw unknownEnrichment()
  const differences = diffProducts(before, after)
  const [was, is] = [contributions(before), contributions(after)]
  const text = differences.find(({ aspect }) => aspect === 'text')
  const changed = isDeepStrictEqual(was, is) ? [{}, {}] : [was, is]
  const records = [
    ...differences.filter((difference) => difference !== text),
    {
      aspect: 'text' as const,
      before: { ...(text?.before as object), ...changed[0] },
      after: { ...(text?.after as object), ...changed[1] },
    },
  ]
  const of = { productId: product.id, categoryId: product.categoryId }
  await insertChanges(
    tx,
    records.map((record) => ({ ...of, ...record })),
    at,
  )
  return after
}

function contributions({ additionalImages = [], enrichedBy = [] }: ProductProfile) {
  return {
    additionalImages: additionalImages.map(({ url }) => url),
    enrichedBy: enrichedBy.map(({ orgName }) => orgName),
  }
}
