/**
 * Vectors of the sentences a product is described by, in int8 alone: they only add to the order of candidates that
 * were found by other means, so half a percent of error is nothing, and a product has up to ten of them.
 */
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
  /** Forgets those of before. */
  begin(): void
  /** What comes is copied. */
  add(passages: Passages): void
  /** Cosines of the query with all that were added, in their order. */
  scores(query: Float32Array): Float32Array
  bytes(): number
}

export function createPassageScorer(dims: number): PassageScorer {
  const kernel = createKernel(dims, 'int8')
  const { run, layout } = kernel
  let size = 0

  return {
    begin() {
      size = 0
    },
    add({ kinds, scales, rows }) {
      kernel.reserve(size + kinds.length)
      const { int8, float32 } = kernel.views
      for (let from = 0; from < kinds.length; ) {
        const block = layout.blocksAt + Math.floor(size / BLOCK_SLOTS) * layout.blockBytes
        const place = size % BLOCK_SLOTS
        const end = Math.min(kinds.length, from + BLOCK_SLOTS - place)
        int8.set(rows.subarray(from * dims, end * dims), block + place * dims)
        float32.set(scales.subarray(from, end), (block + layout.scalesAt) / 4 + place)
        size += end - from
        from = end
      }
    },
    scores(query) {
      if (size === 0) return new Float32Array(0)
      const { scale } = quantise(query, queryLevels(dims), kernel.views.int16, layout.queryInt16At / 2)
      const { views, scratch } = kernel
      // The kernel takes four at a time.
      for (let row = 0; row < size + 3; row++) views.uint32[scratch.list / 4 + row] = Math.min(row, size - 1)
      run.scoreInt8(scratch.list, size, scratch.scores, scale)
      return views.float32.slice(scratch.scores / 4, scratch.scores / 4 + size)
    },
    bytes: () => kernel.scratch.end,
  }
}
