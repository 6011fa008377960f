/**
 * The keyword index: BM25F over typed arrays, in process. New documents go to a small growing part that is sealed when it
 * is full; sealed segments are merged into larger ones, so there are never many (see segments.ts).
 * Merging never stops anyone: every `add` does a thin slice of it, `tidy` does what is left when the caller has
 * time, and until a merge is done searches read the segments it is made from.
 * Removed documents are hidden at once; their postings, and their part in idf and average lengths, go with the next
 * merge that touches them.
 */

import type { Part } from '../stored/saved.ts'
import {
  addScores,
  type Board,
  createStatistics,
  type LexicalHits,
  type Lookup,
  makeGroups,
  phraseIdf,
  type QueryTerm,
  raiseScores,
  type SavedStatistics,
  takeTop,
  type Variant,
} from './bm25f.ts'
import { createDictionary, type NearWord, type SavedDictionary } from './dictionary.ts'
import { type CountedWords, createWordCounter, type LexicalDoc, type SharedWords } from './document.ts'
import { type Evidence, weighEvidence } from './evidence.ts'
import { BRAND_BITS, CATEGORY_BITS, createCombinations, type Field, NAME_BITS, sumOf } from './fields.ts'
import {
  combinationOf,
  createSegments,
  type DocumentTerms,
  growTo,
  intersect,
  LIVE,
  type Postings,
  type PostingsIn,
  type SavedSegments,
  type SegmentSizes,
  withRoom,
} from './segments.ts'

export type { Field, LexicalDoc, LexicalHits, QueryTerm }

export type LexicalIndex = {
  /** Documents in service. */
  readonly size: number
  /** Slots given out, removed ones included: how long a mask must be. */
  readonly slotCount: number
  /** Takes a document; its slot is the next number from 0. */
  add(doc: LexicalDoc): number
  /** The same of one whose words are counted. */
  take(words: CountedWords): number
  remove(slot: number): void
  /** The k best documents, best first, ties by slot. Within a group the best variant counts, once. */
  search(terms: readonly QueryTerm[], k: number, allowed?: Uint8Array): LexicalHits
  explain(terms: readonly QueryTerm[], slots: Uint32Array): Evidence
  /** Of a term, or of a phrase of terms; an unknown one has the idf of a word in no document. */
  idf(term: string): number
  /** Documents that hold the term; removed ones may still be counted. */
  documents(term: string): number
  has(term: string): boolean
  /** Whether the term is known as one word made of several: mostly tied by a hyphen ("noise-cancelling"), or with digits. */
  isCompound(term: string): boolean
  /** Terms whose written forms are near a word as written; by distance, then by how many documents have them. */
  near(word: string, limit: number): NearWord[]
  /** Numbers of the terms that a word being typed may become: exactly, or when it has a typo. */
  typed(prefix: string, nearly: boolean): number[]
  numberOf(term: string): number
  /** The slots of documents that hold all of these terms, in any field; removed ones may still be among them. */
  holding(terms: readonly string[]): Iterable<number>
  /**
   * For every slot, a bit for each wanted word (8 at most, each the numbers of its terms) that it is called by: in the low byte by
   * title, brand or model, in the second by its brand, in the third by its category. Good until the next call.
   */
  calledBy(words: ReadonlyArray<readonly number[]>): Uint32Array
  /** Merges for up to so many milliseconds; true when nothing is left to do. */
  tidy(budgetMs: number): boolean
  save(): SavedLexical
  parts(): Part[]
  bytes(): number
}

export type SavedLexical = {
  dictionary: SavedDictionary
  combinations: Uint32Array
  statistics: SavedStatistics
  documentsByTerm: Uint32Array
  tied: Uint32Array
  segments: SavedSegments
  named: SavedSegments
}

/** Passing over so many postings takes about as long as looking one up. */
const FEW_POSTINGS = 24

