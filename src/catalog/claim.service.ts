/**
 * Claiming products of the catalog, one on its own or many of an import. A claim is verified at once when the catalog
 * itself proves it. Who claims has the organization's turn, so that what was found before the write holds at it.
 */
import type { Db } from '../db/database.ts'
import { AppError, invalid, notFound } from '../lib/errors.ts'
import { idsOf, newId } from '../lib/ids.ts'
import { cleanLine } from '../lib/text.ts'
import { inlineText } from '../lib/untrusted.ts'
import type { Org } from '../orgs/orgs.schema.ts'
import {
  type Act,
  type Doing,
  type Producer,
  recordAction,
  recordActions,
  requireProducer,
} from '../orgs/producer.ts'
import { differingNumber, gtinForms, type ProductNumbers } from './product-identity.ts'
import { isGtin } from './product-input.ts'
import { canonicalSlug } from './profile.ts'
import {
  countPending,
  findByNumbers,
  findClaim,
  findEvidence,
  findNumbers,
  findProductRef,
  insertRelationships,
  isDemoProduct,
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
  type Relationship,
  type RelationshipHooks,
  type RelationshipsContext,
  takeTurn,
} from './relationships.service.ts'
import { claimsLimit, tooManyWait } from './waiting-limits.ts'

export type Claim = ClaimStanding & { relationshipId: string; product: ProductRef; created: boolean }

/** `created` is false for a claim that was there before; it is looked at again if it was still waiting. */
export async function claimProduct(ctx: RelationshipsContext, act: Act, input: ClaimRequest): Promise<Claim> {
  const { relationshipHooks } = ctx
  return ctx.db.transaction().execute(async (tx) => {
    const producer = await requireProducer({ db: tx }, act.caller, 'edit')
    await takeTurn(tx, producer.org.id)
    return claimOne(tx, { producer, act, at: ctx.clock.now(), relationshipHooks }, input)
  })
}

/** In the organization's turn. `news` is false where nothing of it was written. */
export async function claimOne(
  tx: Db,
  claiming: Claiming,
  input: ClaimRequest,
): Promise<Claim & { news: boolean }> {
  const { producer } = claiming
  const orgId = producer.org.id
  const product = await findProductRef(tx, input.product_slug)
  if (!product) throw await noSuchProduct(tx, input)
  await requireSameProduct(tx, product, input)
  if (producer.org.demo && !(await isDemoProduct(tx, product.id)))
    throw new AppError('forbidden', 'a demo organization can claim only products of the demo catalog', {
      field: 'product_slug',
    })
  const [productId, type, evidenceUrl] = [product.id, input.relationship_type, input.evidence_url]
  const evidence = (await findEvidence(tx, { orgId, productIds: [productId] })).get(productId)
  const claim = { product, type, via: proofOf(type, evidence), evidenceUrl }
  const known = await findClaim(tx, { orgId, productId, type })
  const { news, ...stands } = known
    ? await claimAgain(tx, claiming, { ...claim, known })
    : { ...(await claimFirst(tx, claiming, claim)), news: true }
  return {
    ...stands,
    ...{ news, created: !known },
    hasEvidence: (evidenceUrl ?? known?.evidenceUrl ?? null) !== null,
    product,
    type,
    orgDomain: producer.org.domain,
    orgVerified: producer.org.verificationStatus === 'verified',
    brandDomain: evidence?.brandDomain ?? null,
  }
}

export type Claiming = Doing & { producer: Producer; relationshipHooks: RelationshipHooks }
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
): Promise<Stands & { news: boolean }> {
  const { id, status, verifiedVia } = known
  if (status === 'pending' && via !== null) {
    await verifyIn(tx, doing, [{ id, product, type, via }])
    return { relationshipId: id, status: 'verified', verifiedVia: via, news: true }
  }
  const isEvidence = status === 'pending' && evidenceUrl !== null && evidenceUrl !== known.evidenceUrl
  if (isEvidence) {
    await updateEvidenceUrl(tx, id, evidenceUrl)
    const detail = { ...claimed(product, type), relationship_id: id, status, evidence: true }
    await recordAction(tx, doing, 'relationship.claimed', detail)
  }
  return { relationshipId: id, status, verifiedVia, news: isEvidence }
}

