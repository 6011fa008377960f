/**
 * How many client documents one network may make us fetch. Whoever opens the authorization page names the address, signed
 * in or not, and one host has any number of them: without a limit we would knock wherever a stranger likes, as often as
 * they like. Only fetches count: a document that is remembered, as that of an app in use is, holds nobody up.
 */
import { createNetworkLimit, type NetworkLimit } from '../accounts/network-limit.ts'
import type { Clock } from '../lib/clock.ts'

export const FETCHES_AN_HOUR = 360

export function createDocumentLimit(clock: Clock): NetworkLimit {
  const rate = { count: FETCHES_AN_HOUR, windowMs: 3_600_000 }
  const words = { one: 'client document', many: 'client documents', done: 'fetched' }
  return createNetworkLimit({ name: 'documents', rate, clock, words })
}
