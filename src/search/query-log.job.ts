/** Searches are kept for a while for analytics, then forgotten: people type personal things into search boxes. */
import { z } from 'zod'
import type { Db } from '../db/database.ts'
import { defineJob, type Job } from '../jobs/runner.ts'
import type { Clock } from '../lib/clock.ts'
import { deleteAnswersBefore, deleteQueriesBefore } from './query-log.queries.ts'
import { ANSWER_NAMED_MS } from './query-log.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const KEPT_DAYS = 90

export function createSearchSweep(ctx: { db: Db; clock: Clock }): Job {
  return defineJob({
    kind: 'sweep-searches',
    payload: z.object({}),
    maxAttempts: 3,
    leaseMs: 60_000,
    everyMs: DAY_MS,
    async run() {
      const before = ctx.clock.now().getTime() - KEPT_DAYS * DAY_MS
      await deleteQueriesBefore(ctx.db, new Date(before))
      await deleteAnswersBefore(ctx.db, new Date(before - ANSWER_NAMED_MS))
    },
  })
}
