/**
 * The catalog's categories, prepared for looking words of a query up: stems of the words that speak for each. Made once
 * for a vocabulary and kept as long as it lives; its categories are replaced with it, never changed.
 */
import { foldText } from '../lexical/fold.ts'
import { stem } from '../lexical/stem.ts'
import type { KindWords } from './kind-words.ts'
import type { Names } from './name-table.ts'
import { wordSet } from './tokens.ts'

export type Vocabulary = {
  brands: Names
  /** model names and part numbers, in lower case */
  models: Names
  categories: ReadonlyArray<{ slug: string; label: string; words: string[] }>
  /** share of the products whose text holds this stemmed word */
  documentShare?(word: string): number
  /** share of the products that are of this brand, by its compact name */
  brandShare?(key: string): number
  kinds?: KindWords
  /** US dollars for one unit of another currency, by its code, as the operator said. */
  rates?: Readonly<Record<string, number>>
}

export type Lexicon = {
  vocabulary: Vocabulary
  labelStems: ReadonlySet<string>
  /** stem → the categories it speaks for, each with a weight */
  stems: ReadonlyMap<string, ReadonlyMap<string, number>>
  /** whole label, joined and stemmed → slug */
  labels: ReadonlyMap<string, string>
}

/** What a thing is: the last word of its label ("desk lamps"). */
const HEAD_WEIGHT = 1
/** What sort of it, or another word people use. */
const OTHER_WEIGHT = 0.5
const IGNORED = wordSet(
  `a an and the of for with without in on to from by at or is are be it as your you that this set sets good best new
  use home small large big great under over one two all more most not no free do does can i my we our me need want
  some something any thing things really very just only up out off about around`,
)

const lexicons = new WeakMap<Vocabulary, Lexicon>()

export function lexiconOf(vocabulary: Vocabulary): Lexicon {
  const known = lexicons.get(vocabulary)
  if (known) return known
  const lexicon = buildLexicon(vocabulary)
  lexicons.set(vocabulary, lexicon)
  return lexicon
}

function buildLexicon(vocabulary: Vocabulary): Lexicon {
  const stems = new Map<string, Map<string, number>>()
  const labelStems = new Set<string>()
  const labels = new Map<string, string>()
  for (const { slug, label, words } of vocabulary.categories) {
    const add = (word: string, weight: number) => {
      const term = stem(word)
      const slugs = stems.get(term) ?? new Map<string, number>()
      slugs.set(slug, Math.max(weight, slugs.get(slug) ?? 0))
      stems.set(term, slugs)
    }
    for (const entry of words) for (const word of withJoined(contentWords(entry))) add(word, OTHER_WEIGHT)
    const named = contentWords(label)
    for (const word of withJoined(named)) add(word, OTHER_WEIGHT)
    for (const word of named) labelStems.add(stem(word))
    add(named.at(-1) ?? label, HEAD_WEIGHT)
    labels.set(labelKey(named), slug)
  }
  return { vocabulary, labelStems, stems, labels }
}

function contentWords(text: string): string[] {
  return (foldText(text).match(/[\p{L}\p{N}']+/gu) ?? []).filter((word) => !IGNORED.has(word)).map(bareWord)
}

/** "Wi-Fi Routers" is also looked for as "wifi". */
function withJoined(words: readonly string[]): string[] {
  const joined = words.slice(1).map((word, index) => `${words[index]}${word}`)
  return [...words.filter((word) => word.length > 1), ...joined]
}

function bareWord(word: string): string {
  return word.replace(/'s?$/, '')
}

/** "air fryers" and "airfryer" have one key. */
export function labelKey(words: readonly string[]): string {
  return stem(words.join(''))
}

export function termOf(word: string): string {
  return stem(bareWord(word))
}

export function isIgnored(word: string): boolean {
  return IGNORED.has(word)
}

/** A word of some category's label. */
export function isProductWord(lexicon: Lexicon, word: string): boolean {
  return !IGNORED.has(word) && lexicon.labelStems.has(termOf(word))
}
