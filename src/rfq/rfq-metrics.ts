/** What becomes of requests for quote, for `/metrics`. Counted when it is stored, by the node that stored it. */
import { counter, histogram } from '../lib/metrics.ts'
import type { AttemptVerdict } from './verdicts.ts'

const ended = counter(
  'souk_rfqs_total',
  'Requests for quote by result: quoted, unquoted (complete without a quote), failed or canceled.',
  ['outcome'],
)
const durations = histogram(
  'souk_rfq_duration_seconds',
  'Duration of completed requests for quote.',
  ['outcome'],
  [0.05, 0.1, 0.25, 0.5, 1, 2, 3, 4, 5, 7.5, 10, 30, 60],
)
const attempts = counter(
  'souk_rfq_attempts_total',
  'Requests to producers, by channel (agent or managed pricing) and verdict.',
  ['kind', 'verdict'],
)

export function countEnd(outcome: 'quoted' | 'unquoted' | 'failed' | 'canceled', ms?: number): void {
  ended.inc(outcome)
  if (ms !== undefined) durations.observe(Math.max(0, ms) / 1_000, outcome)
}

export function countAttempt(kind: 'agent' | 'managed', verdict: AttemptVerdict): void {
  attempts.inc(kind, verdict)
}
