/**
 * How many clients one network may register. Registration is open to everybody and leaves a row, so it is bounded; but
 * the limit is wide, because the servers of a large assistant register a client for each of its users from a few
 * addresses. Kept in memory: it guards each node's own work, and the sweep removes what nobody uses.
 */
import { createNetworkLimit, type NetworkLimit } from '../accounts/network-limit.ts'
import type { Config } from '../config.ts'
import type { Clock } from '../lib/clock.ts'

export type RegistrationLimit = NetworkLimit

export function createRegistrationLimit(clock: Clock, { limits }: Pick<Config, 'limits'>): RegistrationLimit {
  const words = { one: 'client', many: 'clients', done: 'registered' }
  return createNetworkLimit({ name: 'register', rate: limits.register, clock, words })
}
