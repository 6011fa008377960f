/**
 * What is looked at for a few candidates only, as records of bytes in groups. A full group never changes, so it may be left
 * in the file that it was written to: each read then brings one record from there, and believes it by its checksum.
 */
import fs from 'node:fs'
import { crc32 } from 'node:zlib'
import { growTo } from '../lexical/segments.ts'
import { createGroupKeys, type LeavingPart, type LeftFile, type Part } from './saved.ts'

export type Records = {
  readonly count: number
  /** The number of the new record: 0, 1, 2 … */
  add(pieces: readonly Uint8Array[]): number
  /** Not to be kept or written to; null when the file does not hold what was written. */
  read(record: number): Buffer | null
  /** Copies so many floats that stand `skip` floats after its beginning; false when they cannot be had. */
  copyFloats(record: number, skip: number, count: number, into: Float32Array, at: number): boolean
  /** It is not read again. What takes no room any more is let go. */
  drop(record: number): void
  save(): SavedRecords
  parts(): Part[]
  /** Those of groups that are full and in memory: with `leave` they go. */
  full(): LeavingPart[]
  bytes(): number
}

export type SavedRecords = {
  count: number
  keys: string[]
  /** By group: where each record ends, and how many are still read. */
  ends: Uint32Array[]
  live: Uint32Array
}

type Group = {
  bytes: Uint8Array
  floats: Float32Array
  ends: Uint32Array
  live: number
  file: LeftFile | null
}

const NOTHING = new Uint8Array(0)
const FIRST_BYTES = 1 << 14
const SLAB_BYTES = 1 << 18
/** One search asks for a few hundred records, and for most of them more than once. */
const MOST_COPIES = 1_000
/** Before a record: its checksum, made with its number, so that one record does not pass for another. */
const HEAD = 4
const ALIGNED = 4

