/**
 * How a request ends, whether completed, failed or canceled: its state, a job for everybody who wants to be told, and the
 * news to all nodes are one transaction, so that nobody is told of an end that did not happen and nobody is forgotten.
 * Adding a push notification locks the request first (see pushes.service), so it is either found here or finds it ended.
 * Completing stores all quotes ranked and signed in the same transaction, so no buyer ever sees half of it, and of
 * completing and withdrawing only one happens. Which quotes there are is for the database to say; what they hold is
 * read from it only where this run did not receive them itself. What it received is ranked and signed while the last of it
 * is being stored, and made again if other quotes are there in the end.
 */
import { setImmediate as letOthersRun } from 'node:timers/promises'
import type { ProductProfile } from '../catalog/profile.ts'
import { offerLink } from '../catalog/promoted-offer.ts'
import type { Db, Tx } from '../db/database.ts'
import { enqueue } from '../jobs/runner.ts'
import { awaitLater } from '../lib/background.ts'
import type { SigningKey } from '../lib/jws.ts'
import { findAskedRows, findQuoteIds, findQuotes, type RankedRow, saveRanking } from './attempts.queries.ts'
import type { RfqContext } from './context.ts'
import { type AskedRow, askedSellers, listingsOf, worthKnowing } from './outcome.ts'
import { countSent, findPushes, type PushRow } from './pushes.queries.ts'
import type { ReceivedQuote } from './quote.schema.ts'
import { buildQuote } from './quote-signature.ts'
import { rankQuotes } from './rank.ts'
import { lockSubmitted, notifyRfqs, type Rfq, type RfqEnd, saveEnd } from './rfq.queries.ts'
import { deadlineOf } from './rfq.schema.ts'
import { countEnd } from './rfq-metrics.ts'
import { noticeQuotes } from './rfq-notices.service.ts'

/** What it sends is A2A, so that face defines how it runs. */
export const PUSH_JOB = { kind: 'rfq.push', maxAttempts: 8, leaseMs: 15_000, places: 20 }

/** False when it had ended already. */
export async function endRfq(tx: Tx, end: RfqEnd): Promise<boolean> {
  if (!(await saveEnd(tx, end))) return false
  for (const push of await findPushes(tx, end.id)) await enqueuePush(tx, push)
  await notifyRfqs(tx, [end.id])
  return true
}

/** In all, however often one is set anew: each is a request to an address that anybody may have named. */
export const MAX_SENT = 10

/**
 * False when the task has sent all that it may. `made` tells a push from the one of the same name that it replaced, whose tries must
 * not count against it.
 */
export async function enqueuePush(tx: Tx, { rfq_id: rfqId, id: pushId, made }: PushRow): Promise<boolean> {
  if (!(await countSent(tx, { rfqId, max: MAX_SENT }))) return false
  await enqueue(tx, PUSH_JOB, { rfqId, pushId, made }, { dedupeKey: `${rfqId} ${made} ${pushId}` })
  return true
}

/** Ranked and signed, best first. */
export type Signed = { productSlug: string; rows: SignedRow[] }
type SignedRow = RankedRow & { orgId: string }

/** So many quotes are made at a time: a thousand take a tenth of a second, in which everybody else would wait. */
const AT_A_TIME = 25

export async function rankAndSign(
  ctx: RfqContext,
  { quantity, deadlineIso, productSlug, sessionId, variant }: Rfq,
  quotes: readonly ReceivedQuote[],
  key: SigningKey,
): Promise<Signed> {
  const { baseUrl } = ctx.config
  const now = ctx.clock.now()
  const deadline = deadlineIso === null ? null : deadlineOf(deadlineIso)
  const about = {
    ...{ issuer: baseUrl, issuedAt: now, rfqId: sessionId, productSlug, quantity },
    ...(variant && { variant: variant.name }),
  }
  const rows: Promise<SignedRow>[] = []
  for (const ranked of rankQuotes(quotes, { quantity, deadline, now })) {
    if (rows.length % AT_A_TIME === 0) await letOthersRun()
    const { id, org, rank, lossReason: loss_reason, loss } = ranked
    const built = buildQuote(ranked, { ...about, claimUrl: offerLink(ranked, baseUrl) }, key)
    rows.push(awaitLater(built.then((quote) => ({ id, orgId: org.id, rank, loss_reason, loss, quote }))))
  }
  return { productSlug, rows: await Promise.all(rows) }
}

