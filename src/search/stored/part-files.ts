/**
 * One part of the index in one file: how it is made, then its arrays as they lie in memory. Nothing of a file is believed
 * before its length and the checksum of all its bytes are those that the manifest names.
 */
import { type FileHandle, open } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { createBreather } from '../../lib/breathe.ts'
import { aligned, decode, encode, type Saved } from './saved.ts'

export type FileMark = { file: string; bytes: number; crc: number }

/** The file is not what was written. */
export class Damaged extends Error {}

const HEAD_BYTES = 8
/** Checked and written at once: a millisecond. */
const PIECE = 1 << 21

export async function writePart(file: string, tree: Saved): Promise<Omit<FileMark, 'file'>> {
  const handle = await open(file, 'wx', 0o600)
  try {
    const breathe = createBreather()
    const { shape, arrays } = await encode(tree, breathe)
    const head = Buffer.alloc(HEAD_BYTES)
    head.writeDoubleLE(shape.reduce((sum, { length }) => sum + length, 0))
    const output = createOutput(handle, breathe)
    await output.add(head)
    for (const text of shape) await output.add(text)
    for (const array of arrays) {
      await output.add(new Uint8Array(aligned(output.bytes()) - output.bytes()))
      await output.add(new Uint8Array(array.buffer, array.byteOffset, array.byteLength))
    }
    await handle.sync()
    return { bytes: output.bytes(), crc: output.crc() }
  } finally {
    await handle.close()
  }
}

function createOutput(handle: FileHandle, breathe: () => Promise<void>) {
  let [crc, written] = [0, 0]
  return {
    bytes: () => written,
    crc: () => crc,
    async add(bytes: Uint8Array): Promise<void> {
      for (let from = 0; from < bytes.length; from += PIECE) {
        const piece = bytes.subarray(from, from + PIECE)
        crc = crc32(piece, crc)
        for (let done = 0; done < piece.length; ) {
          const { bytesWritten } = await handle.write(piece, done, piece.length - done, written + done)
          done += bytesWritten
        }
        written += piece.length
        await breathe()
      }
    },
  }
}

export async function readPart(file: string, { bytes: length, crc }: Omit<FileMark, 'file'>): Promise<Saved> {
  const handle = await open(file, 'r')
  try {
    if ((await handle.stat()).size !== length) throw new Damaged('it has another length')
    const bytes = new Uint8Array(length)
    const breathe = createBreather()
    let found = 0
    for (let at = 0; at < length; ) {
      const { bytesRead } = await handle.read(bytes, at, Math.min(PIECE, length - at), at)
      if (bytesRead === 0) throw new Damaged('it ends early')
      found = crc32(bytes.subarray(at, at + bytesRead), found)
      at += bytesRead
      await breathe()
    }
    if (found !== crc) throw new Damaged('its checksum is another')
    const shapeEnd = HEAD_BYTES + Buffer.from(bytes.buffer).readDoubleLE(0)
    return decode(Buffer.from(bytes.buffer, HEAD_BYTES, shapeEnd - HEAD_BYTES).toString(), bytes, shapeEnd)
  } finally {
    await handle.close()
  }
}
