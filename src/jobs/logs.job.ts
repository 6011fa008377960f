/**
 * Keeps the logs that are partitioned by time, once a day over all nodes: makes partitions ahead, and drops those whose rows
 * are all older than the operator wants them. A row thus stays until its week or month is over.
 */
import type { Db } from '../db/database.ts'
import { type Clock, DAY_MS } from '../lib/clock.ts'
import {
  analyzeLog,
  deleteOldRows,
  dropPartitions,
  makePartitions,
  type TimedLog,
} from './partitions.queries.ts'
import type { Job } from './runner.ts'
import { defineSweep } from './sweep.ts'

/** `days` is null for what is kept for ever. */
export type KeptLog = TimedLog & { days: number | null }

export function createLogsSweep(
  { db, clock }: { db: Db; clock: Clock },
  logs: readonly KeptLog[],
  { batchRows }: { batchRows?: number } = {},
): Job {
  return defineSweep({
    kind: 'logs.sweep',
    every: 'day',
    clockOf: db,
    batchRows,
    async run({ inBatches }) {
      let [dropped, rows] = [0, 0]
      for (const log of logs) {
        await makePartitions(db, log, clock.now())
        if (log.days !== null) {
          const before = new Date(clock.now().getTime() - log.days * DAY_MS)
          dropped += await dropPartitions(db, log, before)
          rows += await inBatches((most) => deleteOldRows(db, log, before, most))
        }
        await analyzeLog(db, log)
      }
      return { partitions: dropped, rows }
    },
  })
}
