/**
 * The keyword index over what was fetched for one question. It ranks by the counts of the whole catalog, so that a product
 * has the score that it would have among all; which products are among these is for who fetched them.
 */
import { needsWhole } from '../catalog.ts'
import {
  createStatistics,
  type Lookup,
  makeGroups,
  phraseIdf,
  type QueryTerm,
  type Variant,
} from '../lexical/bm25f.ts'
import type { NearWord } from '../lexical/dictionary.ts'
import { weighEvidence } from '../lexical/evidence.ts'
import { ALL_FIELDS, leastOf } from '../lexical/fields.ts'
import type { LexicalIndex } from '../lexical/lexical-index.ts'
import type { WordGroup } from './find.queries.ts'
import { quoted } from './prepared.ts'

export type FetchedWords = LexicalIndex & {
  /** The slot is the next number from 0. */
  put(frequencyOf: ReadonlyMap<string, number>, lengths: number): void
  /** The words of a query as the database is asked for them. */
  groupsOf(terms: readonly QueryTerm[]): WordGroup[]
}

/** What is known of the whole catalog; what is not known yet is noted, and answered for the time being. */
export type WholeWords = {
  products: number
  totals: number[]
  having: number[]
  documents(term: string): number
  tied(term: string): number
  near(word: string): NearWord[]
  /** Called before what a search may find is read. */
  searched(terms: readonly QueryTerm[], allowed: Uint8Array | undefined): void
}

export function createFetchedWords(whole: WholeWords): FetchedWords {
  const numbers = new Map<string, number>()
  const terms: string[] = []
  const frequencies: Array<ReadonlyMap<string, number>> = []
  const lengths: number[] = []
  const totals = Float64Array.from(whole.totals)
  const having = Float64Array.from(whole.having)
  const statistics = () =>
    createStatistics({ lengths: Uint32Array.from(lengths), totals, having, documents: whole.products })
  let known: ReturnType<typeof createStatistics> | null = null
  const current = () => {
    known ??= statistics()
    return known
  }

  function idOf(term: string): number {
    const number = numbers.get(term)
    if (number !== undefined) return number
    numbers.set(term, terms.push(term) - 1)
    return terms.length - 1
  }

  const documentsOf = (id: number) => whole.documents(terms[id] ?? '')
  const lookup: Lookup = { idOf, documents: documentsOf, idf: (documents) => current().idf(documents) }

  const frequenciesIn = ({ words }: Variant, slots: Uint32Array) => {
    const [first = '', ...others] = words.map((id) => terms[id] ?? '')
    return slots.map((slot) => {
      const of = frequencies[slot]
      let packed = of?.get(first) ?? 0
      for (const term of others) packed = leastOf(packed, of?.get(term) ?? 0)
      return packed
    })
  }

  const evidence = (asked: readonly QueryTerm[], slots: Uint32Array) =>
    weighEvidence(makeGroups(asked, lookup), slots, current().scales(), (variant) =>
      frequenciesIn(variant, slots),
    )

  return {
    get size() {
      return whole.products
    },
    get slotCount() {
      return frequencies.length
    },
    put(frequencyOf, length) {
      frequencies.push(frequencyOf)
      lengths.push(length)
      known = null
    },
    groupsOf: (asked) =>
      makeGroups(asked, lookup).map(({ variants, idf }) => ({
        idf,
        documents: variants.reduce((sum, { words }) => sum + Math.min(...words.map(documentsOf)), 0),
        query: `(${variants
          .map(({ words, mask }) =>
            phrase(
              words.map((id) => terms[id] ?? ''),
              mask,
            ),
          )
          .join(' | ')})`,
      })),
    search(asked, k, allowed) {
      whole.searched(asked, allowed)
      const all = Uint32Array.from(frequencies.keys()).filter((slot) => !allowed || allowed[slot] === 1)
      const { bm25 } = evidence(asked, all)
      const order = Array.from(all.keys())
        .filter((at) => (bm25[at] as number) > 0)
        .sort((a, b) => (bm25[b] as number) - (bm25[a] as number) || a - b)
        .slice(0, k)
      return {
        slots: Uint32Array.from(order, (at) => all[at] as number),
        scores: Float32Array.from(order, (at) => bm25[at] as number),
      }
    },
    explain: evidence,
    idf: (term) => phraseIdf(term.split(' ').map(idOf), lookup),
    documents: (term) => Math.min(...term.split(' ').map((word) => whole.documents(word))),
    has: (term) => term.split(' ').every((word) => whole.documents(word) > 0),
    isCompound: (term) => {
      const documents = whole.documents(term)
      return documents > 0 && (/\d/.test(term) || whole.tied(term) * 2 >= documents)
    },
    near: (word, limit) => whole.near(word).slice(0, limit),
    numberOf: idOf,
    *holding(asked) {
      for (const [slot, of] of frequencies.entries()) if (asked.every((term) => of.has(term))) yield slot
    },
    typed() {
      throw needsWhole('suggestions')
    },
    calledBy() {
      throw needsWhole('suggestions')
    },
    add() {
      throw needsWhole('changes of the index')
    },
    take() {
      throw needsWhole('changes of the index')
    },
    remove() {},
    tidy: () => true,
    save() {
      throw needsWhole('files of the index')
    },
    parts: () => [],
    bytes: () => 0,
  }
}

/** A word, or all words of a phrase; in names and specs alone where it may stand only there. */
function phrase(words: readonly string[], mask: number): string {
  const fields = mask === ALL_FIELDS ? '' : ':AC'
  const written = words.map((word) => `${quoted(word)}${fields}`)
  return written.length === 1 ? (written[0] ?? '') : `(${written.join(' & ')})`
}
