/**
 * How many searches one network may have worked out on this node, over REST, the page and UCP together. A remembered
 * answer of the first two costs next to nothing and is given first, uncounted. Tools have their daily quota and A2A its hours: not counted twice.
 */
import { createNetworkLimit, type NetworkLimit } from '../accounts/network-limit.ts'
import type { Config } from '../config.ts'
import type { Clock } from '../lib/clock.ts'

export type SearchLimit = NetworkLimit

export function createSearchLimit(clock: Clock, { limits }: Pick<Config, 'limits'>): SearchLimit {
  const words = { one: 'search', many: 'searches', done: 'made' }
  return createNetworkLimit({ name: 'search', rate: limits.search, clock, words })
}

/** Its own, because a page asks with every key: typing must not use up the searches of the same network. */
export function createSuggestLimit(clock: Clock, { limits }: Pick<Config, 'limits'>): NetworkLimit {
  const words = { one: 'request for suggestions', many: 'requests for suggestions', done: 'made' }
  return createNetworkLimit({ name: 'suggest', rate: limits.suggest, clock, words })
}
