/**
 * Writes what happens to a request as it happens, many at a time: answers that arrive within a moment go to the database
 * in one transaction (attempts, quotes, health of the agents), and every node is told. `settled` resolves when
 * everything handed in so far is stored; a failure to store fails the run, and the job is tried again.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../db/database.ts'
import { type RfqAnswer, recordAnswers } from '../orgs/integration-health.service.ts'
import { type FinishedAttempt, finishAttempts, insertQuotes, type NewQuote } from './attempts.queries.ts'
import { notifyRfq } from './rfq.queries.ts'

export type Recorded = { attempt: FinishedAttempt; quote: NewQuote | null; health: RfqAnswer | null }

export type Recorder = { add(record: Recorded): void; settled(): Promise<void> }

const GATHER_MS = 15

export function createRecorder(db: Db, rfqId: string): Recorder {
  let waiting: Recorded[] = []
  let writing: Promise<void> | null = null

  async function write(): Promise<void> {
    await sleep(GATHER_MS)
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      await db.transaction().execute(async (tx) => {
        await finishAttempts(
          tx,
          rfqId,
          batch.map(({ attempt }) => attempt),
        )
        const quotes = batch.flatMap(({ quote }) => quote ?? [])
        if (quotes.length > 0) await insertQuotes(tx, rfqId, quotes)
        const answers = batch.flatMap(({ health }) => health ?? [])
        if (answers.length > 0) await recordAnswers({ db: tx }, answers)
        await notifyRfq(tx, rfqId)
      })
    }
  }

  function start(): void {
    if (writing) return
    writing = write().finally(() => {
      writing = null
    })
    // Whoever waits for it hears of the failure.
    writing.catch(() => {})
  }

  return {
    add(record) {
      waiting.push(record)
      start()
    },
    async settled() {
      while (waiting.length > 0 || writing) {
        start()
        await writing
      }
    },
  }
}
