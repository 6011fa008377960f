/**
 * The words of the index and their numbers. Terms (stems) and words as written share one table, so that spelling is
 * judged on what people write ("cancelign" is near "cancelling", not near "cancel") and answered with the stem.
 * Near words are found by scanning those of similar length: a bit per letter rules out nearly all of them, which
 * is faster and far smaller than a deletion neighbourhood or trigram lists.
 */
import { editDistance } from './edit-distance.ts'
import { growTo } from './grow.ts'
import { detached } from './stem.ts'

export type NearWord = { term: string; distance: number }

export type Dictionary = {
  /** The number of a term, given at first sight; notes how it was written. */
  intern(surface: string, term: string): number
  /** The term's number, or -1. */
  idOf(term: string): number
  /** Written words near one that is not there; `documents` says how common a term is, 0 when no longer in use. */
  near(word: string, limit: number, documents: (term: number) => number): NearWord[]
  readonly size: number
  bytes(): number
}

type Bucket = { ids: Uint32Array; masks: Uint32Array; count: number }

const SHORTEST = 4
const SHORTEST_FOR_TWO_EDITS = 8
const LONGEST = 40
const NO_TERM = 0xffffffff
/** A table entry and its string on the heap, as measured. */
const WORD_BYTES = 72

export function createDictionary(): Dictionary {
  const ids = new Map<string, number>()
  const words: string[] = []
  /** The term that a written word stands for; NO_TERM until the word is seen as written. */
  let terms = new Uint32Array(1024)
  const buckets: Bucket[] = []

  function intern(word: string): number {
    const known = ids.get(word)
    if (known !== undefined) return known
    const id = words.length
    const kept = detached(word)
    ids.set(kept, id)
    words.push(kept)
    terms = growTo(terms, id + 1)
    terms[id] = NO_TERM
    return id
  }

  function internWritten(surface: string, term: string): number {
    const known = ids.get(surface)
    const knownTerm = known === undefined ? NO_TERM : (terms[known] as number)
    if (knownTerm !== NO_TERM) return knownTerm
    const id = intern(surface)
    const termId = intern(term)
    terms[id] = termId
    addToBucket(surface, id)
    return termId
  }

  function addToBucket(surface: string, id: number): void {
    if (surface.length < SHORTEST - 1 || surface.length > LONGEST) return
    let bucket = buckets[surface.length]
    if (!bucket) {
      bucket = { ids: new Uint32Array(64), masks: new Uint32Array(64), count: 0 }
      buckets[surface.length] = bucket
    }
    bucket.ids = growTo(bucket.ids, bucket.count + 1)
    bucket.masks = growTo(bucket.masks, bucket.count + 1)
    bucket.ids[bucket.count] = id
    bucket.masks[bucket.count++] = letterMask(surface)
  }

  function near(word: string, limit: number, documents: (term: number) => number): NearWord[] {
    const max = editsAllowed(word)
    if (max === 0) return []
    const mask = letterMask(word)
    const digits = digitsOf(word)
    const found = new Map<number, number>()
    for (let length = word.length - max; length <= word.length + max; length++) {
      const bucket = buckets[length]
      if (!bucket) continue
      for (let i = 0; i < bucket.count; i++) {
        const other = bucket.masks[i] as number
        if (bitCount(mask & ~other) > max || bitCount(other & ~mask) > max) continue
        const id = bucket.ids[i] as number
        const candidate = words[id] as string
        const distance = editDistance(word, candidate, max)
        if (distance > max || distance === 0 || digitsOf(candidate) !== digits) continue
        const term = terms[id] as number
        if (distance < (found.get(term) ?? max + 1) && documents(term) > 0) found.set(term, distance)
      }
    }
    return [...found]
      .map(([id, distance]) => ({ term: words[id] as string, distance, documents: documents(id) }))
      .sort((a, b) => a.distance - b.distance || b.documents - a.documents || (a.term < b.term ? -1 : 1))
      .slice(0, limit)
      .map(({ term, distance }) => ({ term, distance }))
  }

  return {
    intern: internWritten,
    idOf: (term) => ids.get(term) ?? -1,
    near,
    get size() {
      return words.length
    },
    bytes() {
      const tables = buckets.reduce((sum, bucket) => sum + bucket.ids.byteLength + bucket.masks.byteLength, 0)
      return tables + terms.byteLength + words.length * WORD_BYTES
    },
  }
}

/** One edit in a word of 4 to 7 characters, two from 8 on; a bare number is never misspelled. */
function editsAllowed(word: string): number {
  if (word.length < SHORTEST || word.length > LONGEST || !/\p{L}/u.test(word)) return 0
  return word.length < SHORTEST_FOR_TWO_EDITS ? 1 : 2
}

/** A bit for each letter a to z; digits share one, other alphabets five. An edit flips at most two. */
function letterMask(word: string): number {
  let mask = 0
  for (let i = 0; i < word.length; i++) {
    const code = word.charCodeAt(i)
    if (code >= 97 && code <= 122) mask |= 1 << (code - 97)
    else if (code >= 48 && code <= 57) mask |= 1 << 26
    else mask |= 1 << (27 + (code % 5))
  }
  return mask >>> 0
}

function bitCount(bits: number): number {
  let n = bits - ((bits >>> 1) & 0x55555555)
  n = (n & 0x33333333) + ((n >>> 2) & 0x33333333)
  return Math.imul((n + (n >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

function digitsOf(word: string): string {
  return /\d/.test(word) ? word.replace(/\D+/g, '') : ''
}
