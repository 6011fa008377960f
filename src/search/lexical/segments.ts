/**
 * All postings: sealed segments in the order of their slots, and the growing part behind them. When the growing part is
 * full it is sealed; four sealed segments of one size become one of the next (1k, 4k, 16k, 64k documents), and one of
 * which more than half is dead is written anew. One merge at a time, moved on a little by every `add`.
 */
import { newKey, type Part } from '../stored/saved.ts'
import { MAX_SLOTS } from './bm25f.ts'
import { type Combinations, leastOf } from './fields.ts'

/** What is asked of the postings of one term or phrase, whatever segments they lie in. */

/** The combination a slot has in one of these pieces (ascending by base), or -1. */
export function combinationOf(pieces: Postings[], slot: number): number {
  let i = pieces.length - 1
  while (i >= 0 && (pieces[i] as Postings).base > slot) i--
  const piece = pieces[i]
  if (!piece) return -1
  // A slot of a segment that lacks the term lies behind this piece's last one and is not found.
  const local = slot - piece.base
  let low = piece.from
  let high = piece.to
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((piece.slots[middle] as number) < local) low = middle + 1
    else high = middle
  }
  return low < piece.to && piece.slots[low] === local ? (piece.combinations[low] as number) : -1
}

/** Documents that hold both, with the lesser frequency in each field; those without a field in common are left out. */
export function intersect(a: Postings[], b: Postings[], combinations: Combinations): Postings[] {
  return a.flatMap((left) => {
    const right = b.find((piece) => piece.base === left.base)
    const both = right && intersectPiece(left, right, combinations)
    return both && both.to > 0 ? [both] : []
  })
}

function intersectPiece(a: Postings, b: Postings, combinations: Combinations): Postings {
  const room = Math.min(a.to - a.from, b.to - b.from)
  const slots = new Uint16Array(room)
  const common = new Uint16Array(room)
  let count = 0
  let i = a.from
  let j = b.from
  while (i < a.to && j < b.to) {
    const left = a.slots[i] as number
    const right = b.slots[j] as number
    if (left === right) {
      const id = commonCombination(a.combinations[i] as number, b.combinations[j] as number, combinations)
      if (id >= 0) {
        slots[count] = left
        common[count++] = id
      }
    }
    if (left <= right) i++
    if (right <= left) j++
  }
  return { base: a.base, slots, combinations: common, from: 0, to: count }
}

function commonCombination(a: number, b: number, combinations: Combinations): number {
  if (a === b) return a
  const least = leastOf(combinations.packed[a] as number, combinations.packed[b] as number)
  if (least === 0) return -1
  if (least === combinations.packed[a]) return a
  return least === combinations.packed[b] ? b : combinations.idOf(least)
}

/** Typed arrays that take more, by so large steps that adding stays cheap on the whole, and so small that little is idle. */

type Numbers = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float32Array | Float64Array

/** Below this an array doubles, above it grows by a quarter. */
const LARGE = 1 << 16

/** The same array, or a larger copy when `length` does not fit. */
export function growTo<T extends Numbers>(numbers: T, length: number): T {
  if (length <= numbers.length) return numbers
  const Kind = numbers.constructor as new (length: number) => T
  const step = numbers.length < LARGE ? numbers.length : numbers.length >> 2
  const grown = new Kind(Math.max(length, numbers.length + step))
  grown.set(numbers)
  return grown
}

/** What was saved, in an array that can take more at once; what is new where nothing was. */
export function withRoom<T extends Numbers>(saved: T | undefined, fresh: T): T {
  return saved === undefined ? fresh : growTo(saved, Math.max(saved.length + 1, fresh.length))
}

/**
 * The part of the index that takes new documents: postings in the order they come, each with a link to the term's
 * posting before it. Cheap to add to, fast enough to search while it is small, sealed when it is full.
 */

/** A document's distinct terms, each with the number of its combination of field frequencies. */
export type DocumentTerms = { terms: number[]; combinations: number[] }

export type SavedGrowing = {
  base: number
  span: number
  terms: Uint32Array
  slots: Uint16Array
  combinations: Uint16Array
  previous: Uint32Array
}

export type Growing = {
  readonly base: number
  readonly span: number
  add(document: DocumentTerms): void
  find(term: number): Postings | undefined
  /** As an immutable segment, without the documents that are dead. What grows on begins behind it. */
  seal(isDead: (slot: number) => boolean, onDropped: (term: number) => void): Segment
  save(): SavedGrowing
  bytes(): number
}

