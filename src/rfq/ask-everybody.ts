/**
 * One round of asking: every producer at once, managed ones by the quote function, agents over the wire. Each answer is
 * handed to the recorder as it comes. Attempts' rows are written while the requests are on their way: what a dying node
 * has sent without a row is asked again by the next, as is what it has sent with one. When everybody has answered and
 * all of it is stored, the round is over; when something cannot be stored, open requests to sellers are aborted.
 */
import type { ProductProfile } from '../catalog/profile.ts'
import { awaitLater } from '../lib/background.ts'
import { newId } from '../lib/ids.ts'
import { demoMark } from '../orgs/shown-org.ts'
import { askAgent, type FinishedTry } from './ask-agent.ts'
import type { NewAttempt, NewQuote } from './attempts.queries.ts'
import type { RfqContext } from './context.ts'
import { rankAndSign, type Signed } from './end.ts'
import { answerManaged } from './managed.ts'
import type { AskedRow } from './outcome.ts'
import type { Asked } from './producers.service.ts'
import { type ProducerAnswer, type ReceivedQuote, writeAnswer } from './quote.schema.ts'
import type { Recorded } from './recorder.ts'
import { encodeRfqMessage, rfqEndpoint } from './request.ts'
import type { Rfq } from './rfq.queries.ts'
import { countAttempt } from './rfq-metrics.ts'
import { type AttemptVerdict, isFailure, VERDICTS } from './verdicts.ts'

type Asking = {
  rfq: Rfq
  profile: ProductProfile
  asked: Asked[]
  stop: AbortSignal
  withdrawn: AbortSignal
}

/**
 * The quotes among the answers, as they were stored, and what became of asking each seller. `signing` begins when the last
 * one has answered, while that is being stored; null where nobody was asked, or the buyer withdrew the request.
 */
export type Answers = { received: ReceivedQuote[]; sellers: AskedRow[]; signing: Promise<Signed> | null }

export async function askEverybody(ctx: RfqContext, asking: Asking): Promise<Answers> {
  const { rfq, asked } = asking
  const deadlineAt = performance.now() + ctx.rfqDeadlineMs
  const managed = asked.filter(({ integration }) => integration.isManaged)
  const agents = asked.filter(({ integration }) => !integration.isManaged)
  const now = ctx.clock.now()
  const resting = (one: Asked) => one.integration.skipUntil !== null && one.integration.skipUntil > now
  // One message: the same for everybody and every try.
  const body = encodeRfqMessage({
    ...rfq,
    rfqId: rfq.sessionId,
    messageId: rfq.sessionId,
    requestor: `${ctx.config.baseUrl}/.well-known/agent-card.json`,
  })
  const text = body.toString('utf8')
  const attempts = asked.map((one) => firstTry(one, rfq.id, now, resting(one) ? null : text))
  // The next writer gets its failure.
  const begun = awaitLater(
    attempts.length > 0 ? ctx.recorder.begin({ rfqId: rfq.id, attempts }) : Promise.resolve(),
  )
  const hangUps = new Set<AbortController>()
  const hangUp = () => {
    for (const one of hangUps) one.abort()
  }
  const round: Round = {
    rfq,
    begun,
    body,
    text,
    deadlineAt,
    hangUps,
    stopped: asking.stop.aborted,
    received: [],
    sellers: [],
    signing: null,
    left: asked.length,
    async sign() {
      return rankAndSign(ctx, rfq, round.received, await ctx.signingKeys.current())
    },
  }
  const stop = () => {
    round.stopped = true
    hangUp()
  }
  asking.stop.addEventListener('abort', stop, { once: true })
  asking.withdrawn.addEventListener('abort', hangUp, { once: true })
  const asks = [
    ...managed.map(async (one) => {
      await begun
      await ctx.recorder.add(managedAnswer(one, asking, round, now))
    }),
    ...agents.map((one) =>
      resting(one)
        ? begun.then(() => ctx.recorder.add(restingAnswer(one, rfq.id, now, round)))
        : askOne(ctx, one, round),
    ),
  ]
  if (asking.withdrawn.aborted) hangUp()
  try {
    await Promise.all(asks)
    return round
  } catch (error) {
    stop()
    await Promise.allSettled(asks)
    throw error
  } finally {
    asking.stop.removeEventListener('abort', stop)
    asking.withdrawn.removeEventListener('abort', hangUp)
  }
}

type Round = Answers & {
  rfq: Rfq
  /** The rows of the first tries are stored. */
  begun: Promise<void>
  body: Buffer
  text: string
  deadlineAt: number
  /** One for each that is being asked: a thousand listeners on one signal would each be looked for in a list. */
  hangUps: Set<AbortController>
  /** Whatever ends after this counts as never ended. */
  stopped: boolean
  /** How many have not answered yet. */
  left: number
  sign(): Promise<Signed>
}

