/** An embedder as a search may wait for it: not long, and not with a line in the log for every query when it is down. */
import { inTime } from '../../lib/abort.ts'
import type { Log } from '../../lib/log.ts'

/** One that takes longer has failed as far as a shopper is concerned. */
const EMBED_WITHIN_MS = 2_000
const WARN_EVERY_MS = 10_000

/** What is down is told of once in a while, not with every query. */
export function warnNowAndThen(log: Log, what = 'no embedding'): (error: unknown) => void {
  let last = Number.NEGATIVE_INFINITY
  let since = 0
  return (error) => {
    since++
    if (performance.now() - last < WARN_EVERY_MS) return
    log.warn({ err: error, queries: since }, `${what}: answering by keywords`)
    last = performance.now()
    since = 0
  }
}

export function withinTime(
  embed: (text: string) => Promise<Float32Array>,
): (text: string) => Promise<Float32Array> {
  const late = () => new Error(`the embedder took over ${EMBED_WITHIN_MS} ms`)
  return (text) => inTime(embed(text), EMBED_WITHIN_MS, late)
}
