/**
 * A request that its buyer shows to others, to let them check that the ranking was fair. A share has an id of its own,
 * which opens what was shared and nothing else, until it expires or is revoked. Its quotes are signed anew without what is
 * the buyer's or would let others use the quotes: no links, no terms, no place, no deadline.
 */
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { recordAudit } from '../accounts/audit.service.ts'
import type { Visit } from '../accounts/context.ts'
import { DAY_MS } from '../lib/clock.ts'
import { conflict, notFound } from '../lib/errors.ts'
import { isUuid } from '../lib/ids.ts'
import type { RfqContext } from './context.ts'
import { Quote } from './quote.schema.ts'
import { signQuote } from './quote-signature.ts'
import { lockRfq } from './rfq.queries.ts'
import { getRfqTask, isReadable, noSuchRfq, type RfqTask, requireReadable } from './rfq.service.ts'
import { findShare, findShares, insertShare, revokeShareRow, type ShareRow } from './share.queries.ts'

export const MAX_SHARE_DAYS = 30
const MOST_SHARES = 10

export const ShareInput = z.object({
  days: z.int().min(1).max(MAX_SHARE_DAYS).default(7).describe('How long the link works'),
})

const RANKING_RULE =
  'In stock first, then arrives by the buyer’s deadline if there is one, then shipping stated, then the lowest total (price × quantity + shipping), then the fewest delivery days, then how reliably the seller answers, then verified sellers, then a link on the seller’s own domain, then the faster answer. Sellers cannot pay for a better rank.'

const SharedQuote = Quote.pick({
  rank: true,
  org: true,
  price_usd: true,
  total_usd: true,
  in_stock: true,
  offer_expires_at: true,
  shipping_cost_usd: true,
  list_price_usd: true,
  estimated_shipping_days: true,
  signature: true,
})

export const SharedRequest = z.object({
  rfq_id: z.string(),
  product_slug: z.string(),
  product_title: z.string(),
  quantity: z.int(),
  variant: z.string().optional(),
  completed_at: z.string(),
  ranking_rule: z.string(),
  quotes: z.array(SharedQuote),
})
export type SharedRequest = z.output<typeof SharedRequest>

export type Share = { id: string; createdAt: Date; expiresAt: Date }

type Whose = { id: string; userId: string | null; visit: Visit }

export async function shareRfq(
  ctx: RfqContext,
  { id, userId, visit, days }: Whose & z.output<typeof ShareInput>,
): Promise<Share> {
  const task = await getRfqTask(ctx, { id, userId })
  if (task.state !== 'completed' || task.quotes.length === 0)
    throw conflict('only a completed request with quotes can be shared')
  const at = ctx.clock.now()
  const shared = await sharedOf(ctx, task)
  const share = { id: randomUUID(), createdAt: at, expiresAt: new Date(at.getTime() + days * DAY_MS) }
  await ctx.db.transaction().execute(async (tx) => {
    const rfq = await lockRfq(tx, id)
    if (!rfq || !isReadable(rfq, userId)) throw noSuchRfq()
    if ((await findShares(tx, id, at)).length >= MOST_SHARES)
      throw conflict(`a request can have ${MOST_SHARES} links; revoke one first`)
    await insertShare(tx, { ...share, rfqId: id, shared })
    await recordShare(tx, { action: 'rfq.shared', rfqId: rfq.sessionId, userId, visit, at })
  })
  return share
}

export async function listShares(ctx: RfqContext, { id, userId }: Omit<Whose, 'visit'>): Promise<Share[]> {
  await requireReadable(ctx, { id, userId })
  return findShares(ctx.db, id, ctx.clock.now())
}

/** Of a share that is revoked already, nothing changes. */
export async function revokeShare(
  ctx: RfqContext,
  { id, userId, visit, shareId }: Whose & { shareId: string },
): Promise<void> {
  const at = ctx.clock.now()
  await ctx.db.transaction().execute(async (tx) => {
    const rfq = isUuid(id) ? await lockRfq(tx, id) : null
    if (!rfq || !isReadable(rfq, userId)) throw noSuchRfq()
    if (!isUuid(shareId) || !(await revokeShareRow(tx, { rfqId: id, id: shareId, at }))) throw noSuchShare()
    await recordShare(tx, { action: 'rfq.unshared', rfqId: rfq.sessionId, userId, visit, at })
  })
}

/** For anyone with its id, while it lasts. */
export async function readShare(
  ctx: Pick<RfqContext, 'db' | 'clock'>,
  shareId: string,
): Promise<SharedRequest & { expires_at: string }> {
  const share = isUuid(shareId) ? await findShare(ctx.db, shareId, ctx.clock.now()) : null
  if (!share) throw noSuchShare()
  return { ...SharedRequest.parse(share.shared), expires_at: share.expiresAt.toISOString() }
}

function noSuchShare() {
  return notFound('there is no such shared request; it may have expired or been revoked')
}

async function sharedOf(ctx: RfqContext, task: RfqTask): Promise<ShareRow['shared']> {
  const key = await ctx.signingKeys.current()
  const { sessionId, productSlug, productTitle, quantity, finishedAt, createdAt, variant } = task
  const named = variant && { variant: variant.name }
  const completed_at = (finishedAt ?? createdAt).toISOString()
  const about = {
    issuer: ctx.config.baseUrl,
    rfq_id: sessionId,
    product_slug: productSlug,
    quantity,
    ...named,
  }
  const quotes = await Promise.all(
    task.quotes.map(async (quote) => {
      const { signature: _, ...shown } = SharedQuote.parse(quote)
      const signature = await signQuote({ ...shown, ...about, issued_at: completed_at }, key)
      return { ...shown, signature }
    }),
  )
  return {
    ...{ rfq_id: sessionId, product_slug: productSlug, product_title: productTitle, quantity, completed_at },
    ...{ ...named, ranking_rule: RANKING_RULE, quotes },
  }
}

type Recorded = { action: string; rfqId: string; userId: string | null; visit: Visit; at: Date }

/** Strangers have no history. */
async function recordShare(
  tx: Parameters<typeof recordAudit>[0],
  { action, rfqId, userId, visit, at }: Recorded,
): Promise<void> {
  if (userId === null) return
  await recordAudit(tx, {
    ...{ actor: { kind: 'user', id: userId }, action, at, userId, visit },
    detail: { rfq_id: rfqId },
  })
}
