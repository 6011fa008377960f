/**
 * One part of the index in one file: how it is made, then its arrays as they lie in memory. Nothing of a file is believed
 * before its length and the checksum of all its bytes are those that the manifest names.
 */
import fs from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { promisify } from 'node:util'
import { crc32 } from 'node:zlib'
import { createBreather, restAfter } from '../../lib/breathe.ts'
import { aligned, decode, encode, type LeftFile, type Saved } from './saved.ts'

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

const closing = new FinalizationRegistry((fd: number) => fs.close(fd, () => {}))

/** Its bytes stay there; `length` of them are the part's only array. Closed when nobody can read it any more. */
export async function leavePart(
  file: string,
  { bytes, length }: { bytes: number; length: number },
): Promise<LeftFile> {
  const fd = await promisify(fs.open)(file, 'r')
  const left = { fd, at: bytes - length, length }
  closing.register(left, fd)
  if ((await promisify(fs.fstat)(fd)).size !== bytes) throw new Damaged('it has another length')
  return left
}

export async function readPart(file: string, mark: Omit<FileMark, 'file'>): Promise<Saved> {
  const bytes = new Uint8Array(mark.bytes)
  await readWhole(file, mark, (at, length) => bytes.subarray(at, at + length))
  const shapeEnd = HEAD_BYTES + Buffer.from(bytes.buffer).readDoubleLE(0)
  return decode(Buffer.from(bytes.buffer, HEAD_BYTES, shapeEnd - HEAD_BYTES).toString(), bytes, shapeEnd)
}

/** Throws when it is not what was written. */
export async function checkPart(file: string, mark: Omit<FileMark, 'file'>): Promise<void> {
  const piece = new Uint8Array(PIECE)
  await readWhole(file, mark, (_, length) => piece.subarray(0, length), restAfter)
}

async function readWhole(
  file: string,
  { bytes: length, crc }: Omit<FileMark, 'file'>,
  into: (at: number, length: number) => Uint8Array,
  /** Called after each piece with what looking at it took; by itself others get their turns. */
  pause?: (workedMs: number) => Promise<void>,
): Promise<void> {
  const handle = await open(file, 'r')
  try {
    if ((await handle.stat()).size !== length) throw new Damaged('it has another length')
    const breathe = createBreather()
    let found = 0
    for (let at = 0; at < length; ) {
      const piece = into(at, Math.min(PIECE, length - at))
      const { bytesRead } = await handle.read(piece, 0, piece.length, at)
      if (bytesRead === 0) throw new Damaged('it ends early')
      const began = performance.now()
      found = crc32(piece.subarray(0, bytesRead), found)
      at += bytesRead
      await (pause ? pause(performance.now() - began) : breathe())
    }
    if (found !== crc) throw new Damaged('its checksum is another')
  } finally {
    await handle.close()
  }
}
