/**
 * BM25F: a term's frequencies in the fields are weighted, divided by how long the field is against its average,
 * added up and only then saturated, so that a word in title and text is no double hit.
 * Worked out for each posting at each search, without a branch on the way: averages move with every document, so
 * nothing kept in the postings would stay right.
 */
import { MULTIPLIER_BITS, SCALED_FIELDS } from './combinations.ts'
import { FIELD_WEIGHTS, FIELDS, frequencyIn } from './fields.ts'
import type { Postings } from './segment.ts'
import type { Scales } from './statistics.ts'

export const K1 = 1.2

const WEIGHTS = FIELDS.map((field) => FIELD_WEIGHTS[field].weight)
const SCALED_AS = FIELDS.map((field) => SCALED_FIELDS.indexOf(field))

/** Scores by slot while a query runs. Which slots have one is noted, so that nobody has to look at all of them. */
export type Board = {
  scores: Float32Array
  /** One place more than slots: the place after the last is written before it is known whether it counts. */
  touched: Uint32Array
  count: number
  /** The best so far of the variants of one word, by slot. */
  best: Float32Array
}

/** Adds `factor` × the saturated frequency of every posting to its document, for a word that has no other variant. */
export function addScores(
  { base, slots, combinations, from, to }: Postings,
  factor: number,
  multipliers: Float32Array,
  { lengths, byLength }: Scales,
  board: Board,
): void {
  const { scores, touched } = board
  let { count } = board
  for (let i = from; i < to; i++) {
    const slot = base + (slots[i] as number)
    const weighed = weigh(
      (combinations[i] as number) << MULTIPLIER_BITS,
      lengths[slot] as number,
      multipliers,
      byLength,
    )
    const before = scores[slot] as number
    const after = before + (factor * weighed) / (K1 + weighed)
    scores[slot] = after
    touched[count] = slot
    if (before === 0 && after !== 0) count++
  }
  board.count = count
}

/** The same where several variants stand for one word: a document gets only what this one has over the best before. */
export function raiseScores(
  { base, slots, combinations, from, to }: Postings,
  factor: number,
  multipliers: Float32Array,
  { lengths, byLength }: Scales,
  board: Board,
): void {
  const { scores, touched, best } = board
  let { count } = board
  for (let i = from; i < to; i++) {
    const slot = base + (slots[i] as number)
    const weighed = weigh(
      (combinations[i] as number) << MULTIPLIER_BITS,
      lengths[slot] as number,
      multipliers,
      byLength,
    )
    const score = (factor * weighed) / (K1 + weighed)
    const outdone = best[slot] as number
    if (score <= outdone) continue
    const before = scores[slot] as number
    best[slot] = score
    scores[slot] = before + score - outdone
    touched[count] = slot
    if (before === 0) count++
  }
  board.count = count
}

/** The flat part and four scaled ones, without a branch; those that do not exist are 0. */
function weigh(at: number, lengths: number, multipliers: Float32Array, byLength: Float32Array): number {
  return (
    (multipliers[at] as number) +
    (multipliers[at + 1] as number) * (byLength[lengths & 255] as number) +
    (multipliers[at + 2] as number) * (byLength[256 + ((lengths >>> 8) & 255)] as number) +
    (multipliers[at + 3] as number) * (byLength[512 + ((lengths >>> 16) & 255)] as number) +
    (multipliers[at + 4] as number) * (byLength[768 + (lengths >>> 24)] as number)
  )
}

/** One posting at a time, and for some fields only. */
export function weighFrequencies(frequencies: number, slot: number, { lengths, byLength }: Scales): number {
  let sum = 0
  for (let field = 0; field < FIELDS.length; field++) {
    const frequency = frequencyIn(frequencies, field)
    if (frequency === 0) continue
    const scaled = SCALED_AS[field] as number
    if (scaled < 0) sum += frequency * (WEIGHTS[field] as number)
    else
      sum +=
        frequency * (byLength[scaled * 256 + (((lengths[slot] as number) >>> (scaled * 8)) & 255)] as number)
  }
  return sum
}

export function saturate(weighed: number): number {
  return weighed / (K1 + weighed)
}