export function createGrowing(saved?: SavedGrowing): Growing {
  let base = saved?.base ?? 0
  let terms = withRoom(saved?.terms, new Uint32Array(4096))
  let slots = withRoom(saved?.slots, new Uint16Array(4096))
  let combinations = withRoom(saved?.combinations, new Uint16Array(4096))
  let previous = withRoom(saved?.previous, new Uint32Array(4096))
  /** By term: one more than the place of its newest posting, 0 for none. */
  let newest = new Uint32Array(4096)
  let span = saved?.span ?? 0
  let count = saved?.terms.length ?? 0
  for (let i = 0; i < count; i++) {
    const term = terms[i] as number
    newest = growTo(newest, term + 1)
    newest[term] = i + 1
  }

  function add(document: DocumentTerms): void {
    const added = document.terms.length
    terms = growTo(terms, count + added)
    slots = growTo(slots, count + added)
    combinations = growTo(combinations, count + added)
    previous = growTo(previous, count + added)
    for (let i = 0; i < added; i++) {
      const term = document.terms[i] as number
      newest = growTo(newest, term + 1)
      terms[count] = term
      slots[count] = span
      combinations[count] = document.combinations[i] as number
      previous[count] = newest[term] as number
      newest[term] = ++count
    }
    span++
  }

  function find(term: number): Postings | undefined {
    let length = 0
    for (let link = newest[term] ?? 0; link > 0; link = previous[link - 1] as number) length++
    if (length === 0) return undefined
    const found = {
      base,
      slots: new Uint16Array(length),
      combinations: new Uint16Array(length),
      from: 0,
      to: length,
    }
    for (let link = newest[term] ?? 0; link > 0; link = previous[link - 1] as number) {
      found.slots[--length] = slots[link - 1] as number
      found.combinations[length] = combinations[link - 1] as number
    }
    return found
  }

  function seal(isDead: (slot: number) => boolean, onDropped: (term: number) => void): Segment {
    const dead = new Uint8Array(span)
    let deadCount = 0
    for (let slot = 0; slot < span; slot++) {
      if (!isDead(base + slot)) continue
      dead[slot] = 1
      deadCount++
    }
    let kept = count
    if (deadCount > 0) for (let i = 0; i < count; i++) kept -= dead[slots[i] as number] as number
    // Of its own terms alone: a catalog has millions, and a thousand documents some ten thousand.
    const held = terms.subarray(0, count).filter((term, i) => newest[term] === i + 1)
    held.sort()
    const sealed: Segment = {
      key: newKey(),
      base,
      span,
      documents: span - deadCount,
      dead: 0,
      terms: new Uint32Array(held.length),
      starts: new Uint32Array(held.length + 1),
      slots: new Uint16Array(kept),
      combinations: new Uint16Array(kept),
    }
    let termCount = 0
    let start = 0
    for (const term of held) {
      let end = start
      for (let link = newest[term] as number; link > 0; link = previous[link - 1] as number)
        if (dead[slots[link - 1] as number] === 1) onDropped(term)
        else end++
      // From the newest on, so from the end.
      let to = end
      for (let link = newest[term] as number; link > 0; link = previous[link - 1] as number) {
        if (dead[slots[link - 1] as number] === 1) continue
        sealed.slots[--to] = slots[link - 1] as number
        sealed.combinations[to] = combinations[link - 1] as number
      }
      newest[term] = 0
      if (end === start) continue
      sealed.terms[termCount++] = term
      sealed.starts[termCount] = end
      start = end
    }
    sealed.terms = sealed.terms.slice(0, termCount)
    sealed.starts = sealed.starts.slice(0, termCount + 1)
    base += span
    span = 0
    count = 0
    return sealed
  }

  return {
    get base() {
      return base
    },
    get span() {
      return span
    },
    add,
    find,
    seal,
    save: () => ({
      base,
      span,
      terms: terms.subarray(0, count),
      slots: slots.subarray(0, count),
      combinations: combinations.subarray(0, count),
      previous: previous.subarray(0, count),
    }),
    bytes: () =>
      terms.byteLength + slots.byteLength + combinations.byteLength + previous.byteLength + newest.byteLength,
  }
}

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

/** What holds the postings of many terms. */
export type PostingsIn = Pick<Postings, 'base' | 'slots' | 'combinations'>

