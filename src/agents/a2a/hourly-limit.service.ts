/**
 * How many messages a caller may send in an hour of the clock: strangers by their network, people by their account. What
 * makes work for others is counted: messages, and push notifications that are set, since each is a request to an address
 * that the caller names. Reading a task costs little and is done often.
 */
import { takeFromWindow, whoOf } from '../../accounts/window-limit.service.ts'
import { AppError } from '../../lib/errors.ts'
import { rateLimitedTotal } from '../../lib/rate-limit.ts'
import type { A2aCaller, A2aContext } from './context.ts'

export const STRANGER_MESSAGES = 60
export const PERSON_MESSAGES = 600
const HOUR_MS = 3_600_000

/** Throws `rate_limited` when the hour is used up. */
export async function countMessage(
  ctx: Pick<A2aContext, 'db' | 'clock' | 'secrets'>,
  { user, visit }: Pick<A2aCaller, 'user' | 'visit'>,
): Promise<void> {
  const max = user ? PERSON_MESSAGES : STRANGER_MESSAGES
  const whose = `a2a ${whoOf({ user, visit })}`
  const taken = await takeFromWindow(ctx, { whose, rate: { count: max, windowMs: HOUR_MS } })
  if (taken.allowed) return
  rateLimitedTotal.inc('a2a')
  const wait = taken.retryAfterSeconds
  throw new AppError(
    'rate_limited',
    `${max} messages an hour have been sent; the next hour begins in ${Math.ceil(wait / 60)} min${
      user ? '' : `, and whoever signs in may send ${PERSON_MESSAGES}`
    }`,
    { code: 'rate_limited', max, retryAfterSeconds: wait },
  )
}
