/**
 * The buyer's choice of a quote: recorded once, with the claim link as the answer. A choice is not an order. It is made in
 * one transaction with everything that follows from it, under the lock of its request, so that of two choices at the same
 * time one stands, and its seller learns of it exactly once.
 */
import { z } from 'zod'
import { recordAudits } from '../accounts/audit.service.ts'
import type { Visit } from '../accounts/context.ts'
import { enqueue } from '../jobs/runner.ts'
import { conflict, notFound } from '../lib/errors.ts'
import { isUuid } from '../lib/ids.ts'
import { dollarsToCents, formatUsd } from '../lib/money.ts'
import { ACCEPTED_JOB } from './accepted.job.ts'
import type { RfqContext } from './context.ts'
import { findChoosable, lockRfq, notifyRfqs, saveChoice } from './rfq.queries.ts'
import { getRfqTask, isReadable, noSuchRfq, type RfqTask } from './rfq.service.ts'
import { noticeChoice } from './rfq-notices.service.ts'

export const Choice = z.object({
  quote_id: z.string().max(60).describe('The quote_id of the chosen quote'),
  total_usd: z.number().min(0).describe('Its total_usd, as the buyer saw it'),
})
export type Choice = z.output<typeof Choice>

type ChooseInput = Choice & { id: string; userId: string | null; visit: Visit }

/** The same choice again changes nothing and succeeds, also after the quote expired. */
export async function chooseQuote(ctx: RfqContext, input: ChooseInput): Promise<RfqTask> {
  const { id, userId, visit, quote_id: quoteId } = input
  if (!isUuid(id)) throw noSuchRfq()
  const at = ctx.clock.now()
  await ctx.db.transaction().execute(async (tx) => {
    const rfq = await lockRfq(tx, id)
    if (!rfq || !isReadable(rfq, userId)) throw noSuchRfq()
    if (rfq.state === 'submitted')
      throw conflict('sellers are still being asked; choose when it is completed')
    const quote = isUuid(quoteId) ? await findChoosable(tx, id, quoteId) : null
    if (!quote) throw notFound('this request has no such quote', { field: 'quote_id' })
    if (dollarsToCents(input.total_usd) !== quote.totalCents)
      throw conflict(
        `the total of this quote is ${formatUsd(quote.totalCents)}; show it to the buyer first`,
        {
          field: 'total_usd',
        },
      )
    if (rfq.chosenQuoteId === quoteId) return
    if (rfq.chosenQuoteId !== null)
      throw conflict('another quote of this request was already chosen', { field: 'quote_id' })
    if (quote.expiresAt <= at)
      throw conflict(`this quote expired at ${quote.expiresAt.toISOString()}; request quotes again`, {
        field: 'quote_id',
      })
    if (!quote.inStock)
      throw conflict('this seller is out of stock; choose another quote', { field: 'quote_id' })
    if (!quote.active)
      throw conflict('this seller no longer sells here; choose another quote', { field: 'quote_id' })
    await saveChoice(tx, { id, quoteId, at })
    const detail = { rfq_id: rfq.sessionId, product_slug: rfq.productSlug, quote_id: quoteId }
    const actor =
      userId === null ? { kind: 'system' as const, id: null } : { kind: 'user' as const, id: userId }
    await recordAudits(tx, [
      // Whose choice it was is not the seller's to know.
      { actor: { kind: 'system', id: null }, action: 'rfq.won', at, orgId: quote.orgId, detail },
      ...(userId === null ? [] : [{ actor, action: 'rfq.chosen', at, userId, detail, visit }]),
    ])
    await enqueue(tx, ACCEPTED_JOB, { quoteId }, { dedupeKey: quoteId })
    await noticeChoice(tx, rfq, { ...quote, quoteId, at })
    await notifyRfqs(tx, [id])
  })
  return getRfqTask(ctx, { id, userId })
}
