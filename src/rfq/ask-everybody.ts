/**
 * One round of asking: every producer at once, managed ones by the quote function, agents over the wire. Each answer is
 * handed to the recorder as it comes. An attempt's row is there before anything is sent.
 */
import type { ProductProfile } from '../catalog/profile.ts'
import { newId } from '../lib/ids.ts'
import type { RfqIntegration } from '../orgs/integration-health.service.ts'
import { writeAnswer } from './answer.ts'
import { askAgent } from './ask-agent.ts'
import { insertAttempts, type NewAttempt } from './attempts.queries.ts'
import type { RfqContext } from './context.ts'
import { answerManaged } from './managed.ts'
import type { Asked } from './producers.service.ts'
import type { Recorder } from './recorder.ts'
import { buildRfqMessage, encodeRfqMessage } from './request.ts'
import type { RfqRow } from './rfq.queries.ts'
import { type AttemptVerdict, isFailure, type ProducerAnswer, VERDICT_TEXTS } from './rfq.schema.ts'

export type Asking = {
  rfq: RfqRow
  profile: ProductProfile
  asked: Asked[]
  recorder: Recorder
  stop: AbortSignal
  withdrawn: AbortSignal
}

export async function askEverybody(ctx: RfqContext, asking: Asking): Promise<void> {
  const { rfq, profile, asked, recorder } = asking
  const deadlineAt = performance.now() + ctx.rfqDeadlineMs
  const managed = asked.filter(({ integration }) => integration.isManaged)
  const agents = asked.filter(({ integration }) => !integration.isManaged)
  const now = ctx.clock.now()
  const resting = (one: Asked) => one.integration.skipUntil !== null && one.integration.skipUntil > now
  const body = encodeRfqMessage(
    buildRfqMessage({
      rfqId: rfq.id,
      // The same for everybody and every try: it is one message.
      messageId: rfq.id,
      productSlug: `${profile.category.slug}/${profile.slug}`,
      quantity: rfq.quantity,
      deliveryRegion: rfq.delivery_region,
      deadlineIso: rfq.deadline_iso,
      requestor: `${ctx.config.baseUrl}/.well-known/agent-card.json`,
    }),
  )
  // One statement before anything is sent: what has no row was never asked, even if the node dies now.
  const rows = asked.map((one) => firstTry(one, now, resting(one) ? null : body.toString('utf8')))
  if (rows.length > 0) await insertAttempts(ctx.db, rfq.id, rows)
  for (const one of managed) askManaged(one, asking, now)
  await Promise.all(
    agents.map((one) =>
      resting(one) ? recordSkipped(recorder, one, now) : askOne(ctx, one, { ...asking, body, deadlineAt }),
    ),
  )
}

function firstTry({ org, integration, tries }: Asked, at: Date, body: string | null): NewAttempt {
  const isAgent = !integration.isManaged
  return {
    org_id: org.id,
    try: tries + 1,
    kind: isAgent ? 'agent' : 'managed',
    endpoint: isAgent ? integration.agentCardUrl : null,
    auth_type: isAgent ? integration.authType : null,
    request_headers: null,
    request_body: isAgent ? body : null,
    started_at: at,
  }
}

function askManaged({ org, integration, productRules, tries }: Asked, asking: Asking, now: Date): void {
  const { rfq, profile, recorder } = asking
  const { quantity, delivery_region: deliveryRegion, deadline_iso: deadlineIso } = rfq
  const producer = { org, orgRules: integration.managedRules, productRules }
  const given = answerManaged(producer, { profile, quantity, deliveryRegion, deadlineIso, now })
  const verdict = given.kind === 'decline' ? 'declined' : given.answer.inStock ? 'quoted' : 'out_of_stock'
  recorder.add({
    attempt: {
      org_id: org.id,
      try: tries + 1,
      finished_at: now,
      response_status: null,
      response_headers: null,
      response_body: given.kind === 'quote' ? JSON.stringify(writeAnswer(given.answer)) : null,
      response_ms: 0,
      verdict,
      reason: given.kind === 'decline' ? given.reason : VERDICT_TEXTS[verdict],
    },
    quote: given.kind === 'quote' ? quoteRow(org.id, integration, given.answer, now, 0) : null,
    health: null,
  })
}

async function askOne(
  ctx: RfqContext,
  one: Asked,
  asking: Asking & { body: Buffer; deadlineAt: number },
): Promise<void> {
  const { org, integration, tries } = one
  const { rfq, recorder, body, deadlineAt, stop, withdrawn } = asking
  let number = tries
  const stored: Promise<unknown>[] = []
  await askAgent(ctx, {
    integration,
    body,
    deadlineAt,
    signal: AbortSignal.any([stop, withdrawn]),
    began(started) {
      number += 1
      if (number === tries + 1) return
      const row = { ...firstTry({ ...one, tries: number - 1 }, started.startedAt, body.toString('utf8')) }
      stored.push(insertAttempts(ctx.db, rfq.id, [row]))
    },
    ended(finished) {
      // Cut off by this node's own stop: it counts as never ended, and whoever takes over asks again.
      if (stop.aborted) return
      const at = number
      const { verdict, reason, response, answer, ms, finishedAt } = finished
      const record = {
        attempt: {
          org_id: org.id,
          try: at,
          finished_at: finishedAt,
          response_status: response?.status ?? null,
          response_headers: response?.headers ?? null,
          response_body: response?.body ?? null,
          response_ms: Math.round(ms),
          verdict,
          reason,
        },
        quote: answer && quoteRow(org.id, integration, answer, finishedAt, ms),
        health: healthOf(one, verdict, ms, finishedAt),
      }
      stored.push(Promise.all(stored).then(() => recorder.add(record)))
    },
  })
  await Promise.all(stored)
}

function healthOf({ org, integration }: Asked, verdict: AttemptVerdict, ms: number, at: Date) {
  if (verdict === 'retry' || verdict === 'canceled' || verdict === 'skipped') return null
  const cardUrl = integration.agentCardUrl ?? undefined
  return { orgId: org.id, ok: !isFailure(verdict), ms, at, cardUrl }
}

function recordSkipped(recorder: Recorder, { org, tries }: Asked, at: Date): void {
  recorder.add({
    attempt: {
      org_id: org.id,
      try: tries + 1,
      finished_at: at,
      response_status: null,
      response_headers: null,
      response_body: null,
      response_ms: null,
      verdict: 'skipped',
      reason: VERDICT_TEXTS.skipped,
    },
    quote: null,
    health: null,
  })
}

function quoteRow(orgId: string, integration: RfqIntegration, answer: ProducerAnswer, at: Date, ms: number) {
  const { status, failuresInARow } = integration
  return {
    id: newId(),
    org_id: orgId,
    answer: writeAnswer(answer) as Record<string, unknown>,
    health: { status, failuresInARow },
    received_at: at,
    response_ms: Math.round(ms),
  }
}
