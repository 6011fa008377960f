/** Gives a thread a lower priority than the rest of the process has. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

/** A third of what others get of a busy core. */
const BEHIND_OTHERS = 5

/**
 * Lets queries and requests go before this thread on a busy core. On Linux a priority is that of one thread, elsewhere
 * that of the whole process, which must keep its own.
 */
export function stepBack(): void {
  if (process.platform !== 'linux') return
  try {
    const thread = Number(path.basename(fs.readlinkSync('/proc/thread-self')))
    os.setPriority(thread, BEHIND_OTHERS)
  } catch {
    // Some containers do not allow it. Then the scheduler shares the cores evenly.
  }
}
