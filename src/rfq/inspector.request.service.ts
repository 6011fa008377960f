/**
 * One request as the producer that was asked inspects it: its own tries, with what proved them to be ours, and its own
 * quote as the buyer has it. The words that tell a buyer why a quote has its place compare it with the neighbours' prices,
 * and the signature covers those words; so neither is told, unless there was nobody to compare with.
 */
import type { Db } from '../db/database.ts'
import { findIntegrations, type RfqIntegration } from '../orgs/integration-health.service.ts'
import { type Deed, requireProducer } from '../orgs/producer.ts'
import type { RfqContext } from './context.ts'
import { findOwnQuote, findTaskId } from './inspector.queries.ts'
import { getReceivedRfq, type OwnAttemptRow, type ReceivedRfqRow } from './inspector.service.ts'
import { checkSignature, type SignatureCheck } from './inspector.signature.ts'
import { watchRfq } from './looks.ts'
import { verifyQuote } from './quote-signature.ts'
import { Quote, type QuotePromise, type ReceivedQuote } from './rfq.schema.ts'

export type OwnPromise = {
  promise: Omit<QuotePromise, 'rank_reasons'>
  /** The key that signed it. */
  kid: string
  expired: boolean
  /** Null where it would tell of others. */
  signature: string | null
}

export type InspectedRfq = {
  rfq: ReceivedRfqRow
  attempts: Array<{ row: OwnAttemptRow; signature: SignatureCheck | null }>
  /** What the buyer was promised in the organization's name; null without a quote, and until the request is complete. */
  promised: OwnPromise | null
  /** Who would answer it today. */
  answersNow: 'agent' | 'managed' | null
  /** How reliably the organization had answered before this request; null without a quote. */
  health: ReceivedQuote['health'] | null
}

export async function inspectRfq(
  ctx: Pick<RfqContext, 'db' | 'log' | 'clock' | 'integrationSecrets' | 'signingKeys'>,
  deed: Pick<Deed, 'caller'>,
  id: string,
): Promise<InspectedRfq> {
  const { attempts, ...rfq } = await getReceivedRfq(ctx, deed, id)
  const { org } = await requireProducer(ctx, deed.caller, 'read')
  const [own, integrations] = await Promise.all([
    findOwnQuote(ctx.db, id, org.id),
    findIntegrations(ctx, [org.id]),
  ])
  const integration = integrations.get(org.id) ?? null
  return {
    rfq,
    attempts: attempts.map((row) => {
      const sent = { headers: row.request_headers, body: row.request_body }
      return { row, signature: checkSignature(sent, integration) }
    }),
    promised: own?.quote ? await readPromise(ctx, own.quote, rfq.quotes) : null,
    answersNow: answersNow(integration),
    health: own ? (own.health as ReceivedQuote['health']) : null,
  }
}

function answersNow(integration: RfqIntegration | null): InspectedRfq['answersNow'] {
  if (integration?.isManaged) return 'managed'
  return integration?.agentCardUrl ? 'agent' : null
}

async function readPromise(
  ctx: Pick<RfqContext, 'clock' | 'signingKeys'>,
  stored: Record<string, unknown>,
  quotes: number,
): Promise<OwnPromise | null> {
  const signature = Quote.safeParse(stored).data?.signature ?? ''
  const proof = verifyQuote(signature, await ctx.signingKeys.published(), ctx.clock.now())
  if (!proof.ok) return null
  const { rank_reasons: _, ...promise } = proof.promise
  return { promise, kid: proof.kid, expired: proof.expired, signature: quotes === 1 ? signature : null }
}

/** Resolves when the request has ended, or when the signal says to wait no longer. */
export async function waitForReceived(
  ctx: Pick<RfqContext, 'news' | 'looks'> & { db: Db },
  deed: Pick<Deed, 'caller'>,
  { id, signal }: { id: string; signal: AbortSignal },
): Promise<void> {
  await getReceivedRfq(ctx, deed, id)
  const taskId = await findTaskId(ctx.db, id)
  if (taskId === null) return
  for await (const { rfq } of watchRfq(ctx, { id: taskId, signal })) if (rfq?.state !== 'submitted') return
}