export type Segment = {
  /** Of its file. */
  key: string
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

type SavedPostings = Pick<Segment, 'terms' | 'starts' | 'slots' | 'combinations'>
type SavedSegment = Pick<Segment, 'key' | 'base' | 'span' | 'documents' | 'dead'>

/** Its postings are a part, which is yet to be loaded. */
function openSegment(saved: SavedSegment): Segment {
  const [none, noSlots] = [new Uint32Array(0), new Uint16Array(0)]
  return { ...saved, terms: none, starts: none, slots: noSlots, combinations: noSlots }
}

function partOf(segment: Segment): Part {
  return {
    key: segment.key,
    save: () => postingsOf(segment),
    load(saved) {
      Object.assign(segment, saved as SavedPostings)
    },
  }
}

function postingsOf({ terms, starts, slots, combinations }: Segment): SavedPostings {
  return { terms, starts, slots, combinations }
}

function savedSegment({ key, base, span, documents, dead }: Segment): SavedSegment {
  return { key, base, span, documents, dead }
}

export function findPostings(segment: Segment, term: number): Postings | undefined {
  const { base, terms, starts, slots, combinations } = segment
  const place = placeIn(terms, 0, terms.length, term)
  if (terms[place] !== term) return undefined
  return { base, slots, combinations, from: starts[place] as number, to: starts[place + 1] as number }
}

/** Where the term is among ascending ones, or the next. */
function placeIn(terms: Uint32Array, from: number, to: number, term: number): number {
  let low = from
  let high = to
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((terms[middle] as number) < term) low = middle + 1
    else high = middle
  }
  return low
}

