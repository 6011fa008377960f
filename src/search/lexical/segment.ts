/**
 * A sealed part of the index: the postings of up to 65,536 consecutive slots, so that a posting is four bytes, its slot
 * within the segment and its combination of field frequencies. Plain 16-bit slots beat delta coding here: as
 * small, and nothing to decode. Sealed segments never change; merging makes a new one, a slice at a time.
 */

export const MAX_SPAN = 1 << 16

/** Postings of one term in one segment: `slots[i] + base`, ascending, for `from <= i < to`. */
export type Postings = {
  base: number
  slots: Uint16Array
  combinations: Uint16Array
  from: number
  to: number
}

export type Segment = {
  base: number
  span: number
  /** Documents whose postings are here, and how many of those have been removed since. */
  documents: number
  dead: number
  /** Ascending; the postings of `terms[i]` are `starts[i]` to `starts[i + 1]`. */
  terms: Uint32Array
  starts: Uint32Array
  slots: Uint16Array
  combinations: Uint16Array
}

export function findPostings(segment: Segment, term: number): Postings | undefined {
  const { base, terms, starts, slots, combinations } = segment
  let low = 0
  let high = terms.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((terms[middle] as number) < term) low = middle + 1
    else high = middle
  }
  if (terms[low] !== term) return undefined
  return { base, slots, combinations, from: starts[low] as number, to: starts[low + 1] as number }
}

export function segmentBytes(segment: Segment): number {
  const { terms, starts, slots, combinations } = segment
  return terms.byteLength + starts.byteLength + slots.byteLength + combinations.byteLength
}

/** A merge under way. The inputs stay in service until it is done. */
export type Merge = {
  inputs: Segment[]
  /** Slots, counted from the first base, that were removed when the merge began: their postings are left out. */
  dropped: Uint8Array
  output: Segment
  /** The next term of each input. */
  cursors: number[]
  termCount: number
  postingCount: number
}

/** `isDead` by slot. Inputs are in order of their slots. */
export function beginMerge(inputs: Segment[], isDead: (slot: number) => boolean): Merge {
  const base = inputs[0]?.base ?? 0
  const last = inputs.at(-1)
  const span = last ? last.base + last.span - base : 0
  const dropped = new Uint8Array(span)
  let dead = 0
  for (let i = 0; i < span; i++) {
    if (!isDead(base + i)) continue
    dropped[i] = 1
    dead++
  }
  const termRoom = inputs.reduce((sum, input) => sum + input.terms.length, 0)
  const postingRoom = inputs.reduce((sum, input) => sum + input.slots.length, 0)
  const documents = inputs.reduce((sum, input) => sum + input.documents, 0) - dead
  return {
    inputs,
    dropped,
    output: {
      base,
      span,
      documents,
      dead: 0,
      terms: new Uint32Array(termRoom),
      starts: new Uint32Array(termRoom + 1),
      slots: new Uint16Array(postingRoom),
      combinations: new Uint16Array(postingRoom),
    },
    cursors: inputs.map(() => 0),
    termCount: 0,
    postingCount: 0,
  }
}

/** What it costs to move on by a term, counted in postings. */
const TERM_COST = 8

/** Merges on for about `budget` postings; true when done. `onDropped` learns the postings left out. */
export function stepMerge(
  merge: Merge,
  budget: number,
  onDropped: (term: number, count: number) => void,
): boolean {
  const { inputs, cursors, output } = merge
  let left = budget
  while (left > 0) {
    const term = nextTerm(merge)
    if (term === undefined) {
      trim(merge)
      return true
    }
    const start = merge.postingCount
    for (let i = 0; i < inputs.length; i++) {
      const input = inputs[i] as Segment
      const cursor = cursors[i] as number
      if (input.terms[cursor] !== term) continue
      const count = (input.starts[cursor + 1] as number) - (input.starts[cursor] as number)
      const copied = copyPostings(merge, input, cursor)
      if (copied < count) onDropped(term, count - copied)
      cursors[i] = cursor + 1
      left -= count + TERM_COST
    }
    if (merge.postingCount === start) continue
    output.terms[merge.termCount++] = term
    output.starts[merge.termCount] = merge.postingCount
  }
  return false
}

function nextTerm({ inputs, cursors }: Merge): number | undefined {
  let next: number | undefined
  for (let i = 0; i < inputs.length; i++) {
    const term = inputs[i]?.terms[cursors[i] as number]
    if (term !== undefined && (next === undefined || term < next)) next = term
  }
  return next
}

function copyPostings(merge: Merge, input: Segment, cursor: number): number {
  const { output, dropped } = merge
  const shift = input.base - output.base
  const to = input.starts[cursor + 1] as number
  let at = merge.postingCount
  for (let i = input.starts[cursor] as number; i < to; i++) {
    const slot = (input.slots[i] as number) + shift
    if (dropped[slot] === 1) continue
    output.slots[at] = slot
    output.combinations[at] = input.combinations[i] as number
    at++
  }
  const copied = at - merge.postingCount
  merge.postingCount = at
  return copied
}

/** Room was made for postings that turned out to be dead, and for terms that several inputs share. */
function trim({ output, termCount, postingCount }: Merge): void {
  output.terms = output.terms.slice(0, termCount)
  output.starts = output.starts.slice(0, termCount + 1)
  if (postingCount === output.slots.length) return
  output.slots = output.slots.slice(0, postingCount)
  output.combinations = output.combinations.slice(0, postingCount)
}
