/**
 * All postings: sealed segments in the order of their slots, and the growing part behind them. When the growing part is
 * full it is sealed; four sealed segments of one size become one of the next (1k, 4k, 16k, 64k documents), and one of
 * which more than half is dead is written anew. One merge at a time, moved on a little by every `add`.
 */
import { growTo } from './grow.ts'
import { createGrowing, type DocumentTerms } from './growing.ts'
import {
  beginMerge,
  findPostings,
  MAX_SPAN,
  type Merge,
  type Postings,
  type Segment,
  segmentBytes,
  stepMerge,
} from './segment.ts'
import { MAX_SLOTS } from './top.ts'

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
  /** Merges for up to so many milliseconds; true when nothing is left to do. */
  tidy(budgetMs: number): boolean
  bytes(): number
}

/** Told when postings of removed documents are at last left out, and when a document is gone altogether. */
export type SegmentsListener = { onDropped(term: number, postings: number): void; onGone(slot: number): void }

export function createSegments(listener: SegmentsListener, sizes: SegmentSizes = DEFAULT_SIZES): Segments {
  let sealed: Segment[] = []
  let growing = createGrowing(0)
  let merge: Merge | undefined
  let states = new Uint8Array(1024)
  let count = 0
  let live = 0
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
    growing = createGrowing(base + span)
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
    tidy(budgetMs) {
      const end = performance.now() + budgetMs
      merge ??= nextMerge()
      while (merge && performance.now() < end) advance(sizes.slice)
      return merge === undefined
    },
    bytes() {
      const parts = merge ? [...sealed, merge.output] : sealed
      return parts.reduce((sum, part) => sum + segmentBytes(part), growing.bytes() + states.byteLength)
    },
  }
}
