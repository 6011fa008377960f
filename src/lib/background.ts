/**
 * Work that nobody waits for, or not yet. Node ends a process when a promise fails and nothing listens to it, so every
 * promise that is not awaited at once goes through one of these. `scripts/test.mjs` holds that by a lint rule that knows
 * types; it cannot see a promise that is awaited too late, which is what `awaitLater` is for.
 */
import type { Log } from './log.ts'
import { counter } from './metrics.ts'

const failures = counter(
  'souk_background_failures_total',
  'Background work that failed, by name; unhandled: an error no code expected.',
  ['what'],
)

/** Nobody waits for it: a failure is logged and counted, and ends nothing. */
export function inBackground(log: Log, what: string, work: Promise<unknown>): void {
  work.catch((error: unknown) => {
    failures.inc(what)
    log.error({ err: error }, `in the background: ${what} failed`)
  })
}

/** Awaited after something else: if that fails first, this one may fail unheard. */
export function awaitLater<T>(work: Promise<T>): Promise<T> {
  work.catch(() => {})
  return work
}

/**
 * The last resort of a server: a rejection that nobody hears is logged and counted, and the node serves on, because it
 * concerns one piece of work. An exception that nobody catches still ends the process: it may have left shared state
 * half changed, and a supervisor starts a clean one.
 */
export function surviveRejections(log: Log): void {
  process.on('unhandledRejection', (reason) => {
    failures.inc('unhandled')
    log.error({ err: reason }, 'unhandled promise rejection')
  })
}
