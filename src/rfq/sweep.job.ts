/**
 * Forgets, once a day over all nodes, what requests for quote no longer need: where and with which secrets to tell of an
 * end that was told of long ago, by which message of whom a request came that nobody owns, and what producers were sent
 * and answered, byte for byte. Signed quotes stay with their requests, which go when
 * the operator says so. Of strangers' requests, those without a quote go a year after what was sent for them.
 */
import type { Config } from '../config.ts'
import type { Db } from '../db/database.ts'
import type { Job } from '../jobs/runner.ts'
import { defineSweep, type SweepTools } from '../jobs/sweep.ts'
import { type Clock, DAY_MS } from '../lib/clock.ts'
import { deletePushesOfEnded } from './pushes.queries.ts'
import { deleteAttemptsOfEnded, deleteEnded, deleteUnquoted, forgetOldMessages } from './rfq.queries.ts'
import { deleteEndedShares } from './share.queries.ts'

const KEEP_PUSHES_MS = 7 * DAY_MS
const KEEP_MESSAGES_MS = 30 * DAY_MS
/** After what was sent for it is gone. */
const KEEP_UNQUOTED_MS = 365 * DAY_MS

type Context = { db: Db; clock: Clock; config: Pick<Config, 'keep'> }

export function createRfqSweep(ctx: Context, { batchRows }: { batchRows?: number } = {}): Job {
  return defineSweep({
    kind: 'rfq.sweep',
    every: 'day',
    clockOf: ctx.db,
    batchRows,
    run: async (tools) => ({ ...(await sweepRfqs(ctx)), ...(await sweepOld(ctx, tools)) }),
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

async function sweepOld(
  { db, clock, config }: Context,
  { inBatches }: SweepTools,
): Promise<{ shares: number; attempts: number; requests: number }> {
  const kept = config.keep.requests
  const ended = kept === null ? null : new Date(clock.now().getTime() - kept * DAY_MS)
  const gone = ended ? await inBatches((rows) => deleteEnded(db, ended, rows)) : 0
  const shares = await inBatches((rows) => deleteEndedShares(db, clock.now(), rows))
  const days = config.keep.attempts
  if (days === null) return { shares, attempts: 0, requests: gone }
  const before = new Date(clock.now().getTime() - days * DAY_MS)
  const unquotedBefore = new Date(before.getTime() - KEEP_UNQUOTED_MS)
  return {
    shares,
    attempts: await inBatches((rows) => deleteAttemptsOfEnded(db, before, rows)),
    requests: gone + (await inBatches((rows) => deleteUnquoted(db, unquotedBefore, rows))),
  }
}