async function askOne(ctx: RfqContext, one: Asked, round: Round): Promise<void> {
  const { integration, tries } = one
  const { rfq, body, text, deadlineAt, hangUps } = round
  const hangUp = new AbortController()
  hangUps.add(hangUp)
  if (round.stopped) hangUp.abort()
  let number = tries
  let requestHeaders: Record<string, string> = {}
  // What one try has to write, after what the one before it wrote.
  let stored = round.begun
  const store = (work: () => Promise<void>) => {
    // It is waited for below; until then it may fail while the producer is still thinking.
    stored = awaitLater(stored.then(work))
  }
  await askAgent(ctx, {
    integration,
    body,
    deadlineAt,
    signal: hangUp.signal,
    began(started) {
      number += 1
      requestHeaders = started.requestHeaders
      if (number === tries + 1) return
      const attempt = firstTry({ ...one, tries: number - 1 }, rfq.id, started.startedAt, text)
      store(() => ctx.recorder.begin({ rfqId: rfq.id, attempts: [attempt] }))
    },
    ended(finished) {
      // Cut off by this node's own stop: it counts as never ended, and the node that takes over asks again.
      if (round.stopped) return
      const record = recordOf({ ...one, tries: number - 1 }, rfq.id, finished, requestHeaders, round)
      store(() => ctx.recorder.add(record))
    },
  })
  hangUps.delete(hangUp)
  await stored
}

function firstTry(
  { org, integration, tries }: Asked,
  rfqId: string,
  at: Date,
  body: string | null,
): NewAttempt {
  const isAgent = !integration.isManaged
  return {
    rfq_id: rfqId,
    org_id: org.id,
    try: tries + 1,
    kind: isAgent ? 'agent' : 'managed',
    endpoint: isAgent ? rfqEndpoint(integration.agentCardUrl ?? '') : null,
    auth_type: isAgent ? integration.authType : null,
    request_headers: null,
    request_body: isAgent ? body : null,
    started_at: at,
  }
}

/** What a managed producer answers, by the quote function. */
function managedAnswer(one: Asked, { rfq, profile }: Asking, round: Round, now: Date): Recorded {
  const { org, integration, productRules } = one
  const { quantity, deliveryRegion, deadlineIso, variant } = rfq
  const variantId = variant?.id ?? null
  const producer = { org, orgRules: integration.managedRules, productRules }
  const given = answerManaged(producer, { profile, variantId, quantity, deliveryRegion, deadlineIso, now })
  const answer = given.kind === 'quote' ? given.answer : null
  const unserved =
    given.kind === 'decline' && given.quote?.kind === 'decline' && given.quote.reason === 'region_not_served'
  const declined = unserved ? 'not_delivered' : 'declined'
  const verdict = answer === null ? declined : answer.inStock ? 'quoted' : 'out_of_stock'
  const reason = given.kind === 'decline' ? given.reason : VERDICTS[verdict].text
  const end = { verdict, reason, ms: 0, finishedAt: now, answer, response: null } as const
  const { attempt, ...record } = recordOf(one, rfq.id, end, null, round)
  const limited = given.quote?.limited ?? false
  const response_body = answer && JSON.stringify(writeAnswer(answer))
  return { ...record, attempt: { ...attempt, response_body, limited } }
}

/** Of an agent that has failed too often and is left alone for a while. */
function restingAnswer(one: Asked, rfqId: string, at: Date, round: Round): Recorded {
  const reason = VERDICTS.skipped.text
  const end = { verdict: 'skipped', reason, ms: null, finishedAt: at, answer: null, response: null } as const
  return recordOf(one, rfqId, end, null, round)
}

type End = Omit<FinishedTry, 'ms'> & { ms: number | null }

/** What is written of the end of one try. A quote is kept for the ranking too. */
function recordOf(
  one: Asked,
  rfqId: string,
  { verdict, reason, ms, finishedAt, answer, response }: End,
  requestHeaders: Record<string, string> | null,
  round: Round,
): Recorded {
  const { org, integration, tries } = one
  countAttempt(integration.isManaged ? 'managed' : 'agent', verdict)
  const quote = answer && newQuote(one, rfqId, answer, finishedAt, ms ?? 0)
  if (quote) round.received.push(quote)
  if (verdict !== 'retry') {
    round.sellers.push({ ...sellerOf(org), orgId: org.id, verdict })
    round.left -= 1
    if (round.left === 0 && verdict !== 'canceled') round.signing = awaitLater(round.sign())
  }
  return {
    rfqId,
    attempt: {
      rfq_id: rfqId,
      org_id: org.id,
      try: tries + 1,
      request_headers: requestHeaders,
      finished_at: finishedAt,
      response_status: response?.status ?? null,
      response_headers: response?.headers ?? null,
      response_body: response?.body ?? null,
      response_ms: ms && Math.round(ms),
      verdict,
      reason,
      limited: null,
    },
    quote,
    health: integration.isManaged ? null : healthOf(one, verdict, ms ?? 0, finishedAt),
  }
}

function newQuote(
  { org, integration }: Asked,
  rfqId: string,
  answer: ProducerAnswer,
  receivedAt: Date,
  ms: number,
): NewQuote {
  return {
    id: newId(),
    rfqId,
    org: { id: org.id, ...sellerOf(org) },
    answer,
    responseMs: Math.round(ms),
    health: { status: integration.status, failuresInARow: integration.failuresInARow },
    receivedAt,
  }
}

function sellerOf({ name, orgType, verified, domain, ...org }: Asked['org']) {
  return { name, orgType, verified, domain, ...demoMark(org) }
}

function healthOf({ org, integration }: Asked, verdict: AttemptVerdict, ms: number, at: Date) {
  if (verdict === 'retry' || verdict === 'canceled' || verdict === 'skipped') return null
  const cardUrl = integration.agentCardUrl ?? undefined
  return { orgId: org.id, ok: !isFailure(verdict), ms, at, cardUrl }
}
