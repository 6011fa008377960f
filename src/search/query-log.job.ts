/** Searches are kept for a while for analytics, then forgotten: people type personal things into search boxes. */
import type { Config } from '../config.ts'
import type { Db } from '../db/database.ts'
import type { KeptLog } from '../jobs/logs.job.ts'
import type { Job } from '../jobs/runner.ts'
import { defineSweep } from '../jobs/sweep.ts'
import { type Clock, DAY_MS, isoDay } from '../lib/clock.ts'
import { deleteImpressionsBefore } from './query-log.queries.ts'
import { ANSWER_NAMED_MS } from './query-log.ts'

/** Counts tell of nobody, and are kept longer than a year, so that a season can be compared with the last one. */
const IMPRESSION_DAYS = 400

/** The partitions of the log. An answer stays a day longer than the last asking that may name it. */
export function searchLogs({ keep }: Pick<Config, 'keep'>): KeptLog[] {
  const days = keep.searches
  return [
    { table: 'search_queries', step: 'week', days },
    { table: 'search_clicks', step: 'week', days },
    { table: 'search_answers', step: 'week', days: days === null ? null : days + ANSWER_NAMED_MS / DAY_MS },
  ]
}

export function createSearchSweep(
  { db, clock }: { db: Db; clock: Clock },
  { batchRows }: { batchRows?: number } = {},
): Job {
  return defineSweep({
    kind: 'sweep-searches',
    every: 'day',
    clockOf: db,
    batchRows,
    async run({ inBatches }) {
      const oldest = isoDay(new Date(clock.now().getTime() - IMPRESSION_DAYS * DAY_MS))
      return { impressions: await inBatches((rows) => deleteImpressionsBefore(db, oldest, rows)) }
    },
  })
}
