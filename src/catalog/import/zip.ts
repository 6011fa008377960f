/**
 * The file of products in a zip file, read as a stream: entries are taken one after the other as they stand, up to the
 * first that is such a file. Names are only looked at, never used as paths; archives in archives, encrypted entries and
 * what unpacks to far more than it is are refused.
 */
import { pipeline, Readable } from 'node:stream'
import { constants, createInflateRaw, inflateRawSync } from 'node:zlib'
import { AppError } from '../../lib/errors.ts'
import type { ByteStream } from './bytes.ts'
import { excerpt } from './values.ts'

const HEADER_SIZE = 30
const HEADER = 0x04034b50
const DESCRIPTOR = 0x08074b50
const MAX_ENTRIES = 1_000
const MAX_NAME = 1_024
const PIECE_SIZE = 16 * 1024

/** Text packs to a tenth; a hundredth is a trick, once it is more than a little. */
const MAX_RATIO = 100
const RATIO_COUNTS_FROM = 8 * 1024 * 1024

const ENCRYPTED = 1
const SIZES_FOLLOW = 8
const STORED = 0
const DEFLATED = 8

export function isZip(head: Uint8Array): boolean {
  return head[0] === 0x50 && head[1] === 0x4b && head[2] === 3 && head[3] === 4
}

type ZipHeader = {
  name: string
  method: number
  isEncrypted: boolean
  /** Null where it stands behind the entry. */
  packedSize: number | null
  /** Of the header itself. */
  size: number
}

/** Null where the bytes hold no whole header. */
export function zipHeader(bytes: Buffer): ZipHeader | null {
  if (bytes.length < HEADER_SIZE || bytes.readUInt32LE(0) !== HEADER) return null
  const flags = bytes.readUInt16LE(6)
  const nameLength = bytes.readUInt16LE(26)
  const extraLength = bytes.readUInt16LE(28)
  const size = HEADER_SIZE + nameLength + extraLength
  if (bytes.length < size) return null
  const extra = bytes.subarray(HEADER_SIZE + nameLength, size)
  const packed = bytes.readUInt32LE(18)
  return {
    name: bytes.toString('utf8', HEADER_SIZE, HEADER_SIZE + Math.min(nameLength, MAX_NAME)),
    method: bytes.readUInt16LE(8),
    isEncrypted: (flags & ENCRYPTED) !== 0,
    packedSize: (flags & SIZES_FOLLOW) !== 0 ? null : packed === 0xffffffff ? longSize(extra) : packed,
    size,
  }
}

/** Of an entry of over 4 GB. */
function longSize(extra: Buffer): number | null {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2))
    if (extra.readUInt16LE(at) === 1 && at + 20 <= extra.length) return Number(extra.readBigUInt64LE(at + 12))
  return null
}

/** What else a zip file is. */
export function officeFile(name: string): string | null {
  if (/^(\[Content_Types\]\.xml|_rels\/|xl\/|docProps\/|customXml\/)/.test(name)) return 'an Excel workbook'
  return name === 'mimetype' || name === 'META-INF/manifest.xml' ? 'a LibreOffice document' : null
}

export function officeWords(what: string): string {
  return `This is ${what}. Open it, save the product sheet as CSV ("CSV UTF-8") and import that.`
}

/** Folders, and what systems put beside files. */
function isAside(name: string): boolean {
  return name.endsWith('/') || /(^|\/)(__MACOSX\/|\.[^./])/.test(name) || /(^|\/)(readme|license)/i.test(name)
}

