/**
 * How many clients one network may register. Registration is open to everybody and leaves a row, so it is bounded; but
 * the limit is wide, because the servers of a large assistant register a client for each of its users from a few
 * addresses. Kept in memory: it guards each node's own work, and the sweep removes what nobody uses.
 */
import { network } from '../accounts/throttle.service.ts'
import type { Clock } from '../lib/clock.ts'
import { AppError } from '../lib/errors.ts'

const AT_ONCE = 100
const REFILL_MS = 10_000
const MAX_NETWORKS = 10_000

export type RegistrationLimit = {
  /** Counts one registration; throws `rate_limited` when the network has used up its share. */
  take(ip: string | null): void
}

export function createRegistrationLimit(clock: Clock): RegistrationLimit {
  const spent = new Map<string, { count: number; at: number }>()
  return {
    take(ip) {
      const key = ip === null ? 'unknown' : network(ip)
      const now = clock.now().getTime()
      const before = spent.get(key)
      const left = before ? Math.max(0, before.count - (now - before.at) / REFILL_MS) : 0
      if (left + 1 > AT_ONCE) {
        throw new AppError(
          'rate_limited',
          'too many clients were registered from this network; try again later',
          {
            code: 'rate_limited',
            retryAfterSeconds: Math.ceil(((left + 1 - AT_ONCE) * REFILL_MS) / 1000),
          },
        )
      }
      spent.delete(key)
      spent.set(key, { count: left + 1, at: now })
      const [oldest] = spent.keys()
      if (spent.size > MAX_NETWORKS && oldest !== undefined) spent.delete(oldest)
    },
  }
}
