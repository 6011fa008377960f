/**
 * The words of the index and their numbers. Terms (stems) and words as written share one table, so that spelling is
 * judged on what people write ("cancelign" is near "cancelling", not near "cancel") and answered with the stem.
 * Near words are found by scanning those of similar length: bits for letters and pairs of letters rule out nearly all of
 * them. On 150,000 words that is faster than trigram lists in half their memory; a deletion neighbourhood is faster
 * still, but would take as much memory as all postings.
 */
import { growTo, withRoom } from './segments.ts'

/**
 * Damerau-Levenshtein distance (optimal string alignment: a swap of neighbours is one edit), given up as soon as it
 * must pass `max`. Rows are kept between calls: it runs a few thousand times for one misspelled word.
 */

const LONGEST_COMPARED = 64
let before = new Uint8Array(LONGEST_COMPARED + 1)
let above = new Uint8Array(LONGEST_COMPARED + 1)
let row = new Uint8Array(LONGEST_COMPARED + 1)

/** The distance, or `max + 1` when it is larger than `max`. */
export function editDistance(a: string, b: string, max: number): number {
  if (a === b) return 0
  if (Math.abs(a.length - b.length) > max || a.length > LONGEST_COMPARED || b.length > LONGEST_COMPARED)
    return max + 1
  const far = max + 1
  for (let j = 0; j <= b.length; j++) above[j] = Math.min(j, far)
  for (let i = 1; i <= a.length; i++) {
    const from = Math.max(1, i - max)
    const to = Math.min(b.length, i + max)
    row[from - 1] = from === 1 ? Math.min(i, far) : far
    let least = row[from - 1] as number
    for (let j = from; j <= to; j++) {
      const same = a.charCodeAt(i - 1) === b.charCodeAt(j - 1)
      const deleted = j === i + max ? far : (above[j] as number) + 1
      let cost = Math.min((above[j - 1] as number) + (same ? 0 : 1), deleted, (row[j - 1] as number) + 1, far)
      if (
        i > 1 &&
        j > 1 &&
        a.charCodeAt(i - 1) === b.charCodeAt(j - 2) &&
        a.charCodeAt(i - 2) === b.charCodeAt(j - 1)
      )
        cost = Math.min(cost, (before[j - 2] as number) + 1)
      row[j] = cost
      if (cost < least) least = cost
    }
    // A swap reaches two rows back, so the row above must be hopeless as well before giving up.
    if (least >= far && isHopeless(above, from, to, max)) return far
    const spare = before
    before = above
    above = row
    row = spare
  }
  return Math.min(above[b.length] as number, far)
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'

/** Everything one edit away from a word: a letter left out, swapped with the next, put in or mistyped. */
export function* editsOf(word: string, letters = LETTERS): Generator<string> {
  for (let at = 0; at <= word.length; at++) {
    const [before, after] = [word.slice(0, at), word.slice(at)]
    yield before + after.slice(1)
    yield before + after.slice(1, 2) + after.slice(0, 1) + after.slice(2)
    for (const letter of letters) {
      yield before + letter + after
      yield before + letter + after.slice(1)
    }
  }
}

/**
 * Whether a word starts with something that is at most one edit from `prefix` and has at least `shortest` letters. No digit
 * is put in: those of a model number are as they were meant.
 */
function startsNearly(word: string, prefix: string, shortest: number): boolean {
  const { length } = prefix
  let at = 0
  while (at < length && word.charCodeAt(at) === prefix.charCodeAt(at)) at++
  if (at === length) return true
  const goesOn = (from: number, place: number) => word.startsWith(prefix.slice(from), place)
  if (length > shortest && goesOn(at + 1, at)) return true
  if (word[at] === prefix[at + 1] && word[at + 1] === prefix[at] && goesOn(at + 2, at + 2)) return true
  if (at >= word.length || /\d/.test(word[at] as string)) return false
  return goesOn(at + 1, at + 1) || goesOn(at, at + 1)
}

function isHopeless(cells: Uint8Array, from: number, to: number, max: number): boolean {
  for (let j = from - 1; j <= to; j++) if ((cells[j] as number) < max) return false
  return true
}

/**
 * Words and their numbers in about 20 bytes a word instead of the 80 that strings in a Map take: letters lie one after the
 * other in one array, found through a hash table of numbers. A catalog has several words a product, most of them
 * model numbers, so this is what lets the index of 100,000 products stay small. The rare words that are not ASCII
 * are kept in a Map.
 */

export type WordTable = {
  readonly size: number
  /** The word's number, or -1. */
  idOf(word: string): number
  /** The word's number, given at first sight. */
  intern(word: string): number
  wordOf(id: number): string
  startsWith(id: number, prefix: string): boolean
  save(): SavedWords
  bytes(): number
}

export type SavedWords = {
  letters: Uint8Array
  starts: Uint32Array
  tables: Uint32Array[]
  foreign: Array<[string, number]>
}

const EMPTY = 0xffffffff
const FOREIGN_BYTES = 100
const TABLES = 64
const TABLE_SHIFT = 26

export function createWordTable(saved?: SavedWords): WordTable {
  let letters = withRoom(saved?.letters, new Uint8Array(8192))
  /** Where each word starts in `letters`; the next one's start is its end. */
  let starts = withRoom(saved?.starts, new Uint32Array(1025))
  /** By the first bits of a word's hash. Each grows by itself: moving all words at once would hold everybody up. */
  const tables: Uint32Array[] =
    saved?.tables ?? Array.from({ length: TABLES }, () => new Uint32Array(32).fill(EMPTY))
  const used = Uint32Array.from(tables, (table) => table.reduce((sum, id) => sum + Number(id !== EMPTY), 0))
  const foreign = new Map<string, number>(saved?.foreign)
  const foreignWords = new Map<number, string>(saved?.foreign.map(([word, id]) => [id, word]))
  let size = saved ? saved.starts.length - 1 : 0

  /** Where the word is in its table, or where it would be. */
  function placeOf(table: Uint32Array, hash: number, word: string): number {
    const mask = table.length - 1
    let place = hash & mask
    for (let id = table[place] as number; id !== EMPTY; id = table[place] as number) {
      if (isWord(id, word)) break
      place = (place + 1) & mask
    }
    return place
  }

  function isWord(id: number, word: string): boolean {
    const start = starts[id] as number
    if ((starts[id + 1] as number) - start !== word.length) return false
    for (let i = 0; i < word.length; i++) if (letters[start + i] !== word.charCodeAt(i)) return false
    return true
  }

  function startsWith(id: number, prefix: string): boolean {
    const start = starts[id] as number
    const length = (starts[id + 1] as number) - start
    if (length === 0) return wordOf(id).startsWith(prefix)
    if (length < prefix.length) return false
    for (let i = 0; i < prefix.length; i++) if (letters[start + i] !== prefix.charCodeAt(i)) return false
    return true
  }

  function intern(word: string): number {
    if (!isAscii(word)) return internForeign(word)
    const hash = hashOf(word)
    const at = hash >>> TABLE_SHIFT
    const table = tables[at] as Uint32Array
    const place = placeOf(table, hash, word)
    const known = table[place] as number
    if (known !== EMPTY) return known
    const id = append(word.length)
    const start = starts[id] as number
    for (let i = 0; i < word.length; i++) letters[start + i] = word.charCodeAt(i)
    table[place] = id
    used[at] = (used[at] as number) + 1
    if ((used[at] as number) * 3 > table.length * 2) tables[at] = enlarged(table)
    return id
  }

  function internForeign(word: string): number {
    const known = foreign.get(word)
    if (known !== undefined) return known
    const id = append(0)
    // Through bytes: a word cut from a text would otherwise keep the whole text in memory.
    const kept = Buffer.from(word, 'utf16le').toString('utf16le')
    foreign.set(kept, id)
    foreignWords.set(id, kept)
    return id
  }

  function append(length: number): number {
    starts = growTo(starts, size + 2)
    const end = (starts[size] as number) + length
    letters = growTo(letters, end)
    starts[size + 1] = end
    return size++
  }

  function enlarged(table: Uint32Array): Uint32Array {
    const mask = table.length * 2 - 1
    const larger = new Uint32Array(mask + 1).fill(EMPTY)
    for (const id of table) {
      if (id === EMPTY) continue
      let place = hashOf(wordOf(id)) & mask
      while (larger[place] !== EMPTY) place = (place + 1) & mask
      larger[place] = id
    }
    return larger
  }

  function wordOf(id: number): string {
    const start = starts[id] as number
    const end = starts[id + 1] as number
    return start === end
      ? (foreignWords.get(id) ?? '')
      : Buffer.from(letters.buffer, letters.byteOffset + start, end - start).toString('latin1')
  }

  return {
    get size() {
      return size
    },
    idOf(word) {
      if (!isAscii(word)) return foreign.get(word) ?? -1
      const hash = hashOf(word)
      const table = tables[hash >>> TABLE_SHIFT] as Uint32Array
      const id = table[placeOf(table, hash, word)] as number
      return id === EMPTY ? -1 : id
    },
    intern,
    wordOf,
    startsWith,
    save: () => ({
      letters: letters.subarray(0, starts[size]),
      starts: starts.subarray(0, size + 1),
      tables,
      foreign: [...foreign],
    }),
    bytes: () =>
      letters.byteLength +
      starts.byteLength +
      tables.reduce((sum, table) => sum + table.byteLength, 0) +
      foreign.size * FOREIGN_BYTES,
  }
}

/** The empty word is treated as foreign: it has no letters to be found by. */
function isAscii(word: string): boolean {
  for (let i = 0; i < word.length; i++) if (word.charCodeAt(i) > 127) return false
  return word.length > 0
}

/** FNV-1a, stirred once more because a table looks at the low bits only. */
function hashOf(word: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193)
  return hash ^ (hash >>> 15)
}

