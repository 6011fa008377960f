/**
 * Long work in small steps, so that requests to the same thread have turns between them. A step ends when some time has
 * gone by rather than after so many things, because things differ in what they cost.
 */
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'

const TURN_AFTER_MS = 5

/** Call what it returns after each thing: most calls return at once, and some after a turn of the loop. */
export function createBreather(now = () => performance.now()): () => Promise<void> {
  let since = now()
  return async () => {
    if (now() - since < TURN_AFTER_MS) return
    await turn()
    since = now()
  }
}

/** Work that nobody waits for takes at most a tenth of the thread's time. */
const REST_FOR_EACH = 9
const WORTH_A_REST_MS = 0.5

/** Rests after a piece of work that took so long. */
export async function restAfter(workedMs: number): Promise<void> {
  if (workedMs >= WORTH_A_REST_MS) await sleep(workedMs * REST_FOR_EACH)
}
