/**
 * The memory of one vector index and the compiled kernel bound to it (kernel.wat tells what each function
 * does). Slots live in blocks of a fixed size, one after the other, and scratch comes after the last block:
 * growing means one more block and scratch further out, so no vector ever moves. What was scratch becomes a
 * block, hence nothing may count on fresh bytes being zero.
 */
import fs from 'node:fs'
import { projectFile } from '../../lib/paths.ts'
import { createGroupKeys, type Part } from '../stored/saved.ts'

type Memory = { readonly buffer: ArrayBuffer; grow(pages: number): number }

/** Only what is used here: the global has no types without those of the browser. */
declare const WebAssembly: {
  Memory: new (limits: { initial: number; maximum: number }) => Memory
  Module: new (bytes: Uint8Array) => object
  Instance: new (
    module: object,
    imports: { index: Record<string, number | Memory> },
  ) => { exports: KernelFunctions }
}

type KernelFunctions = {
  writeSigns(slot: number, signs: number): void
  narrowMask(mask: number, allowed: number, count: number): number
  listAllowed(mask: number, count: number, list: number): number
  scanSigns(signs: number, mask: number, distances: number): void
  tallyDistances(distances: number, count: number, step: number): void
  listNear(distances: number, count: number, limit: number, list: number): number
  scoreInt8(list: number, count: number, scores: number, queryScale: number): void
  tallyScores(scores: number, count: number, shift: number, perUnit: number, last: number): void
  keepAtLeast(list: number, scores: number, count: number, limit: number): number
  scoreFloat32(rows: number, count: number, scores: number): void
}

export type Kernel = {
  run: KernelFunctions
  /** Addresses in bytes: `signsAt` and `scalesAt` inside a block, which begins with its int8 rows; the others in the memory. */
  layout: ReturnType<typeof layOut>
  /** Typed arrays over the whole memory, and where scratch is. All are new after the memory has grown. */
  views: Views
  scratch: Scratch
  /** Makes room for this many slots. */
  reserve(slots: number): void
  /** What is written to a slot is to be saved again. */
  touch(slot: number): void
  /** The blocks of so many slots, those of `slotsEach` at a time. */
  slotsEach: number
  keys(slots: number): string[]
  parts(slots: number): Part[]
}

type Views = ReturnType<typeof viewsOf>
type Scratch = ReturnType<typeof scratchAfter>

const PAGE_BYTES = 65_536
const MAX_PAGES = 65_536
/** A power of two: kernel.wat splits slots by shift and mask. */
export const BLOCK_SLOTS = 1024
/** Loops of the kernel step by up to 16 entries of 4 bytes and may run that far past the end. */
const PADDING = 64
export const HISTOGRAM_BUCKETS = 16_384

const kernelModule = new WebAssembly.Module(
  fs.readFileSync(projectFile('src', 'search', 'vectors', 'kernel.wasm')),
)

/** What a slot holds of its vector: int8 with signs, or int8 alone where nothing is searched for by signs. */
export type Forms = 'signs' | 'int8'
/** Rows of float32 are brought so many at a time when they are scored. */
export const ROWS_AT_ONCE = 64

/** Rows of float32 in a memory of their own. */
export type HeldRows = {
  /** How many there are: the first slots. */
  readonly count: number
  /** Where the row of a slot, one of those there are or the next, is to be written. */
  place(slot: number): { into: Float32Array; at: number }
  /** Of all rows, good until the next call. The scores of the latest query are remembered. */
  scores(query: Float32Array): Float32Array
  bytes(): number
}

/** For at most so many rows. */
export function createHeldRows(dims: number, most: number): HeldRows {
  const [queryAt, scoresAt] = [0, dims * 4]
  const rowsAt = scoresAt + most * 4 + PADDING
  const memory = new WebAssembly.Memory({
    initial: Math.ceil(rowsAt / PAGE_BYTES),
    maximum: Math.ceil((rowsAt + most * dims * 4) / PAGE_BYTES),
  })
  const layout = { ...layOut(dims, 'int8'), queryFloat32At: queryAt }
  const { exports } = new WebAssembly.Instance(kernelModule, { index: { memory, dims, ...layout } })
  let floats = new Float32Array(memory.buffer)
  let count = 0
  /** Of so many rows scores are there; less than `count` when they must be made anew. */
  let scored = 0

  function isLatest(query: Float32Array): boolean {
    if (scored < count) return false
    for (let dim = 0; dim < dims; dim++) if (floats[queryAt / 4 + dim] !== query[dim]) return false
    return true
  }

  return {
    get count() {
      return count
    },
    place(slot) {
      count = Math.max(count, slot + 1)
      scored = 0
      const missing = rowsAt + count * dims * 4 - memory.buffer.byteLength
      if (missing > 0) {
        growBy(
          memory,
          missing,
          `${count} vectors of ${dims} dimensions`,
          (rowsAt + most * dims * 4) / PAGE_BYTES,
        )
        floats = new Float32Array(memory.buffer)
      }
      return { into: floats, at: rowsAt / 4 + slot * dims }
    },
    scores(query) {
      if (count > 0 && !isLatest(query)) {
        floats.set(query, queryAt / 4)
        exports.scoreFloat32(rowsAt, count, scoresAt)
        scored = count
      }
      return floats.subarray(scoresAt / 4, scoresAt / 4 + count)
    },
    bytes: () => memory.buffer.byteLength,
  }
}

