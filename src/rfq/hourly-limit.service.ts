/**
 * How many messages a caller may send in an hour of the clock: an account with a confirmed address by itself, everybody
 * else by their network. What makes work for others is counted: messages of A2A, quotes asked for on the page, push
 * notifications that are set, since each is a request to an address that the caller names, and quotes that an account
 * asks for by tool before its address is confirmed. Reading a task costs little and is done often.
 */

import { type Counted, countsAlone, takeFromWindow, whoOf } from '../accounts/window-limit.service.ts'
import { HOUR_MS } from '../lib/clock.ts'
import { AppError } from '../lib/errors.ts'
import { rateLimitedTotal } from '../lib/rate-limit.ts'
import type { RfqContext } from './context.ts'

const STRANGER_MESSAGES = 60
const PERSON_MESSAGES = 600

/** Throws `rate_limited` when the hour is used up. */
export async function countMessage(
  ctx: Pick<RfqContext, 'db' | 'clock' | 'secrets'>,
  caller: Counted,
): Promise<void> {
  const max = countsAlone(caller.user) ? PERSON_MESSAGES : STRANGER_MESSAGES
  const taken = await takeFromWindow(ctx, {
    whose: `a2a ${whoOf(caller)}`,
    rate: { count: max, windowMs: HOUR_MS },
  })
  if (taken.allowed) return
  rateLimitedTotal.inc('a2a')
  const wait = taken.retryAfterSeconds
  throw new AppError(
    'rate_limited',
    `you have reached the limit of ${max} messages an hour; try again in ${Math.ceil(wait / 60)} min${waysToMore(caller)}`,
    { code: 'rate_limited', max, retryAfterSeconds: wait },
  )
}

function waysToMore({ user }: Counted): string {
  if (user === null) return `, or sign in to send ${PERSON_MESSAGES}`
  if (countsAlone(user)) return ''
  return `, or confirm your email to send ${PERSON_MESSAGES}`
}