/** The same from a place on, in wider and wider steps: what is near is found soon. */
function placeFrom(terms: Uint32Array, from: number, term: number): number {
  let low = from
  let step = 1
  while (low + step < terms.length && (terms[low + step] as number) < term) {
    low += step
    step *= 2
  }
  return placeIn(terms, low, Math.min(low + step, terms.length), term)
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
      key: newKey(),
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

function saveMerge({ inputs, output, ...rest }: Merge): NonNullable<SavedSegments['merge']> {
  const { dropped, cursors, termCount, postingCount } = rest
  return {
    dropped,
    cursors,
    termCount,
    postingCount,
    inputs: inputs.map(({ key }) => key),
    output: {
      ...savedSegment(output),
      terms: output.terms.subarray(0, termCount),
      starts: output.starts.subarray(0, termCount + 1),
      slots: output.slots.subarray(0, postingCount),
      combinations: output.combinations.subarray(0, postingCount),
    },
    room: [output.terms.length, output.slots.length],
  }
}

function openMerge(saved: NonNullable<SavedSegments['merge']>, sealed: readonly Segment[]): Merge {
  const [terms, postings] = saved.room
  return {
    ...saved,
    inputs: saved.inputs.flatMap((key) => sealed.find((segment) => segment.key === key) ?? []),
    output: {
      ...saved.output,
      terms: growTo(saved.output.terms, terms).subarray(0, terms),
      starts: growTo(saved.output.starts, terms + 1).subarray(0, terms + 1),
      slots: growTo(saved.output.slots, postings).subarray(0, postings),
      combinations: growTo(saved.output.combinations, postings).subarray(0, postings),
    },
  }
}

export type SegmentSizes = {
  /** Documents at which the growing part is sealed. */
  sealAt: number
  /** How many segments of one size are merged into one. */
  fanIn: number
  /** Slots of the largest segments; they are merged no further. */
  maxSpan: number
  /** Postings merged by each `add`: more than the adds between two seals need, and a fraction of a millisecond. */
  slice: number
}

const DEFAULT_SIZES: SegmentSizes = { sealAt: 1024, fanIn: 4, maxSpan: MAX_SPAN, slice: 16_384 }

/** What becomes of a slot: in service, removed but its postings still there, gone. */
export const LIVE = 1
const DEAD = 2
const GONE = 3

export type Segments = {
  /** Slots given out. */
  readonly count: number
  readonly live: number
  /** By slot; LIVE or something else. */
  readonly states: Uint8Array
  /** Takes the next document; answers its slot. */
  add(document: DocumentTerms): number
  remove(slot: number): void
  /** The postings of a term, one piece a segment, in the order of slots. */
  find(term: number): Postings[]
  /** The postings of many terms, ascending, each of which is looked for from where the one before it was found. */
  visit(wanted: Uint32Array, each: (part: PostingsIn, from: number, to: number, term: number) => void): void
  /** Merges for up to so many milliseconds; true when nothing is left to do. */
  tidy(budgetMs: number): boolean
  save(): SavedSegments
  parts(): Part[]
  bytes(): number
}

export type SavedSegments = {
  sealed: SavedSegment[]
  growing: SavedGrowing
  /** One under way goes on where it was: what it has left out so far is counted already. */
  merge: (Pick<Merge, 'dropped' | 'cursors' | 'termCount' | 'postingCount'> & SavedMerge) | null
  states: Uint8Array
  live: number
}
/** Inputs by their keys; the output as far as it is made, with the room that it still needs. */
type SavedMerge = {
  inputs: string[]
  output: SavedSegment & SavedPostings
  room: [terms: number, postings: number]
}

/** Told when postings of removed documents are at last left out, and when a document is gone altogether. */
export type SegmentsListener = { onDropped(term: number, postings: number): void; onGone(slot: number): void }

export function createSegments(
  listener: SegmentsListener,
  sizes: SegmentSizes = DEFAULT_SIZES,
  saved?: SavedSegments,
): Segments {
  let sealed: Segment[] = saved?.sealed.map(openSegment) ?? []
  const growing = createGrowing(saved?.growing)
  let merge: Merge | undefined = saved?.merge ? openMerge(saved.merge, sealed) : undefined
  let states = withRoom(saved?.states, new Uint8Array(1024))
  let count = saved?.states.length ?? 0
  let live = saved?.live ?? 0
  const isDead = (slot: number) => states[slot] === DEAD

  function markGone(base: number, dropped: (slot: number) => boolean, span: number): void {
    for (let slot = base; slot < base + span; slot++) {
      if (!dropped(slot)) continue
      states[slot] = GONE
      listener.onGone(slot)
    }
  }

  function sealGrowing(): void {
    const { base, span } = growing
    sealed.push(growing.seal(isDead, (term) => listener.onDropped(term, 1)))
    markGone(base, isDead, span)
  }

  function advance(budget: number): void {
    merge ??= nextMerge()
    if (!merge || !stepMerge(merge, budget, listener.onDropped)) return
    const { inputs, output, dropped } = merge
    markGone(output.base, (slot) => dropped[slot - output.base] === 1, output.span)
    for (let slot = output.base; slot < output.base + output.span; slot++) if (isDead(slot)) output.dead++
    sealed = sealed.filter((segment) => !inputs.includes(segment))
    sealed.push(output)
    sealed.sort((a, b) => a.base - b.base)
    merge = nextMerge()
  }

  function nextMerge(): Merge | undefined {
    for (let i = 0; i + sizes.fanIn <= sealed.length; i++) {
      const run = sealed.slice(i, i + sizes.fanIn)
      const span = run.reduce((sum, segment) => sum + segment.span, 0)
      if (span <= sizes.maxSpan && new Set(run.map(tierOf)).size === 1) return beginMerge(run, isDead)
    }
    const wasteful = sealed.find((segment) => segment.dead * 2 > segment.documents)
    return wasteful && beginMerge([wasteful], isDead)
  }

  function tierOf(segment: Segment): number {
    return Math.round(Math.log(segment.span / sizes.sealAt) / Math.log(sizes.fanIn))
  }

  return {
    get count() {
      return count
    },
    get live() {
      return live
    },
    get states() {
      return states
    },
    add(document) {
      if (count >= MAX_SLOTS)
        throw new RangeError(`an index holds ${MAX_SLOTS} documents, removed ones included`)
      const slot = count++
      live++
      states = growTo(states, count)
      states[slot] = LIVE
      growing.add(document)
      if (growing.span >= sizes.sealAt) sealGrowing()
      advance(sizes.slice)
      return slot
    },
    remove(slot) {
      if (states[slot] !== LIVE) return
      states[slot] = DEAD
      live--
      const segment = sealed.find(({ base, span }) => slot >= base && slot < base + span)
      if (segment) segment.dead++
    },
    find(term) {
      const found: Postings[] = []
      for (const segment of sealed) {
        const postings = findPostings(segment, term)
        if (postings) found.push(postings)
      }
      const newest = growing.find(term)
      if (newest) found.push(newest)
      return found
    },
    visit(wanted, each) {
      for (const segment of sealed) {
        const { terms, starts } = segment
        let place = 0
        for (let i = 0; i < wanted.length; i++) {
          const term = wanted[i] as number
          place = placeFrom(terms, place, term)
          if (terms[place] === term) each(segment, starts[place] as number, starts[place + 1] as number, term)
        }
      }
      for (const term of wanted) {
        const newest = growing.find(term)
        if (newest) each(newest, newest.from, newest.to, term)
      }
    },
    tidy(budgetMs) {
      const end = performance.now() + budgetMs
      merge ??= nextMerge()
      while (merge && performance.now() < end) advance(sizes.slice)
      return merge === undefined
    },
    save: () => ({
      sealed: sealed.map(savedSegment),
      growing: growing.save(),
      merge: merge ? saveMerge(merge) : null,
      states: states.subarray(0, count),
      live,
    }),
    parts: () => sealed.map(partOf),
    bytes() {
      const parts = merge ? [...sealed, merge.output] : sealed
      return parts.reduce((sum, part) => sum + segmentBytes(part), growing.bytes() + states.byteLength)
    },
  }
}
