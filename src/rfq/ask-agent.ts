/**
 * Asks one producer's agent: a signed POST of the same bytes that everybody gets, once more after a connection error or
 * 502, 503, 504, never past the deadline. Whatever happens ends in a verdict with a reason that the producer can act
 * on. Each try is handed out as it begins and as it ends, so that a record exists even if the node dies between.
 */

import type { Clock } from '../lib/clock.ts'
import { OutboundError, type OutboundReason } from '../lib/outbound.errors.ts'
import type { Outbound, OutboundResponse } from '../lib/outbound.ts'
import type { RfqIntegration } from '../orgs/integration-health.service.ts'
import { MAX_ANSWER_BYTES, type ProducerAnswer, type ReadAnswer, readAnswer } from './quote.schema.ts'
import { keptHeaders, rfqEndpoint, signHeaders, withoutSecrets } from './request.ts'
import { type AttemptVerdict, VERDICTS } from './verdicts.ts'

export type StartedTry = {
  endpoint: string
  requestHeaders: Record<string, string>
  startedAt: Date
}

export type FinishedTry = {
  verdict: AttemptVerdict
  reason: string
  ms: number
  finishedAt: Date
  /** Of a valid quote. */
  answer: ProducerAnswer | null
  response: { status: number; headers: Record<string, string>; body: string } | null
}

type AskAgent = {
  integration: Pick<RfqIntegration, 'agentCardUrl' | 'authType' | 'secret' | 'secretLost'>
  body: Buffer
  /** By `performance.now()`. */
  deadlineAt: number
  /** The buyer withdrew, or this node stops. */
  signal: AbortSignal
  /** Of one who only wants to see what comes back, one. */
  tries?: number
  began(started: StartedTry): void
  ended(finished: FinishedTry): void
}

const TRIES = 2
const RETRY_STATUSES = new Set([502, 503, 504])
const RETRY_REASONS: ReadonlySet<OutboundReason> = new Set(['connect', 'protocol'])
/** A retry that could not be answered any more would only be noise. */
const LEAST_MS = 5

export async function askAgent(ctx: { outbound: Outbound; clock: Clock }, ask: AskAgent): Promise<void> {
  for (let tries = 1; ; tries++) {
    const finished = await tryOnce(ctx, ask, tries < (ask.tries ?? TRIES))
    ask.ended(finished)
    if (finished.verdict !== 'retry') return
  }
}

async function tryOnce(
  ctx: { outbound: Outbound; clock: Clock },
  ask: AskAgent,
  mayRetry: boolean,
): Promise<FinishedTry> {
  const { integration, body } = ask
  const endpoint = rfqEndpoint(integration.agentCardUrl ?? '')
  const startedAt = ctx.clock.now()
  const headers = { ...AGENT_HEADERS, ...(integration.secretLost ? {} : sign(integration, body, startedAt)) }
  ask.began({ endpoint, requestHeaders: keptHeaders(headers), startedAt })
  const started = performance.now()
  const end = (
    verdict: AttemptVerdict,
    reason: string,
    response: OutboundResponse | null,
    answer?: ProducerAnswer,
  ) => {
    const ms = performance.now() - started
    const kept = response && shown(response, integration.secret)
    return { verdict, reason, ms, finishedAt: ctx.clock.now(), answer: answer ?? null, response: kept }
  }
  if (integration.secretLost)
    return end('unreachable', 'The secret can no longer be read; register the agent card again.', null)
  const leftMs = ask.deadlineAt - started
  if (leftMs < LEAST_MS) return end('timeout', VERDICTS.timeout.text, null)
  const again = mayRetry && leftMs > LEAST_MS * 2
  try {
    const response = await ctx.outbound.request({
      url: endpoint,
      method: 'POST',
      headers,
      body,
      timeoutMs: leftMs,
      maxBytes: MAX_ANSWER_BYTES,
      signal: ask.signal,
    })
    if (response.status !== 200) {
      const reason = `Answered with status ${response.status}; quotes and declines must use 200.`
      return end(again && RETRY_STATUSES.has(response.status) ? 'retry' : 'bad_status', reason, response)
    }
    const read = readAnswer(response.body, ctx.clock.now())
    return end(...verdictOf(read), response, read.kind === 'quote' ? read.answer : undefined)
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    if (again && RETRY_REASONS.has(error.reason)) return end('retry', `${error.message}.`, null)
    return end(VERDICT_OF[error.reason], `${error.message}.`, null)
  }
}

export const AGENT_HEADERS = {
  'Content-Type': 'application/json',
  Accept: 'application/json',
  'User-Agent': 'Souk/1.0',
}

function sign(
  { authType, secret }: AskAgent['integration'],
  rawBody: Buffer,
  now: Date,
): Record<string, string> {
  return signHeaders({ authType, secret, rawBody, now })
}

const VERDICT_OF: Record<OutboundReason, AttemptVerdict> = {
  invalid_url: 'refused_address',
  scheme: 'refused_address',
  private_address: 'refused_address',
  dns: 'unreachable',
  connect: 'unreachable',
  tls: 'unreachable',
  protocol: 'unreachable',
  timeout: 'timeout',
  too_large: 'too_large',
  redirect: 'redirect',
  encoding: 'not_json',
  aborted: 'canceled',
}

function verdictOf(read: ReadAnswer): [AttemptVerdict, string] {
  if (read.kind === 'invalid') return [read.verdict, read.reason]
  if (read.kind === 'decline') return ['declined', VERDICTS.declined.text]
  return read.answer.inStock ? ['quoted', VERDICTS.quoted.text] : ['out_of_stock', VERDICTS.out_of_stock.text]
}

/** As it is kept: without the secret, should the producer have sent it back, and without zero bytes, which a text cannot hold. */
function shown(
  { status, headers, body }: OutboundResponse,
  secret: string | null,
): NonNullable<FinishedTry['response']> {
  const hidden = (text: string) => (secret === null ? text : text.replaceAll(secret, '[hidden]'))
  const text = body.toString('utf8').replaceAll('\0', '\uFFFD')
  const named = Object.entries(withoutSecrets(headers)).map(([name, value]) => [name, hidden(value)])
  return { status, headers: Object.fromEntries(named), body: hidden(text) }
}
