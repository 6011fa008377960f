/**
 * Deletes, once a day over all nodes, what has been in the audit log for as long as the operator wants it: of people,
 * organizations and operators alike, so that no history has holes in it that another has not.
 */
import type { Config } from '../config.ts'
import type { Db } from '../db/database.ts'
import type { Job } from '../jobs/runner.ts'
import { defineSweep } from '../jobs/sweep.ts'
import type { Clock } from '../lib/clock.ts'
import { deleteAuditBefore } from './audit.queries.ts'

const DAY_MS = 86_400_000

type Context = { db: Db; clock: Clock; config: Pick<Config, 'keep'> }

export function createAuditSweep(
  { db, clock, config }: Context,
  { batchRows }: { batchRows?: number } = {},
): Job {
  return defineSweep({
    kind: 'audit.sweep',
    every: 'day',
    clockOf: db,
    batchRows,
    async run({ inBatches }): Promise<Record<string, number>> {
      const days = config.keep.audit
      if (days === null) return {}
      const before = new Date(clock.now().getTime() - days * DAY_MS)
      return { records: await inBatches((rows) => deleteAuditBefore(db, before, rows)) }
    },
  })
}