export function createLexicalIndex(sizes?: SegmentSizes, saved?: SavedLexical): LexicalIndex {
  const dictionary = createDictionary(saved?.dictionary)
  const combinations = createCombinations(undefined, saved?.combinations)
  const statistics = createStatistics(saved?.statistics)
  let documentsByTerm = withRoom(saved?.documentsByTerm, new Uint32Array(1024))
  /** How often a term without digits came from words tied by a hyphen. */
  const tiedByTerm = new Map<number, number>()
  for (let at = 0; at < (saved?.tied.length ?? 0); at += 2)
    tiedByTerm.set(saved?.tied[at] as number, saved?.tied[at + 1] as number)
  const segments = createSegments(
    {
      onDropped(term, postings) {
        documentsByTerm[term] = (documentsByTerm[term] as number) - postings
      },
      onGone: statistics.drop,
    },
    sizes,
    saved?.segments,
  )
  /** What documents are called by, once more and alone: a tenth of all postings, so that one letter is soon looked up. */
  const named = createSegments({ onDropped() {}, onGone() {} }, sizes, saved?.named)
  /** Of the document being added, by term; all 0 in between. */
  let frequencies = new Uint32Array(1024)
  /** By term, the bits of the words that it may stand for; all 0 between calls. */
  let wanted = new Uint8Array(1024)
  let called = new Uint32Array(1024)
  /** By slot, its place among those being explained, from 1; all 0 in between. */
  let places = new Uint32Array(1024)
  /** All 0 between searches. */
  const board: Board = {
    scores: new Float32Array(1024),
    touched: new Uint32Array(1025),
    count: 0,
    best: new Float32Array(1024),
  }

  const documentsOf = (id: number) => documentsByTerm[id] ?? 0
  const lookup: Lookup = { idOf: dictionary.idOf, documents: documentsOf, idf: statistics.idf }

  /** The terms of shared words, as far as they are known. */
  let numbered: { shared: SharedWords; terms: number[] } | null = null

  function termsOf(shared: SharedWords): readonly number[] {
    if (numbered?.shared !== shared) numbered = { shared, terms: [] }
    const { terms } = numbered
    for (let at = terms.length; at < shared.surfaces.length; at++)
      terms.push(dictionary.intern(shared.surfaces[at] as string, shared.terms[at] as string))
    frequencies = growTo(frequencies, dictionary.size)
    return terms
  }

  function take(words: CountedWords): number {
    const numbers = termsOf(words.shared)
    const terms: number[] = []
    for (let at = 0; at < words.written.length; at++) {
      const id = numbers[words.written[at] as number] as number
      const before = frequencies[id] as number
      const more = words.frequencies[at] as number
      if (before === 0) terms.push(id)
      frequencies[id] = before === 0 ? more : sumOf(before, more)
    }
    for (const number of words.tied) {
      const id = numbers[number] as number
      tiedByTerm.set(id, (tiedByTerm.get(id) ?? 0) + 1)
    }
    documentsByTerm = growTo(documentsByTerm, dictionary.size)
    const ids = terms.map((id) => {
      const packed = frequencies[id] as number
      frequencies[id] = 0
      documentsByTerm[id] = documentsOf(id) + 1
      return combinations.idOf(packed)
    })
    // Before the postings: adding those may finish a merge, which takes documents out of the averages again.
    statistics.add(segments.count, words.lengths)
    named.add(namesOf(terms, ids))
    return segments.add({ terms, combinations: ids })
  }

  const find = ({ words }: Variant): Postings[] => piecesOf(words)

  /** Of documents that hold all of these. */
  function piecesOf(words: readonly number[]): Postings[] {
    return words
      .map((word) => segments.find(word))
      .reduce((common, pieces) => intersect(common, pieces, combinations))
  }

  function* holding(terms: readonly string[]): Iterable<number> {
    for (const { base, slots, from, to } of piecesOf(terms.map(dictionary.idOf)))
      for (let i = from; i < to; i++) yield base + (slots[i] as number)
  }

  function search(terms: readonly QueryTerm[], k: number, allowed?: Uint8Array): LexicalHits {
    const { count, states } = segments
    const scales = statistics.scales()
    board.scores = growTo(board.scores, count)
    board.touched = growTo(board.touched, count + 1)
    board.best = growTo(board.best, count)
    for (const { variants } of makeGroups(terms, lookup)) {
      const score = variants.length === 1 ? addScores : raiseScores
      if (variants.length > 1) board.best.fill(0, 0, count)
      for (const variant of variants) {
        const pieces = find(variant)
        const multipliers = combinations.multipliers(variant.mask)
        for (const piece of pieces) score(piece, variant.factor, multipliers, scales, board)
      }
    }
    const isIn = (slot: number) =>
      states[slot] === LIVE && (allowed === undefined || (allowed[slot] ?? 0) !== 0)
    return takeTop(board, k, isIn)
  }

  function explain(terms: readonly QueryTerm[], slots: Uint32Array): Evidence {
    places = growTo(places, segments.count)
    slots.forEach((slot, at) => {
      places[slot] = at + 1
    })
    const evidence = weighEvidence(makeGroups(terms, lookup), slots, statistics.scales(), (variant) =>
      frequenciesIn(find(variant), slots),
    )
    for (const slot of slots) places[slot] = 0
    return evidence
  }

  /** Few postings are passed over; of many, each slot's is looked up. */
  function frequenciesIn(pieces: Postings[], slots: Uint32Array): Uint32Array {
    const frequencies = new Uint32Array(slots.length)
    const { packed } = combinations
    const postings = pieces.reduce((sum, { from, to }) => sum + to - from, 0)
    if (postings > slots.length * FEW_POSTINGS)
      for (let at = 0; at < slots.length; at++) {
        const combination = combinationOf(pieces, slots[at] as number)
        if (combination >= 0) frequencies[at] = packed[combination] as number
      }
    else
      for (const { base, slots: held, combinations: ids, from, to } of pieces)
        for (let i = from; i < to; i++) {
          const place = places[base + (held[i] as number)] as number
          if (place > 0) frequencies[place - 1] = packed[ids[i] as number] as number
        }
    return frequencies
  }

  function namesOf(terms: readonly number[], ids: readonly number[]): DocumentTerms {
    const names: DocumentTerms = { terms: [], combinations: [] }
    terms.forEach((term, at) => {
      const combination = ids[at] as number
      if (((combinations.packed[combination] as number) & (NAME_BITS | CATEGORY_BITS)) === 0) return
      names.terms.push(term)
      names.combinations.push(combination)
    })
    return names
  }

  function calledBy(words: ReadonlyArray<readonly number[]>): Uint32Array {
    called = growTo(called, segments.count)
    called.fill(0)
    wanted = growTo(wanted, dictionary.size)
    const all: number[] = []
    words.forEach((terms, word) => {
      for (const term of terms) {
        if (wanted[term] === 0) all.push(term)
        wanted[term] = (wanted[term] as number) | (1 << word)
      }
    })
    named.visit(Uint32Array.from(all).sort(), mark)
    for (const term of all) wanted[term] = 0
    return called
  }

  function mark(
    { base, slots, combinations: ids }: PostingsIn,
    from: number,
    to: number,
    term: number,
  ): void {
    const { packed } = combinations
    const bits = wanted[term] as number
    for (let i = from; i < to; i++) {
      const fields = packed[ids[i] as number] as number
      const slot = base + (slots[i] as number)
      let marked = called[slot] as number
      if ((fields & NAME_BITS) !== 0) marked |= bits
      if ((fields & BRAND_BITS) !== 0) marked |= bits << 8
      if ((fields & CATEGORY_BITS) !== 0) marked |= bits << 16
      called[slot] = marked
    }
  }

  return {
    get size() {
      return segments.live
    },
    get slotCount() {
      return segments.count
    },
    add: (doc) => take(createWordCounter()(doc)),
    take,
    remove(slot) {
      segments.remove(slot)
      named.remove(slot)
    },
    search,
    explain,
    idf: (term) => phraseIdf(term.split(' ').map(dictionary.idOf), lookup),
    documents: (term) => Math.min(...term.split(' ').map((word) => documentsOf(dictionary.idOf(word)))),
    has: (term) => term.split(' ').every((word) => documentsOf(dictionary.idOf(word)) > 0),
    isCompound: (term) => {
      const id = dictionary.idOf(term)
      return documentsOf(id) > 0 && (/\d/.test(term) || (tiedByTerm.get(id) ?? 0) * 2 >= documentsOf(id))
    },
    near: (word, limit) => dictionary.near(word, limit, documentsOf),
    typed: (prefix, nearly) => (nearly ? dictionary.startingNearly(prefix) : dictionary.startingWith(prefix)),
    numberOf: dictionary.idOf,
    holding,
    calledBy,
    tidy: (budgetMs) => segments.tidy(budgetMs) && named.tidy(budgetMs),
    save: () => ({
      dictionary: dictionary.save(),
      combinations: combinations.save(),
      statistics: statistics.save(),
      documentsByTerm: documentsByTerm.subarray(0, dictionary.size),
      tied: Uint32Array.from([...tiedByTerm].flat()),
      segments: segments.save(),
      named: named.save(),
    }),
    parts: () => [...segments.parts(), ...named.parts()],
    bytes: () =>
      segments.bytes() +
      named.bytes() +
      dictionary.bytes() +
      combinations.bytes() +
      statistics.bytes() +
      documentsByTerm.byteLength +
      tiedByTerm.size * 40 +
      frequencies.byteLength +
      wanted.byteLength +
      called.byteLength +
      places.byteLength +
      board.scores.byteLength +
      board.touched.byteLength +
      board.best.byteLength,
  }
}
