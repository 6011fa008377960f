/**
 * Takes away, once an hour, what has run out and is only weight: none of it was valid any more.
 * Two exceptions, because anybody can cause any number of them: tries at addresses without an account, which are in
 * nobody's history, and accounts that were never confirmed and own nothing.
 */
import type { Config } from '../config.ts'
import type { Db } from '../db/database.ts'
import type { KeptLog } from '../jobs/logs.job.ts'
import type { Job } from '../jobs/runner.ts'
import { defineSweep } from '../jobs/sweep.ts'
import type { Clock } from '../lib/clock.ts'
import { deleteNobodysTries } from './audit.queries.ts'
import { deleteExpiredMailTokens } from './mail-tokens.queries.ts'
import { RESET_ASKED } from './password.service.ts'
import { deleteExpiredSessions } from './sessions.queries.ts'
import { FAILED_SIGN_IN } from './signin.service.ts'
import { deleteOldThrottles } from './throttles.queries.ts'
import { deleteExpiredForms } from './unsaved-forms.queries.ts'
import { deleteUnconfirmed } from './users.queries.ts'

const DAY = 86_400_000
/** A dead link is kept for a while, so that its page can say what became of it. */
const KEEP_LINKS_MS = 7 * DAY
const KEEP_THROTTLES_MS = 2 * DAY
const KEEP_NOBODYS_MS = 90 * DAY
const KEEP_UNCONFIRMED_MS = 90 * DAY

const ANYBODY_CAN_CAUSE = [FAILED_SIGN_IN, RESET_ASKED]

export function createSweepJob({ db, clock }: { db: Db; clock: Clock }): Job {
  return defineSweep({
    kind: 'accounts.sweep',
    every: 'hour',
    clockOf: db,
    async run({ inBatches }) {
      const now = clock.now()
      const before = (ms: number) => new Date(now.getTime() - ms)
      return {
        sessions: await deleteExpiredSessions(db, now),
        forms: await deleteExpiredForms(db, now),
        links: await deleteExpiredMailTokens(db, before(KEEP_LINKS_MS)),
        throttles: await deleteOldThrottles(db, before(KEEP_THROTTLES_MS), now),
        tries: await deleteNobodysTries(db, ANYBODY_CAN_CAUSE, before(KEEP_NOBODYS_MS)),
        accounts: await inBatches((rows) => deleteUnconfirmed(db, before(KEEP_UNCONFIRMED_MS), rows)),
      }
    },
  })
}

/** Of people, organizations and operators alike, so that no history has holes in it that another has not. */
export function auditLog({ keep }: Pick<Config, 'keep'>): KeptLog {
  return { table: 'audit_log', step: 'month', days: keep.audit }
}
