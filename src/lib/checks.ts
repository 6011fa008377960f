/** What the doctor and the operator's health page look at alike: each finding says what is wrong and what to do. */
import fs from 'node:fs'
import path from 'node:path'

export type Finding = { state: 'ok' | 'look' | 'bad'; text: string; fix?: string }

const OLDEST_NODE = 24
const MIN_FREE_BYTES = 1024 ** 3

export function checkRuntime(): Finding {
  const major = Number(process.versions.node.split('.')[0])
  const text = `Node ${process.versions.node} on ${process.platform}-${process.arch}`
  return major >= OLDEST_NODE
    ? { state: 'ok', text }
    : {
        state: 'bad',
        text,
        fix: `Node ${OLDEST_NODE} or newer is required: start through npm, which provides it`,
      }
}

export function checkDisk(dataDir: string): Finding {
  const { bavail, bsize } = fs.statfsSync(nearestFolder(dataDir))
  const free = bavail * bsize
  const text = `${(free / 1024 ** 3).toFixed(1)} GB free for ${dataDir}`
  return free >= MIN_FREE_BYTES
    ? { state: 'ok', text }
    : { state: 'look', text, fix: 'less than 1 GB: free some space, or move SOUK_DATA_DIR' }
}

/** The folder itself, or the one it would be made in: looking makes none. */
function nearestFolder(folder: string): string {
  let found = folder
  while (!fs.existsSync(found)) found = path.dirname(found)
  return found
}

/** One that is put by two limits: from the first on it is worth a look, from the second on it is bad. */
export function byLimits(
  value: number,
  { look, bad }: { look: number; bad: number },
  { text, fix }: { text: string; fix: string },
): Finding {
  if (value < look) return { state: 'ok', text }
  return { state: value < bad ? 'look' : 'bad', text, fix }
}
