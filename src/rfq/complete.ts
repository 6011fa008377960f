/**
 * The end of a request: what was quoted is ranked, signed and stored in the transaction that makes it complete, so no
 * buyer ever sees half of it, and of completing and withdrawing only one happens. Which quotes there are is for the
 * database to say; what they hold is read from it only where this run did not receive them itself.
 */
import { offerLink } from '../catalog/promoted-offer.ts'
import type { Db } from '../db/database.ts'
import { restoreAnswer, type WireAnswer } from './answer.ts'
import { findQuoteIds, findQuotes, type QuoteWithOrg, saveRanking } from './attempts.queries.ts'
import type { RfqContext } from './context.ts'
import { endRfq } from './end.ts'
import { buildQuote } from './quote-signature.ts'
import { rankQuotes } from './rank.ts'
import { lockSubmitted } from './rfq.queries.ts'
import { deadlineOf, type ReceivedQuote } from './rfq.schema.ts'
import { countEnd } from './rfq-metrics.ts'

export type StoredQuote = ReceivedQuote & { id: string }

export async function completeRfq(
  ctx: RfqContext,
  rfqId: string,
  received: readonly StoredQuote[],
): Promise<void> {
  const key = await ctx.signingKeys.current()
  const done = await ctx.db.transaction().execute(async (tx) => {
    const rfq = await lockSubmitted(tx, rfqId)
    if (!rfq) return null
    const at = ctx.clock.now()
    const quotes = await storedQuotes(tx, rfqId, received)
    const { quantity, deadline_iso, product_slug: productSlug, session_id } = rfq
    const deadline = deadline_iso === null ? null : deadlineOf(deadline_iso)
    const ranked = rankQuotes(quotes, { quantity, deadline, now: at })
    const about = { issuer: ctx.config.baseUrl, issuedAt: at, rfqId: session_id, productSlug, quantity }
    const rows = await Promise.all(
      ranked.map(async (quote) => ({
        id: quote.id,
        rank: quote.rank,
        loss_reason: quote.lossReason,
        quote: await buildQuote(quote, { ...about, claimUrl: offerLink(quote, ctx.config.baseUrl) }, key),
      })),
    )
    if (rows.length > 0) await saveRanking(tx, rfqId, rows)
    await endRfq(tx, { id: rfqId, state: 'completed', at })
    return {
      outcome: rows.length > 0 ? 'quoted' : 'unquoted',
      ms: at.getTime() - rfq.created_at.getTime(),
    } as const
  })
  if (done) countEnd(done.outcome, done.ms)
}

/** Only when the service itself could not finish it, however often it tried. */
export async function failRfq(ctx: RfqContext, rfqId: string): Promise<void> {
  const failure = 'The service could not finish this request; please send it again.'
  const end = { id: rfqId, state: 'failed', at: ctx.clock.now(), failure } as const
  if (await ctx.db.transaction().execute((tx) => endRfq(tx, end))) countEnd('failed')
}

async function storedQuotes(tx: Db, rfqId: string, received: readonly StoredQuote[]): Promise<StoredQuote[]> {
  const known = new Map(received.map((quote) => [quote.id, quote]))
  const ids = await findQuoteIds(tx, rfqId)
  const others = ids.filter((id) => !known.has(id))
  const read = others.length > 0 ? await findQuotes(tx, rfqId, others) : []
  return [...ids.flatMap((id) => known.get(id) ?? []), ...read.map(restoreQuote)]
}

function restoreQuote(row: QuoteWithOrg): StoredQuote {
  return {
    id: row.id,
    org: {
      id: row.org_id,
      name: row.org_name,
      orgType: row.org_type,
      verified: row.org_verified,
      domain: row.org_domain,
    },
    answer: restoreAnswer(row.answer as WireAnswer),
    responseMs: row.response_ms,
    health: row.health as ReceivedQuote['health'],
  }
}
