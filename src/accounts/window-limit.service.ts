/**
 * Limits that hold over all nodes: so many within a window of the clock, counted in the database in one atomic statement.
 * For what makes work or rows that outlast the request; adding a node must not add to it. A window begins with the hour
 * (or minute, or day) of the clock, so that everybody can be told when the next one does.
 */
import type { Db } from '../db/database.ts'
import { type Clock, DAY_MS } from '../lib/clock.ts'
import { network } from '../lib/outbound.addresses.ts'
import { type Rate, rateLimited, type Taken } from '../lib/rate-limit.ts'
import type { Person } from './actor.ts'
import type { AccountSecrets } from './secrets.ts'
import { countWithin, deleteOldWindows } from './throttles.queries.ts'

export type WindowContext = { db: Db; clock: Clock; secrets: Pick<AccountSecrets, 'throttleKey'> }

/** `whose` names the limit and the caller; it is stored hashed. */
export async function takeFromWindow(
  ctx: WindowContext,
  { whose, rate }: { whose: string; rate: Rate },
): Promise<Taken> {
  const { count, windowMs } = rate
  const now = ctx.clock.now().getTime()
  const from = now - (now % windowMs)
  const key = ctx.secrets.throttleKey(whose)
  const used = await countWithin(ctx.db, { key, from: new Date(from), max: count })
  const seconds = Math.max(1, Math.ceil((from + windowMs - now) / 1000))
  return {
    allowed: used !== null,
    remaining: used === null ? 0 : count - used,
    resetSeconds: seconds,
    retryAfterSeconds: used !== null && used < count ? 0 : seconds,
  }
}

/** Throws `rate_limited` when the window is used up; without a rate nothing is counted. `said` is what was done too often. */
export async function countWithinLimit(
  ctx: WindowContext,
  { limit, who, rate, said }: { limit: string; who: string; rate: Rate | null; said(rate: Rate): string },
): Promise<void> {
  if (rate === null) return
  const taken = await takeFromWindow(ctx, { whose: `${limit} ${who}`, rate })
  if (!taken.allowed) throw rateLimited({ limit, said: said(rate), rate, taken })
}

/** The longest window is a day, so what began before one is over. */
export function forgetOldWindows({ db, clock }: Pick<WindowContext, 'db' | 'clock'>): Promise<number> {
  return deleteOldWindows(db, new Date(clock.now().getTime() - DAY_MS))
}

export type Counted = { user: Pick<Person, 'id' | 'emailVerified'> | null; visit: { ip: string | null } }

/** Whether a limit counts the account by itself. Anybody can make accounts with addresses that are not theirs. */
export function countsAlone(user: Counted['user']): user is NonNullable<Counted['user']> {
  return user?.emailVerified ?? false
}

/** Whom limits are for: an account with a confirmed address, or everybody else of one network. */
export function whoOf({ user, visit }: Counted): string {
  return countsAlone(user) ? `user ${user.id}` : `network ${networkOf(visit.ip)}`
}

/** Strangers whose address is not known share one. */
export function networkOf(ip: string | null): string {
  return ip === null ? 'unknown' : network(ip)
}
