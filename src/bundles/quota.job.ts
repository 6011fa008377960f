/** Forgets, once a day over all nodes, who was served bundles on days that are over. */
import { z } from 'zod'
import type { Db } from '../db/database.ts'
import { defineJob, type Job } from '../jobs/runner.ts'
import type { Clock } from '../lib/clock.ts'
import { sweepBundleDays } from './quota.service.ts'

export function createBundleSweep(ctx: { db: Db; clock: Clock }): Job {
  return defineJob({
    kind: 'bundles.sweep',
    payload: z.object({}),
    maxAttempts: 3,
    leaseMs: 60_000,
    everyMs: 86_400_000,
    async run(_payload, { log }) {
      log.debug({ days: await sweepBundleDays(ctx) }, 'swept days of bundles')
    },
  })
}
