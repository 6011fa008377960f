/**
 * Writes down what happens to this node's requests as it happens: who is asked, while it is being sent; then the answers
 * as they arrive, those of a moment in one transaction: attempts, quotes, and what they say about the health of their
 * agents. So a reader who sees a request completed sees all of it, and a crash cannot store an answer without counting it. Every
 * node is told. A promise resolves when its record is stored; a failure to store fails the run, and the job is tried again.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Db, isConnectionLost } from '../db/database.ts'
import { byText } from '../lib/text.ts'
import { type RfqAnswer, recordAnswers } from '../orgs/integration-health.service.ts'
import {
  type FinishedAttempt,
  finishAttempts,
  insertAttempts,
  insertQuotes,
  type NewAttempt,
  type NewQuote,
} from './attempts.queries.ts'
import { notifyRfqs } from './rfq.queries.ts'

type Begun = { rfqId: string; attempts: NewAttempt[] }
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
    write: (items) =>
      insertAttempts(
        db,
        items.flatMap(({ attempts }) => attempts),
      ),
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
    (a, b) => byText(a.rfqId, b.rfqId) || byText(a.attempt.org_id, b.attempt.org_id),
  )
  const quotes = batch.flatMap(({ quote }) => quote ?? [])
  // In the order they came.
  const health = lastingAnswers(items.flatMap((item) => item.health ?? []))
  await db.transaction().execute(async (tx) => {
    await finishAttempts(
      tx,
      batch.map(({ attempt }) => attempt),
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

type Entry<Item> = { item: Item; resolve(): void; reject(error: unknown): void }

/**
 * Gathers what many requests have to write within a moment into few writes, one after another. Requests at the same time
 * often go to the same producers: writing by themselves they would wait for each other's rows, each with a connection
 * in hand. Where a batch fails, each request is written alone, so that only the one at fault hears of it.
 */
export function createGatherer<Item extends { rfqId: string }>(options: {
  gatherMs: number
  /** A batch is closed when it weighs this much, so that no statement grows without bound. */
  maxWeight: number
  weigh(item: Item): number
  write(items: Item[]): Promise<void>
}): { add(item: Item): Promise<void> } {
  const { gatherMs, maxWeight, weigh, write } = options
  let waiting: Entry<Item>[] = []
  let busy = false

  async function run(): Promise<void> {
    busy = true
    await sleep(gatherMs)
    while (waiting.length > 0) await store(takeBatch())
    busy = false
  }

  function takeBatch(): Entry<Item>[] {
    let weight = 0
    const over = waiting.findIndex(({ item }) => {
      weight += weigh(item)
      return weight > maxWeight
    })
    const batch = over === -1 ? waiting : waiting.slice(0, Math.max(1, over))
    waiting = waiting.slice(batch.length)
    return batch
  }

  async function store(batch: Entry<Item>[]): Promise<void> {
    try {
      await write(batch.map(({ item }) => item))
      for (const { resolve } of batch) resolve()
    } catch (error) {
      const requests = [...Map.groupBy(batch, ({ item }) => item.rfqId).values()]
      if (requests.length > 1 && !isConnectionLost(error)) for (const one of requests) await store(one)
      else for (const { reject } of batch) reject(error)
    }
  }

  return {
    /** Resolves when it is stored. */
    add: (item) =>
      new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject })
        // Failures go to the entries.
        if (!busy) run().catch(() => {})
      }),
  }
}
