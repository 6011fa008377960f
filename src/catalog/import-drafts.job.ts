/** Takes away uploads that nobody can open any more. */
import type { Db } from '../db/database.ts'
import type { Job } from '../jobs/runner.ts'
import { defineSweep } from '../jobs/sweep.ts'
import type { Clock } from '../lib/clock.ts'
import { deleteDraftsBefore } from './import-drafts.queries.ts'
import { DRAFT_KEPT_MS } from './import-drafts.schema.ts'

export function createDraftSweepJob({ db, clock }: { db: Db; clock: Clock }): Job {
  return defineSweep({
    kind: 'import_drafts.sweep',
    every: 'hour',
    clockOf: db,
    async run() {
      return { drafts: await deleteDraftsBefore(db, new Date(clock.now().getTime() - DRAFT_KEPT_MS)) }
    },
  })
}
