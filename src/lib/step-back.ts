/** Gives work that can wait a lower priority, so that queries and requests go before it on a busy core. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

/** Of a busy core, a third of what others get. */
const BEHIND_OTHERS = 5
/** A tenth: work without an end in sight goes behind that, too. */
const LAST = 10

/** On Linux a priority is that of one thread, elsewhere that of the whole process, which must keep its own. */
export function stepBackThread(): void {
  if (process.platform !== 'linux') return
  trying(() => os.setPriority(Number(path.basename(fs.readlinkSync('/proc/thread-self'))), LAST))
}

/** This process, or another of the same machine, with all the threads that it has. */
export function stepBackProcess(pid = process.pid): void {
  trying(() => {
    const threads = process.platform === 'linux' ? fs.readdirSync(`/proc/${pid}/task`).map(Number) : [pid]
    for (const thread of threads) os.setPriority(thread, BEHIND_OTHERS)
  })
  // Where cores are shared between sessions first, that of a process which leads its own must step back too.
  if (process.platform === 'linux' && pid !== process.pid)
    trying(() => fs.writeFileSync(`/proc/${pid}/autogroup`, String(BEHIND_OTHERS)))
}

/** Some containers do not allow it. Then the scheduler shares the cores evenly. */
function trying(work: () => void): void {
  try {
    work()
  } catch {
    // See above.
  }
}
