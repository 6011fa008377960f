/**
 * Keeps the embedded PostgreSQL's log from growing without end. PostgreSQL holds the file open for as long as it runs, so
 * the file is copied and cut short in place: what it writes goes to the end of the file, wherever that is. Its own
 * collector would have to write where its user may, which as root is not the data folder.
 */
import fs from 'node:fs'

const MAX_BYTES = 10 * 1024 * 1024
const KEPT = 3

/** True when it was too long. Of a file that has grown far beyond, the end is kept. */
export function rotateLog(file: string, maxBytes = MAX_BYTES): boolean {
  const size = fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0
  if (size <= maxBytes) return false
  for (let n = KEPT - 1; n >= 1; n--)
    if (fs.existsSync(`${file}.${n}`)) fs.renameSync(`${file}.${n}`, `${file}.${n + 1}`)
  fs.writeFileSync(`${file}.1`, readEnd(file, size, maxBytes), { mode: 0o600 })
  fs.truncateSync(file)
  return true
}

function readEnd(file: string, size: number, most: number): Buffer {
  const end = Buffer.alloc(most)
  const fd = fs.openSync(file, 'r')
  try {
    return end.subarray(0, fs.readSync(fd, end, 0, most, size - most))
  } finally {
    fs.closeSync(fd)
  }
}