export type NearWord = { term: string; distance: number }

export type Dictionary = {
  /** The number of a term, given at first sight; notes how it was written. */
  intern(surface: string, term: string): number
  /** The term's number, or -1. */
  idOf(term: string): number
  /**
   * Terms written nearly like a word: those one edit away, and only if there are none, those two away (in words of eight
   * letters and more). `documents` says how common a term is, 0 when it is no longer in use.
   */
  near(word: string, limit: number, documents: (term: number) => number): NearWord[]
  /** The numbers of terms, some repeatedly, with a written form that starts with this; in `Nearly` with what is one edit away. */
  startingWith(prefix: string): number[]
  startingNearly(prefix: string): number[]
  readonly size: number
  save(): SavedDictionary
  bytes(): number
}

export type SavedDictionary = {
  words: SavedWords
  terms: Uint32Array
  buckets: Array<{ length: number; ids: Uint32Array; bits: Uint32Array }>
  newest: Array<[string, number]>
  previous: Uint32Array
}

/** Words of one length: their ids, and three words of bits each (letters, pairs, pairs). */
type Bucket = { ids: Uint32Array; bits: Uint32Array; count: number }
type Bits = [letters: number, pairs: number, morePairs: number]

const SHORTEST = 4
const SHORTEST_FOR_TWO_EDITS = 8
const LONGEST = 40
const NO_TERM = 0xffffffff
/** Written words with the same first letters are linked, newest first: four bytes a word, and nothing to sort. */
const LINKED_BY = 3
const NO_WORD = 0xffffffff

