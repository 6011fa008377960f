/**
 * Where log lines go: gathered as one string and written in large pieces, at the latest after a moment. A line costs
 * about a microsecond this way; a general-purpose stream costs several, which is felt in reads that cost twenty.
 * What is still held when the process ends is written then.
 */
import fs from 'node:fs'

export type LogOutput = {
  write(line: string): void
  /** Resolves when everything written so far has left the process. */
  flush(done: () => void): void
}

const FLUSH_AFTER_MS = 100
const FLUSH_AT = 64 * 1024
/** When whoever reads the log does not keep up, waiting for them is better than growing without end. */
const HOLD_AT_MOST = 16 * 1024 * 1024

export function createLogOutput(fd: number): LogOutput {
  let held = ''
  let writing = false
  let timer: NodeJS.Timeout | undefined
  let waiting: Array<() => void> = []

  function writeHeld(): void {
    clearTimeout(timer)
    timer = undefined
    if (writing) return
    if (held === '') {
      const done = waiting
      waiting = []
      for (const call of done) call()
      return
    }
    const piece = Buffer.from(held)
    held = ''
    writing = true
    writePiece(piece)
  }

  function writePiece(piece: Buffer): void {
    fs.write(fd, piece, (error, written) => {
      if (error?.code === 'EAGAIN') setTimeout(() => writePiece(piece), 5)
      else if (!error && written < piece.length) writePiece(piece.subarray(written))
      else {
        // A reader that is gone (EPIPE) must not end the service: the lines are lost, the work goes on.
        writing = false
        if (held.length >= FLUSH_AT || waiting.length > 0) writeHeld()
        else if (held !== '') timer ??= setTimeout(writeHeld, FLUSH_AFTER_MS)
      }
    })
  }

  function writeNow(): void {
    const piece = Buffer.from(held)
    held = ''
    try {
      for (let at = 0; at < piece.length; ) at += fs.writeSync(fd, piece, at)
    } catch {
      // See above.
    }
  }
  process.on('exit', writeNow)

  return {
    write(line) {
      held += line
      if (held.length >= HOLD_AT_MOST) writeNow()
      else if (held.length >= FLUSH_AT) writeHeld()
      else timer ??= setTimeout(writeHeld, FLUSH_AFTER_MS)
    },
    flush(done) {
      waiting.push(done)
      writeHeld()
    },
  }
}
