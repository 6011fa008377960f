/**
 * How many messages a caller may send in an hour of the clock: strangers by their network, people by their account. What
 * makes work for others is counted: messages, and push notifications that are set, since each is a request to an address
 * that the caller names. Reading a task costs little and is done often.
 */
import { network } from '../../accounts/throttle.service.ts'
import { AppError } from '../../lib/errors.ts'
import type { A2aCaller, A2aContext } from './context.ts'
import { countWithin } from './hourly-limit.queries.ts'

export const STRANGER_MESSAGES = 60
export const PERSON_MESSAGES = 600
const HOUR_MS = 3_600_000

/** Throws `rate_limited` when the hour is used up. */
export async function countMessage(
  ctx: Pick<A2aContext, 'db' | 'clock' | 'secrets'>,
  { user, visit }: Pick<A2aCaller, 'user' | 'visit'>,
): Promise<void> {
  const now = ctx.clock.now().getTime()
  const hour = now - (now % HOUR_MS)
  const max = user ? PERSON_MESSAGES : STRANGER_MESSAGES
  const key = ctx.secrets.throttleKey(`a2a ${whoOf({ user, visit })}`)
  if (await countWithin(ctx.db, { key, hour: new Date(hour), max })) return
  const wait = Math.max(1, Math.ceil((hour + HOUR_MS - now) / 1000))
  throw new AppError(
    'rate_limited',
    `${max} messages an hour have been sent; the next hour begins in ${Math.ceil(wait / 60)} min${
      user ? '' : `, and whoever signs in may send ${PERSON_MESSAGES}`
    }`,
    { code: 'rate_limited', max, retryAfterSeconds: wait },
  )
}

/** Whom limits are for: an account, or all strangers of one network. */
export function whoOf({ user, visit }: Pick<A2aCaller, 'user' | 'visit'>): string {
  return user ? `user ${user.id}` : `network ${visit.ip === null ? 'unknown' : network(visit.ip)}`
}