export function createDictionary(saved?: SavedDictionary): Dictionary {
  const words = createWordTable(saved?.words)
  /** The term that a written word stands for; NO_TERM until the word is seen as written. */
  let terms = withRoom(saved?.terms, new Uint32Array(1024).fill(NO_TERM))
  const buckets: Bucket[] = []
  for (const { length, ids, bits } of saved?.buckets ?? []) buckets[length] = { ids, bits, count: ids.length }
  const newest = new Map<string, number>(saved?.newest)
  let previous = withRoom(saved?.previous, new Uint32Array(1024))

  function intern(surface: string, term: string): number {
    const id = internWord(surface)
    const known = terms[id] as number
    if (known !== NO_TERM) return known
    const termId = surface === term ? id : internWord(term)
    terms[id] = termId
    link(surface, id)
    if (isSpelled(surface)) addToBucket(surface, id)
    return termId
  }

  function link(surface: string, id: number): void {
    const start = surface.slice(0, LINKED_BY)
    previous = growTo(previous, id + 1)
    previous[id] = newest.get(start) ?? NO_WORD
    newest.set(start, id)
  }

  function collectLinked(first: number | undefined, isMeant: (id: number) => boolean, found: number[]): void {
    for (let id = first ?? NO_WORD; id !== NO_WORD; id = previous[id] as number)
      if (isMeant(id)) found.push(terms[id] as number)
  }

  /** "mic" is not the start of "mouse", though "mice" is a form of it; the whole "mice" is. */
  function isFormOf(id: number, start: string): boolean {
    const term = terms[id] as number
    return term === id || words.startsWith(term, start)
  }

  function startingWith(prefix: string): number[] {
    const found: number[] = []
    const first = prefix.slice(0, 2)
    const isMeant = (id: number) =>
      (prefix.length <= LINKED_BY || words.startsWith(id, prefix)) &&
      (isFormOf(id, first) || words.wordOf(id) === prefix)
    if (prefix.length >= LINKED_BY) collectLinked(newest.get(prefix.slice(0, LINKED_BY)), isMeant, found)
    else for (const [start, id] of newest) if (start.startsWith(prefix)) collectLinked(id, isMeant, found)
    return found
  }

  /** Each run of linked words is passed over once, however many edits of the prefix start so. */
  function startingNearly(prefix: string): number[] {
    const found: number[] = []
    // The digits of a model number are as it was meant; three letters would be the start of anything.
    if (editsAllowed(prefix) === 0 || /\d/.test(prefix)) return found
    const starts = new Set(editsOf(prefix.slice(0, LINKED_BY + 1)).map((near) => near.slice(0, LINKED_BY)))
    const isMeant = (id: number) => {
      const word = words.wordOf(id)
      return (
        startsNearly(word, prefix, SHORTEST) &&
        (isFormOf(id, word.slice(0, 2)) || editDistance(word, prefix, 1) <= 1)
      )
    }
    for (const start of starts) collectLinked(newest.get(start), isMeant, found)
    return found
  }

  function internWord(word: string): number {
    const before = words.size
    const id = words.intern(word)
    if (id < before) return id
    terms = growTo(terms, id + 1)
    terms[id] = NO_TERM
    return id
  }

  function addToBucket(surface: string, id: number): void {
    let bucket = buckets[surface.length]
    if (!bucket) {
      bucket = { ids: new Uint32Array(64), bits: new Uint32Array(192), count: 0 }
      buckets[surface.length] = bucket
    }
    bucket.ids = growTo(bucket.ids, bucket.count + 1)
    bucket.bits = growTo(bucket.bits, (bucket.count + 1) * 3)
    bucket.bits.set(bitsOf(surface), bucket.count * 3)
    bucket.ids[bucket.count++] = id
  }

  function near(word: string, limit: number, documents: (term: number) => number): NearWord[] {
    const max = editsAllowed(word)
    for (let distance = 1; distance <= max; distance++) {
      const found = termsAt(word, distance).filter((term) => documents(term) > 0)
      if (found.length === 0) continue
      return found
        .map((id) => ({ term: words.wordOf(id), documents: documents(id) }))
        .sort((a, b) => b.documents - a.documents || (a.term < b.term ? -1 : 1))
        .slice(0, limit)
        .map(({ term }) => ({ term, distance }))
    }
    return []
  }

  function termsAt(word: string, distance: number): number[] {
    const bits = bitsOf(word)
    const digits = digitsOf(word)
    const found = new Set<number>()
    for (let length = word.length - distance; length <= word.length + distance; length++) {
      const bucket = buckets[length]
      if (!bucket) continue
      for (const id of mayBeNear(bucket, bits, distance)) {
        const candidate = words.wordOf(id)
        if (digitsOf(candidate) === digits && editDistance(word, candidate, distance) === distance)
          found.add(terms[id] as number)
      }
    }
    return [...found]
  }

  return {
    intern,
    idOf: words.idOf,
    near,
    startingWith,
    startingNearly,
    get size() {
      return words.size
    },
    save: () => ({
      words: words.save(),
      terms: terms.subarray(0, words.size),
      buckets: buckets.flatMap(({ ids, bits, count }, length) => ({
        length,
        ids: ids.subarray(0, count),
        bits: bits.subarray(0, count * 3),
      })),
      newest: [...newest],
      previous: previous.subarray(0, words.size),
    }),
    bytes() {
      const tables = buckets.reduce((sum, bucket) => sum + bucket.ids.byteLength + bucket.bits.byteLength, 0)
      const links = previous.byteLength + newest.size * 60
      return tables + links + terms.byteLength + words.bytes()
    },
  }
}

