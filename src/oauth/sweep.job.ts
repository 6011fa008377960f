/**
 * Removes what has run out, once an hour over all nodes. A used code is kept a day past its end and a rotated refresh
 * token to its end, because only a row that is still there can tell that it is used again.
 */
import type { Db } from '../db/database.ts'
import type { Job } from '../jobs/runner.ts'
import { defineSweep } from '../jobs/sweep.ts'
import { type Clock, DAY_MS } from '../lib/clock.ts'
import { deleteIdleClients } from './clients.queries.ts'
import { deleteExpired } from './tokens.queries.ts'
import { sweepTrace } from './trace.service.ts'

/** Registered clients that nobody used for so long and nobody is connected through. */
const IDLE_CLIENT_MS = 90 * DAY_MS
const KEEP_REVOKED_MS = 30 * DAY_MS
const KEEP_CODES_MS = DAY_MS

type Context = { db: Db; clock: Clock }

export function createOauthSweep(ctx: Context): Job {
  return defineSweep({ kind: 'oauth.sweep', every: 'hour', clockOf: ctx.db, run: () => sweepOauth(ctx) })
}

export async function sweepOauth(ctx: Context): Promise<Record<string, number>> {
  const now = ctx.clock.now()
  const ago = (ms: number) => new Date(now.getTime() - ms)
  const expired = await deleteExpired(ctx.db, {
    now,
    codesBefore: ago(KEEP_CODES_MS),
    revokedBefore: ago(KEEP_REVOKED_MS),
  })
  const clients = await deleteIdleClients(ctx.db, ago(IDLE_CLIENT_MS))
  return { ...expired, clients, trace: await sweepTrace(ctx) }
}
