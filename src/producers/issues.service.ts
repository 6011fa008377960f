/**
 * What is wrong with an organization's catalog and with the organization itself, found anew at every look; the pages
 * after the first are of the same look, as long as it is not older than some seconds.
 */
import type { ProductSlug } from '../catalog/relationships.schema.ts'
import { findProduct } from '../catalog/relationships.service.ts'
import { withinTime } from '../db/within-time.ts'
import { AppError } from '../lib/errors.ts'
import type { Org } from '../orgs/orgs.schema.ts'
import { type Caller, type Deed, requireProducer } from '../orgs/producer.ts'
import type { Severity } from './issue-rule.ts'
import { type Judged, recall, remember } from './issues.memory.ts'
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

export type IssuesQuery = {
  /** Null: the organization and all its products. */
  productSlug: ProductSlug | null
  severity: Severity | null
  limit: number
  offset: number
}

export type CatalogIssues = {
  issues: Issue[]
  /** Of the severity asked for. */
  total: number
  /** Of every severity. */
  counts: Record<Severity, number>
  /** How many products were looked at, and of how many. */
  judged: number
  products: number
}

const EVERY = { relationshipType: null, verificationStatus: null, words: [] }

export async function getCatalogIssues(
  ctx: MyProductsContext,
  deed: Pick<Deed, 'caller'>,
  { productSlug, severity, limit, offset }: IssuesQuery,
): Promise<CatalogIssues> {
  const { org } = await requireProducer(ctx, deed.caller, 'read')
  const look = { org, caller: deed.caller, now: ctx.clock.now() }
  const found =
    productSlug === null
      ? await judgeCatalog(ctx, look, { mayRecall: offset > 0 })
      : await judgeOne(ctx, look, productSlug)
  const { issues, ...counted } = found
  const wanted = severity === null ? issues : issues.filter((one) => one.severity === severity)
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
  return new AppError(
    'not_found',
    'your organization has claimed no such product; list_my_products shows yours, claim_product adds one',
    { code: 'not_found', field: 'product_slug' },
  )
}
