/**
 * Vectors in this process: two indexes for finding, and records with the vectors and sentences as they are, all under the
 * same slots. Nothing here waits for anything, which keeps a search within one turn of the event loop.
 */
import { growTo, withRoom } from '../lexical/segments.ts'
import { PASSAGE_KINDS } from '../product-text.ts'
import { createRecords, type SavedRecords } from '../stored/records.ts'
import type { LeavingPart, Part } from '../stored/saved.ts'
import type { Allowed, Cosines, Gathered, MeaningIndex, ProductVectors } from './meaning-index.ts'
import { createPassageScorer, NO_KEY, NO_PASSAGES, type Passages } from './passages.ts'
import {
  createVectorIndex,
  type Hits,
  type Rows,
  type SavedVectorIndex,
  type VectorIndex,
} from './vector-index.ts'

export type MemoryMeaning = MeaningIndex & {
  readonly full: VectorIndex
  readonly short: VectorIndex
  nearest(reading: 'full' | 'short', vector: Float32Array, k: number, allowed?: Uint8Array): Hits
  save(): SavedMeaning
  parts(): Part[]
  /** Those that need not stay in memory when they are in files. */
  fullParts(): LeavingPart[]
}

export type SavedMeaning = {
  full: SavedVectorIndex
  short: SavedVectorIndex
  records: SavedRecords
  recordOf: Uint32Array
}

/** Some twelve megabytes. */
const RECORDS_EACH = 2048
/** Of a slot without vectors. */
const NONE = NO_KEY

export function createMemoryMeaning(
  dims: number,
  saved?: SavedMeaning,
  onDamage: () => void = () => {},
): MemoryMeaning {
  const records = createRecords(RECORDS_EACH, saved?.records, onDamage)
  let recordOf = withRoom(saved?.recordOf, new Uint32Array(1024))
  const nothing = new Float32Array(dims)
  const rowsFrom =
    (first: number): Rows =>
    (slot, into, at) => {
      const record = recordOf[slot] as number
      if (record !== NONE) return records.copyFloats(record, first, dims, into, at)
      into.fill(0, at, at + dims)
      return true
    }
  const full = createVectorIndex({ dims, saved: saved?.full, rows: rowsFrom(0) })
  const short = createVectorIndex({ dims, saved: saved?.short, rows: rowsFrom(dims) })
  const scorer = createPassageScorer(dims)

  function passagesOf(record: number): Passages {
    const bytes = records.read(record)
    return bytes ? passagesIn(bytes, dims) : NO_PASSAGES
  }

  function bestPassages(vector: Float32Array, slots: Uint32Array): Cosines['passages'] {
    const ofSlots = slots.map((slot) => recordOf[slot] as number)
    const best = noPassages(slots.length)
    const byKind = PASSAGE_KINDS.map((kind) => best[kind])
    scorer.raise(vector, ofSlots, passagesOf, { byKind, any: best.any })
    return best
  }

  function setRecord(slot: number, vectors: ProductVectors | null): void {
    recordOf = growTo(recordOf, slot + 1)
    recordOf[slot] =
      vectors === null
        ? NONE
        : records.add([
            bytesOf(vectors.full),
            bytesOf(vectors.short),
            bytesOf(vectors.passages.scales),
            bytesOf(vectors.passages.rows),
            vectors.passages.kinds,
          ])
  }

  function dropRecord(slot: number): void {
    const record = recordOf[slot] as number
    if (record !== NONE) records.drop(record)
    recordOf[slot] = NONE
  }

  return {
    dims,
    full,
    short,
    add(given) {
      const vectors = given as ProductVectors | null
      const slot = full.add(vectors?.full ?? nothing)
      short.add(vectors?.short ?? nothing)
      setRecord(slot, vectors)
    },
    set(slot, given) {
      const vectors = given as ProductVectors
      full.set(slot, vectors.full)
      short.set(slot, vectors.short)
      dropRecord(slot)
      setRecord(slot, vectors)
    },
    remove(slot) {
      full.remove(slot)
      short.remove(slot)
      dropRecord(slot)
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
      records: records.save(),
      recordOf: recordOf.subarray(0, full.size),
    }),
    parts: () => [...full.parts(), ...short.parts(), ...records.parts()],
    fullParts: records.full,
    bytes: () => full.bytes() + short.bytes() + records.bytes() + scorer.bytes() + recordOf.byteLength,
  }
}

/** Behind the vectors: a scale, a row and a kind for each, floats first, where they may begin. */
function passagesIn({ buffer, byteOffset, length }: Buffer, dims: number): Passages {
  const scalesAt = byteOffset + dims * 8
  const count = (length - dims * 8) / (dims + 5)
  const rowsAt = scalesAt + count * 4
  return {
    scales: new Float32Array(buffer, scalesAt, count),
    rows: new Int8Array(buffer, rowsAt, count * dims),
    kinds: new Uint8Array(buffer, rowsAt + count * dims, count),
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: Float32Array | Int8Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
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

export function meanOf(vectors: readonly Float32Array[], dims: number): Float32Array {
  const mean = new Float32Array(dims)
  for (const vector of vectors)
    for (let dim = 0; dim < dims; dim++) mean[dim] = (mean[dim] ?? 0) + (vector[dim] ?? 0) / vectors.length
  return mean
}