/** `each`: records in a group. */
export function createRecords(
  each: number,
  saved: SavedRecords | undefined,
  onDamage: () => void = () => {},
): Records {
  const keys = createGroupKeys(each, saved?.keys)
  const groups: Group[] = (saved?.ends ?? []).map((ends, at) => ({
    bytes: NOTHING,
    floats: floatsOver(NOTHING),
    ends: withPlaces(ends, each),
    live: saved?.live[at] ?? 0,
    file: null,
  }))
  let count = saved?.count ?? 0
  /** From files, the latest. */
  const copies = new Map<number, Buffer>()
  let slab = Buffer.alloc(0)
  let slabAt = 0

  function add(pieces: readonly Uint8Array[]): number {
    const record = count++
    const at = record % each
    // As much room as the group before took: growing to it would copy the same bytes ten times.
    if (at === 0) groups.push(emptyGroup(each, groups.at(-1)?.bytes.length))
    const group = groups[groups.length - 1] as Group
    const from = startOf(group, at)
    const end = pieces.reduce((sum, { length }) => sum + length, from + HEAD)
    setBytes(group, growTo(group.bytes, aligned(end)))
    const bytes = bufferOver(group.bytes)
    let place = from + HEAD
    for (const piece of pieces) {
      bytes.set(piece, place)
      place += piece.length
    }
    bytes.writeUInt32LE(crc32(bytes.subarray(from + HEAD, end), record), from)
    group.ends[at] = end
    group.live++
    keys.touch(record)
    if (at === each - 1) setBytes(group, group.bytes.slice(0, aligned(end)))
    return record
  }

  function read(record: number): Buffer | null {
    const group = groups[Math.floor(record / each)]
    if (!group || record >= count) return null
    const from = startOf(group, record % each)
    const length = (group.ends[record % each] as number) - from
    if (!group.file) return bufferOver(group.bytes).subarray(from + HEAD, from + length)
    return copies.get(record) ?? readCopy(group.file, record, from, length)
  }

  function readCopy(file: LeftFile, record: number, from: number, length: number): Buffer | null {
    const copy = roomFor(length)
    const found = copy.subarray(HEAD)
    if (!readAt(file, copy, from, length) || crc32(found, record) !== copy.readUInt32LE(0)) {
      onDamage()
      return null
    }
    if (copies.size >= MOST_COPIES) copies.clear()
    copies.set(record, found)
    return found
  }

  /** Many from one piece of memory, since making one takes longer than reading. Each begins at a multiple of four. */
  function roomFor(length: number): Buffer {
    if (slabAt + length > slab.length) {
      slab = Buffer.allocUnsafeSlow(Math.max(SLAB_BYTES, length))
      slabAt = 0
    }
    const room = slab.subarray(slabAt, slabAt + length)
    slabAt = aligned(slabAt + length)
    return room
  }

  function copyFloats(record: number, skip: number, floats: number, into: Float32Array, at: number): boolean {
    const group = groups[Math.floor(record / each)]
    if (!group) return false
    if (!group.file) {
      const from = (startOf(group, record % each) + HEAD) / 4 + skip
      into.set(group.floats.subarray(from, from + floats), at)
      return true
    }
    const bytes = read(record)
    if (!bytes) return false
    into.set(new Float32Array(bytes.buffer, bytes.byteOffset + skip * 4, floats), at)
    return true
  }

  function drop(record: number): void {
    const group = groups[Math.floor(record / each)]
    if (!group || --group.live > 0 || !isFull(record)) return
    setBytes(group, NOTHING)
    group.file = null
    keys.touch(record)
  }

  function isFull(record: number): boolean {
    return Math.floor(record / each) < Math.floor(count / each)
  }

  function partAt(at: number, key: string): LeavingPart {
    const group = groups[at] as Group
    // As they are now: a group that nobody reads any more lets its bytes go.
    const { bytes, file } = group
    const length = startOf(group, lengthOf(at))
    return {
      key,
      length,
      save: () => (file ? wholeOf(file, length) : bytes.subarray(0, length)),
      load(saved) {
        setBytes(group, saved as Uint8Array)
      },
      leave(left) {
        if (group.live === 0 || left.length !== length) return
        group.file = left
        setBytes(group, NOTHING)
      },
    }
  }

  const lengthOf = (at: number) => Math.min(each, count - at * each)
  const parts = () => keys.list(count).map((key, at) => partAt(at, key))
  return {
    get count() {
      return count
    },
    add,
    read,
    copyFloats,
    drop,
    save: () => ({
      count,
      keys: keys.list(count),
      ends: groups.map(({ ends }, at) => ends.subarray(0, lengthOf(at))),
      live: Uint32Array.from(groups, ({ live }) => live),
    }),
    parts,
    full: () =>
      keys.list(count).flatMap((key, at) => {
        const { file, live } = groups[at] as Group
        return file || live === 0 || lengthOf(at) < each ? [] : [partAt(at, key)]
      }),
    bytes: () => groups.reduce((sum, { bytes, ends }) => sum + bytes.byteLength + ends.byteLength, 0),
  }
}

function emptyGroup(each: number, room = FIRST_BYTES): Group {
  const bytes = new Uint8Array(Math.max(FIRST_BYTES, room))
  return { bytes, floats: floatsOver(bytes), ends: new Uint32Array(each), live: 0, file: null }
}

function setBytes(group: Group, bytes: Uint8Array): void {
  if (bytes === group.bytes) return
  group.bytes = bytes
  group.floats = floatsOver(bytes)
}

/** Made once for a group: a search copies from a thousand records. */
function floatsOver({ buffer, byteOffset, length }: Uint8Array): Float32Array {
  return new Float32Array(buffer, byteOffset, Math.floor(length / 4))
}

/** Records begin at multiples of four, so that floats may stand in them. */
function startOf({ ends }: Group, at: number): number {
  return at === 0 ? 0 : aligned(ends[at - 1] as number)
}

function aligned(at: number): number {
  return Math.ceil(at / ALIGNED) * ALIGNED
}

function withPlaces(ends: Uint32Array, each: number): Uint32Array {
  const all = new Uint32Array(each)
  all.set(ends)
  return all
}

function bufferOver({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length)
}

function readAt({ fd, at }: LeftFile, into: Uint8Array, from: number, length: number): boolean {
  try {
    return fs.readSync(fd, into, 0, length, at + from) === length
  } catch {
    return false
  }
}

function wholeOf(file: LeftFile, length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  if (!readAt(file, bytes, 0, length)) throw new Error('a file of the search index cannot be read any more')
  return bytes
}
