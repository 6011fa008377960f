/**
 * How many profiles a network may make us fetch in an hour of the clock. Only fetches count: whoever comes back with a
 * profile that is remembered, or with none, is not held up.
 */
import { networkOf, takeFromWindow } from '../../accounts/window-limit.service.ts'
import { AppError } from '../../lib/errors.ts'
import { rateLimitedTotal } from '../../lib/rate-limit.ts'
import type { UcpContext } from './context.ts'

export const FETCHES_AN_HOUR = 60
const HOUR_MS = 3_600_000

/** Throws `rate_limited` when the hour is used up. */
export async function countFetch(
  ctx: Pick<UcpContext, 'db' | 'clock' | 'secrets'>,
  ip: string | null,
): Promise<void> {
  const rate = { count: FETCHES_AN_HOUR, windowMs: HOUR_MS }
  const taken = await takeFromWindow(ctx, { whose: `ucp network ${networkOf(ip)}`, rate })
  if (taken.allowed) return
  rateLimitedTotal.inc('ucp')
  const wait = taken.retryAfterSeconds
  throw new AppError(
    'rate_limited',
    `${FETCHES_AN_HOUR} platform profiles an hour have been fetched for this network; the next hour begins in ${Math.ceil(wait / 60)} min`,
    { code: 'rate_limited', max: FETCHES_AN_HOUR, retryAfterSeconds: wait },
  )
}
