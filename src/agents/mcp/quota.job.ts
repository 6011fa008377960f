/** Forgets, once a day over all nodes, how often people called on days that are over. */
import type { Db } from '../../db/database.ts'
import type { Job } from '../../jobs/runner.ts'
import { defineSweep } from '../../jobs/sweep.ts'
import type { Clock } from '../../lib/clock.ts'
import { deleteDaysBefore } from './quota.queries.ts'

const KEPT_MS = 7 * 86_400_000

export function createToolSweep({ db, clock }: { db: Db; clock: Clock }): Job {
  return defineSweep({
    kind: 'tools.sweep',
    every: 'day',
    clockOf: db,
    async run() {
      const day = new Date(clock.now().getTime() - KEPT_MS).toISOString().slice(0, 10)
      return { days: await deleteDaysBefore(db, day) }
    },
  })
}
