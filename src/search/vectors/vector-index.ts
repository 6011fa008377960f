/**
 * Nearest vectors by cosine, in this process. Up to 2,000 slots the vectors are held as they are and all are scored. Up to
 * 20,000, or when few are allowed, the answer is exact, too: int8 rows are scanned, and every slot that could be among the
 * best, given how far quantisation can be off, is scored again in float32. Beyond that, one sign bit a dimension picks a few
 * thousand candidates first (recall about .999 on product texts). Only float32 scores order the results; their owner brings the vectors, and a
 * large index has them in files.
 * A slot of 384 dimensions costs 449 bytes: int8 384, signs 48, scale 4, tombstone 1 to 2, scratch 11. A million take half
 * a gigabyte; the limit is 4 GiB. Removed slots keep theirs: rebuild when they are many.
 */

import { withRoom } from '../lexical/segments.ts'
import type { Part } from '../stored/saved.ts'
import {
  BLOCK_SLOTS,
  createHeldRows,
  createKernel,
  type HeldRows,
  HISTOGRAM_BUCKETS,
  ROWS_AT_ONCE,
} from './kernel.ts'
import { quantise, queryLevels, writePenalties } from './quantise.ts'

/** Best first, equal scores by slot. */
export type Hits = { slots: Uint32Array; scores: Float32Array }

export type VectorIndex = {
  readonly dims: number
  /** Number of slots, removed ones included. */
  readonly size: number
  /** Takes a vector of length 1 (or 0) and answers its slot: 0, 1, 2 … */
  add(vector: Float32Array): number
  /** Another vector for a slot that is there. */
  set(slot: number, vector: Float32Array): void
  /** Cosine of the query with a slot (for other lengths than 1, here and below: the dot product). */
  score(query: Float32Array, slot: number): number
  /** Cosines of the query with these slots, in their order. */
  scores(query: Float32Array, slots: Uint32Array): Float32Array
  /** A copy of what was added, as near as it can be had. */
  vector(slot: number): Float32Array
  /**
   * The best k by cosine. `allowed` has a byte a slot: 0 leaves it out, and so does a missing byte. It is
   * applied before ranking, so k slots come back whenever k are allowed.
   */
  search(query: Float32Array, k: number, allowed?: Uint8Array): Hits
  /** The slot is never found again. */
  remove(slot: number): void
  save(): SavedVectorIndex
  parts(): Part[]
  bytes(): number
}

/** Copies the vector of a slot; false when it cannot be had. */
export type Rows = (slot: number, into: Float32Array, at: number) => boolean

export type SavedVectorIndex = {
  size: number
  keys: string[]
  live: Uint8Array
  longest: number
  largestError: number
  signedAt: number
  /** Where signs are taken around; null when there are none. */
  centre: Float32Array | null
}

/** Three megabytes. Scoring so many takes about as long as bringing the few that an int8 scan leaves. */
const HELD_UP_TO = 2_000
/** Of fewer the vectors are brought one by one. */
const FEW_OF_HELD = 20
/** Signs first is faster from about 10,000 slots on, but up to here an exact answer takes about 1 ms. */
const EXACT_UP_TO = 20_000
/** In a larger index the limits are lower: rows of a selection are scattered and cost three times as much. */
const FEW_SLOTS = 8_000
const FEW_SHARE = 0.05
const KEPT_EACH = 2
/** Who asks for more gets all in the order of their int8 rows, or the vectors of a large index would all be read. */
const MOST_EXACT = 20_000
/** Fewer than the eight candidates there are for each that is asked for: a sample that misleads still lists enough. */
const SAMPLED_EACH = 5
/** As many tell the mean well enough, and take two milliseconds. */
const MEAN_OF = 5_000
/** Slots that get their signs in one go: a third of a millisecond. */
const SIGNED_EACH = 256
/** Signs that were taken at this size or a larger one stay. */
const SETTLED_FROM = 100_000
const MAX_DIMS = 8192
/** Far above any honest length, far below where float32 products leave their range. */
const MAX_LENGTH = 1e6