/** Of one part: small enough to be copied within a moment. */
const PART_BYTES = 4 << 20

/** `keys`: of the parts of a saved one, which are yet to be loaded. */
export function createKernel(dims: number, forms: Forms = 'signs', keys: readonly string[] = []): Kernel {
  const layout = layOut(dims, forms)
  const blocksEach = Math.max(1, Math.floor(PART_BYTES / layout.blockBytes))
  const slotsEach = blocksEach * BLOCK_SLOTS
  const groups = createGroupKeys(slotsEach, keys)
  const memory = new WebAssembly.Memory({
    initial: Math.ceil(scratchAfter(layout, 0).end / PAGE_BYTES),
    maximum: MAX_PAGES,
  })
  const { exports } = new WebAssembly.Instance(kernelModule, { index: { memory, dims, ...layout } })
  let blocks = 0
  const kernel: Kernel = {
    run: exports,
    layout,
    views: viewsOf(memory.buffer),
    scratch: scratchAfter(layout, blocks),
    reserve(slots) {
      const wanted = Math.ceil(slots / BLOCK_SLOTS)
      if (wanted <= blocks) return
      const scratch = scratchAfter(layout, wanted)
      const missing = scratch.end - memory.buffer.byteLength
      if (missing > 0) growBy(memory, missing, `${slots} vectors of ${dims} dimensions`)
      blocks = wanted
      kernel.scratch = scratch
      kernel.views = viewsOf(memory.buffer)
    },
    touch: groups.touch,
    slotsEach,
    keys: groups.list,
    parts: (slots) =>
      groups.list(slots).map((key, group) => {
        const from = layout.blocksAt + group * blocksEach * layout.blockBytes
        const last = Math.min(Math.ceil(slots / BLOCK_SLOTS), (group + 1) * blocksEach)
        const to = layout.blocksAt + last * layout.blockBytes
        return {
          key,
          save: () => kernel.views.bytes.subarray(from, to),
          load(saved) {
            kernel.reserve(slots)
            kernel.views.bytes.set(saved as Uint8Array, from)
          },
        }
      }),
  }
  return kernel
}

/**
 * By an eighth at least. Every step gives the memory a new buffer, which the garbage collector takes for so much more to
 * look after: filling an index of 50,000 took 35 s in steps of one block, and takes 19 so. Room that nobody has written to
 * takes none of the machine's memory.
 */
function growBy(memory: Memory, missing: number, wanted: string, mostPages = MAX_PAGES): void {
  const used = memory.buffer.byteLength / PAGE_BYTES
  const pages = Math.ceil(missing / PAGE_BYTES)
  const ample = Math.min(used >> 3, Math.floor(mostPages) - used)
  try {
    memory.grow(Math.max(pages, ample))
  } catch (cause) {
    throw new RangeError(`No memory for ${wanted}: one index holds at most 4 GiB`, { cause })
  }
}

function layOut(dims: number, forms: Forms) {
  const queryFloat32At = 0
  const queryInt16At = queryFloat32At + dims * 4
  const penaltiesAt = queryInt16At + dims * 2
  const centreAt = penaltiesAt + dims * 4
  const histogramAt = centreAt + dims * 4
  const rowsAt = histogramAt + HISTOGRAM_BUCKETS * 4
  const blocksAt = rowsAt + (forms === 'signs' ? ROWS_AT_ONCE * dims * 4 : 0)
  const signsAt = BLOCK_SLOTS * dims
  const scalesAt = signsAt + (forms === 'signs' ? (BLOCK_SLOTS * dims) / 8 : 0)
  const blockBytes = scalesAt + BLOCK_SLOTS * 4
  return {
    queryFloat32At,
    queryInt16At,
    penaltiesAt,
    centreAt,
    histogramAt,
    rowsAt,
    blocksAt,
    signsAt,
    scalesAt,
    blockBytes,
  }
}

function scratchAfter(layout: ReturnType<typeof layOut>, blocks: number) {
  const slots = blocks * BLOCK_SLOTS
  const mask = layout.blocksAt + blocks * layout.blockBytes
  const distances = mask + slots + PADDING
  const list = distances + slots * 2 + PADDING
  const scores = list + slots * 4 + PADDING
  return { mask, distances, list, scores, end: scores + slots * 4 + PADDING }
}

function viewsOf(buffer: ArrayBuffer) {
  return {
    bytes: new Uint8Array(buffer),
    int8: new Int8Array(buffer),
    int16: new Int16Array(buffer),
    int32: new Int32Array(buffer),
    uint32: new Uint32Array(buffer),
    float32: new Float32Array(buffer),
  }
}
