/** How long nodes took to do their work again, as callers saw it. */
import type { Write } from '../journal.ts'

export type Seen = {
  /** Which node a request was sent to, by the request's id. */
  nodeOf: ReadonlyMap<string, string>
  struckAtMs: number
  addresses: readonly string[]
}

/**
 * From the moment of the fault to the first write that was sent after it and acknowledged, on the node that took longest.
 * Null when one of the nodes acknowledged none.
 */
export function slowestRecovery(
  writes: readonly Write[],
  { nodeOf, struckAtMs, addresses }: Seen,
): number | null {
  const firsts = addresses.map((address) => {
    const ends = writes
      .filter(({ requestId }) => nodeOf.get(requestId) === address)
      .filter(({ outcome, sentAtMs }) => outcome === 'acknowledged' && sentAtMs >= struckAtMs)
      .map(({ endedAtMs }) => endedAtMs)
    return ends.length === 0 ? null : (Math.min(...ends) - struckAtMs) / 1000
  })
  return firsts.reduce(
    (slowest, one) => (slowest === null || one === null ? null : Math.max(slowest, one)),
    0,
  )
}
