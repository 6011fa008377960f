/**
 * A limit for each network, in the memory of this node: for work that the node does itself and that leaves little or
 * nothing behind. Over several nodes it adds up, as what they can do together does; a count in the database would cost
 * more than the work it is to bound.
 */
import type { Clock } from '../lib/clock.ts'
import { createRateLimit, type Left, type Rate, rateLimited, rateWords } from '../lib/rate-limit.ts'
import { networkOf } from './window-limit.service.ts'

export type NetworkLimit = {
  /** Counts one; null where there is no limit. */
  take(ip: string | null): Left | null
}

export function createNetworkLimit(input: {
  name: string
  rate: Rate | null
  clock: Clock
  /** What is counted, and what was done with it: `search`, `searches`, `made`. */
  words: { one: string; many: string; done: string }
}): NetworkLimit {
  const { name, rate, clock, words } = input
  if (rate === null) return { take: () => null }
  const limit = createRateLimit({ rate, clock })
  const said = `${rateWords(rate, words.one, words.many)} were ${words.done} from this network`
  return {
    take(ip) {
      const taken = limit.take(networkOf(ip))
      return { name, rate, taken, refusal: () => rateLimited({ limit: name, said, rate, taken }) }
    },
  }
}

/** So many of one network are counted an hour, for what leaves a row behind that nobody waits for. */
export const COUNTED_AN_HOUR: Rate = { count: 3_600, windowMs: 3_600_000 }

/** Whether one more of this network is to be counted. The caller is served all the same. */
export type NetworkCount = (ip: string | null) => boolean

export function createNetworkCount(clock: Clock, rate: Rate = COUNTED_AN_HOUR): NetworkCount {
  const limit = createRateLimit({ rate, clock })
  return (ip) => limit.take(networkOf(ip)).allowed
}