/**
 * One edit in a word of 4 to 7 characters, two from 8 on. A bare number is never misspelled, and a model number only if it
 * is mostly a word: letters of "ab1234x" are as exact as its digits.
 */
export function editsAllowed(word: string): number {
  if (word.length < SHORTEST || !isSpelled(word)) return 0
  return word.length < SHORTEST_FOR_TWO_EDITS ? 1 : 2
}

/** Whether a word can be what a misspelled one was meant to be. */
export function isSpelled(word: string): boolean {
  if (word.length < SHORTEST - 1 || word.length > LONGEST) return false
  return !/\d/.test(word) || /\p{L}{4}/u.test(word)
}

/** One edit takes away and brings at most one letter each, and at most three pairs (a swap in the middle does). */
function mayBeNear(
  { ids, bits, count }: Bucket,
  [letters, pairs, morePairs]: Bits,
  distance: number,
): number[] {
  const near: number[] = []
  for (let i = 0; i < count; i++) {
    const other = bits[i * 3] as number
    if (bitCount(letters ^ other) > 2 * distance) continue
    if (bitCount(letters & ~other) > distance || bitCount(other & ~letters) > distance) continue
    const missing =
      bitCount(pairs & ~(bits[i * 3 + 1] as number)) + bitCount(morePairs & ~(bits[i * 3 + 2] as number))
    if (missing <= 3 * distance) near.push(ids[i] as number)
  }
  return near
}

/** A bit for each letter a to z (digits share one, other alphabets five), and 64 for pairs of neighbours. */
function bitsOf(word: string): Bits {
  const bits: Bits = [0, 0, 0]
  let before = 0
  for (let i = 0; i <= word.length; i++) {
    const code = i < word.length ? word.charCodeAt(i) : 0
    const pair = Math.imul(before * 31 + code, 0x9e3779b1) >>> 26
    bits[pair < 32 ? 1 : 2] |= 1 << (pair & 31)
    before = code
    if (code >= 97 && code <= 122) bits[0] |= 1 << (code - 97)
    else if (code >= 48 && code <= 57) bits[0] |= 1 << 26
    else if (code > 0) bits[0] |= 1 << (27 + (code % 5))
  }
  return bits
}

function bitCount(bits: number): number {
  let n = bits - ((bits >>> 1) & 0x55555555)
  n = (n & 0x33333333) + ((n >>> 2) & 0x33333333)
  return Math.imul((n + (n >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

export function digitsOf(word: string): string {
  return /\d/.test(word) ? word.replace(/\D+/g, '') : ''
}
