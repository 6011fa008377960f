/**
 * Work that takes away what has run out, once a period over all nodes. What it took is a line in the log, by kind. Where
 * there may be millions of rows they go in batches, each a short transaction of its own, with pauses as long as the work
 * between them; what is not done within its time goes on a little later.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { z } from 'zod'
import type { Tables } from '../db/tables.ts'
import { readDatabaseTime } from './jobs.queries.ts'
import { defineJob, type Job, JobPostponed } from './runner.ts'

const PERIODS = { hour: 3_600_000, day: 86_400_000 }
const BATCH_ROWS = 5_000
const LONGEST_RUN_MS = 5 * 60_000
const GO_ON_AFTER_MS = 10 * 60_000
/** More than clocks differ by themselves, less than would matter to anything that is kept for days. */
const CLOCKS_APART_MS = 3_600_000

/** One batch: how many rows it took, and whether there may be more. */
export type SweepBatch = { removed: number; more: boolean }

/** Of a statement that takes at most so many rows: a full one may have left some. */
export function batchOf(affected: bigint | undefined, rows: number): SweepBatch {
  const removed = Number(affected ?? 0)
  return { removed, more: removed >= rows }
}

export type SweepTools = {
  /** Runs batches until nothing is left, the time is over, or the node stops. Returns how many rows they took. */
  inBatches(batch: (rows: number) => Promise<SweepBatch>): Promise<number>
}

export function defineSweep(sweep: {
  kind: string
  every: keyof typeof PERIODS
  /** What is deleted can never be had again: a node whose clock is not this database's own leaves it to others. */
  clockOf: Kysely<Tables>
  run(tools: SweepTools): Promise<Record<string, number>>
  /** For tests. */
  batchRows?: number
}): Job {
  return defineJob({
    kind: sweep.kind,
    payload: z.object({}),
    maxAttempts: 3,
    leaseMs: 60_000,
    everyMs: PERIODS[sweep.every],
    async run(_payload, { log, signal }) {
      if (await isClockWrong(sweep.clockOf)) {
        log.warn(`${sweep.kind}: nothing was deleted, because this node’s clock differs from the database’s`)
        throw new JobPostponed('the clocks of the node and the database differ', GO_ON_AFTER_MS)
      }
      const endsAt = performance.now() + LONGEST_RUN_MS
      let unfinished = false
      const swept = await sweep.run({
        async inBatches(batch) {
          let removed = 0
          for (;;) {
            const startedAt = performance.now()
            const done = await batch(sweep.batchRows ?? BATCH_ROWS)
            removed += done.removed
            if (!done.more) return removed
            if (signal.aborted || performance.now() > endsAt) {
              unfinished = true
              return removed
            }
            await sleep(performance.now() - startedAt, undefined, { signal }).catch(() => {})
          }
        },
      })
      const anything = Object.values(swept).some((count) => count > 0)
      log[anything ? 'info' : 'debug'](swept, `${sweep.kind}: deleted`)
      if (unfinished) throw new JobPostponed('more is left to delete', GO_ON_AFTER_MS)
    },
  })
}

async function isClockWrong(db: Kysely<Tables>): Promise<boolean> {
  return Math.abs(Date.now() - (await readDatabaseTime(db)).getTime()) > CLOCKS_APART_MS
}
