/**
 * Vectors of a page of products by binary COPY: as text every byte is two letters, which the database writes, the socket
 * carries and this side reads again. They lie in one piece of memory, so that a thread hands them over without a copy.
 */
import { buffer } from 'node:stream/consumers'
import pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import type { ProductVectors } from './vectors/meaning-index.ts'
import { NO_PASSAGES } from './vectors/passages.ts'

export type CopiedVectors = { vectors: Array<[productId: string, ProductVectors]>; bytes: ArrayBuffer }

/** Before the rows: a signature, flags, and the length of an extension, of which there is none. */
const HEAD_BYTES = 19
const ALIGNED = 4

export async function copyVectors(
  pool: pg.Pool,
  model: string,
  productIds: string[],
): Promise<CopiedVectors> {
  const ids = productIds.map((id) => pg.escapeLiteral(id)).join(',')
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    const rows = client.query(
      copyTo(`copy (
        select product_id, full_vector, short_vector, passages from product_vectors
        where model = ${pg.escapeLiteral(model)} and product_id = any(array[${ids}]::uuid[])
      ) to stdout (format binary)`),
    )
    return placeTogether(readRows(await buffer(rows)))
  } catch (error) {
    broken = error as Error
    throw error
  } finally {
    client.release(broken)
  }
}

type Row = [productId: Buffer, full: Buffer, short: Buffer, passages: Buffer]

function readRows(copied: Buffer): Row[] {
  const rows: Row[] = []
  let at = HEAD_BYTES
  const next = (): Buffer => {
    const length = copied.readInt32BE(at)
    at += 4 + length
    return copied.subarray(at - length, at)
  }
  // Behind the last row stands -1.
  for (;;) {
    const fields = copied.readInt16BE(at)
    at += 2
    if (fields < 0) return rows
    rows.push([next(), next(), next(), next()])
  }
}

/** Floats begin at multiples of four. */
function placeTogether(rows: readonly Row[]): CopiedVectors {
  const room = rows.reduce(
    (sum, [, full, short, passages]) => sum + full.length + short.length + roomFor(passages),
    0,
  )
  const bytes = new ArrayBuffer(room)
  let at = 0
  const place = (from: Uint8Array): number => {
    new Uint8Array(bytes).set(from, at)
    at += aligned(from.length)
    return at - aligned(from.length)
  }
  const floats = (from: Uint8Array) => new Float32Array(bytes, place(from), from.length / 4)
  const vectors = rows.map(([id, full, short, packed]): [string, ProductVectors] => {
    const [wholes, shorts] = [floats(full), floats(short)]
    const count = packed[0] ?? 0
    if (count === 0) return [uuidIn(id), { full: wholes, short: shorts, passages: NO_PASSAGES }]
    // As passages.ts packs them: how many, their kinds, their scales, their rows.
    const [kinds, scales, rows] = [
      packed.subarray(1, 1 + count),
      packed.subarray(1 + count, 1 + count * 5),
      packed.subarray(1 + count * 5),
    ]
    const passages = {
      scales: floats(scales),
      kinds: new Uint8Array(bytes, place(kinds), kinds.length),
      rows: new Int8Array(bytes, place(rows), rows.length),
    }
    return [uuidIn(id), { full: wholes, short: shorts, passages }]
  })
  return { vectors, bytes }
}

function roomFor(packed: Buffer): number {
  const count = packed[0] ?? 0
  return count === 0 ? 0 : aligned(count) + count * 4 + aligned(packed.length - 1 - count * 5)
}

function aligned(length: number): number {
  return Math.ceil(length / ALIGNED) * ALIGNED
}

function uuidIn(bytes: Buffer): string {
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
