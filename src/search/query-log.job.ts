/** Searches are kept for a while for analytics, then forgotten: people type personal things into search boxes. */
import type { Config } from '../config.ts'
import type { Db } from '../db/database.ts'
import type { Job } from '../jobs/runner.ts'
import { defineSweep } from '../jobs/sweep.ts'
import { type Clock, DAY_MS, isoDay } from '../lib/clock.ts'
import { deleteAnswersBefore, deleteImpressionsBefore, deleteQueriesBefore } from './query-log.queries.ts'
import { ANSWER_NAMED_MS } from './query-log.ts'

/** Counts tell of nobody, and are kept longer than a year, so that a season can be compared with the last one. */
const IMPRESSION_DAYS = 400

type Context = { db: Db; clock: Clock; config: Pick<Config, 'keep'> }

/** With their clicks. An answer stays a day longer than the last asking that may name it. */
export function createSearchSweep(
  { db, clock, config }: Context,
  { batchRows }: { batchRows?: number } = {},
): Job {
  return defineSweep({
    kind: 'sweep-searches',
    every: 'day',
    clockOf: db,
    batchRows,
    async run({ inBatches }): Promise<Record<string, number>> {
      const today = clock.now().getTime()
      const oldest = isoDay(new Date(today - IMPRESSION_DAYS * DAY_MS))
      const impressions = await inBatches((rows) => deleteImpressionsBefore(db, oldest, rows))
      const days = config.keep.searches
      if (days === null) return { impressions }
      const before = today - days * DAY_MS
      return {
        impressions,
        queries: await inBatches((rows) => deleteQueriesBefore(db, new Date(before), rows)),
        answers: await inBatches((rows) => deleteAnswersBefore(db, new Date(before - ANSWER_NAMED_MS), rows)),
      }
    },
  })
}
