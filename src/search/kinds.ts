/**
 * How titles are put together, to tell what a product is from what it is for. "Laptop, 15.6 inch" is a laptop, "laptop
 * sleeve" and "charger for laptops" are not. Titles of imported catalogs follow no grammar, so the catalog itself says
 * which words name things: those that often end a run of words. Counted as products come and go.
 */
import { createWordTable, type SavedWords } from './lexical/dictionary.ts'
import { growTo, withRoom } from './lexical/segments.ts'
import { foldText, stem } from './lexical/tokenize.ts'

/** The words of a title by their numbers, in order; BREAK and FOR stand between runs of words. */
export type TitleWords = readonly number[]
/** The words themselves, with BREAK and FOR between them. */
export type ReadTitle = ReadonlyArray<string | number>

export type Kinds = {
  /** Numbers the words of a title and counts them. */
  add(title: ReadTitle): TitleWords
  drop(words: TitleWords): void
  /** Undefined for a word that no title holds. */
  numberOf(term: string): number | undefined
  /** 0 to 1: how often the word ends a run, as the names of things do. */
  finality(word: number): number
  save(): SavedKinds
}

export type SavedKinds = { words: SavedWords; seen: Uint32Array; final: Uint32Array }

/** How a word stands in a title. */
export type Standing = {
  /** 0 to 1: it is what the title names. */
  is: number
  /** 0 to 1: it stands before another name, as in "laptop sleeve". */
  part: number
  /** 1: it only says what the product is for. */
  isFor: number
}

const BREAK = 0
const FOR = 1
/** Numbers below stand between runs of words. */
export const FIRST_WORD = 2
const LEADS_TO_USE = new Set('for compatible fits fit suits replaces'.split(' '))
const JOINS = new Set(
  'with w and or in from by of on at as to without plus incl including includes'.split(' '),
)
/** A color can end a run like a name, but names nothing. */
const COLOURS = new Set(
  'black white grey gray silver gold blue red green pink purple orange yellow brown beige navy clear'.split(
    ' ',
  ),
)
const LONGEST_UNIT = 4
const WORD = /[\p{L}\p{N}]+(?:['’.][\p{L}\p{N}]+)*|[^\s\p{L}\p{N}]/gu
/** Counts of a rare word say little. */
const PRIOR = 2

/** 0 to 1: how often a word ends a run, of those that are seen so often. */
export function finalityOf(seen: number, final: number): number {
  return final / (seen + PRIOR)
}

/** Whether the word at this place ends a run. */
export function endsRun(words: TitleWords, at: number): boolean {
  return (words[at + 1] ?? BREAK) < FIRST_WORD
}

export function createKinds(saved?: SavedKinds): Kinds {
  const table = createWordTable(saved?.words)
  let seen = withRoom(saved?.seen, new Uint32Array(1024))
  let final = withRoom(saved?.final, new Uint32Array(1024))

  function numberFor(term: string): number {
    const number = table.intern(term) + FIRST_WORD
    seen = growTo(seen, number + 1)
    final = growTo(final, number + 1)
    return number
  }

  function count(words: TitleWords, by: number): void {
    for (let at = 0; at < words.length; at++) {
      const word = words[at] as number
      if (word < FIRST_WORD) continue
      seen[word] = (seen[word] as number) + by
      if (endsRun(words, at)) final[word] = (final[word] as number) + by
    }
  }

  return {
    add(title) {
      const words = title.map((word) => (typeof word === 'number' ? word : numberFor(word)))
      count(words, 1)
      return words
    },
    drop: (words) => count(words, -1),
    numberOf(term) {
      const id = table.idOf(term)
      return id < 0 ? undefined : id + FIRST_WORD
    },
    finality: (word) => finalityOf(seen[word] ?? 0, final[word] ?? 0),
    save() {
      const numbers = table.size + FIRST_WORD
      return { words: table.save(), seen: seen.subarray(0, numbers), final: final.subarray(0, numbers) }
    },
  }
}

export function readTitle(title: string, brand: string | null): ReadTitle {
  const folded = foldText(title)
  const maker = foldText(brand ?? '')
  const text = maker && folded.startsWith(maker) ? folded.slice(maker.length) : folded
  const words: Array<string | number> = []
  let afterNumber = false
  for (const [written] of text.matchAll(WORD)) {
    const isNumber = /\d/.test(written)
    const isUnit = afterNumber && written.length <= LONGEST_UNIT
    afterNumber = isNumber
    if (LEADS_TO_USE.has(written)) words.push(FOR)
    else if (isNumber || isUnit || written.length < 2 || JOINS.has(written) || COLOURS.has(written)) {
      if (written !== '-' && typeof words.at(-1) === 'string') words.push(BREAK)
    } else words.push(stem(written))
  }
  return words
}

/** Of any of these words, the one that stands best; null when the title holds none of them. */
export function standingOf(
  { finality }: Pick<Kinds, 'finality'>,
  words: TitleWords,
  asked: ReadonlySet<number>,
): Standing | null {
  let is = -1
  let isFor = false
  let inUse = false
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as number
    if (word === FOR) inUse = true
    if (!asked.has(word)) continue
    const next = words[at + 1] ?? BREAK
    if (inUse) isFor = true
    else is = Math.max(is, next < FIRST_WORD || asked.has(next) ? 1 : 1 - finality(next))
  }
  if (is < 0) return isFor ? { is: 0, part: 0, isFor: 1 } : null
  return { is, part: 1 - is, isFor: 0 }
}
