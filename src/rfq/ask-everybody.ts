/**
 * One round of asking: every producer at once, managed ones by the quote function, agents over the wire. Each answer is
 * handed to the recorder as it comes. Attempts' rows are written while the requests are on their way: what a dying node
 * has sent without a row is asked again by the next, as is what it has sent with one. When everybody has answered and
 * all of it is stored, the round is over; when something cannot be stored, whoever is still being asked is hung up on.
 */

import type { ProductProfile } from '../catalog/profile.ts'
import { awaitLater } from '../lib/background.ts'
import { askAgent } from './ask-agent.ts'
import { firstTry, healthOf, managedAnswer, receive, restingAnswer } from './attempt-records.ts'
import type { StoredQuote } from './complete.ts'
import type { RfqContext } from './context.ts'
import type { Asked } from './producers.service.ts'
import { buildRfqMessage, encodeRfqMessage } from './request.ts'
import type { RfqRow } from './rfq.queries.ts'
import { countAttempt } from './rfq-metrics.ts'

export type Asking = {
  rfq: RfqRow
  profile: ProductProfile
  asked: Asked[]
  stop: AbortSignal
  withdrawn: AbortSignal
}

/** The quotes among the answers, as they were stored. */
export async function askEverybody(ctx: RfqContext, asking: Asking): Promise<StoredQuote[]> {
  const { rfq, asked } = asking
  const deadlineAt = performance.now() + ctx.rfqDeadlineMs
  const managed = asked.filter(({ integration }) => integration.isManaged)
  const agents = asked.filter(({ integration }) => !integration.isManaged)
  const now = ctx.clock.now()
  const resting = (one: Asked) => one.integration.skipUntil !== null && one.integration.skipUntil > now
  const body = encodeRfqMessage(
    buildRfqMessage({
      rfqId: rfq.session_id,
      // The same for everybody and every try: it is one message.
      messageId: rfq.session_id,
      productSlug: rfq.product_slug,
      quantity: rfq.quantity,
      deliveryRegion: rfq.delivery_region,
      deadlineIso: rfq.deadline_iso,
      requestor: `${ctx.config.baseUrl}/.well-known/agent-card.json`,
    }),
  )
  const text = body.toString('utf8')
  const attempts = asked.map((one) => firstTry(one, now, resting(one) ? null : text))
  // Whoever writes after it hears of its failure.
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
      await ctx.recorder.add(managedAnswer(one, asking, round.received, now))
    }),
    ...agents.map((one) =>
      resting(one)
        ? begun.then(() => ctx.recorder.add(restingAnswer(one, rfq.id, now)))
        : askOne(ctx, one, round),
    ),
  ]
  if (asking.withdrawn.aborted) hangUp()
  try {
    await Promise.all(asks)
    return round.received
  } catch (error) {
    stop()
    await Promise.allSettled(asks)
    throw error
  } finally {
    asking.stop.removeEventListener('abort', stop)
    asking.withdrawn.removeEventListener('abort', hangUp)
  }
}

type Round = {
  rfq: RfqRow
  /** The rows of the first tries are stored. */
  begun: Promise<void>
  body: Buffer
  text: string
  deadlineAt: number
  /** One for each that is being asked: a thousand listeners on one signal would each be looked for in a list. */
  hangUps: Set<AbortController>
  /** Whatever ends after this counts as never ended. */
  stopped: boolean
  received: StoredQuote[]
}

async function askOne(ctx: RfqContext, one: Asked, round: Round): Promise<void> {
  const { org, integration, tries } = one
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
      const attempt = firstTry({ ...one, tries: number - 1 }, started.startedAt, text)
      store(() => ctx.recorder.begin({ rfqId: rfq.id, attempts: [attempt] }))
    },
    ended(finished) {
      // Cut off by this node's own stop: it counts as never ended, and whoever takes over asks again.
      if (round.stopped) return
      const { verdict, reason, response, answer, ms, finishedAt } = finished
      countAttempt('agent', verdict)
      const record = {
        rfqId: rfq.id,
        attempt: {
          org_id: org.id,
          try: number,
          request_headers: requestHeaders,
          finished_at: finishedAt,
          response_status: response?.status ?? null,
          response_headers: response?.headers ?? null,
          response_body: response?.body ?? null,
          response_ms: Math.round(ms),
          verdict,
          reason,
        },
        quote: answer && receive(one, round.received, answer, finishedAt, ms),
        health: healthOf(one, verdict, ms, finishedAt),
      }
      store(() => ctx.recorder.add(record))
    },
  })
  hangUps.delete(hangUp)
  await stored
}
