/**
 * What a trial leaves on the machine if it ends badly: processes, mounts, folders. Anyone who makes such a thing says here how
 * it is taken away, in a way that needs no waiting, because it is also done while this process exits: after an exception,
 * on Ctrl-C, when a test runner gives up. What was taken away in good order is struck from the list.
 */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

const removals = new Set<() => void>()
let listening = false

/** Answers with how it is struck from the list. */
export function removeAtExit(remove: () => void): () => void {
  if (!listening) {
    listening = true
    process.on('exit', removeLeftovers)
    for (const [signal, code] of [
      ['SIGINT', 130],
      ['SIGTERM', 143],
      ['SIGHUP', 129],
    ] as const)
      process.on(signal, () => process.exit(code))
  }
  removals.add(remove)
  return () => void removals.delete(remove)
}

/** The last made goes first: a process before the folder it works in. */
function removeLeftovers(): void {
  for (const remove of [...removals].reverse()) {
    removals.delete(remove)
    try {
      remove()
    } catch {
      // The next ones still have to go.
    }
  }
}

/** A folder that other users may enter, because PostgreSQL runs as one of them when we are root. */
export function makeTrialFolder(): { dir: string; remove: () => void } {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'souk-trial-'))
  fs.chmodSync(dir, 0o755)
  const wipe = () => fs.rmSync(dir, { recursive: true, force: true, maxRetries: 5 })
  const strike = removeAtExit(wipe)
  return {
    dir,
    remove() {
      strike()
      wipe()
    },
  }
}

/** For what ends by itself: it may be gone already. */
export function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
