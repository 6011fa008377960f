/**
 * Sends the agent of a chosen seller a signed `quote-accepted` message, if its card declares that skill: same address and
 * authentication as a request for quote. A node that dies after sending sends it again, with the same message id. Whatever
 * comes of it says nothing about how well the agent answers requests, so its status is left alone.
 */
import { z } from 'zod'
import { defineJob, type Job } from '../jobs/runner.ts'
import { centsToDollars, formatUsd } from '../lib/money.ts'
import { declaresSkill } from '../orgs/agent-card.ts'
import { fetchJson } from '../orgs/integration-fetch.ts'
import { findIntegrations } from '../orgs/integration-health.service.ts'
import { AGENT_HEADERS } from './ask-agent.ts'
import type { RfqContext } from './context.ts'
import { encodeAgentMessage, rfqEndpoint, signHeaders, variantWords } from './request.ts'
import { type ChosenQuote, findChosenQuote } from './rfq.queries.ts'

export const ACCEPTED_JOB = { kind: 'rfq.accepted', maxAttempts: 6, leaseMs: 30_000, places: 20 }
const ACCEPTED_SKILL = 'quote-accepted'

const SEND_MS = 10_000
const MAX_ANSWER_BYTES = 64 * 1024

export function createAcceptedJob(ctx: RfqContext): Job {
  return defineJob({
    ...ACCEPTED_JOB,
    payload: z.object({ quoteId: z.string() }),
    run: ({ quoteId }, { signal }) => sendAccepted(ctx, quoteId, signal),
  })
}

async function sendAccepted(ctx: RfqContext, quoteId: string, signal: AbortSignal): Promise<void> {
  const quote = await findChosenQuote(ctx.db, quoteId)
  const integration = quote && (await findIntegrations(ctx, [quote.orgId])).get(quote.orgId)
  if (!quote || !integration || integration.isManaged || integration.secretLost) return
  const { agentCardUrl, authType, secret } = integration
  if (agentCardUrl === null) return
  const card = await fetchJson(ctx.outbound, agentCardUrl)
  if ('problem' in card) throw new Error(`the agent card could not be read: ${card.problem}`)
  if (!declaresSkill(card.value, ACCEPTED_SKILL)) return
  const body = acceptedMessage(quote, `${ctx.config.baseUrl}/.well-known/agent-card.json`)
  const now = ctx.clock.now()
  const { status } = await ctx.outbound.request({
    url: rfqEndpoint(agentCardUrl),
    method: 'POST',
    headers: { ...AGENT_HEADERS, ...signHeaders({ authType, secret, rawBody: body, now }) },
    body,
    timeoutMs: SEND_MS,
    maxBytes: MAX_ANSWER_BYTES,
    signal,
  })
  // One that refuses it is left alone; one that is down or busy hears it later.
  if (status >= 500 || status === 429) throw new Error(`the agent answered with status ${status}`)
}

function acceptedMessage(quote: ChosenQuote, requestor: string): Buffer {
  const { rfqId, quoteId, productSlug, quantity, variant, totalCents, answer, chosenAt } = quote
  return encodeAgentMessage({
    id: quoteId,
    text: `A buyer chose your quote for ${quantity} × ${productSlug}${variantWords(variant)}, total ${formatUsd(totalCents)}. This is not an order.`,
    metadata: {
      skill: ACCEPTED_SKILL,
      rfq_id: rfqId,
      quote_id: quoteId,
      product_slug: productSlug,
      quantity,
      price_usd: answer.price_usd,
      total_usd: centsToDollars(totalCents),
      ...(typeof answer.offer_id === 'string' && { offer_id: answer.offer_id }),
      chosen_at: chosenAt.toISOString(),
      requestor,
    },
  })
}
