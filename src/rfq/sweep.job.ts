/**
 * Forgets, once a day over all nodes, what requests for quote no longer need: where and with which secrets to tell of an
 * end that was told of long ago, by which message of whom a request came that nobody owns, and what producers were sent
 * and answered, byte for byte. The requests stay, and the signed quotes: what was promised can always be proved.
 */
import type { Config } from '../config.ts'
import type { Db } from '../db/database.ts'
import type { Job } from '../jobs/runner.ts'
import { defineSweep, type SweepTools } from '../jobs/sweep.ts'
import type { Clock } from '../lib/clock.ts'
import { deletePushesOfEnded } from './pushes.queries.ts'
import { forgetOldMessages } from './rfq.queries.ts'
import { deleteAttemptsOfEnded } from './sweep.queries.ts'

const DAY_MS = 86_400_000
const KEEP_PUSHES_MS = 7 * DAY_MS
const KEEP_MESSAGES_MS = 30 * DAY_MS

type Context = { db: Db; clock: Clock; config: Pick<Config, 'keep'> }

export function createRfqSweep(ctx: Context, { batchRows }: { batchRows?: number } = {}): Job {
  return defineSweep({
    kind: 'rfq.sweep',
    every: 'day',
    clockOf: ctx.db,
    batchRows,
    run: async (tools) => ({ ...(await sweepRfqs(ctx)), attempts: await sweepAttempts(ctx, tools) }),
  })
}

export async function sweepRfqs({
  db,
  clock,
}: Omit<Context, 'config'>): Promise<{ pushes: number; messages: number }> {
  const ago = (ms: number) => new Date(clock.now().getTime() - ms)
  const pushes = await deletePushesOfEnded(db, ago(KEEP_PUSHES_MS))
  const messages = await forgetOldMessages(db, ago(KEEP_MESSAGES_MS))
  return { pushes, messages }
}

async function sweepAttempts({ db, clock, config }: Context, { inBatches }: SweepTools): Promise<number> {
  const days = config.keep.attempts
  if (days === null) return 0
  const before = new Date(clock.now().getTime() - days * DAY_MS)
  return inBatches((rows) => deleteAttemptsOfEnded(db, before, rows))
}
