/**
 * A request for quote that nobody made, so that a producer sees how its own agent answers: one POST, signed and worded as
 * a real one and read by the same rules. No request is stored, so no buyer and no statistic sees it. A good answer
 * is a good answer and makes the agent active; a bad one is not held against it. Each test is in the audit log, which is
 * also what limits them, over all nodes.
 */

import { countActions } from '../accounts/audit.service.ts'
import type { ChosenVariant } from '../catalog/chosen-variant.ts'
import { ProductSlugInput } from '../catalog/relationships.schema.ts'
import { HOUR_MS } from '../lib/clock.ts'
import { AppError, conflict } from '../lib/errors.ts'
import { newId } from '../lib/ids.ts'
import { parseInput } from '../lib/validate.ts'
import { findIntegrations, type RfqIntegration, recordAnswer } from '../orgs/integration-health.service.ts'
import { type Act, recordAction, requireProducer } from '../orgs/producer.ts'
import { requireOwnProduct } from '../pricing/pricing.service.ts'
import { askAgent, type FinishedTry, type StartedTry } from './ask-agent.ts'
import type { RfqContext } from './context.ts'
import { findProductToTry, lockTests } from './inspector.queries.ts'
import { type WireAnswer, writeAnswer } from './quote.schema.ts'
import { encodeRfqMessage } from './request.ts'
import { RfqRequest } from './rfq.schema.ts'
import { simulateQuote } from './simulate.service.ts'
import { type AttemptVerdict, isFailure, VERDICTS } from './verdicts.ts'

export const MOST_TESTS = 10
const TESTED = 'integration.tested'
/** A region that agents know what to do with, where none was asked for. */
const USUAL_REGION = 'CA-US'
const NO_PRODUCT =
  'There is no product to test with: you need a verified relationship to one. Claim one with claim_product.'
const NO_AGENT =
  'There is nothing to test: register an agent card on the dashboard or with set_agent_integration, or set is_managed: true.'

/** What to ask for, where it matters; null for no region. */
export type AskedTest = {
  productSlug?: string
  quantity?: number
  deliveryRegion?: string | null
  /** That of an earlier request. */
  variant?: ChosenVariant | null
}

export type TestedAgent = {
  /** What was tested; `none` when nothing could be, and then `reason` says what to do. */
  kind: 'agent' | 'managed' | 'none'
  /** What there must be first; null when it was tested. */
  missing: 'agent' | 'product' | null
  productSlug: string | null
  rfqId: string | null
  endpoint: string | null
  requestHeaders: Record<string, string> | null
  /** The very bytes, as text; null when nothing was sent. */
  requestBody: string | null
  verdict: AttemptVerdict | null
  reason: string
  ms: number | null
  /** Without the agent's secret, should it have sent it back. */
  response: { status: number; body: string } | null
  answer: WireAnswer | null
}

const NOTHING: TestedAgent = {
  kind: 'none',
  missing: null,
  productSlug: null,
  rfqId: null,
  endpoint: null,
  requestHeaders: null,
  requestBody: null,
  verdict: null,
  reason: '',
  ms: null,
  response: null,
  answer: null,
}

/** `sending` is called once nothing can be refused any more and the agent is being waited for. */
export async function testOwnAgent(
  ctx: RfqContext,
  act: Act,
  signal: AbortSignal,
  asked: AskedTest = {},
  sending: () => void = () => {},
): Promise<TestedAgent> {
  const { org } = await requireProducer(ctx, act.caller, 'manage')
  const integration = (await findIntegrations(ctx, [org.id])).get(org.id)
  if (!integration || (!integration.isManaged && integration.agentCardUrl === null))
    return { ...NOTHING, missing: 'agent', reason: NO_AGENT }
  const productSlug = await findProductFor(ctx, org.id, asked)
  if (productSlug === null) return { ...NOTHING, missing: 'product', reason: NO_PRODUCT }
  const usual = integration.isManaged ? null : USUAL_REGION
  const request = parseInput(RfqRequest, {
    product_slug: productSlug,
    quantity: asked.quantity,
    delivery_region: asked.deliveryRegion === undefined ? usual : asked.deliveryRegion,
  })
  const { variant = null } = asked
  if (integration.isManaged) return simulated(ctx, act, { ...request, variant })
  return askNow(ctx, act, { integration, request, variant, signal, sending })
}