/** `isWanted` looks at the name and the start of an entry. */
export async function* unzip(
  input: ByteStream,
  { maxBytes, isWanted }: { maxBytes: number; isWanted: (name: string, start: Buffer) => boolean },
): AsyncGenerator<Uint8Array> {
  const source = createSource(input)
  const names: string[] = []
  let holdsArchive = false
  try {
    for (let entries = 0; entries < MAX_ENTRIES; entries++) {
      const header = await nextHeader(source)
      if (!header) break
      const office = officeFile(header.name)
      if (office) throw refused(officeWords(office))
      if (!isAside(header.name)) names.push(header.name)
      const content = bounded(entryOf(source, header), source, maxBytes)
      const start = await startOf(content)
      holdsArchive ||= isArchive(start)
      if (isAside(header.name) || isArchive(start) || !isWanted(header.name, start)) {
        for await (const _ of content);
        continue
      }
      yield start
      yield* content
      return
    }
  } finally {
    await source.close()
  }
  if (holdsArchive)
    throw refused('The zip file contains another archive. Unpack it and import the file inside.')
  const found = names.slice(0, 5).map((name) => `"${excerpt(name)}"`)
  throw refused(
    `The zip file has no product file${found.length > 0 ? `, only ${found.join(', ')}` : ''}. Unpack it and import the file itself.`,
  )
}

const START_SIZE = 64 * 1024

async function startOf(content: AsyncGenerator<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = []
  let size = 0
  while (size < START_SIZE) {
    const { done, value } = await content.next()
    if (done) break
    parts.push(value)
    size += value.length
  }
  return Buffer.concat(parts)
}

export function isArchive(start: Uint8Array): boolean {
  return isZip(start) || (start[0] === 0x1f && start[1] === 0x8b)
}

type Source = {
  /** The next bytes, at most so many; null at the end. */
  take(most: number): Promise<Buffer | null>
  /** So many bytes, or fewer at the end. */
  exactly(size: number): Promise<Buffer>
  giveBack(bytes: Buffer): void
  /** How many were taken, without what was given back. */
  taken(): number
  close(): Promise<void>
}

function createSource(input: ByteStream): Source {
  const chunks = input[Symbol.asyncIterator]()
  let held: Buffer = Buffer.alloc(0)
  let taken = 0
  const take = async (most: number): Promise<Buffer | null> => {
    while (held.length === 0) {
      const next = await chunks.next()
      if (next.done) return null
      held = Buffer.from(next.value.buffer, next.value.byteOffset, next.value.length)
    }
    const given = held.subarray(0, most)
    held = held.subarray(given.length)
    taken += given.length
    return given
  }
  return {
    take,
    async exactly(size) {
      const parts: Buffer[] = []
      for (let left = size; left > 0; ) {
        const part = await take(left)
        if (!part) break
        parts.push(part)
        left -= part.length
      }
      return Buffer.concat(parts)
    },
    giveBack(bytes) {
      held = Buffer.concat([bytes, held])
      taken -= bytes.length
    },
    taken: () => taken,
    async close() {
      await chunks.return?.()
    },
  }
}

async function nextHeader(source: Source): Promise<ZipHeader | null> {
  const fixed = await source.exactly(HEADER_SIZE)
  if (fixed.length < HEADER_SIZE || fixed.readUInt32LE(0) !== HEADER) return null
  const rest = await source.exactly(fixed.readUInt16LE(26) + fixed.readUInt16LE(28))
  const header = zipHeader(Buffer.concat([fixed, rest]))
  if (!header) throw damaged()
  if (header.isEncrypted) throw refused('The zip file is encrypted. Unpack it and import the file itself.')
  return header
}

/** All of an entry, and what stands behind it, is taken by the time it ends. */
async function* entryOf(source: Source, { method, packedSize }: ZipHeader): AsyncGenerator<Buffer> {
  if (method === STORED) {
    if (packedSize === null) throw refused('The zip file does not state the size of its parts. Zip it again.')
    for (let left = packedSize; left > 0; ) {
      const part = await source.take(left)
      if (!part) throw damaged()
      left -= part.length
      yield part
    }
    return
  }
  if (method !== DEFLATED) throw refused('The zip file uses an unsupported compression. Zip it again.')
  yield* inflate(source, packedSize)
  if (packedSize === null) await passDescriptor(source)
}