type Known = {
  profile: ProductProfile | null
  /** What this run received. */
  received?: readonly ReceivedQuote[]
  /** All of it, if it is ranked and signed. */
  signed?: Signed | null
  /** Everyone who was asked, if this run asked them all. */
  asked?: readonly AskedRow[] | null
}

export async function completeRfq(
  ctx: RfqContext,
  rfqId: string,
  { profile, received = [], signed = null, asked = null }: Known,
): Promise<void> {
  // Before the transaction: in it, a second connection would be waited for with one in hand.
  const key = await ctx.signingKeys.current()
  const done = await ctx.db.transaction().execute(async (tx) => {
    const rfq = await lockSubmitted(tx, rfqId)
    if (!rfq) return null
    const at = ctx.clock.now()
    const ids = await findQuoteIds(tx, rfqId)
    const { rows } =
      signed && isAll(signed, rfq, ids)
        ? signed
        : await rankAndSign(ctx, rfq, await storedQuotes(tx, rfqId, ids, received), key)
    const shown = { offers: ctx.offers, baseUrl: ctx.config.baseUrl, variantId: rfq.variant?.id ?? null }
    const listings = profile ? listingsOf(profile, shown) : []
    if (rows.length > 0) await saveRanking(tx, rfqId, rows)
    const outcome = {
      sellers: askedSellers(asked ? inOrder(asked, rows) : await findAskedRows(tx, rfqId)),
      listed: worthKnowing(
        listings,
        rows.map(({ quote }) => quote),
      ),
    }
    await endRfq(tx, { id: rfqId, state: 'completed', at, outcome })
    await noticeQuotes(tx, rfq, { quotes: rows.length, at })
    return {
      outcome: rows.length > 0 ? 'quoted' : 'unquoted',
      ms: at.getTime() - rfq.createdAt.getTime(),
    } as const
  })
  if (done) countEnd(done.outcome, done.ms)
}

/** Nothing of it is told but what is stored, and the product is still called so. */
function isAll({ productSlug, rows }: Signed, rfq: Rfq, ids: readonly string[]): boolean {
  const stored = new Set(ids)
  return (
    productSlug === rfq.productSlug && rows.length === stored.size && rows.every(({ id }) => stored.has(id))
  )
}

/** As `findAskedRows` has them: by rank, then by name. */
function inOrder(asked: readonly AskedRow[], rows: readonly SignedRow[]): AskedRow[] {
  const rankOf = new Map(rows.map(({ orgId, rank }) => [orgId, rank]))
  const placed = asked.map((row) => ({ row, rank: rankOf.get(row.orgId) ?? rows.length + 1 }))
  return placed
    .sort(
      (a, b) => a.rank - b.rank || (`${a.row.name} ${a.row.orgId}` < `${b.row.name} ${b.row.orgId}` ? -1 : 1),
    )
    .map(({ row }) => row)
}

/** Only when the service itself could not finish it, however often it tried. */
export async function failRfq(ctx: RfqContext, rfqId: string): Promise<void> {
  const failure = 'The service could not finish this request. Please send it again.'
  const end = { id: rfqId, state: 'failed', at: ctx.clock.now(), failure } as const
  if (await ctx.db.transaction().execute((tx) => endRfq(tx, end))) countEnd('failed')
}

async function storedQuotes(
  tx: Db,
  rfqId: string,
  ids: readonly string[],
  received: readonly ReceivedQuote[],
): Promise<ReceivedQuote[]> {
  const known = new Map(received.map((quote) => [quote.id, quote]))
  const others = ids.filter((id) => !known.has(id))
  const read = others.length > 0 ? await findQuotes(tx, rfqId, others) : []
  return [...ids.flatMap((id) => known.get(id) ?? []), ...read]
}
