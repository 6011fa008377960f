/** Forgets the keys of old imports: a caller who repeats a call does so within days. */
import type { Db } from '../db/database.ts'
import type { Job } from '../jobs/runner.ts'
import { defineSweep } from '../jobs/sweep.ts'
import type { Clock } from '../lib/clock.ts'
import { deleteOldOrgImports } from './producer-import.queries.ts'

const KEEP_MS = 30 * 86_400_000

export function createImportSweepJob({ db, clock }: { db: Db; clock: Clock }): Job {
  return defineSweep({
    kind: 'imports.sweep',
    every: 'day',
    clockOf: db,
    async run() {
      return { imports: await deleteOldOrgImports(db, new Date(clock.now().getTime() - KEEP_MS)) }
    },
  })
}