async function* inflate(source: Source, packedSize: number | null): AsyncGenerator<Buffer> {
  const inflater = createInflateRaw()
  let left = packedSize ?? Number.POSITIVE_INFINITY
  let isOver = false
  let taking: Promise<Buffer | null> = Promise.resolve(null)
  /** What was given to the inflater and may be behind the end of the entry. */
  const unsure: Buffer[] = []
  let sure = 0
  const settle = () => {
    for (let [first] = unsure; first && sure + first.length <= inflater.bytesWritten; [first] = unsure) {
      sure += first.length
      unsure.shift()
    }
  }
  async function* packed(): AsyncGenerator<Buffer> {
    while (left > 0 && !isOver) {
      taking = source.take(Math.min(left, PIECE_SIZE))
      const part = await taking
      if (!part) return
      left -= part.length
      unsure.push(part)
      settle()
      yield part
    }
  }
  // What goes wrong upstream is thrown by the loop below.
  pipeline(Readable.from(packed()), inflater, () => {})
  try {
    yield* inflater as AsyncIterable<Buffer>
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')) throw damaged(error)
    throw error
  }
  isOver = true
  await taking
  settle()
  if (packedSize === null) source.giveBack(Buffer.concat(unsure).subarray(inflater.bytesWritten - sure))
  else
    for (
      let part = left > 0 ? await source.take(left) : null;
      part;
      part = left > 0 ? await source.take(left) : null
    )
      left -= part.length
}

/** The sizes of the entry before, with or without a mark in front, in 32 or 64 bits. */
async function passDescriptor(source: Source): Promise<void> {
  const bytes = await source.exactly(24)
  const isMarked = bytes.length >= 4 && bytes.readUInt32LE(0) === DESCRIPTOR
  const start = isMarked ? 4 : 0
  const size = [start + 12, start + 20].find(
    (end) => bytes.length >= end + 2 && bytes[end] === 0x50 && bytes[end + 1] === 0x4b,
  )
  source.giveBack(bytes.subarray(size ?? start + 12))
}

async function* bounded(
  content: AsyncGenerator<Buffer>,
  source: Source,
  maxBytes: number,
): AsyncGenerator<Buffer> {
  let size = 0
  const before = source.taken()
  for await (const part of content) {
    size += part.length
    checkUnpacked('zip', { size, packed: source.taken() - before, maxBytes })
    yield part
  }
}

/** Refuses what unpacks to too much, and what was packed for that: reading its rows would take hours before the bound. */
export function checkUnpacked(
  kind: 'zip' | 'gzip',
  { size, packed, maxBytes }: { size: number; packed: number; maxBytes: number },
): void {
  const isTrick = size > RATIO_COUNTS_FROM && size > MAX_RATIO * packed
  if (size <= maxBytes && !isTrick) return
  const words = size > maxBytes ? `${maxBytes} bytes. Split it.` : `${MAX_RATIO} times its size.`
  throw new AppError('too_large', `The ${kind} file unpacks to more than ${words}`, {
    code: 'body_too_large',
    max: maxBytes,
  })
}

/** The name and the start of the first entry that may be a file of products, by the start of the zip file. */
export function firstEntry(start: Buffer): { name: string; start: Buffer } | null {
  for (let at = 0; at < start.length; ) {
    const header = zipHeader(start.subarray(at))
    if (!header) return null
    const from = at + header.size
    const packed = start.subarray(from, from + Math.min(header.packedSize ?? START_SIZE, MAX_PACKED_START))
    if (!isAside(header.name)) return { name: header.name, start: unpackedStart(packed, header) }
    if (header.packedSize === null) return null
    at = from + header.packedSize
  }
  return null
}

/** Unpacks at most a thousandfold, so what is taken of it bounds what comes out. */
const MAX_PACKED_START = 16 * 1024

function unpackedStart(packed: Buffer, { method, isEncrypted }: ZipHeader): Buffer {
  if (isEncrypted) return Buffer.alloc(0)
  if (method === STORED) return packed
  try {
    return inflateRawSync(packed, { finishFlush: constants.Z_SYNC_FLUSH })
  } catch {
    return Buffer.alloc(0)
  }
}

function damaged(cause?: Error): AppError {
  return new AppError('invalid', 'The zip file is damaged or incomplete.', { cause })
}

function refused(words: string): AppError {
  return new AppError('invalid', words)
}
