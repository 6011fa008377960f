/**
 * The operators' side of proposed products: what waits, and the decision. An approval is one transaction: the product and
 * its record of changes, the submitter's verified relationship, the submission and the audit log, or none of them. Pages
 * and the search index follow from the record of changes. It makes a product or refuses; it never alters one. It names the
 * version that was looked at, because the producer may change a proposal at any time until then.
 */

import { type AuditActor, recordAudits } from '../accounts/audit.service.ts'
import type { Db } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { AppError, conflict } from '../lib/errors.ts'
import { isUuid, newId } from '../lib/ids.ts'
import { slugify } from '../lib/text.ts'
import { shownName } from '../orgs/shown-org.ts'
import type { Category } from './catalog.schema.ts'
import { listCategories } from './catalog.service.ts'
import { type CategoryIndex, indexCategories } from './category-index.ts'
import { nextStatus } from './enrichment.schema.ts'
import { ifTaken } from './enrichment-review.service.ts'
import { createMatcher, lookupsOf, type StatedProduct } from './product-identity.ts'
import { checkProductInput, type ProductInput } from './product-input.ts'
import { insertRelationships } from './relationships.queries.ts'
import { findProduct, type RelationshipHooks, takeTurn } from './relationships.service.ts'
import {
  closeSubmission,
  findLookalikes,
  findSubmission,
  findSubmissions,
  findTakenSlugs,
  holdOrgOfSubmission,
  lockApprovals,
  lockSubmission,
  type Submission,
  type SubmittingOrg,
  type WaitingSubmission,
} from './submissions.queries.ts'
import { rowOfStored } from './submissions.schema.ts'
import { requirePending, unknownSubmission } from './submissions.service.ts'
import { lockProducts, updateProducts } from './upsert.queries.ts'
import { upsertProducts } from './upsert.service.ts'

export type { WaitingSubmission }

type Decision = {
  by: AuditActor
  id: string
  /** What was looked at. */
  version: number
}

export function listSubmissions(
  ctx: { db: Db },
  asked: Parameters<typeof findSubmissions>[1],
): Promise<WaitingSubmission[]> {
  return findSubmissions(ctx.db, asked)
}

/** One by itself, whether it waits or is decided. */
export async function getSubmission(ctx: { db: Db }, id: string): Promise<WaitingSubmission> {
  const found = isUuid(id) ? await findSubmission(ctx.db, id) : null
  if (!found) throw unknownSubmission()
  return found
}

export async function approveSubmission(
  ctx: { db: Db; clock: Clock; relationshipHooks: RelationshipHooks },
  { by, id, version }: Decision,
): Promise<{ productSlug: string; orgName: string }> {
  const work = ctx.db.transaction().execute(async (tx) => {
    const { org, submission } = await holdPending(tx, id, version)
    if (org.deactivated)
      throw new AppError('conflict', `${org.name} is deactivated`, { code: 'org_deactivated' })
    await lockApprovals(tx)
    const at = ctx.clock.now()
    const product = await createProduct(tx, { org, submission, at })
    const productSlug = `${product.category}/${product.slug}`
    const relationship = {
      id: newId(),
      orgId: org.id,
      productId: product.id,
      type: submission.relationshipType,
      via: 'operator' as const,
      evidenceUrl: submission.productUrl,
      at,
    }
    await ctx.relationshipHooks.changing(tx, { orgId: org.id, productIds: [product.id], at }, () =>
      insertRelationships(tx, [relationship]),
    )
    const reviewer = by.kind === 'user' ? by.id : null
    await closeSubmission(tx, id, {
      status: 'approved',
      productId: product.id,
      by: reviewer,
      at,
      note: null,
    })
    const entry = { actor: by, at, orgId: org.id }
    const named = { product_slug: productSlug, relationship_type: submission.relationshipType }
    await recordAudits(tx, [
      {
        ...entry,
        action: 'submission.approved',
        detail: { submission_id: id, version, product_slug: productSlug },
      },
      {
        ...entry,
        action: 'relationship.verified',
        detail: { relationship_id: relationship.id, ...named, verified_via: 'operator' },
      },
    ])
    return { productSlug, orgName: org.name }
  })
  return work.catch((error: unknown) => {
    throw ifTaken(error, /^products_/)
  })
}

export async function rejectSubmission(
  ctx: { db: Db; clock: Clock },
  { by, id, version, note }: Omit<Decision, 'version'> & { version?: number; note: string },
): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const { org } = await holdPending(tx, id, version)
    const at = ctx.clock.now()
    const reviewer = by.kind === 'user' ? by.id : null
    await closeSubmission(tx, id, { status: 'rejected', productId: null, by: reviewer, at, note })
    const detail = { submission_id: id }
    await recordAudits(tx, [{ actor: by, action: 'submission.rejected', at, orgId: org.id, detail }])
  })
}

