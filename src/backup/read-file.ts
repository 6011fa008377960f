/**
 * Reading a backup. `proveWhole` goes over every byte before anything is done with the file; `readRecords` gives what is
 * in it, a piece at a time, checks on the way that it is in order, and checks the hash again at the end: a
 * caller who commits only after it ended without an error never keeps data of a file that changed meanwhile.
 */
import { createHash, type Hash } from 'node:crypto'
import fs from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createZstdDecompress } from 'node:zlib'
import {
  ANY_FIRST_LINE,
  type BackupRecord,
  END_MARK,
  FIRST_LINE,
  FORMAT,
  HASH,
  HASH_BYTES,
  type Header,
  MAX_RECORD,
  PREFIX_BYTES,
  readRecord,
  TAIL_BYTES,
} from './format.ts'

export class DamagedBackup extends Error {}

export type ReadProgress = (share: number) => void

type Ends = { size: number; hash: Buffer }

/** Throws unless every byte is as it was written. */
export async function proveWhole(file: string): Promise<void> {
  const { size, hash } = readEnds(file)
  const found = createHash(HASH)
  for await (const bytes of fs.createReadStream(file, { end: size - HASH_BYTES - 1 })) found.update(bytes)
  if (!found.digest().equals(hash)) throw damaged(file, 'its checksum does not match')
}

export async function readHeader(file: string): Promise<Header> {
  for await (const record of readRecords(file)) if (record.kind === 'header') return record.header
  throw damaged(file, 'it has no header')
}

export async function* readRecords(
  file: string,
  onProgress: ReadProgress = () => {},
): AsyncGenerator<BackupRecord, void, undefined> {
  const ends = readEnds(file)
  const hash = createHash(HASH).update(FIRST_LINE)
  const order = createOrder()
  try {
    for await (const { letter, body } of split(decompressed(file, ends, hash, onProgress))) {
      const record = readRecord(letter, body)
      order.take(record)
      yield record
    }
    order.end()
  } catch (error) {
    throw error instanceof DamagedBackup ? error : damaged(file, (error as Error).message)
  }
  if (!hash.update(END_MARK).digest().equals(ends.hash)) throw damaged(file, 'its checksum does not match')
}

function readEnds(file: string): Ends {
  const found = fs.statSync(file, { throwIfNoEntry: false })
  if (!found) throw new Error(`the file ${file} does not exist`)
  if (!found.isFile())
    throw new Error(`${file} is not a regular file: a backup is read twice, so it cannot come from a pipe`)
  const { size } = found
  const handle = fs.openSync(file, 'r')
  try {
    const start = readAt(handle, 0, Math.min(size, 64)).toString('latin1')
    const version = ANY_FIRST_LINE.exec(start)?.[1]
    if (version === undefined) throw new DamagedBackup(`${file} is not a Souk backup`)
    if (Number(version) !== FORMAT)
      throw new DamagedBackup(
        `${file} uses backup format ${version}, but this Souk reads format ${FORMAT}: use the version that made it, or a newer one`,
      )
    const tail = readAt(handle, Math.max(0, size - TAIL_BYTES), Math.min(size, TAIL_BYTES))
    if (size < FIRST_LINE.length + TAIL_BYTES || !tail.subarray(0, END_MARK.length).equals(END_MARK))
      throw damaged(file, 'its end is missing')
    return { size, hash: tail.subarray(END_MARK.length) }
  } finally {
    fs.closeSync(handle)
  }
}

function readAt(handle: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  return bytes.subarray(0, fs.readSync(handle, bytes, 0, length, at))
}

async function* decompressed(
  file: string,
  { size }: Ends,
  hash: Hash,
  onProgress: ReadProgress,
): AsyncGenerator<Buffer, void, undefined> {
  const [first, last] = [FIRST_LINE.length, size - TAIL_BYTES - 1]
  if (last < first) return
  const source = fs.createReadStream(file, { start: first, end: last })
  async function* hashed(chunks: AsyncIterable<Buffer>) {
    for await (const bytes of chunks) {
      hash.update(bytes)
      onProgress((first + source.bytesRead) / size)
      yield bytes
    }
  }
  const out = createZstdDecompress()
  // The reader of `out` gets the error; this listener only keeps it from being thrown again.
  pipeline(source, hashed, out).catch(() => {})
  yield* out as AsyncIterable<Buffer>
}

async function* split(source: AsyncIterable<Buffer>): AsyncGenerator<{ letter: string; body: Buffer }> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const bytes of source) {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes])
    let at = 0
    while (rest.length - at >= PREFIX_BYTES) {
      const length = rest.readUInt32BE(at + 1)
      if (length > MAX_RECORD) throw new Error('one of its records is too long')
      const end = at + PREFIX_BYTES + length
      if (end > rest.length) break
      yield { letter: rest.toString('latin1', at, at + 1), body: rest.subarray(at + PREFIX_BYTES, end) }
      at = end
    }
    rest = rest.subarray(at)
  }
  if (rest.length > 0) throw new Error('it ends in the middle of a record')
}

/** H (T D* E)* Z, and the rows that Z says. */
function createOrder() {
  let state: 'start' | 'between' | 'table' | 'over' = 'start'
  let name = ''
  const rows = new Map<string, number>()
  const needs = (wanted: typeof state, what: string) => {
    if (state !== wanted) throw new Error(`${what} is in the wrong place`)
  }
  return {
    take(record: BackupRecord): void {
      if (record.kind === 'header') {
        needs('start', 'the header')
        state = 'between'
      } else if (record.kind === 'table') {
        needs('between', 'a table')
        name = record.table.name
        if (rows.has(name)) throw new Error(`it has the table ${name} twice`)
        state = 'table'
      } else if (record.kind === 'data') {
        needs('table', 'data')
      } else if (record.kind === 'end') {
        needs('table', 'the end of a table')
        rows.set(name, record.rows)
        state = 'between'
      } else {
        needs('between', 'the end')
        const told = new Map(record.trailer.tables.map((table) => [table.name, table.rows]))
        const same = told.size === rows.size && [...rows].every(([table, n]) => told.get(table) === n)
        if (!same) throw new Error('its tables do not match its table of contents')
        state = 'over'
      }
    },
    end: () => needs('over', 'the end'),
  }
}

function damaged(file: string, why: string): DamagedBackup {
  return new DamagedBackup(
    `${file} is cut off or damaged (${why}): use another copy or an earlier backup; nothing was changed`,
  )
}