/** The one asked for, if it is the organization's; else whichever there is to try. */
async function findProductFor(
  { db }: RfqContext,
  orgId: string,
  { productSlug }: AskedTest,
): Promise<string | null> {
  if (productSlug === undefined) return findProductToTry(db, orgId)
  const product = await requireOwnProduct(db, orgId, parseInput(ProductSlugInput, productSlug))
  return `${product.category}/${product.slug}`
}

async function simulated(
  ctx: RfqContext,
  act: Act,
  request: Parameters<typeof simulateQuote>[2],
): Promise<TestedAgent> {
  const given = await simulateQuote(ctx, act, request)
  const tested = { ...NOTHING, kind: 'managed' as const, productSlug: request.product_slug }
  if (given.kind === 'decline') return { ...tested, verdict: 'declined', reason: given.reason }
  const verdict = given.answer.inStock ? 'quoted' : 'out_of_stock'
  return { ...tested, verdict, reason: VERDICTS[verdict].text, answer: writeAnswer(given.answer) }
}

async function askNow(
  ctx: RfqContext,
  act: Act,
  ask: {
    integration: RfqIntegration
    request: RfqRequest
    variant: ChosenVariant | null
    signal: AbortSignal
    sending: () => void
  },
): Promise<TestedAgent> {
  const { integration, request, variant, signal } = ask
  const rfqId = newId()
  const productSlug = request.product_slug
  await takeTest(ctx, act, { orgId: integration.orgId, rfqId, productSlug })
  ask.sending()
  const body = encodeRfqMessage({
    rfqId,
    messageId: rfqId,
    productSlug,
    quantity: request.quantity,
    deliveryRegion: request.delivery_region,
    deadlineIso: null,
    variant,
    requestor: `${ctx.config.baseUrl}/.well-known/agent-card.json`,
  })
  let started: StartedTry | null = null
  const finished = await new Promise<FinishedTry>((resolve, reject) => {
    askAgent(ctx, {
      integration,
      body,
      deadlineAt: performance.now() + ctx.rfqDeadlineMs,
      signal,
      tries: 1,
      began: (one) => {
        started = one
      },
      ended: resolve,
    }).catch(reject)
  })
  await countGood(ctx, integration, finished)
  const { verdict, reason, ms, response, answer } = finished
  const { endpoint, requestHeaders } = started ?? { endpoint: null, requestHeaders: null }
  return {
    kind: 'agent',
    missing: null,
    productSlug,
    rfqId,
    endpoint,
    requestHeaders,
    requestBody: body.toString('utf8'),
    verdict,
    reason: verdict === 'canceled' ? 'The test was canceled.' : reason,
    ms: Math.round(ms),
    response: response && { status: response.status, body: response.body },
    answer: answer && writeAnswer(answer),
  }
}

/** Counted before it is sent: what is sent is never more than was counted. */
async function takeTest(
  ctx: RfqContext,
  act: Act,
  test: { orgId: string; rfqId: string; productSlug: string },
): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const producer = await requireProducer({ db: tx }, act.caller, 'manage')
    if (producer.org.id !== test.orgId) throw conflict('this was just changed; try again')
    await lockTests(tx, test.orgId)
    const at = ctx.clock.now()
    const since = new Date(at.getTime() - HOUR_MS)
    const { count, oldest } = await countActions(tx, { orgId: test.orgId, action: TESTED, since })
    if (count >= MOST_TESTS) throw tooMany(at, oldest ?? at)
    await recordAction(tx, { producer, act, at }, TESTED, {
      rfq_id: test.rfqId,
      product_slug: test.productSlug,
    })
  })
}

function tooMany(now: Date, oldest: Date): AppError {
  const seconds = Math.max(1, Math.ceil((oldest.getTime() + HOUR_MS - now.getTime()) / 1000))
  return new AppError(
    'rate_limited',
    `you can run ${MOST_TESTS} tests an hour; try again in ${Math.ceil(seconds / 60)} minutes`,
    { code: 'rate_limited', max: MOST_TESTS, retryAfterSeconds: seconds },
  )
}

async function countGood(
  ctx: RfqContext,
  { orgId, agentCardUrl }: RfqIntegration,
  { verdict, ms, finishedAt: at }: FinishedTry,
): Promise<void> {
  if (isFailure(verdict) || verdict === 'canceled') return
  await recordAnswer(ctx, {
    orgId,
    ok: true,
    ms,
    at,
    ...(agentCardUrl !== null && { cardUrl: agentCardUrl }),
  })
}
