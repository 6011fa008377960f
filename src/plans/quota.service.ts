/**
 * The daily limits of bundles (interface 8) and of edits. One is taken before the work, so that parallel requests cannot
 * pass the limit together, and given back when the work fails: only what was served counts. Days are UTC, by the clock of
 * the service.
 */

import { BUNDLES_A_DAY, PLAN_EDITS_A_DAY } from '../bundles/bundles.schema.ts'
import type { Db } from '../db/database.ts'
import { type Clock, DAY_MS, isoDay } from '../lib/clock.ts'
import { AppError } from '../lib/errors.ts'
import { type CountedAs, countTaken, deleteDaysBefore, returnOne, takeOne } from './quota.queries.ts'

type Context = { db: Db; clock: Clock }

/** What was taken. Its day goes along, because midnight may pass before it is given back. */
type Taken = { userId: string; day: string; as: CountedAs }

const LIMITS: Record<CountedAs, { max: number; words: string }> = {
  served: { max: BUNDLES_A_DAY, words: 'bundles' },
  edited: { max: PLAN_EDITS_A_DAY, words: 'edits of plans' },
}

/** Throws `rate_limited` when the day's bundles are used up. */
export function takeBundle(ctx: Context, userId: string): Promise<Taken> {
  return take(ctx, userId, 'served')
}

/** Throws `rate_limited` when the day's edits are used up. */
export function takeEdit(ctx: Context, userId: string): Promise<Taken> {
  return take(ctx, userId, 'edited')
}

/** What a person has left today, of how many, and when all of it is there again. */
export type LeftToday = { left: number; of: number; resetsInSeconds: number }

export async function countLeft(ctx: Context, userId: string, as: CountedAs): Promise<LeftToday> {
  const now = ctx.clock.now()
  const { max } = LIMITS[as]
  const taken = await countTaken(ctx.db, { userId, day: isoDay(now), as })
  return { left: Math.max(0, max - taken), of: max, resetsInSeconds: secondsToMidnight(now) }
}

async function take(ctx: Context, userId: string, as: CountedAs): Promise<Taken> {
  const now = ctx.clock.now()
  const taken = { userId, day: isoDay(now), as }
  const { max, words } = LIMITS[as]
  if (await takeOne(ctx.db, { ...taken, max })) return taken
  throw new AppError(
    'rate_limited',
    `you have used all ${max} ${words} for today; you get more at 00:00 UTC`,
    {
      code: 'quota_exceeded',
      max,
      retryAfterSeconds: secondsToMidnight(now),
    },
  )
}

export function giveBack(ctx: Pick<Context, 'db'>, taken: Taken): Promise<void> {
  return returnOne(ctx.db, taken)
}

/** Days that are over, and with them anything that could still be given back. */
export function sweepBundleDays(ctx: Context): Promise<number> {
  return deleteDaysBefore(ctx.db, isoDay(new Date(ctx.clock.now().getTime() - DAY_MS)))
}

function secondsToMidnight(now: Date): number {
  return Math.ceil((DAY_MS - (now.getTime() % DAY_MS)) / 1000)
}
