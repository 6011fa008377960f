/**
 * What a producer sees of the requests it received: what was asked, what it answered, byte for byte, what became of it
 * and why it lost. Only its own part: how many quoted is told, who and for how much is not.
 */
import type { ProductSlug } from '../catalog/relationships.schema.ts'
import { findProduct } from '../catalog/relationships.service.ts'
import type { Db } from '../db/database.ts'
import { withinTime } from '../db/within-time.ts'
import { toWire } from '../lib/entity.ts'
import { notFound } from '../lib/errors.ts'
import { isUuid } from '../lib/ids.ts'
import { findIntegrations, type RfqIntegration } from '../orgs/integration-health.service.ts'
import { type Act, hasRight, requireProducer } from '../orgs/producer.ts'
import { adviceOf } from './advice.ts'
import type { RfqContext } from './context.ts'
import {
  findAttempts,
  findLimited,
  findOwnQuote,
  findReceivedPage,
  findReceivedRfqs,
  findTaskId,
  type Outcome,
  type OwnAttemptRow,
  type ReceivedRfqRow,
} from './inspector.queries.ts'
import { checkSignature, type SignatureCheck } from './inspector.signature.ts'
import { watchRfq } from './looks.ts'
import { Quote, type QuotePromise, type ReceivedQuote } from './quote.schema.ts'
import { verifyQuote } from './quote-signature.ts'
import { noSuchRfq } from './rfq.service.ts'

export { OUTCOMES } from './inspector.queries.ts'
export type { Outcome, OwnAttemptRow, ReceivedRfqRow }

type OwnAct = Pick<Act, 'caller'>

/** Nobody needs to know how many more there are, and each costs. */
export const COUNTED_TO = 1_000
/** For those that ended in one way; as far as pages go. */
export const LOOKED_AT = 10_000
const TOO_LONG = { message: 'this takes too long; choose a later start date', field: 'since' }

type ListReceived = {
  since?: Date
  productSlug?: ProductSlug
  outcome?: Outcome
  limit: number
  beforeId?: string
}

export async function listReceivedRfqs(
  ctx: { db: Db },
  act: OwnAct,
  input: ListReceived,
): Promise<ReceivedRfqRow[]> {
  const { org } = await requireProducer(ctx, act.caller, 'read')
  const product = input.productSlug && (await findProduct(ctx, input.productSlug))
  if (input.productSlug && !product) return []
  const filter = filterOf(input, product?.id)
  return withinTime(ctx.db, TOO_LONG, async (tx) => {
    const { ids } = await findReceivedPage(tx, org.id, filter, { limit: input.limit })
    return findReceivedRfqs(tx, org.id, ids)
  })
}

function filterOf(
  { since, outcome, beforeId, search }: Partial<ListReceived> & { search?: string },
  productId: string | undefined,
) {
  return {
    search: search ?? null,
    productId: productId ?? null,
    since: since ?? null,
    outcome: outcome ?? null,
    beforeId: beforeId !== undefined && isUuid(beforeId) ? beforeId : null,
  }
}

export type ReceivedPage = {
  rfqs: ReceivedRfqRow[]
  /** At most COUNTED_TO. */
  total: number
  /** There are more than `total`, or may be, because not all were looked at. */
  capped: boolean
  /** More follow these. */
  more: boolean
}

/** By page, with how many there are. A product that does not exist is a slip, and said so. */
export async function pageReceivedRfqs(
  ctx: { db: Db },
  act: OwnAct,
  input: Omit<ListReceived, 'beforeId'> & { offset: number; search?: string },
): Promise<ReceivedPage> {
  const { org } = await requireProducer(ctx, act.caller, 'read')
  const product = input.productSlug ? await findProduct(ctx, input.productSlug) : null
  if (input.productSlug && !product) throw notFound('there is no such product', { field: 'product_slug' })
  const filter = filterOf(input, product?.id)
  const { limit, offset } = input
  return withinTime(ctx.db, TOO_LONG, async (tx) => {
    // One more of each, to know whether there are more.
    const span = { limit: limit + 1, offset, countTo: COUNTED_TO + 1, lookAt: LOOKED_AT }
    const { ids, counted, looked } = await findReceivedPage(tx, org.id, filter, span)
    return {
      rfqs: await findReceivedRfqs(tx, org.id, ids.slice(0, limit)),
      total: Math.min(counted, COUNTED_TO),
      capped: counted > COUNTED_TO || (filter.outcome !== null && looked >= LOOKED_AT),
      more: ids.length > limit,
    }
  })
}

/** As REST and tools tell it. */
export function wireReceived(received: ReceivedRfqRow) {
  const { id, kind, loss, variant, ...rfq } = received
  const advice = adviceOf(received)
  return {
    ...{ rfq_id: id, answered_by: kind, ...toWire(rfq), ...(variant && { variant: variant.name }) },
    ...{ decided_by: loss?.measure ?? null, advice: advice && toWire(advice) },
  }
}

/** By its session; a request this organization was not asked is not there. `limited` is for owners and admins. */
export async function getReceivedRfq(
  ctx: { db: Db },
  act: OwnAct,
  id: string,
): Promise<ReceivedRfqRow & { attempts: OwnAttemptRow[]; limited: boolean | null }> {
  const { org, role } = await requireProducer(ctx, act.caller, 'read')
  const [rfq] = isUuid(id) ? await findReceivedRfqs(ctx.db, org.id, [id]) : []
  if (!rfq) throw noSuchRfq()
  const oversees = role !== null && hasRight(role, 'oversee')
  return {
    ...rfq,
    attempts: await findAttempts(ctx.db, id, org.id),
    limited: oversees && rfq.kind === 'managed' ? await findLimited(ctx.db, id, org.id) : null,
  }
}

export type OwnPromise = {
  promise: Omit<QuotePromise, 'rank_reasons'>
  /** The key that signed it. */
  kid: string
  expired: boolean
  /** Null where it would tell of others. */
  signature: string | null
}

/** One request as the producer that was asked inspects it: its own tries, with what proved them to be ours, and its own quote. */
export type InspectedRfq = {
  rfq: ReceivedRfqRow
  /** Whether a price limit raised the quote or stopped it; null for who may not know, and for agents. */
  limited: boolean | null
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
  act: OwnAct,
  id: string,
): Promise<InspectedRfq> {
  const { attempts, limited, ...rfq } = await getReceivedRfq(ctx, act, id)
  const { org } = await requireProducer(ctx, act.caller, 'read')
  const [own, integrations] = await Promise.all([
    findOwnQuote(ctx.db, id, org.id),
    findIntegrations(ctx, [org.id]),
  ])
  const integration = integrations.get(org.id) ?? null
  return {
    rfq,
    limited,
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

/**
 * The quote as the buyer has it. The words that tell a buyer why it has its place compare it with the neighbours' prices,
 * and the signature covers those words; so neither is told, unless there was nobody to compare with.
 */
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
  act: OwnAct,
  { id, signal }: { id: string; signal: AbortSignal },
): Promise<void> {
  await getReceivedRfq(ctx, act, id)
  const taskId = await findTaskId(ctx.db, id)
  if (taskId === null) return
  for await (const { rfq } of watchRfq(ctx, { id: taskId, signal })) if (rfq?.state !== 'submitted') return
}
