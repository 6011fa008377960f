/**
 * The end of a request: what was quoted is ranked, signed and stored in the transaction that makes it complete, so no
 * buyer ever sees half of it, and of completing and withdrawing only one happens.
 */
import { offerLink } from '../catalog/promoted-offer.ts'
import { restoreAnswer, type WireAnswer } from './answer.ts'
import { findQuotes, type QuoteWithOrg, saveRanking } from './attempts.queries.ts'
import type { RfqContext } from './context.ts'
import { endRfq } from './end.ts'
import { buildQuote } from './quote-signature.ts'
import { rankQuotes } from './rank.ts'
import { lockSubmitted } from './rfq.queries.ts'
import { deadlineOf, type ReceivedQuote } from './rfq.schema.ts'

export async function completeRfq(ctx: RfqContext, rfqId: string): Promise<void> {
  const key = await ctx.signingKeys.current()
  await ctx.db.transaction().execute(async (tx) => {
    const rfq = await lockSubmitted(tx, rfqId)
    if (!rfq) return
    const at = ctx.clock.now()
    const received = (await findQuotes(tx, rfqId)).map(receivedQuote)
    const { quantity, deadline_iso, product_slug: productSlug } = rfq
    const deadline = deadline_iso === null ? null : deadlineOf(deadline_iso)
    const ranked = rankQuotes(received, { quantity, deadline, now: at })
    const about = { issuer: ctx.config.baseUrl, issuedAt: at, rfqId, productSlug, quantity }
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
  })
}

/** Only when the service itself could not finish it, however often it tried. */
export async function failRfq(ctx: RfqContext, rfqId: string): Promise<void> {
  const failure = 'The service could not finish this request; please send it again.'
  const end = { id: rfqId, state: 'failed', at: ctx.clock.now(), failure } as const
  await ctx.db.transaction().execute((tx) => endRfq(tx, end))
}

function receivedQuote(row: QuoteWithOrg): ReceivedQuote & { id: string } {
  return {
    id: row.id,
    org: { id: row.org_id, name: row.org_name, orgType: row.org_type, verified: row.org_verified },
    answer: restoreAnswer(row.answer as WireAnswer),
    responseMs: row.response_ms,
    health: row.health as ReceivedQuote['health'],
  }
}