async function holdPending(
  tx: Db,
  id: string,
  version: number | undefined,
): Promise<{ org: SubmittingOrg; submission: Submission }> {
  const org = isUuid(id) ? await holdOrgOfSubmission(tx, id) : null
  if (org) await takeTurn(tx, org.id)
  const submission = org && (await lockSubmission(tx, id))
  if (!org || !submission) throw unknownSubmission()
  requirePending(submission)
  const waits = `${id}@${submission.version}`
  if (version !== undefined && version !== submission.version)
    throw cannot(`it has changed since: the waiting version is ${waits}; list it and review it again`, waits)
  return { org, submission }
}

async function createProduct(
  tx: Db,
  { org, submission, at }: { org: SubmittingOrg; submission: Submission; at: Date },
) {
  const categories = indexCategories(await listCategories({ db: tx }))
  const stated = readStored(submission, org, categories)
  const match = createMatcher(await findLookalikes(tx, lookupsOf([stated])))(stated)
  if ('problem' in match) throw cannot(`${match.problem.field} ${match.problem.problem}`)
  if (match.product) {
    const known = `${match.product.category}/${match.product.slug}`
    throw cannot(`the catalog now has this product: ${known}; reject it with a note that mentions it`, known)
  }
  const slug = await freeSlug(tx, stated.input)
  const [result] = await upsertProducts(tx, [{ line: 1, input: { ...stated.input, slug }, keys: [] }], {
    categoryOf: () => stated.stored,
    source: org.name,
    now: at,
    importId: null,
  })
  if (!result || 'problem' in result)
    throw cannot(result ? `${result.problem.field} ${result.problem.problem}` : 'it could not be written')
  if (result.outcome !== 'created') throw cannot(`the slug ${slug} was just taken; review this again`)
  await markContributed(tx, { slug, byManufacturer: submission.relationshipType === 'manufactured_by', at })
  const product = await findProduct({ db: tx }, { category: null, slug })
  if (!product) throw new Error(`the product ${slug} vanished while it was written`)
  return product
}

/** All that the profile says is a producer's contribution that was approved, as if it had been an enrichment. */
async function markContributed(
  tx: Db,
  { slug, byManufacturer, at }: { slug: string; byManufacturer: boolean; at: Date },
): Promise<void> {
  const made = await lockProducts(tx, { slugs: [slug] })
  const contributed = made.map((product) => ({
    ...product,
    verificationStatus: nextStatus(product.verificationStatus, {
      byManufacturer,
      confirms: false,
      changes: true,
    }),
    provenance: Object.fromEntries(
      Object.entries(product.provenance).map(([field, said]) => [
        field,
        { ...said, verifiedAt: at.toISOString() },
      ]),
    ),
  }))
  await updateProducts(tx, contributed)
}

/** What held when it was proposed must hold when it is approved. A seller's own page is where it can be bought. */
function readStored(
  { product, productUrl, relationshipType }: Submission,
  org: SubmittingOrg,
  categories: CategoryIndex,
): StatedProduct & { stored: Category } {
  const row = rowOfStored(product)
  const shop = { name: shownName(org.name), url: productUrl, price: priceOf(row) }
  const sold = productUrl !== null && relationshipType === 'sells' && row.where_to_buy === undefined
  const checked = checkProductInput(sold ? { ...row, where_to_buy: [shop] } : row)
  if ('problem' in checked) throw cannot(`${checked.problem.field} ${checked.problem.problem}`)
  const category = categories.find(checked.input.category)
  if (!category) throw cannot(`there is no category ${checked.input.category} any more`)
  return { input: checked.input, category: category.slug, stored: category }
}

function priceOf({ price }: Record<string, unknown>): number | null {
  const { low, high } = (price ?? {}) as { low?: number; high?: number }
  return low !== undefined && low === high ? low : null
}

/** Another product may have the slug that the title makes: this one is then told apart by its model or a number. */
async function freeSlug(tx: Db, { brand, facts }: ProductInput): Promise<string> {
  const isBrandNamed = brand && !facts.title.toLowerCase().includes(brand.toLowerCase())
  const name = slugify(isBrandNamed ? `${brand} ${facts.title}` : facts.title)
  const base = name === '' ? slugify(`product ${facts.gtin ?? newId()}`) : name
  const told = [facts.model, facts.mpn, 2, 3, 4, 5, 6, 7, 8, 9].flatMap((part) => {
    const end = part ? slugify(String(part), 30) : ''
    return end === '' ? [] : [`${base.slice(0, 79 - end.length).replace(/-+$/, '')}-${end}`]
  })
  const candidates = [base, ...told, slugify(`${base.slice(0, 40)} ${newId()}`)]
  const taken = await findTakenSlugs(tx, candidates)
  const free = candidates.find((slug) => !taken.has(slug))
  if (free === undefined) throw new Error(`no slug is free for ${base}`)
  return free
}

function cannot(why: string, valid?: string): AppError {
  return conflict(why, { ...(valid !== undefined && { valid: [valid] }) })
}
