/** Searches are kept for a while for analytics, then forgotten: people type personal things into search boxes. */
import type { Db } from '../db/database.ts'
import type { Job } from '../jobs/runner.ts'
import { defineSweep } from '../jobs/sweep.ts'
import type { Clock } from '../lib/clock.ts'
import { deleteAnswersBefore, deleteQueriesBefore } from './query-log.queries.ts'
import { ANSWER_NAMED_MS } from './query-log.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** Who tells of searches tells of no more days. */
export const SEARCHES_KEPT_DAYS = 90

export function createSearchSweep(ctx: { db: Db; clock: Clock }): Job {
  return defineSweep({
    kind: 'sweep-searches',
    every: 'day',
    async run() {
      const before = ctx.clock.now().getTime() - SEARCHES_KEPT_DAYS * DAY_MS
      return {
        queries: await deleteQueriesBefore(ctx.db, new Date(before)),
        answers: await deleteAnswersBefore(ctx.db, new Date(before - ANSWER_NAMED_MS)),
      }
    },
  })
}
