/**
 * From the words of a query to what the index is asked for: each word is a group of variants of which the best counts.
 * Beside itself a word may stand for its pieces (27in → 27), its joined or split spelling (air fryer, airfryer), its
 * corrected spelling when the index does not know it, and its synonyms, each for less than the word itself.
 */

import type { QueryTerm } from './bm25f.ts'
import type { Field } from './fields.ts'
import type { LexicalIndex } from './lexical-index.ts'
import { type Synonym, synonymsOf } from './synonyms.ts'
import { stem, type Token, tokenize } from './tokenize.ts'

export type QueryTermOptions = {
  /** Correct unknown words; on unless told. */
  typos?: boolean
  /** Add synonyms and spelling variants; on unless told. */
  synonyms?: boolean
  /** More of them, beside those that Souk comes with. */
  more?: (term: string) => readonly Synonym[]
}

const MAX_WORDS = 40
/** No compound is longer; each place to cut one at costs a look-up. */
const LONGEST_SPLIT = 30
/** Each costs a scan of the dictionary. */
const MAX_CORRECTED = 12
const CORRECTIONS = 3
/** Words that are tried as one. */
const LONGEST_RUN = 3
const JOINED_WEIGHT = 0.95
const SPLIT_WEIGHT = 0.8
/** A word of the index that is also two words: "bookcase" is hardly ever meant as book and case. */
const KNOWN_SPLIT_WEIGHT = 0.4
const PIECE_WEIGHT = 0.3
/** Where a bare number or half a model number says something. */
const PIECE_FIELDS: Field[] = ['title', 'model', 'specs']
/** A known word this rare may be someone else's typo … */
const RARE = 2
/** … when a word one letter away is so much more common. */
const FAR_MORE = 100
const RARE_WEIGHT = 0.5
/** A word in more of the documents than this, and in more than so many, is common. */
const COMMON_SHARE = 0.05
const COMMON_AT_LEAST = 20

type Word = { token: Token; variants: Map<string, { weight: number; fields?: Field[] }> }

export function toQueryTerms(text: string, index: LexicalIndex, options: QueryTermOptions = {}): QueryTerm[] {
  const { typos = true, synonyms = true, more = () => [] } = options
  const all = tokenize(text)
  const words = chooseWords(all)
  const tokens = upToLast(all, words)
  for (const { token, variants } of words) variants.set(token.term, { weight: 1 })
  addTokenVariants(tokens, words)
  addJoined(tokens, words, index)
  let corrected = 0
  for (const word of words) {
    const isSplit = addSplit(word, index)
    if (typos && corrected < MAX_CORRECTED && addCorrections(word, index, isSplit ? 1 : 2)) corrected++
  }
  if (synonyms) addSynonyms(tokens, words, index, more)
  return words.flatMap(({ variants }, group) =>
    [...variants].map(([term, { weight, fields }]) => ({ term, weight, group, ...(fields && { fields }) })),
  )
}

/** Stop words only when there is nothing else; a word said twice counts once. */
function chooseWords(tokens: Token[]): Word[] {
  const all = tokens.filter((token) => token.kind === 'word')
  const telling = all.filter((token) => !token.stop)
  const seen = new Set<string>()
  return (telling.length > 0 ? telling : all)
    .filter(({ term }) => !seen.has(term) && seen.add(term))
    .slice(0, MAX_WORDS)
    .map((token) => ({ token, variants: new Map() }))
}

/** What stands behind the last word that counts, and is not joined with it, adds nothing. */
function upToLast(tokens: Token[], words: Word[]): Token[] {
  const last = words.at(-1)?.token.position ?? 0
  return tokens.filter(({ position }) => position <= last + LONGEST_RUN - 1)
}

/** A variant is entered once, with the larger of its weights. */
function addVariant(word: Word, term: string, weight: number, fields?: Field[]): void {
  if ((word.variants.get(term)?.weight ?? 0) < weight)
    word.variants.set(term, { weight, ...(fields && { fields }) })
}

/** What the tokenizer itself found: joined forms stand for each of their words, pieces for the word they are of. */
function addTokenVariants(tokens: Token[], words: Word[]): void {
  for (const { term, position, span, kind } of tokens) {
    if (kind === 'word') continue
    for (const word of words) {
      const offset = word.token.position - position
      if (offset < 0 || offset >= span) continue
      if (kind === 'joined') addVariant(word, term, JOINED_WEIGHT)
      else addVariant(word, term, PIECE_WEIGHT, PIECE_FIELDS)
    }
  }
}