export function createVectorIndex(options: {
  dims: number
  /** Where the vectors are; by itself the index keeps what it is given, and saves none of it. */
  rows?: Rows
  capacity?: number
  saved?: SavedVectorIndex
  /** For a measurement beside an exact scan. */
  exactUpTo?: number
  /** For a comparison of both ways. */
  heldUpTo?: number
}): VectorIndex {
  const { dims, capacity = 0, saved, exactUpTo = EXACT_UP_TO, heldUpTo = HELD_UP_TO } = options
  if (!Number.isInteger(dims) || dims < 16 || dims > MAX_DIMS || dims % 16 !== 0)
    throw new RangeError(`Dimensions must be a multiple of 16 between 16 and ${MAX_DIMS}, not ${dims}`)
  const kept: Float32Array[] = []
  const rows = options.rows ?? rowsOf(kept)
  const kernel = createKernel(dims, 'signs', saved?.keys)
  const { run, layout } = kernel
  kernel.reserve(saved?.size ?? capacity)
  let size = saved?.size ?? 0
  let live = withRoom(saved?.live, new Uint8Array(Math.max(BLOCK_SLOTS, capacity)))
  let liveCount = live.reduce((sum, one) => sum + one, 0)
  let longest = saved?.longest ?? 0
  let largestError = saved?.largestError ?? 0
  /** How many slots there were when signs were last taken; 0 for never. */
  let signedAt = saved?.signedAt ?? 0
  /** How many have signs around the mean of now. Parts that are loaded bring theirs. */
  let withSigns = signedAt > 0 ? size : 0
  let signing = false
  /** Made when they are first asked for, and let go once the index is larger. */
  let held: HeldRows | null = null
  if (saved?.centre) kernel.views.float32.set(saved.centre, layout.centreAt / 4)

  const blockOf = (slot: number) => layout.blocksAt + Math.floor(slot / BLOCK_SLOTS) * layout.blockBytes
  const indexInBlock = (slot: number) => slot % BLOCK_SLOTS

  /** Adds the vector of a slot to these sums, as its int8 row tells it. */
  function addRoughly(slot: number, sums: Float32Array | Float64Array, at = 0): void {
    const { int8, float32 } = kernel.views
    const block = blockOf(slot)
    const row = block + indexInBlock(slot) * dims
    const scale = float32[(block + layout.scalesAt) / 4 + indexInBlock(slot)] ?? 0
    for (let dim = 0; dim < dims; dim++)
      sums[at + dim] = (sums[at + dim] as number) + (int8[row + dim] as number) * scale
  }

  function copyRow(slot: number, into: Float32Array, at: number): void {
    if (rows(slot, into, at)) return
    into.fill(0, at, at + dims)
    addRoughly(slot, into, at)
  }

  /** Brings the vectors of these slots, which are numbers of 32 bits in memory, and scores them. */
  function scoreExactly(list: number, count: number, scores: number): void {
    const { views } = kernel
    for (let from = 0; from < count; from += ROWS_AT_ONCE) {
      const some = Math.min(ROWS_AT_ONCE, count - from)
      for (let n = 0; n < some; n++)
        copyRow(views.uint32[list / 4 + from + n] ?? 0, views.float32, layout.rowsAt / 4 + n * dims)
      run.scoreFloat32(layout.rowsAt, some, scores + from * 4)
    }
  }

  /** Of all slots, good until the next call; null when their vectors are not held. */
  function heldScores(query: Float32Array): Float32Array | null {
    if (size > heldUpTo) {
      held = null
      return null
    }
    held ??= createHeldRows(dims, heldUpTo)
    for (let slot = held.count; slot < size; slot++) {
      const { into, at } = held.place(slot)
      copyRow(slot, into, at)
    }
    return held.scores(query)
  }

  /** Writes the scores of the listed slots to scratch. */
  function pickScores(all: Float32Array, listed: number): void {
    const { scratch, views } = kernel
    const [list, scores] = [scratch.list / 4, scratch.scores / 4]
    for (let entry = 0; entry < listed; entry++)
      views.float32[scores + entry] = all[views.uint32[list + entry] as number] as number
  }

  function add(vector: Float32Array): number {
    expectDims(vector, dims)
    const slot = size
    kernel.reserve(slot + 1)
    write(slot, vector)
    if (slot === live.length) {
      const larger = new Uint8Array(live.length * 2)
      larger.set(live)
      live = larger
    }
    live[slot] = 1
    liveCount++
    size++
    if (size > exactUpTo && size >= 2 * signedAt && signedAt < SETTLED_FROM) beginSigns()
    if (signedAt > 0) signMore()
    return slot
  }

  function set(slot: number, vector: Float32Array): void {
    expectSlot(slot, size)
    expectDims(vector, dims)
    write(slot, vector)
    if (slot < withSigns) sign(slot)
    if (held && slot < held.count) {
      const { into, at } = held.place(slot)
      into.set(vector, at)
    }
  }

  function write(slot: number, vector: Float32Array): void {
    const { int8, float32 } = kernel.views
    const block = blockOf(slot)
    const index = indexInBlock(slot)
    const { scale, error, length } = quantise(vector, 127, int8, block + index * dims)
    expectLength(length)
    if (!options.rows) kept[slot] = vector.slice()
    kernel.touch(slot)
    float32[(block + layout.scalesAt) / 4 + index] = scale
    longest = Math.max(longest, length)
    largestError = Math.max(largestError, error)
  }

  /**
   * Signs are taken around the mean: of vectors that all lean one way, most would be equal otherwise. Products come
   * category by category, and the mean of the first is far from most others: so it is taken anew when the index has
   * doubled, until that would take too long. Each `add` and each turn of the event loop signs some, so that nobody waits
   * for the rest; until all have signs, answers are exact.
   */
  function beginSigns(): void {
    const sums = new Float64Array(dims)
    const step = Math.ceil(size / MEAN_OF)
    for (let slot = 0; slot < size; slot += step) addRoughly(slot, sums)
    const perSum = 1 / Math.ceil(size / step)
    for (let dim = 0; dim < dims; dim++)
      kernel.views.float32[layout.centreAt / 4 + dim] = (sums[dim] ?? 0) * perSum
    signedAt = size
    withSigns = 0
    if (!signing) setImmediate(signOn).unref()
    signing = true
  }

  function signOn(): void {
    signMore()
    signing = withSigns < size
    if (signing) setImmediate(signOn).unref()
  }

  function signMore(): void {
    for (const end = Math.min(withSigns + SIGNED_EACH, size); withSigns < end; withSigns++) sign(withSigns)
  }

  function sign(slot: number): void {
    const index = indexInBlock(slot)
    const group = blockOf(slot) + layout.signsAt + Math.floor(index / 16) * dims * 2
    run.writeSigns(slot, group + (index % 16))
  }

  function score(query: Float32Array, slot: number): number {
    expectSlot(slot, size)
    expectDims(query, dims)
    const { views, scratch } = kernel
    views.float32.set(query, layout.queryFloat32At / 4)
    views.uint32[scratch.list / 4] = slot
    scoreExactly(scratch.list, 1, scratch.scores)
    return views.float32[scratch.scores / 4] ?? 0
  }

  function scores(query: Float32Array, slots: Uint32Array): Float32Array {
    for (const slot of slots) expectSlot(slot, size)
    expectDims(query, dims)
    const scored = new Float32Array(slots.length)
    const all = slots.length * FEW_OF_HELD > size ? heldScores(query) : null
    if (all) {
      for (let at = 0; at < slots.length; at++) scored[at] = all[slots[at] as number] as number
      return scored
    }
    const { views, scratch } = kernel
    views.float32.set(query, layout.queryFloat32At / 4)
    // Scratch holds as many as there are slots; a list may name one twice.
    for (let from = 0; from < slots.length; from += size) {
      const piece = slots.subarray(from, from + size)
      views.uint32.set(piece, scratch.list / 4)
      scoreExactly(scratch.list, piece.length, scratch.scores)
      const at = scratch.scores / 4
      scored.set(views.float32.subarray(at, at + piece.length), from)
    }
    return scored
  }

  function prepare(query: Float32Array): { scale: number; error: number; length: number } {
    expectDims(query, dims)
    const quantised = quantise(query, queryLevels(dims), kernel.views.int16, layout.queryInt16At / 2)
    expectLength(quantised.length)
    kernel.views.float32.set(query, layout.queryFloat32At / 4)
    return quantised
  }

  function search(query: Float32Array, k: number, allowed?: Uint8Array): Hits {
    if (!Number.isInteger(k) || k < 0) throw new RangeError(`k must be a whole number, not ${k}`)
    const prepared = prepare(query)
    const count = size > 0 && k > 0 ? mask(allowed) : 0
    if (count === 0) return { slots: new Uint32Array(0), scores: new Float32Array(0) }
    const { scratch } = kernel
    const wanted = candidatesFor(k, count, dims)
    const exact = withSigns < size || wanted >= count || count <= Math.max(FEW_SLOTS, size * FEW_SHARE)
    let listed = exact ? run.listAllowed(scratch.mask, size, scratch.list) : listBySigns(query, wanted)
    const all = exact ? heldScores(query) : null
    if (all) pickScores(all, listed)
    else if (listed > KEPT_EACH * k) scoreRoughly(listed, prepared.scale)
    if (listed > KEPT_EACH * k) listed = keepPossible(listed, k, prepared, all !== null)
    if (all) pickScores(all, listed)
    else if (listed <= MOST_EXACT) scoreExactly(scratch.list, listed, scratch.scores)
    else scoreRoughly(listed, prepared.scale)
    return best(listed, Math.min(k, listed))
  }

  /** Marks in scratch the slots that may be found, and counts them. */
  function mask(allowed: Uint8Array | undefined): number {
    const { scratch, views } = kernel
    const end = scratch.mask + size
    views.bytes.set(live.subarray(0, size), scratch.mask)
    // Signs are scanned by whole blocks, and the other loops go some slots beyond the end.
    views.bytes.fill(0, end, scratch.mask + Math.ceil(size / BLOCK_SLOTS) * BLOCK_SLOTS + 16)
    if (!allowed) return liveCount
    views.bytes.set(allowed.subarray(0, size), scratch.distances)
    if (allowed.length < size)
      views.bytes.fill(0, scratch.distances + allowed.length, scratch.distances + size)
    return run.narrowMask(scratch.mask, scratch.distances, size)
  }

  /** Lists about as many slots as are wanted, those whose signs are nearest; equal distances go together. */
  function listBySigns(query: Float32Array, wanted: number): number {
    const { scratch, views } = kernel
    const centre = views.float32.subarray(layout.centreAt / 4, layout.centreAt / 4 + dims)
    writePenalties(withoutPartAlong(query, centre), views.bytes, layout.penaltiesAt)
    for (let first = 0; first < size; first += BLOCK_SLOTS) {
      run.scanSigns(blockOf(first) + layout.signsAt, scratch.mask + first, scratch.distances + first * 2)
    }
    const listed = listNearest(wanted, SAMPLED_EACH)
    // What is allowed may lie at every fifth slot, or at none of these.
    return listed < wanted * 0.9 || listed > wanted * 1.5 ? listNearest(wanted, 1) : listed
  }

  /** By the distances of one slot in `each`: counting all of them takes a tenth of the time that scanning them does. */
  function listNearest(wanted: number, each: number): number {
    const { scratch } = kernel
    const histogram = emptyHistogram()
    run.tallyDistances(scratch.distances, size, each * 2)
    let bucket = 0
    // The last bucket holds what the mask leaves out.
    for (let seen = 0; bucket < HISTOGRAM_BUCKETS - 2; bucket++) {
      seen += histogram[bucket] ?? 0
      if (seen * each >= wanted) break
    }
    return run.listNear(scratch.distances, size, bucket * 4 + 3, scratch.list)
  }

  /**
   * Shortens the list to the slots that can be among its best k, by their scores in scratch. Of int8 scores at least k are at
   * `limit` or above, so the k-th true score is at most one error below it; a vector that reaches it has an int8 score at
   * most one more error below. Exact scores need no such allowance. That bound is for vectors made to meet it: usually int8 is off by a thirtieth of it, and in a large
   * index thousands lie within, each to be brought from a file. There the best by int8 are kept, some more than asked for.
   */
  function keepPossible(
    listed: number,
    k: number,
    query: { error: number; length: number },
    isExact: boolean,
  ): number {
    const { scratch } = kernel
    const range = Math.max(query.length * longest * 1.01, 1e-30)
    const rounding = (dims + 64) * 2 ** -23 * range
    const error = isExact
      ? rounding
      : query.error * longest + (query.length + query.error) * largestError + rounding
    const last = HISTOGRAM_BUCKETS - 1
    const histogram = emptyHistogram()
    run.tallyScores(scratch.scores, listed, range, last / (2 * range), last)
    const isLarge = size > exactUpTo
    const wanted = Math.min(listed, isLarge ? KEPT_EACH * k : k)
    let bucket = last
    for (let seen = histogram[last] ?? 0; seen < wanted; seen += histogram[bucket] ?? 0) bucket--
    // The lowest bucket also counts what lies below it.
    const limit = bucket > 0 ? (bucket * 2 * range) / last - range : -Infinity
    return run.keepAtLeast(scratch.list, scratch.scores, listed, isLarge ? limit : limit - 2 * error)
  }

  function scoreRoughly(listed: number, queryScale: number): void {
    const { scratch, views } = kernel
    const list = scratch.list / 4
    // The kernel takes four at a time.
    views.uint32.fill(views.uint32[list] ?? 0, list + listed, list + listed + 3)
    run.scoreInt8(scratch.list, listed, scratch.scores, queryScale)
  }

  function emptyHistogram(): Uint32Array {
    const at = layout.histogramAt / 4
    return kernel.views.uint32.subarray(at, at + HISTOGRAM_BUCKETS).fill(0)
  }

  /** Sorts one 64-bit key a listed slot: the score, turned so that the best is smallest, then the slot. */
  function best(listed: number, k: number): Hits {
    const { scratch, views } = kernel
    const keys = new BigUint64Array(listed)
    const halves = new Uint32Array(keys.buffer)
    for (let entry = 0; entry < listed; entry++) {
      halves[entry * 2] = views.uint32[scratch.list / 4 + entry] ?? 0
      halves[entry * 2 + 1] = bestFirst(views.int32[scratch.scores / 4 + entry] ?? 0)
    }
    keys.sort()
    const slots = new Uint32Array(k)
    const scoreBits = new Int32Array(k)
    for (let entry = 0; entry < k; entry++) {
      slots[entry] = halves[entry * 2] ?? 0
      scoreBits[entry] = bestFirst((halves[entry * 2 + 1] ?? 0) | 0)
    }
    return { slots, scores: new Float32Array(scoreBits.buffer) }
  }

  function remove(slot: number): void {
    expectSlot(slot, size)
    if (live[slot] === 0) return
    live[slot] = 0
    liveCount--
  }

  return {
    dims,
    get size() {
      return size
    },
    add,
    set,
    score,
    scores,
    vector(slot) {
      expectSlot(slot, size)
      const copy = new Float32Array(dims)
      copyRow(slot, copy, 0)
      return copy
    },
    search,
    remove,
    save: () => ({
      size,
      keys: kernel.keys(size),
      live: live.subarray(0, size),
      longest,
      largestError,
      signedAt,
      centre:
        signedAt > 0 ? kernel.views.float32.subarray(layout.centreAt / 4, layout.centreAt / 4 + dims) : null,
    }),
    parts: () =>
      kernel.parts(size).map(({ key, save, load }, group) => ({
        key,
        save,
        load(saved) {
          load(saved)
          // A part may be newer than what was saved with it, and its signs be taken around a later mean.
          const first = group * kernel.slotsEach
          const end = Math.min(size, first + kernel.slotsEach)
          for (let slot = first; slot < Math.min(end, withSigns); slot++) sign(slot)
        },
      })),
    bytes: () => kernel.scratch.end + live.byteLength + (held?.bytes() ?? 0),
  }
}

