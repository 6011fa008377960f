/**
 * What is wrong with an organization's catalog and with the organization itself, found anew at every look; the pages
 * after the first are of the same look, as long as it is not older than some seconds.
 */
import type { ProductSlug } from '../catalog/relationships.schema.ts'
import { findProduct } from '../catalog/relationships.service.ts'
import type { Db } from '../db/database.ts'
import { withinTime } from '../db/within-time.ts'
import { type AppError, notFound } from '../lib/errors.ts'
import type { Org } from '../orgs/orgs.schema.ts'
import { type Act, type Caller, requireProducer } from '../orgs/producer.ts'
import type { Severity } from './issue-rule.ts'
import { countBySeverity, type Issue, orgIssues, productIssues, worstFirst } from './issues.ts'
import { findMatching } from './my-products.queries.ts'
import {
  hasVerifiedEmail,
  judgeAll,
  MOST_JUDGED,
  type MyProductsContext,
  readOrg,
  readProducts,
  TOO_LONG,
} from './my-products.service.ts'

type IssuesQuery = {
  /** Null: the organization and all its products. */
  productSlug: ProductSlug | null
  severity: Severity | null
  limit: number
  offset: number
}

type Judged = {
  /** Worst first. */
  issues: readonly Issue[]
  /** Of every severity. */
  counts: Record<Severity, number>
  /** How many products were looked at, and of how many. */
  judged: number
  products: number
}

/** `total`: of the severity asked for. */
export type CatalogIssues = Judged & { total: number }

const EVERY = { relationshipType: null, verificationStatus: null, words: [] }

export async function getCatalogIssues(
  ctx: MyProductsContext,
  act: Pick<Act, 'caller'>,
  {
    productSlug,
    severity,
    search = null,
    limit,
    offset,
  }: IssuesQuery & { search?: ((issue: Issue) => boolean) | null },
): Promise<CatalogIssues> {
  const { org } = await requireProducer(ctx, act.caller, 'read')
  const look = { org, caller: act.caller, now: ctx.clock.now() }
  const found =
    productSlug === null
      ? await judgeCatalog(ctx, look, { mayRecall: offset > 0 })
      : await judgeOne(ctx, look, productSlug)
  const { issues, ...counted } = found
  const wanted = issues.filter(
    (one) => (severity === null || one.severity === severity) && (search === null || search(one)),
  )
  return { ...counted, issues: wanted.slice(offset, offset + limit), total: wanted.length }
}

type Look = { org: Org; caller: Caller; now: Date }

async function judgeCatalog(
  ctx: MyProductsContext,
  look: Look,
  { mayRecall }: { mayRecall: boolean },
): Promise<Judged> {
  const { org, caller, now } = look
  // One issue is about the caller.
  const key = `${org.id} ${hasVerifiedEmail(caller)}`
  const known = mayRecall ? recall(ctx.db, key, now) : null
  if (known) return known
  const { facts, read, products } = await withinTime(ctx.db, TOO_LONG, async (tx) => {
    const within = { ...ctx, db: tx }
    const { facts } = await readOrg(within, org, caller, now)
    const { ids, total } = await findMatching(tx, org.id, EVERY, { limit: MOST_JUDGED, offset: 0 })
    return { facts, read: await readProducts(within, { org, facts, ids, now }), products: total }
  })
  const ofProducts = await judgeAll(read, (product) => productIssues(product, facts, now))
  const judged = judgedOf([...orgIssues(facts, now), ...ofProducts.flat()], { judged: read.length, products })
  remember(ctx.db, key, judged, now)
  return judged
}

async function judgeOne(
  ctx: MyProductsContext,
  { org, caller, now }: Look,
  slug: ProductSlug,
): Promise<Judged> {
  const product = await findProduct(ctx, slug)
  if (!product) throw notYours()
  const { facts } = await readOrg(ctx, org, caller, now)
  const [read] = await readProducts(ctx, { org, facts, ids: [product.id], now })
  if (!read || read.relationships.length === 0) throw notYours()
  return judgedOf(productIssues(read, facts, now), { judged: 1, products: 1 })
}

function judgedOf(found: Issue[], of: { judged: number; products: number }): Judged {
  return { issues: worstFirst(found), counts: countBySeverity(found), ...of }
}

/** The same for a product of others as for none. */
function notYours(): AppError {
  return notFound(
    'your organization has not claimed this product; see list_my_products, or claim it with claim_product',
    { field: 'product_slug' },
  )
}

const KEPT_MS = 10_000
const MOST_ISSUES = 200_000

type Kept = Judged & { at: number }
/**
 * What was found a moment ago, for the pages after the first: judging thousands of products again for each of them would
 * cost seconds, and the pages might not fit together. A first page is never taken from here, so who puts something right
 * and looks again sees it. Kept by this node alone, for seconds, and bounded by how many issues there are in all.
 */
// By database: tests have several in one process.
const memories = new WeakMap<Db, Map<string, Kept>>()

function recall(db: Db, key: string, now: Date): Judged | null {
  const kept = memories.get(db)?.get(key)
  return kept && isFresh(kept, now) ? kept : null
}

function remember(db: Db, key: string, judged: Judged, now: Date): void {
  const memory = memories.get(db) ?? new Map<string, Kept>()
  memories.set(db, memory)
  memory.delete(key)
  let room = MOST_ISSUES - judged.issues.length
  // The newest are last: what is old, and what has no room beside newer ones, goes.
  for (const [other, kept] of [...memory].reverse()) {
    room -= kept.issues.length
    if (room < 0 || !isFresh(kept, now)) memory.delete(other)
  }
  if (judged.issues.length <= MOST_ISSUES) memory.set(key, { ...judged, at: now.getTime() })
}

function isFresh({ at }: Kept, now: Date): boolean {
  return Math.abs(now.getTime() - at) < KEPT_MS
}
