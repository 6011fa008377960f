/**
 * Words and their numbers in about 20 bytes a word instead of the 80 that strings in a Map take: letters lie one after the
 * other in one array, found through a hash table of numbers. A catalog has several words a product, most of them
 * model numbers, so this is what lets the index of 100,000 products stay small. The rare words that are not ASCII
 * are kept in a Map.
 */
import { growTo } from './grow.ts'

export type WordTable = {
  readonly size: number
  /** The word's number, or -1. */
  idOf(word: string): number
  /** The word's number, given at first sight. */
  intern(word: string): number
  wordOf(id: number): string
  bytes(): number
}

const EMPTY = 0xffffffff
const FOREIGN_BYTES = 100

export function createWordTable(): WordTable {
  let letters = new Uint8Array(8192)
  /** Where each word starts in `letters`; the next one's start is its end. */
  let starts = new Uint32Array(1025)
  let table = new Uint32Array(2048).fill(EMPTY)
  const foreign = new Map<string, number>()
  const foreignWords = new Map<number, string>()
  let size = 0

  /** The place in the table where the word is, or where it would be. */
  function placeOf(word: string): number {
    const mask = table.length - 1
    let place = hashOf(word) & mask
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

  function intern(word: string): number {
    if (!isAscii(word)) return internForeign(word)
    const place = placeOf(word)
    const known = table[place] as number
    if (known !== EMPTY) return known
    const id = append(word.length)
    const start = starts[id] as number
    for (let i = 0; i < word.length; i++) letters[start + i] = word.charCodeAt(i)
    table[place] = id
    if (size * 3 > table.length * 2) enlargeTable()
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

  function enlargeTable(): void {
    const mask = table.length * 2 - 1
    table = new Uint32Array(mask + 1).fill(EMPTY)
    for (let id = 0; id < size; id++) {
      if (starts[id] === starts[id + 1]) continue
      let place = hashOf(wordOf(id)) & mask
      while (table[place] !== EMPTY) place = (place + 1) & mask
      table[place] = id
    }
  }

  function wordOf(id: number): string {
    const start = starts[id] as number
    const end = starts[id + 1] as number
    return start === end
      ? (foreignWords.get(id) ?? '')
      : Buffer.from(letters.buffer, start, end - start).toString('latin1')
  }

  return {
    get size() {
      return size
    },
    idOf(word) {
      if (!isAscii(word)) return foreign.get(word) ?? -1
      const id = table[placeOf(word)] as number
      return id === EMPTY ? -1 : id
    },
    intern,
    wordOf,
    bytes: () => letters.byteLength + starts.byteLength + table.byteLength + foreign.size * FOREIGN_BYTES,
  }
}

/** The empty word is treated as foreign: it has no letters to be found by. */
function isAscii(word: string): boolean {
  for (let i = 0; i < word.length; i++) if (word.charCodeAt(i) > 127) return false
  return word.length > 0
}

/** FNV-1a, stirred once more because the table looks at the low bits only. */
function hashOf(word: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193)
  return hash ^ (hash >>> 15)
}
