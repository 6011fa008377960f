/**
 * Vectors of the sentences a product is described by, in int8 alone: they only add to the order of candidates that
 * were found by other means, so half a percent of error is nothing, and a product has up to ten of them.
 */
import { growTo } from '../lexical/segments.ts'
import { BLOCK_SLOTS, createKernel } from './kernel.ts'
import { quantise, queryLevels } from './quantise.ts'

/** Quantised rows as they are stored and sent: `rows` holds one after the other, each worth its scale. */
export type Passages = { kinds: Uint8Array; scales: Float32Array; rows: Int8Array }

export const NO_PASSAGES: Passages = {
  kinds: new Uint8Array(0),
  scales: new Float32Array(0),
  rows: new Int8Array(0),
}

/** Vectors of length 1, each with what kind of sentence it is of. */
export function quantisePassages(vectors: Array<{ kind: number; vector: Float32Array }>): Passages {
  const dims = vectors[0]?.vector.length ?? 0
  const passages: Passages = {
    kinds: Uint8Array.from(vectors, ({ kind }) => kind),
    scales: new Float32Array(vectors.length),
    rows: new Int8Array(vectors.length * dims),
  }
  for (const [index, { vector }] of vectors.entries())
    passages.scales[index] = quantise(vector, 127, passages.rows, index * dims).scale
  return passages
}

/** A byte for how many, then their kinds, their scales (32-bit floats) and their int8 rows. */
export function packPassages({ kinds, scales, rows }: Passages): Buffer {
  return Buffer.concat([
    Uint8Array.of(kinds.length),
    kinds,
    new Uint8Array(scales.buffer, scales.byteOffset, scales.byteLength),
    new Uint8Array(rows.buffer, rows.byteOffset, rows.byteLength),
  ])
}

export function unpackPassages(bytes: Buffer): Passages {
  const count = bytes[0] ?? 0
  if (count === 0) return NO_PASSAGES
  const scalesAt = 1 + count
  const rowsAt = scalesAt + count * 4
  return {
    kinds: new Uint8Array(bytes.buffer, bytes.byteOffset + 1, count),
    scales: toFloats(bytes.subarray(scalesAt, rowsAt)),
    rows: new Int8Array(bytes.buffer, bytes.byteOffset + rowsAt, bytes.byteLength - rowsAt),
  }
}

/**
 * Where they are, if floats may start there: at a multiple of four, as a field of a row does. The index copies what it is
 * given, so a second copy of every vector would be garbage at once.
 */
export function toFloats(bytes: Buffer): Float32Array {
  const { buffer, byteOffset, byteLength } = bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes)
  return new Float32Array(buffer, byteOffset, byteLength / 4)
}

export type PassageScorer = {
  /**
   * Raises for each key the best cosine of the query with a passage of each kind, and with any. What `read` gives for a key
   * must always be the same: its rows stay here for later queries, as far as there is room.
   */
  raise(query: Float32Array, keys: Uint32Array, read: (key: number) => Passages, best: BestPassages): void
  bytes(): number
}

/** A column of cosines for each number of a kind, NaN where a product has none. */
export type BestPassages = { byKind: Float32Array[]; any: Float32Array }

/** Six megabytes, of some two thousand products. */
const MOST_KEPT = 16_384

/** A key of this is of a product without passages. */
export const NO_KEY = 0xffffffff
/** Stands for the kind of a passage behind the last of a key. */
const END = 255

export function createPassageScorer(dims: number, mostKept = MOST_KEPT): PassageScorer {
  const kernel = createKernel(dims, 'int8')
  const { run, layout } = kernel
  /** By key, where its rows begin. What has none is read again, for it may be a file that failed. */
  const firsts = new Map<number, number>()
  /** By row. The first is of nothing. */
  let kinds = new Uint8Array(BLOCK_SLOTS).fill(END, 0, 1)
  let size = 1
  let rows = new Uint32Array(BLOCK_SLOTS)

  /** Keeps the rows of a key, and says where. */
  function keep(key: number, passages: Passages): number {
    const count = passages.kinds.length
    if (count === 0) return 0
    const first = size
    kernel.reserve(size + count + 1)
    const { int8, float32 } = kernel.views
    for (let from = 0; from < count; ) {
      const block = layout.blocksAt + Math.floor(size / BLOCK_SLOTS) * layout.blockBytes
      const place = size % BLOCK_SLOTS
      const end = Math.min(count, from + BLOCK_SLOTS - place)
      int8.set(passages.rows.subarray(from * dims, end * dims), block + place * dims)
      float32.set(passages.scales.subarray(from, end), (block + layout.scalesAt) / 4 + place)
      size += end - from
      from = end
    }
    kinds = growTo(kinds, size + 1)
    kinds.set(passages.kinds, first)
    kinds[size++] = END
    firsts.set(key, first)
    return first
  }

  return {
    raise(query, keys, read, { byKind, any }) {
      if (size > mostKept) {
        firsts.clear()
        size = 1
      }
      const starts = new Uint32Array(keys.length)
      let listed = 0
      for (let at = 0; at < keys.length; at++) {
        const key = keys[at] as number
        if (key === NO_KEY) continue
        let row = firsts.get(key) ?? keep(key, read(key))
        starts[at] = row
        rows = growTo(rows, listed + (size - row) + 4)
        for (; kinds[row] !== END; row++) rows[listed++] = row
      }
      if (listed === 0) return
      const { scale } = quantise(query, queryLevels(dims), kernel.views.int16, layout.queryInt16At / 2)
      const { views, scratch } = kernel
      // The kernel takes four at a time.
      rows.fill(rows[0] as number, listed, listed + 3)
      views.uint32.set(rows.subarray(0, listed + 3), scratch.list / 4)
      run.scoreInt8(scratch.list, listed, scratch.scores, scale)
      const scores = views.float32.subarray(scratch.scores / 4, scratch.scores / 4 + listed)
      let next = 0
      for (let at = 0; at < keys.length; at++) {
        for (let row = starts[at] as number; kinds[row] !== END; row++) {
          const score = scores[next++] as number
          raise(byKind[kinds[row] as number] as Float32Array, at, score)
          raise(any, at, score)
        }
      }
    },
    bytes: () => kernel.scratch.end + kinds.byteLength + rows.byteLength + firsts.size * 40,
  }
}

export function raise(best: Float32Array, at: number, score: number): void {
  if (!((best[at] as number) >= score)) best[at] = score
}
