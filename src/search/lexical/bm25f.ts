/**
 * BM25F: a term's frequencies in the fields are weighted, divided by how long the field is against its average,
 * added up and only then saturated, so that a word in title and text is no double hit.
 * Worked out for each posting at each search, without a branch on the way: averages move with every document, so
 * nothing kept in the postings would stay right.
 */
import {
  FIELD_WEIGHTS,
  FIELDS,
  type Field,
  fieldMask,
  frequencyIn,
  MULTIPLIER_BITS,
  SCALED_FIELDS,
} from './fields.ts'
import { growTo, type Postings, withRoom } from './segments.ts'

/**
 * What BM25F must know beside the postings: how long each document's fields are, how long they are on average, how
 * many documents there are. Lengths are one byte each, exact up to 127 words, in steps of about 2% above that.
 */

const EXACT = 127
const LONGEST = 2048
const CODES = 256

export type Statistics = {
  /** Documents counted. */
  readonly documents: number
  /** `lengths` in words, in the order of FIELDS. */
  add(slot: number, lengths: ArrayLike<number>): void
  /** Takes a document out of the averages. */
  drop(slot: number): void
  idf(documentFrequency: number): number
  /** What to multiply frequencies with; valid until the next `add` or `drop`. */
  scales(): Scales
  save(): SavedStatistics
  bytes(): number
}

export type SavedStatistics = {
  lengths: Uint32Array
  totals: Float64Array
  having: Float64Array
  documents: number
}

/** `lengths`: four codes a slot. `byLength`: weight over normalised length, by scaled field and code. */
export type Scales = { lengths: Uint32Array; byLength: Float32Array }

export function createStatistics(saved?: SavedStatistics): Statistics {
  if (SCALED_FIELDS.length > 4) throw new RangeError('at most four fields may have a length')
  let lengths = withRoom(saved?.lengths, new Uint32Array(1024))
  const totals = saved?.totals.slice() ?? new Float64Array(SCALED_FIELDS.length)
  /** Documents that have the field at all; the others do not lower its average. */
  const having = saved?.having.slice() ?? new Float64Array(SCALED_FIELDS.length)
  const byLength = new Float32Array(4 * CODES)
  let documents = saved?.documents ?? 0
  let stale = true

  function count(slot: number, sign: 1 | -1): void {
    for (let i = 0; i < SCALED_FIELDS.length; i++) {
      const code = ((lengths[slot] as number) >>> (8 * i)) & 255
      if (code === 0) continue
      totals[i] = (totals[i] as number) + sign * (LENGTHS[code] as number)
      having[i] = (having[i] as number) + sign
    }
    documents += sign
    stale = true
  }

  function refresh(): void {
    SCALED_FIELDS.forEach((field, i) => {
      const { weight, b } = FIELD_WEIGHTS[field]
      const average = (totals[i] as number) / (having[i] as number) || 1
      for (let code = 0; code < CODES; code++)
        byLength[i * CODES + code] = weight / (1 - b + (b * (LENGTHS[code] as number)) / average)
    })
    stale = false
  }

  return {
    get documents() {
      return documents
    },
    add(slot, given) {
      lengths = growTo(lengths, slot + 1)
      lengths[slot] = packLengths(given)
      count(slot, 1)
    },
    drop: (slot) => count(slot, -1),
    idf: (frequency) => Math.log(1 + Math.max(0, documents - frequency + 0.5) / (frequency + 0.5)),
    scales() {
      if (stale) refresh()
      return { lengths, byLength }
    },
    save: () => ({ lengths, totals, having, documents }),
    bytes: () => lengths.byteLength + byLength.byteLength,
  }
}

/** The length each code stands for. */
const LENGTHS = Float64Array.from({ length: CODES }, (_, code) =>
  code <= EXACT ? code : EXACT * (LONGEST / EXACT) ** ((code - EXACT) / (CODES - 1 - EXACT)),
)

/** Of a document, by the order of FIELDS: one byte for each field whose length matters. */
export function packLengths(lengths: ArrayLike<number>): number {
  return SCALED_FIELDS.reduce(
    (packed, field, i) => packed | (lengthCode(lengths[FIELDS.indexOf(field)] ?? 0) << (8 * i)),
    0,
  )
}

/** What a document adds to the totals of each field whose length matters: the words, of how many documents. */
export function lengthsIn(packed: number): number[] {
  return SCALED_FIELDS.map((_, i) => LENGTHS[(packed >>> (8 * i)) & 255] as number)
}

function lengthCode(length: number): number {
  if (length <= EXACT) return length
  const steps =
    (Math.log(Math.min(length, LONGEST) / EXACT) / Math.log(LONGEST / EXACT)) * (CODES - 1 - EXACT)
  return EXACT + Math.round(steps)
}

/**
 * A query as the index works on it: groups of variants, each variant one term or a phrase ("air fryer": all its words in
 * the same field, wherever they stand). A variant never counts more than the word it stands for: its idf is capped by
 * that of the group's head, or a rare synonym would outrank the common word that was asked for.
 */

export type QueryTerm = {
  /** A term, or a phrase of terms with a space between. */
  term: string
  /** 1 for a true word, less for a synonym or a corrected spelling. */
  weight: number
  /** Variants of one query word share a group. */
  group: number
  /** Where it may match; everywhere when absent. */
  fields?: Field[]
}

export type Variant = {
  words: number[]
  weight: number
  /** weight × capped idf */
  factor: number
  mask: number
}

export type Group = {
  /** Those that are in the index. */
  variants: Variant[]
  /** What the word is worth: the idf of its heaviest variant in the index, or that of an unknown word. */
  idf: number
}

export type Lookup = {
  idOf(term: string): number
  documents(id: number): number
  idf(documents: number): number
}

export function makeGroups(terms: readonly QueryTerm[], lookup: Lookup): Group[] {
  const byGroup = new Map<number, QueryTerm[]>()
  for (const term of terms) {
    const group = byGroup.get(term.group)
    if (group) group.push(term)
    else byGroup.set(term.group, [term])
  }
  return [...byGroup.values()].map((variants) => makeGroup(variants, lookup))
}

function makeGroup(terms: QueryTerm[], lookup: Lookup): Group {
  const present = terms.flatMap((term) => {
    const words = term.term.split(' ').map((word) => lookup.idOf(word))
    if (term.weight <= 0 || words.some((id) => id < 0 || lookup.documents(id) === 0)) return []
    return [{ term, words, idf: phraseIdf(words, lookup) }]
  })
  let head = present[0]
  for (const variant of present) if (head && variant.term.weight > head.term.weight) head = variant
  if (!head) return { variants: [], idf: lookup.idf(0) }
  const { idf } = head
  return {
    variants: present.map((variant) => ({
      words: variant.words,
      weight: variant.term.weight,
      factor: variant.term.weight * Math.min(variant.idf, idf),
      mask: fieldMask(variant.term.fields),
    })),
    idf,
  }
}

/** A phrase is at least as rare as its rarest word. */
export function phraseIdf(words: number[], lookup: Lookup): number {
  return Math.max(...words.map((id) => lookup.idf(id < 0 ? 0 : lookup.documents(id))))
}

/**
 * The k best of a score board, and the board wiped clean. Scores are counted into buckets by their leading bits, which
 * gives a bar that only about k of them pass, and only those are sorted: no heap, and hardly a branch that
 * depends on a score.
 */

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
