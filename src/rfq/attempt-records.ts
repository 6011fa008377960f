/** What is written of one producer's part in a round: its first try, its answer, its quote, and what that says of its health. */
import type { ProductProfile } from '../catalog/profile.ts'
import { newId } from '../lib/ids.ts'
import { writeAnswer } from './answer.ts'
import type { NewAttempt, NewQuote } from './attempts.queries.ts'
import type { StoredQuote } from './complete.ts'
import { answerManaged } from './managed.ts'
import type { Asked } from './producers.service.ts'
import type { Recorded } from './recorder.ts'
import { rfqEndpoint } from './request.ts'
import type { RfqRow } from './rfq.queries.ts'
import { type AttemptVerdict, isFailure, type ProducerAnswer, VERDICT_TEXTS } from './rfq.schema.ts'
import { countAttempt } from './rfq-metrics.ts'

export function firstTry({ org, integration, tries }: Asked, at: Date, body: string | null): NewAttempt {
  const isAgent = !integration.isManaged
  return {
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
export function managedAnswer(
  one: Asked,
  { rfq, profile }: { rfq: RfqRow; profile: ProductProfile },
  received: StoredQuote[],
  now: Date,
): Recorded {
  const { org, integration, productRules, tries } = one
  const { quantity, delivery_region: deliveryRegion, deadline_iso: deadlineIso } = rfq
  const producer = { org, orgRules: integration.managedRules, productRules }
  const given = answerManaged(producer, { profile, quantity, deliveryRegion, deadlineIso, now })
  const verdict = given.kind === 'decline' ? 'declined' : given.answer.inStock ? 'quoted' : 'out_of_stock'
  countAttempt('managed', verdict)
  return {
    rfqId: rfq.id,
    attempt: {
      org_id: org.id,
      try: tries + 1,
      request_headers: null,
      finished_at: now,
      response_status: null,
      response_headers: null,
      response_body: given.kind === 'quote' ? JSON.stringify(writeAnswer(given.answer)) : null,
      response_ms: 0,
      verdict,
      reason: given.kind === 'decline' ? given.reason : VERDICT_TEXTS[verdict],
    },
    quote: given.kind === 'quote' ? receive(one, received, given.answer, now, 0) : null,
    health: null,
  }
}

/** Of an agent that has failed too often and is left alone for a while. */
export function restingAnswer({ org, tries }: Asked, rfqId: string, at: Date): Recorded {
  countAttempt('agent', 'skipped')
  return {
    rfqId,
    attempt: {
      org_id: org.id,
      try: tries + 1,
      request_headers: null,
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
  }
}

/** Kept for the ranking, and given as it is to be stored. */
export function receive(
  { org, integration }: Asked,
  received: StoredQuote[],
  answer: ProducerAnswer,
  at: Date,
  ms: number,
): NewQuote {
  const { id: orgId, name, orgType, verified, domain } = org
  const health = { status: integration.status, failuresInARow: integration.failuresInARow }
  const [id, responseMs] = [newId(), Math.round(ms)]
  received.push({ id, org: { id: orgId, name, orgType, verified, domain }, answer, responseMs, health })
  return {
    id,
    org_id: orgId,
    answer: writeAnswer(answer) as Record<string, unknown>,
    health,
    received_at: at,
    response_ms: responseMs,
  }
}

export function healthOf({ org, integration }: Asked, verdict: AttemptVerdict, ms: number, at: Date) {
  if (verdict === 'retry' || verdict === 'canceled' || verdict === 'skipped') return null
  const cardUrl = integration.agentCardUrl ?? undefined
  return { orgId: org.id, ok: !isFailure(verdict), ms, at, cardUrl }
}