/**
 * "air fryer" is asked for as "airfryer" too, and "all in one" as "allinone", where the index knows them. Stop words take
 * part: documents that say "over-ear" are known by "overear".
 */
function addJoined(tokens: Token[], words: Word[], index: LexicalIndex): void {
  for (const length of [2, LONGEST_RUN]) {
    for (const run of runsOf(tokens, length)) {
      const term = stem(run.map(({ surface }) => surface).join(''))
      if (index.has(term)) for (const word of wordsIn(run, words)) addVariant(word, term, JOINED_WEIGHT)
    }
  }
}

/** So many words as they follow each other in the query. */
function runsOf(tokens: Token[], length: number): Token[][] {
  const written = tokens.filter(({ kind }) => kind === 'word')
  return written.slice(length - 1).map((_, i) => written.slice(i, i + length))
}

function wordsIn(run: Token[], words: Word[]): Word[] {
  return words.filter(({ token }) => run.includes(token))
}

/** The other way: "airfryer" as the two words the index knows, both in one field. True when there are two. */
function addSplit(word: Word, index: LexicalIndex): boolean {
  const { surface, term } = word.token
  // A number that starts a word has its unit or piece behind it; the tokenizer has seen to those.
  if (/^\d/.test(surface) || surface.length > LONGEST_SPLIT) return false
  const shortest = /\d/.test(surface) ? 1 : 3
  let best: { phrase: string; documents: number } | undefined
  for (let cut = shortest; cut <= surface.length - shortest; cut++) {
    const phrase = `${stem(surface.slice(0, cut))} ${stem(surface.slice(cut))}`
    const documents = index.documents(phrase)
    if (documents > (best?.documents ?? 0)) best = { phrase, documents }
  }
  if (!best) return false
  const known = index.documents(term)
  if (index.isCompound(term)) addVariant(word, best.phrase, JOINED_WEIGHT)
  else if (known === 0) addVariant(word, best.phrase, SPLIT_WEIGHT)
  // The joined spelling of a few against the two words of many: both may be meant.
  else if (known * 4 < best.documents && isTelling(best.phrase, index))
    addVariant(word, best.phrase, KNOWN_SPLIT_WEIGHT)
  return true
}

/** Up to so many edits away. True when the dictionary was searched. */
function addCorrections(word: Word, index: LexicalIndex, maxDistance: number): boolean {
  const { surface, term, stop } = word.token
  if (stop) return false
  const known = index.documents(term)
  if (known > RARE || (known > 0 && (surface.length < 5 || /\d/.test(surface)))) return false
  // The s of "puls" is no plural: the index keeps "pulse" as "puls".
  if (known === 0 && surface !== term && index.has(surface)) {
    addVariant(word, surface, SPLIT_WEIGHT)
    return false
  }
  const near = index.near(surface, CORRECTIONS).filter(({ distance }) => distance <= maxDistance)
  const nearest = near[0]?.distance
  for (const candidate of near) {
    if (candidate.distance !== nearest || candidate.term === term) continue
    if (known === 0)
      addVariant(word, candidate.term, correctionWeight(surface, candidate.term, candidate.distance))
    else if (candidate.distance === 1 && index.documents(candidate.term) >= FAR_MORE * known)
      addVariant(word, candidate.term, RARE_WEIGHT)
  }
  return true
}

/** The longer the word, the surer; few people miss the first letter, and a short word with another one is another word. */
function correctionWeight(surface: string, term: string, distance: number): number {
  const share = distance / surface.length
  const sure = share <= 0.125 ? 0.8 : share <= 0.2 ? 0.65 : 0.5
  return surface.length < 6 && surface[0] !== term[0] ? sure / 2 : sure
}

function addSynonyms(
  tokens: Token[],
  words: Word[],
  index: LexicalIndex,
  more: NonNullable<QueryTermOptions['more']>,
): void {
  for (const length of [1, 2]) {
    for (const run of runsOf(tokens, length)) {
      const name = run.map((token) => token.term).join(' ')
      for (const { term, weight } of [...synonymsOf(name), ...more(name)])
        if (isTelling(term, index)) for (const word of wordsIn(run, words)) addVariant(word, term, weight)
    }
  }
}

/** Two words that are both common stand together by chance: "hand" and "weight" in one text are no dumbbell. */
function isTelling(term: string, index: LexicalIndex): boolean {
  return !term.includes(' ') || index.documents(term) <= Math.max(COMMON_AT_LEAST, COMMON_SHARE * index.size)
}
