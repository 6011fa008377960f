/** Forgets, once a day over all nodes, who was served bundles on days that are over. */
import type { Db } from '../db/database.ts'
import type { Job } from '../jobs/runner.ts'
import { defineSweep } from '../jobs/sweep.ts'
import type { Clock } from '../lib/clock.ts'
import { sweepBundleDays } from './quota.service.ts'

export function createBundleSweep(ctx: { db: Db; clock: Clock }): Job {
  return defineSweep({
    kind: 'bundles.sweep',
    every: 'day',
    clockOf: ctx.db,
    run: async () => ({ days: await sweepBundleDays(ctx) }),
  })
}
