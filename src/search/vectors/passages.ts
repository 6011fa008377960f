/**
 * Vectors of the sentences a product is described by, in int8 alone: they only add to the order of candidates that
 * were found by other means, so half a percent of error is nothing, and a product has up to ten of them. Rows are
 * appended and never freed; the index is built anew when too many belong to products that are gone.
 */
import type { Part } from '../stored/saved.ts'
import { BLOCK_SLOTS, createKernel } from './kernel.ts'
import { quantise, queryLevels } from './quantise.ts'

/** Quantised rows as they are stored and sent: `rows` holds one after the other, each worth its scale. */
export type Passages = { kinds: Uint8Array; scales: Float32Array; rows: Int8Array }

export type PassageStore = {
  readonly size: number
  /** Takes a product's rows; answers the number of the first. */
  add(passages: Passages): number
  /** Cosines of the query with these rows, in their order. */
  scores(query: Float32Array, rows: Uint32Array): Float32Array
  save(): SavedPassages
  parts(): Part[]
  bytes(): number
}

export type SavedPassages = { size: number; keys: string[] }

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

export function createPassageStore(dims: number, saved?: SavedPassages): PassageStore {
  const kernel = createKernel(dims, 'int8', saved?.keys)
  const { run, layout } = kernel
  let size = saved?.size ?? 0
  kernel.reserve(size)

  return {
    get size() {
      return size
    },
    add({ kinds, scales, rows }) {
      const first = size
      kernel.reserve(size + kinds.length)
      for (let index = 0; index < kinds.length; index++) {
        const block = layout.blocksAt + Math.floor(size / BLOCK_SLOTS) * layout.blockBytes
        const place = size % BLOCK_SLOTS
        kernel.views.int8.set(
          rows.subarray(index * dims, (index + 1) * dims),
          block + layout.int8At + place * dims,
        )
        kernel.views.float32[(block + layout.scalesAt) / 4 + place] = scales[index] ?? 0
        kernel.touch(size)
        size++
      }
      return first
    },
    scores(query, rows) {
      const scored = new Float32Array(rows.length)
      const { scale } = quantise(query, queryLevels(dims), kernel.views.int16, layout.queryInt16At / 2)
      const { views, scratch } = kernel
      const list = scratch.list / 4
      for (let from = 0; from < rows.length; from += size) {
        const piece = rows.subarray(from, from + size)
        views.uint32.set(piece, list)
        // The kernel takes four at a time.
        views.uint32.fill(piece[0] ?? 0, list + piece.length, list + piece.length + 3)
        run.scoreInt8(scratch.list, piece.length, scratch.scores, scale)
        const at = scratch.scores / 4
        scored.set(views.float32.subarray(at, at + piece.length), from)
      }
      return scored
    },
    save: () => ({ size, keys: kernel.keys(size) }),
    parts: () => kernel.parts(size),
    bytes: () => kernel.scratch.end,
  }
}
