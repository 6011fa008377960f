/**
 * The part of the index that takes new documents: postings in the order they come, each with a link to the term's
 * posting before it. Cheap to add to, fast enough to search while it is small, sealed when it is full.
 */
import { growTo } from './grow.ts'
import type { Postings, Segment } from './segment.ts'

/** A document's distinct terms, each with the number of its combination of field frequencies. */
export type DocumentTerms = { terms: number[]; combinations: number[] }

export type Growing = {
  readonly base: number
  readonly span: number
  add(document: DocumentTerms): void
  find(term: number): Postings | undefined
  /** As an immutable segment, without the documents that are dead. */
  seal(isDead: (slot: number) => boolean, onDropped: (term: number) => void): Segment
  bytes(): number
}

export function createGrowing(base: number): Growing {
  let terms = new Uint32Array(4096)
  let slots = new Uint16Array(4096)
  let combinations = new Uint16Array(4096)
  let previous = new Uint32Array(4096)
  /** By term: one more than the place of its newest posting, 0 for none. */
  let newest = new Uint32Array(4096)
  let span = 0
  let count = 0

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
    // Counting sort: documents came in the order of their slots, so each term's slots come out ascending.
    const lengths = new Uint32Array(newest.length)
    let kept = 0
    for (let i = 0; i < count; i++) {
      const term = terms[i] as number
      if (dead[slots[i] as number] === 1) onDropped(term)
      else {
        lengths[term] = (lengths[term] as number) + 1
        kept++
      }
    }
    let termCount = 0
    for (const length of lengths) if (length > 0) termCount++
    const sealed: Segment = {
      base,
      span,
      documents: span - deadCount,
      dead: 0,
      terms: new Uint32Array(termCount),
      starts: new Uint32Array(termCount + 1),
      slots: new Uint16Array(kept),
      combinations: new Uint16Array(kept),
    }
    const next = new Uint32Array(newest.length)
    let start = 0
    for (let term = 0, i = 0; i < termCount; term++) {
      const length = lengths[term] as number
      if (length === 0) continue
      sealed.terms[i++] = term
      next[term] = start
      start += length
      sealed.starts[i] = start
    }
    for (let i = 0; i < count; i++) {
      if (dead[slots[i] as number] === 1) continue
      const term = terms[i] as number
      const to = next[term] as number
      sealed.slots[to] = slots[i] as number
      sealed.combinations[to] = combinations[i] as number
      next[term] = to + 1
    }
    return sealed
  }

  return {
    base,
    get span() {
      return span
    },
    add,
    find,
    seal,
    bytes: () =>
      terms.byteLength + slots.byteLength + combinations.byteLength + previous.byteLength + newest.byteLength,
  }
}
