/**
 * The daily limit of bundles (interface 8). One is taken before the work, so that parallel requests cannot pass the limit
 * together, and given back when the work fails: only what was served counts. Days are UTC, by the clock of the service.
 */

import { BUNDLES_A_DAY } from '../bundles/bundles.schema.ts'
import type { Db } from '../db/database.ts'
import { type Clock, DAY_MS, isoDay } from '../lib/clock.ts'
import { AppError } from '../lib/errors.ts'
import { deleteDaysBefore, returnOne, takeOne } from './quota.queries.ts'

type Context = { db: Db; clock: Clock }

/** What was taken. Its day goes along, because midnight may pass before it is given back. */
type TakenBundle = { userId: string; day: string }

/** Throws `rate_limited` when the day's bundles are used up. */
export async function takeBundle(ctx: Context, userId: string): Promise<TakenBundle> {
  const now = ctx.clock.now()
  const taken = { userId, day: isoDay(now) }
  if (await takeOne(ctx.db, { ...taken, max: BUNDLES_A_DAY })) return taken
  throw new AppError(
    'rate_limited',
    `you have used all ${BUNDLES_A_DAY} bundles for today; you get more at 00:00 UTC`,
    { code: 'quota_exceeded', max: BUNDLES_A_DAY, retryAfterSeconds: secondsToMidnight(now) },
  )
}

export function giveBundleBack(ctx: Pick<Context, 'db'>, taken: TakenBundle): Promise<void> {
  return returnOne(ctx.db, taken)
}

/** Days that are over, and with them anything that could still be given back. */
export function sweepBundleDays(ctx: Context): Promise<number> {
  return deleteDaysBefore(ctx.db, isoDay(new Date(ctx.clock.now().getTime() - DAY_MS)))
}

function secondsToMidnight(now: Date): number {
  return Math.ceil((DAY_MS - (now.getTime() % DAY_MS)) / 1000)
}
