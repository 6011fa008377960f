/**
 * The log of changes is kept for longer than a year, as reads of products are, so that a season can be compared with the
 * last one. Those who follow it are seconds behind; those who ask what changed are told of no more.
 */
import type { Db } from '../db/database.ts'
import type { Job } from '../jobs/runner.ts'
import { defineSweep } from '../jobs/sweep.ts'
import type { Clock } from '../lib/clock.ts'
import { deleteOldChanges } from './changes-sweep.queries.ts'

const DAY_MS = 86_400_000
export const CHANGES_KEPT_DAYS = 400

export function createChangesSweep(
  { db, clock }: { db: Db; clock: Clock },
  { batchRows }: { batchRows?: number } = {},
): Job {
  return defineSweep({
    kind: 'changes.sweep',
    every: 'day',
    clockOf: db,
    batchRows,
    async run({ inBatches }) {
      const before = new Date(clock.now().getTime() - CHANGES_KEPT_DAYS * DAY_MS)
      let after = 0
      const changes = await inBatches(async (rows) => {
        const { removed, next } = await deleteOldChanges(db, { after, before, rows })
        after = next ?? after
        return { removed, more: next !== null }
      })
      return { changes }
    },
  })
}
