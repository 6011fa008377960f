/**
 * The k best of a score board, and the board wiped clean. Scores are counted into buckets by their leading bits, which
 * gives a bar that only about k of them pass, and only those are sorted: no heap, and hardly a branch that
 * depends on a score.
 */
import type { Board } from './bm25f.ts'

export type LexicalHits = { slots: Uint32Array; scores: Float32Array }

/** Score and slot share the 53 bits of a number; more documents than this do not belong in one process. */
export const MAX_SLOTS = 1 << 22
/** Exponent and five bits of the fraction: each bucket is about 3% wide. */
const BUCKET_SHIFT = 18
const buckets = new Uint32Array(1 << (31 - BUCKET_SHIFT))

/** Best first, ties by slot; only slots for which `isIn` holds. */
export function takeTop(board: Board, k: number, isIn: (slot: number) => boolean): LexicalHits {
  const { scores, touched } = board
  // Positive floats are in the same order as their bits.
  const bits = new Uint32Array(scores.buffer, scores.byteOffset, scores.length)
  let count = 0
  for (let i = 0; i < board.count; i++) {
    const slot = touched[i] as number
    if (!isIn(slot)) {
      scores[slot] = 0
      continue
    }
    const bucket = (bits[slot] as number) >>> BUCKET_SHIFT
    buckets[bucket] = (buckets[bucket] as number) + 1
    touched[count++] = slot
  }
  const wanted = Math.max(0, Math.min(k, count))
  const { bar, passing } = findBar(wanted)
  const keys = new Float64Array(passing)
  let kept = 0
  for (let i = 0; i < count; i++) {
    const slot = touched[i] as number
    const score = bits[slot] as number
    scores[slot] = 0
    if (score >>> BUCKET_SHIFT >= bar) keys[kept++] = score * MAX_SLOTS + (MAX_SLOTS - 1 - slot)
  }
  board.count = 0
  return readKeys(keys.sort(), wanted)
}

/** The lowest bucket that is needed for so many, and how many are in it and above. Empties the buckets. */
function findBar(wanted: number): { bar: number; passing: number } {
  let bar = buckets.length
  let passing = 0
  while (passing < wanted) passing += buckets[--bar] as number
  buckets.fill(0)
  return { bar, passing }
}

function readKeys(ascending: Float64Array, wanted: number): LexicalHits {
  const slots = new Uint32Array(wanted)
  const scoreBits = new Uint32Array(wanted)
  for (let i = 0; i < wanted; i++) {
    const key = ascending[ascending.length - 1 - i] as number
    const score = Math.floor(key / MAX_SLOTS)
    scoreBits[i] = score
    slots[i] = MAX_SLOTS - 1 - (key - score * MAX_SLOTS)
  }
  return { slots, scores: new Float32Array(scoreBits.buffer) }
}
