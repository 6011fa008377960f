/** How often words are used, in tables of numbers: a large catalog has a million of them, most of a single product. */
import { createWordTable, type SavedWords } from './dictionary.ts'
import { growTo, withRoom } from './segments.ts'

export type WordCounts = {
  add(word: string): void
  drop(word: string): void
  count(word: string): number
  save(): SavedCounts
}

export type SavedCounts = { words: SavedWords; counts: Uint32Array }

export function createWordCounts(saved?: SavedCounts): WordCounts {
  const words = createWordTable(saved?.words)
  let counts = withRoom(saved?.counts, new Uint32Array(64))
  const count = (word: string) => counts[words.idOf(word)] ?? 0
  return {
    count,
    add(word) {
      const id = words.intern(word)
      counts = growTo(counts, id + 1)
      counts[id] = (counts[id] as number) + 1
    },
    drop(word) {
      if (count(word) > 0) counts[words.idOf(word)] = count(word) - 1
    },
    save: () => ({ words: words.save(), counts: counts.subarray(0, words.size) }),
  }
}
