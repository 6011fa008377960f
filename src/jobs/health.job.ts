/**
 * Samples, once a minute over all nodes, how the service is doing, so that the operator sees what was before something
 * went wrong. A figure that cannot be read is left out; it is never taken for 0.
 */
import { z } from 'zod'
import type { Db } from '../db/database.ts'
import { withinTime } from '../db/within-time.ts'
import { deleteOldSamples, findSlots, insertSample, type Slot, type Step } from './health.queries.ts'
import { defineJob, type Job } from './runner.ts'

export type { Slot, Step }

export const HEALTH_DAYS = 30

/** Each gives a number, or null where there is none. */
export type Figures = Record<string, () => number | null | Promise<number | null>>

export function createHealthJob({ db }: { db: Db }, figures: Figures): Job {
  return defineJob({
    ...{ kind: 'health.sample', payload: z.object({}), maxAttempts: 1, leaseMs: 60_000, everyMs: 60_000 },
    async run() {
      const read = Object.entries(figures).map(async ([name, figure]) => {
        const value = await Promise.resolve(figure()).catch(() => null)
        return value === null || !Number.isFinite(value) ? [] : [[name, value] as const]
      })
      await insertSample(db, Object.fromEntries((await Promise.all(read)).flat()))
      await deleteOldSamples(db, HEALTH_DAYS)
    },
  })
}

export function healthOverTime(ctx: { db: Db }, asked: { step: Step; slots: number }): Promise<Slot[]> {
  const tooLong = { message: 'reading the samples took too long; choose fewer days', field: 'days' }
  return withinTime(ctx.db, tooLong, (tx) => findSlots(tx, asked))
}
