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
  // Where cores are shared between sessions first, that of a process which leads its own must step back too. Another's
  // session is not touched: everything in it would step back, and nobody but root could take that back.
  if (process.platform === 'linux' && pid !== process.pid)
    trying(() => {
      if (sessionOf(pid) === pid) fs.writeFileSync(`/proc/${pid}/autogroup`, String(BEHIND_OTHERS))
    })
}

/** The fourth of the numbers behind the name, which may hold anything but ends with the last parenthesis. */
function sessionOf(pid: number): number {
  const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8')
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[3])
}

/** Some containers do not allow it. Then the scheduler shares the cores evenly. */
function trying(work: () => void): void {
  try {
    work()
  } catch {
    // See above.
  }
}