/**
 * What lies along the centre is nearly the same for all slots, and their signs say nothing of it. Less is taken away from a
 * query that has less of it: the centre is the mean of those that came first, and they may be all of one kind.
 */
function withoutPartAlong(query: Float32Array, centre: Float32Array): Float32Array {
  let along = 0
  let squares = 0
  for (let dim = 0; dim < centre.length; dim++) {
    along += (query[dim] ?? 0) * (centre[dim] ?? 0)
    squares += (centre[dim] ?? 0) ** 2
  }
  const part = squares > 0 ? along / squares : 0
  return query.map((value, dim) => value - part * (centre[dim] ?? 0))
}

/** Of vectors in a list, by slot. */
export function rowsOf(vectors: readonly Float32Array[]): Rows {
  return (slot, into, at) => {
    const vector = vectors[slot]
    if (vector) into.set(vector, at)
    return vector !== undefined
  }
}

/** 3,600 for 100,000 slots of 384 dimensions. Fewer dimensions tell less, but cost less to score again. */
function candidatesFor(k: number, count: number, dims: number): number {
  return Math.max(8 * k, Math.ceil((2000 + 5 * Math.sqrt(count)) * Math.max(1, 384 / dims)))
}

/** Bits of a float32 to an integer that grows as the number falls, read as unsigned; its own inverse. */
function bestFirst(bits: number): number {
  return bits < 0 ? bits : bits ^ 0x7fffffff
}

function expectDims(vector: Float32Array, dims: number): void {
  if (vector.length !== dims) throw new RangeError(`Expected ${dims} dimensions, got ${vector.length}`)
}

function expectLength(length: number): void {
  if (!(length <= MAX_LENGTH)) throw new RangeError(`Expected a vector of length 1, got ${length}`)
}

function expectSlot(slot: number, size: number): void {
  if (!Number.isInteger(slot) || slot < 0 || slot >= size)
    throw new RangeError(`No slot ${slot} among ${size}`)
}
