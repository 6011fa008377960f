/**
 * Proposing a product that the catalog does not have. Nobody sees it until an operator approves it
 * (submissions-review.service.ts). What the catalog has already is claimed, never proposed again.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Db } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { type AppError, conflict, invalid, notFound } from '../lib/errors.ts'
import { isUuid, newId } from '../lib/ids.ts'
import { cleanLine, shorten } from '../lib/text.ts'
import type { Org } from '../orgs/orgs.schema.ts'
import { type Act, type Doing, recordAction, recordActions, requireProducer } from '../orgs/producer.ts'
import { listCategories } from './catalog.service.ts'
import { indexCategories } from './category-index.ts'
import { createMatcher, identityKey, type KnownProduct, lookupsOf } from './product-identity.ts'
import type { InputProblem } from './product-input.ts'
import { takeTurn } from './relationships.service.ts'
import {
  countPendingSubmissions,
  findLookalikes,
  findOwnSubmission,
  findOwnSubmissions,
  findPendingSubmissions,
  insertSubmissions,
  lockSubmission,
  markWithdrawn,
  type OwnSubmission,
  type Submission,
  updateSubmission,
} from './submissions.queries.ts'
import {
  readSubmission,
  relationshipOf,
  type StoredProduct,
  type SubmitProduct,
  storedProduct,
} from './submissions.schema.ts'
import { submissionsLimit, tooManyWait } from './waiting-limits.ts'

export type Submitted = {
  id: string
  /** False for one that was waiting already. */
  created: boolean
  /** False if nothing changed. */
  changed: boolean
  category: string
  product: StoredProduct
  notes: InputProblem[]
}

export async function submitProduct(
  ctx: { db: Db; clock: Clock },
  act: Act,
  request: SubmitProduct,
): Promise<Submitted> {
  // Asked again where it counts, in the transaction: who may not propose makes nobody read a proposal.
  await requireProducer(ctx, act.caller, 'edit')
  const { input, notes } = readSubmission(request)
  return ctx.db.transaction().execute(async (tx) => {
    const producer = await requireProducer({ db: tx }, act.caller, 'edit')
    const orgId = producer.org.id
    const category = await requireCategory(tx, request.category)
    await takeTurn(tx, orgId)
    const stated = { input, category }
    const match = createMatcher(await findLookalikes(tx, lookupsOf([stated])))(stated)
    if ('problem' in match) throw conflictOf(match.problem)
    if (match.product) throw alreadyThere(match.product)
    const key = identityKey(stated)
    const content = {
      product: storedProduct(input, category),
      productUrl: request.product_url ?? null,
      relationshipType: relationshipOf(producer.org.orgType),
    }
    const known = (await findPendingSubmissions(tx, { orgId, identityKeys: [key] })).get(key)
    const changed = !known || !isSameContent(known, content)
    if (!known && (await roomForSubmissions(tx, producer.org)) <= 0)
      throw tooManyWait(submissionsLimit(producer.org))
    const submission = { id: known?.id ?? newId(), isNew: !known, identityKey: key, content }
    if (changed) await submitIn(tx, { producer, act, at: ctx.clock.now() }, [submission])
    return { id: submission.id, created: !known, changed, category, product: content.product, notes }
  })
}

type SubmissionContent = Pick<Submission, 'product' | 'productUrl' | 'relationshipType'>

export function isSameContent(a: SubmissionContent, b: SubmissionContent): boolean {
  const content = ({ product, productUrl, relationshipType }: SubmissionContent) =>
    [product, productUrl, relationshipType] as const
  return isDeepStrictEqual(content(a), content(b))
}

/** How many more may wait. */
export async function roomForSubmissions(
  tx: Db,
  org: Pick<Org, 'id' | 'verificationStatus'>,
): Promise<number> {
  return submissionsLimit(org).max - (await countPendingSubmissions(tx, org.id))
}

export type Submitting = { id: string; isNew: boolean; identityKey: string; content: SubmissionContent }

/** Writes submissions that were judged; of those that wait already, what they say now. */
export async function submitIn(tx: Db, doing: Doing, submissions: readonly Submitting[]): Promise<void> {
  const orgId = doing.producer.org.id
  const fresh = submissions.filter(({ isNew }) => isNew)
  await insertSubmissions(
    tx,
    fresh.map(({ id, identityKey: key, content }) => ({ id, orgId, identityKey: key, ...content })),
    doing.at,
  )
  for (const { id, isNew, content } of submissions)
    if (!isNew) await updateSubmission(tx, { id, ...content }, doing.at)
  await recordActions(
    tx,
    doing,
    submissions.map(({ id, isNew, content: { product } }) => ({
      action: isNew ? 'submission.submitted' : 'submission.changed',
      detail: { submission_id: id, category: product.category, fields: Object.keys(product) },
    })),
  )
}

export type { OwnSubmission }

/** What the organization has proposed, newest first. */
export async function listOwnSubmissions(
  ctx: { db: Db },
  act: Pick<Act, 'caller'>,
  page: { limit: number; offset: number },
): Promise<{ submissions: OwnSubmission[]; total: number }> {
  const { org } = await requireProducer(ctx, act.caller, 'read')
  return findOwnSubmissions(ctx.db, { ...page, orgId: org.id })
}

/** Another organization's is no submission. */
export async function getOwnSubmission(
  ctx: { db: Db },
  act: Pick<Act, 'caller'>,
  { submissionId }: { submissionId: string },
): Promise<OwnSubmission> {
  const { org } = await requireProducer(ctx, act.caller, 'read')
  const found = isUuid(submissionId)
    ? await findOwnSubmission(ctx.db, { orgId: org.id, id: submissionId })
    : null
  if (!found) throw unknownSubmission()
  return found
}

export async function withdrawSubmission(
  ctx: { db: Db; clock: Clock },
  act: Act,
  { submissionId }: { submissionId: string },
): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const producer = await requireProducer({ db: tx }, act.caller, 'edit')
    await takeTurn(tx, producer.org.id)
    const known = isUuid(submissionId) ? await lockSubmission(tx, submissionId) : null
    if (known?.orgId !== producer.org.id) throw unknownSubmission()
    requirePending(known)
    const at = ctx.clock.now()
    await markWithdrawn(tx, known.id, at)
    await recordAction(tx, { producer, act, at }, 'submission.withdrawn', { submission_id: known.id })
  })
}

export function unknownSubmission(): AppError {
  return notFound('there is no such submission')
}

export function requirePending({ status }: { status: string }): void {
  if (status !== 'pending') throw conflict(`this submission is already ${status}`)
}

async function requireCategory(db: Db, asked: string): Promise<string> {
  const index = indexCategories(await listCategories({ db }))
  const found = index.find(asked)
  if (found) return found.slug
  const name = shorten(cleanLine(asked), 60)
  throw invalid('category', `category: there is no category "${name}"; see list_categories`, {
    valid: index.near(asked),
  })
}

function alreadyThere({ category, slug }: KnownProduct): AppError {
  const named = `${category}/${slug}`
  return conflict(`the catalog already has this product: ${named}. Claim it with claim_product`, {
    valid: [named],
  })
}

function conflictOf({ field, problem, fix }: InputProblem): AppError {
  return conflict(`${field}: ${problem}; ${fix}`, { ...(field !== null && { field }) })
}
