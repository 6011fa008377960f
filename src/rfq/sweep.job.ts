/**
 * Forgets, once a day over all nodes, what requests for quote no longer need: where and with which secrets to tell of an
 * end that was told of long ago, and by which message of whom a request came that nobody owns. The requests stay.
 */
import type { Db } from '../db/database.ts'
import type { Job } from '../jobs/runner.ts'
import { defineSweep } from '../jobs/sweep.ts'
import type { Clock } from '../lib/clock.ts'
import { deletePushesOfEnded } from './pushes.queries.ts'
import { forgetOldMessages } from './rfq.queries.ts'

const DAY_MS = 86_400_000
const KEEP_PUSHES_MS = 7 * DAY_MS
const KEEP_MESSAGES_MS = 30 * DAY_MS

type Context = { db: Db; clock: Clock }

export function createRfqSweep(ctx: Context): Job {
  return defineSweep({ kind: 'rfq.sweep', every: 'day', run: () => sweepRfqs(ctx) })
}

export async function sweepRfqs({ db, clock }: Context): Promise<{ pushes: number; messages: number }> {
  const ago = (ms: number) => new Date(clock.now().getTime() - ms)
  const pushes = await deletePushesOfEnded(db, ago(KEEP_PUSHES_MS))
  const messages = await forgetOldMessages(db, ago(KEEP_MESSAGES_MS))
  return { pushes, messages }
}
