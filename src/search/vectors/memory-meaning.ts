/**
 * Vectors in this process: two indexes and the sentences, all under the same slots. Nothing here waits for
 * anything, which keeps a search within one turn of the event loop.
 */
import { growTo, withRoom } from '../lexical/segments.ts'
import { PASSAGE_KINDS } from '../product-text.ts'
import type { Part } from '../stored/saved.ts'
import type { Allowed, Cosines, Gathered, MeaningIndex, ProductVectors } from './meaning-index.ts'
import { createPassageStore, NO_PASSAGES, type Passages, type SavedPassages } from './passages.ts'
import { createVectorIndex, type Hits, type SavedVectorIndex, type VectorIndex } from './vector-index.ts'

export type MemoryMeaning = MeaningIndex & {
  readonly full: VectorIndex
  readonly short: VectorIndex
  nearest(reading: 'full' | 'short', vector: Float32Array, k: number, allowed?: Uint8Array): Hits
  save(): SavedMeaning
  parts(): Part[]
}

export type SavedMeaning = {
  full: SavedVectorIndex
  short: SavedVectorIndex
  passages: SavedPassages
  firstRow: Uint32Array
  rowCount: Uint8Array
  kinds: Uint8Array
}

export function createMemoryMeaning(dims: number, saved?: SavedMeaning): MemoryMeaning {
  const full = createVectorIndex({ dims, saved: saved?.full })
  const short = createVectorIndex({ dims, saved: saved?.short })
  const passages = createPassageStore(dims, saved?.passages)
  /** By slot: its rows among the sentences. By row: what kind it is. */
  let firstRow = withRoom(saved?.firstRow, new Uint32Array(1024))
  let rowCount = withRoom(saved?.rowCount, new Uint8Array(1024))
  let kinds = withRoom(saved?.kinds, new Uint8Array(8192))
  const nothing = new Float32Array(dims)

  function bestPassages(vector: Float32Array, slots: Uint32Array): Cosines['passages'] {
    const best = noPassages(slots.length)
    const byKind = PASSAGE_KINDS.map((kind) => best[kind])
    let count = 0
    for (const slot of slots) count += endRow(slot) - (firstRow[slot] as number)
    const rows = new Uint32Array(count)
    let filled = 0
    for (const slot of slots)
      for (let row = firstRow[slot] as number; row < endRow(slot); row++) rows[filled++] = row
    const scores = passages.scores(vector, rows)
    let next = 0
    for (let at = 0; at < slots.length; at++) {
      const slot = slots[at] as number
      for (let row = firstRow[slot] as number; row < endRow(slot); row++) {
        const score = scores[next++] as number
        raise(byKind[kinds[row] as number] as Float32Array, at, score)
        raise(best.any, at, score)
      }
    }
    return best
  }

  function endRow(slot: number): number {
    return (firstRow[slot] as number) + (rowCount[slot] as number)
  }

  function setPassages(slot: number, rows: Passages): void {
    firstRow = growTo(firstRow, slot + 1)
    rowCount = growTo(rowCount, slot + 1)
    firstRow[slot] = passages.add(rows)
    rowCount[slot] = rows.kinds.length
    kinds = growTo(kinds, passages.size)
    kinds.set(rows.kinds, firstRow[slot])
  }

  return {
    dims,
    full,
    short,
    add(given) {
      const vectors = given as ProductVectors | null
      const slot = full.add(vectors?.full ?? nothing)
      short.add(vectors?.short ?? nothing)
      setPassages(slot, vectors?.passages ?? NO_PASSAGES)
    },
    set(slot, given) {
      const vectors = given as ProductVectors
      full.set(slot, vectors.full)
      short.set(slot, vectors.short)
      setPassages(slot, vectors.passages)
    },
    remove(slot) {
      full.remove(slot)
      short.remove(slot)
    },
    gather({ vector, plainVector }, k, found, allowed: Allowed): Gathered {
      const all = new Set<number>(found)
      for (const index of [full, short])
        for (const slot of index.search(vector, k, allowed).slots) all.add(slot)
      const slots = Uint32Array.from(all).sort()
      return {
        slots,
        cosines: {
          full: full.scores(vector, slots),
          short: short.scores(vector, slots),
          plain: plainVector && full.scores(plainVector, slots),
          passages: bestPassages(vector, slots),
        },
      }
    },
    nearest: (reading, vector, k, allowed) => (reading === 'full' ? full : short).search(vector, k, allowed),
    // Asked for all, a large index is exact too.
    inOrder: (vector, k, allowed) => full.search(vector, full.size, allowed).slots.subarray(0, k),
    cosines: (vector, slots) => ({ full: full.scores(vector, slots), short: short.scores(vector, slots) }),
    around(own, k, allowed) {
      const [ownFull, ownShort] = [full.vector(own), short.vector(own)]
      const near = new Set([
        ...full.search(ownFull, k, allowed).slots,
        ...short.search(ownShort, k, allowed).slots,
      ])
      const slots = Uint32Array.from(near).sort()
      return { slots, full: full.scores(ownFull, slots), short: short.scores(ownShort, slots) }
    },
    means: (groups) => groups.map((slots) => meanOf(slots.map(short.vector), dims)),
    save: () => ({
      full: full.save(),
      short: short.save(),
      passages: passages.save(),
      firstRow: firstRow.subarray(0, full.size),
      rowCount: rowCount.subarray(0, full.size),
      kinds: kinds.subarray(0, passages.size),
    }),
    parts: () => [...full.parts(), ...short.parts(), ...passages.parts()],
    bytes: () =>
      full.bytes() + short.bytes() + passages.bytes() + firstRow.byteLength * 1.25 + kinds.byteLength,
  }
}

/** Nothing is known of any of so many. */
export function noPassages(count: number): Cosines['passages'] {
  const unknown = () => new Float32Array(count).fill(Number.NaN)
  return {
    description: unknown(),
    verdict: unknown(),
    uses: unknown(),
    praise: unknown(),
    any: unknown(),
  }
}

export function raise(best: Float32Array, at: number, score: number): void {
  if (!((best[at] as number) >= score)) best[at] = score
}

export function meanOf(vectors: readonly Float32Array[], dims: number): Float32Array {
  const mean = new Float32Array(dims)
  for (const vector of vectors)
    for (let dim = 0; dim < dims; dim++) mean[dim] = (mean[dim] ?? 0) + (vector[dim] ?? 0) / vectors.length
  return mean
}
