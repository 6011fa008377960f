/**
 * Writes down what happens to this node's requests as it happens: who is asked, while it is being sent; then the answers
 * as they arrive, those of a moment in one transaction: attempts, quotes, and what they say about the health of their
 * agents. So whoever sees a request completed sees all of it, and a crash cannot store an answer without counting it. Every
 * node is told. A promise resolves when its record is stored; a failure to store fails the run, and the job is tried again.
 */
import type { Db } from '../db/database.ts'
import { type RfqAnswer, recordAnswers } from '../orgs/integration-health.service.ts'
import {
  type FinishedAttempt,
  finishAttempts,
  insertAttempts,
  insertQuotes,
  type NewAttempt,
  type NewQuote,
} from './attempts.queries.ts'
import { createGatherer } from './gather.ts'
import { notifyRfqs } from './rfq.queries.ts'

export type Begun = { rfqId: string; attempts: NewAttempt[] }
export type Recorded = {
  rfqId: string
  attempt: FinishedAttempt
  quote: NewQuote | null
  /** How the agent behaved, where that counts. */
  health: RfqAnswer | null
}

export type Recorder = {
  begin(begun: Begun): Promise<void>
  add(record: Recorded): Promise<void>
}

/** Answers are written after it, so it waits only for what comes in the same turn. */
const GATHER_BEGUN_MS = 1
const GATHER_MS = 15
const MAX_ROWS = 2_000
const MAX_BYTES = 4_000_000
/** What a record weighs besides the body of its answer. */
const RECORD_BYTES = 1_500
/** After so many in a row an agent is left alone for a while. */
const MOST_FAILURES = 10

export function createRecorder(db: Db): Recorder {
  const begun = createGatherer<Begun>({
    gatherMs: GATHER_BEGUN_MS,
    maxWeight: MAX_ROWS,
    weigh: ({ attempts }) => attempts.length,
    write: (items) => insertAttempts(db, items.flatMap(withRfqId)),
  })
  const records = createGatherer<Recorded>({
    gatherMs: GATHER_MS,
    maxWeight: MAX_BYTES,
    weigh: ({ attempt }) => RECORD_BYTES + (attempt.response_body?.length ?? 0),
    write: (items) => writeRecords(db, items),
  })
  return { begin: begun.add, add: records.add }
}

async function writeRecords(db: Db, items: Recorded[]): Promise<void> {
  // In one order everywhere, so that two nodes never wait for each other.
  const batch = items.toSorted(
    (a, b) => compare(a.rfqId, b.rfqId) || compare(a.attempt.org_id, b.attempt.org_id),
  )
  const quotes = batch.flatMap(({ rfqId, quote }) => (quote ? { ...quote, rfq_id: rfqId } : []))
  // In the order they came.
  const health = lastingAnswers(items.flatMap((item) => item.health ?? []))
  await db.transaction().execute(async (tx) => {
    await finishAttempts(
      tx,
      batch.map(({ rfqId, attempt }) => ({ ...attempt, rfq_id: rfqId })),
    )
    if (quotes.length > 0) await insertQuotes(tx, quotes)
    // Last, because other nodes' answers of the same agents wait for it.
    if (health.length > 0) await recordAnswers({ db: tx }, health)
    await notifyRfqs(tx, [...new Set(batch.map(({ rfqId }) => rfqId))])
  })
}

/**
 * What lasts of the answers of each agent, in the order they came: the last good one and what failed after it, and of
 * many failures as many as are ever acted on. Two hundred requests at once would otherwise be two hundred statements.
 */
export function lastingAnswers(answers: RfqAnswer[]): RfqAnswer[] {
  const agents = Map.groupBy(answers, ({ orgId, cardUrl }) => `${orgId} ${cardUrl}`)
  return [...agents.values()].flatMap((each) => {
    const good = each.findLastIndex(({ ok }) => ok)
    return [...each.slice(0, good + 1).slice(-1), ...each.slice(good + 1).slice(-MOST_FAILURES)]
  })
}

function withRfqId({ rfqId, attempts }: Begun): Array<NewAttempt & { rfq_id: string }> {
  return attempts.map((attempt) => ({ ...attempt, rfq_id: rfqId }))
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
