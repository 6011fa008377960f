/**
 * A file without a name: made, opened and unlinked at once, so that the system takes the space back when the process
 * ends, however it ends. It is only appended to. A reader holds it open: it is closed when its maker and
 * every holder have let go, so that it can be replaced under readers that are not done.
 */
import { randomUUID } from 'node:crypto'
import { open, unlink } from 'node:fs/promises'
import path from 'node:path'

export type ScratchFile = {
  /** Bytes written so far, whether anyone still needs them or not. */
  size(): number
  /** Answers with where the bytes begin. One call at a time. */
  append(bytes: Uint8Array): Promise<number>
  read(at: number, length: number): Promise<Buffer>
  hold(): void
  letGo(): void
}

/** Held once, by the caller. */
export async function openScratchFile(dir: string): Promise<ScratchFile> {
  const name = path.join(dir, `souk-scratch-${randomUUID()}`)
  const handle = await open(name, 'wx+', 0o600)
  try {
    await unlink(name)
  } catch (error) {
    await handle.close()
    throw error
  }
  let [size, holders] = [0, 1]

  return {
    size: () => size,
    async append(bytes) {
      const at = size
      for (let done = 0; done < bytes.length; ) {
        const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, at + done)
        done += bytesWritten
      }
      size = at + bytes.length
      return at
    },
    async read(at, length) {
      const buffer = Buffer.allocUnsafeSlow(length)
      for (let done = 0; done < length; ) {
        const { bytesRead } = await handle.read(buffer, done, length - done, at + done)
        if (bytesRead === 0) throw new Error('a scratch file is shorter than what was written to it')
        done += bytesRead
      }
      return buffer
    },
    hold() {
      if (holders === 0) throw new Error('a scratch file was held after it was closed')
      holders++
    },
    letGo() {
      holders--
      // Closing waits for reads under way; a failure to close leaves nothing to repair.
      if (holders === 0) handle.close().catch(() => {})
    },
  }
}

/** Several files held for one purpose, each once, and let go together. */
export type Holds = { add(file: ScratchFile): void; letGo(): void }

export function createHolds(): Holds {
  const held = new Set<ScratchFile>()
  return {
    add(file) {
      if (held.has(file)) return
      file.hold()
      held.add(file)
    },
    letGo() {
      for (const file of held) file.letGo()
      held.clear()
    },
  }
}
