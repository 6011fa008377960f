/**
 * How many profiles a network may make us fetch in an hour of the clock. Only fetches count: whoever comes back with a
 * profile that is remembered, or with none, is not held up. Kept in the table of the A2A face's hours, under other keys.
 */
import { network } from '../../accounts/throttle.service.ts'
import { AppError } from '../../lib/errors.ts'
import { countWithin } from '../a2a/hourly-limit.queries.ts'
import type { UcpContext } from './context.ts'

export const FETCHES_AN_HOUR = 60
const HOUR_MS = 3_600_000

/** Throws `rate_limited` when the hour is used up. */
export async function countFetch(
  ctx: Pick<UcpContext, 'db' | 'clock' | 'secrets'>,
  ip: string | null,
): Promise<void> {
  const now = ctx.clock.now().getTime()
  const hour = now - (now % HOUR_MS)
  const key = ctx.secrets.throttleKey(`ucp network ${ip === null ? 'unknown' : network(ip)}`)
  if (await countWithin(ctx.db, { key, hour: new Date(hour), max: FETCHES_AN_HOUR })) return
  const wait = Math.max(1, Math.ceil((hour + HOUR_MS - now) / 1000))
  throw new AppError(
    'rate_limited',
    `${FETCHES_AN_HOUR} platform profiles an hour have been fetched for this network; the next hour begins in ${Math.ceil(wait / 60)} min`,
    { code: 'rate_limited', max: FETCHES_AN_HOUR, retryAfterSeconds: wait },
  )
}