type KnownClaim = Pick<Relationship, 'id' | 'status' | 'verifiedVia' | 'evidenceUrl'>

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
  await recordActions(
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
      await updateVerified(tx, idsOf(proved), via, at)
  })
  await recordActions(
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

/**
 * Whether a claim means the product it names. A slug is easily taken for another; the number under the bar code, or the
 * maker's own, is not. Where the catalog knows no number there is nothing to disagree with. A refusal says which
 * number differs and which product has it, never the number the catalog holds: it is there to be confirmed, not read off.
 */
const MOST_NAMED = 5
const MAX_NUMBER = 100
/** A brand's name is rarely longer. */
const MAX_BRAND_WORDS = 2

/** Throws when a number is not the product's. */
async function requireSameProduct(
  db: Db,
  product: { id: string; category: string; slug: string },
  { gtin, mpn }: ProductNumbers,
): Promise<void> {
  if (gtin === null && mpn === null) return
  const known = await findNumbers(db, product.id)
  const field = known && differingNumber(known, { gtin, mpn })
  if (!field) return
  const [other] = await productsWith(db, field === 'gtin' ? { gtin, mpn: null } : { gtin: null, mpn })
  const whose = other === undefined ? 'check for a typo, or choose another product' : `it belongs to ${other}`
  throw invalid(field, `${field}: does not match ${product.category}/${product.slug}; ${whose}`)
}

/** What to answer a claim to a product that is not there; names those that the numbers belong to. */
export async function noSuchProduct(db: Db, numbers: ProductNumbers): Promise<AppError> {
  const valid = await productsWith(db, numbers)
  return valid.length === 0
    ? notFound('there is no such product', { field: 'product_slug' })
    : notFound('there is no such product; the number belongs to another one', {
        field: 'product_slug',
        valid,
      })
}

/**
 * `<category>/<slug>` of what a text names by a number: the one under the bar code, or the maker's own, alone or after its
 * brand.
 */
export async function findNumbered({ db }: { db: Db }, text: string): Promise<string[]> {
  const line = cleanLine(text.slice(0, MAX_NUMBER))
  const digits = line.replace(/[\s-]/g, '')
  if (isGtin(digits)) return productsWith(db, { gtin: digits, mpn: line })
  const words = line.split(' ')
  for (let brand = 0; brand <= MAX_BRAND_WORDS && brand < words.length; brand++) {
    const found = await productsWith(db, { gtin: null, mpn: words.slice(brand).join(' ') })
    if (found.length > 0) return found
  }
  return []
}

async function productsWith(db: Db, { gtin, mpn }: ProductNumbers): Promise<string[]> {
  if (gtin === null && mpn === null) return []
  return findByNumbers(db, { gtins: gtin === null ? [] : gtinForms(gtin), mpn, limit: MOST_NAMED })
}

export type ClaimStanding = {
  type: RelationshipType
  status: RelationshipStatus
  verifiedVia: VerifiedVia | null
  /** Whether an operator has been given something to look at. */
  hasEvidence: boolean
  orgDomain: string | null
  orgVerified: boolean
  brandDomain: string | null
}

const PROOFS: Record<VerifiedVia, string> = {
  brand_domain: "your domain is the brand's domain",
  shop_link: "one of the product's where-to-buy links goes to your domain",
  operator: 'an operator approved it',
}

const PROVE_DOMAIN = 'POST /api/org/verify-domain/ gives you the DNS record or file to publish, and checks it'

/** Our own words, one step a line; what to do first comes first. */
export function claimSteps(claim: ClaimStanding): string[] {
  if (claim.status === 'verified') {
    const proof = claim.verifiedVia === null ? [] : [`Verified: ${PROOFS[claim.verifiedVia]}.`]
    return [...proof, 'You can now use create_offer, set_pricing_rules and submit_enrichment for it.']
  }
  return [domainStep(claim), operatorStep(claim)]
}

function domainStep({ type, orgDomain, orgVerified, brandDomain }: ClaimStanding): string {
  const brand = brandDomain === null ? null : `the brand's domain, ${inlineText(brandDomain)}`
  const shop = type === 'sells' ? "the host of one of the product's where-to-buy links" : null
  const proving = [brand, shop].filter((way) => way !== null).join(', or ')
  if (proving === '')
    return 'Domain: the catalog has no domain for this brand, so your domain cannot verify this claim.'
  if (orgDomain !== null && orgVerified) return `Domain: yours is verified, but the claim needs ${proving}.`
  const first = orgDomain === null ? 'add a domain to your organization and verify it' : 'verify your domain'
  return `Domain: ${first} (${PROVE_DOMAIN}). The claim is then verified automatically if it is ${proving}.`
}

function operatorStep({ hasEvidence }: ClaimStanding): string {
  return hasEvidence
    ? 'Operator: otherwise an operator reviews your evidence; list_my_products shows when it is verified.'
    : 'Operator: otherwise an operator decides. To help, call claim_product again with evidence_url, a page that shows it.'
}
