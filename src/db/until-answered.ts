/**
 * For the steps of a start: a database that stops answering in the middle of one is waited for, and the step is done
 * again from its beginning. A node that ended instead would only be started again by its supervisor, into the same wait.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../lib/log.ts'
import { isConnectionLost } from './database.ts'

const LIMIT_MS = 60_000
const PAUSE_MS = 500

/** `step` may run any number of times. */
export async function untilAnswered<T>(log: Log, step: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + LIMIT_MS
  for (;;) {
    try {
      return await step()
    } catch (error) {
      const lost = isConnectionLost(error) || isConnectionLost((error as Error).cause ?? {})
      if (!lost || performance.now() > deadline) throw error
      log.warn({ err: error }, 'the database became unavailable during startup; trying again')
      await sleep(PAUSE_MS)
    }
  }
}
