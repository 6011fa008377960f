/**
 * What a node knows of the catalog as a whole while it holds none of it: counts of the words and names that were asked for
 * lately, and of products those that were fetched lately. Both are bounded, whatever the size of the catalog. Counts are
 * forgotten when the catalog changes; a product is told by its version.
 */
import type { Db } from '../../db/database.ts'
import { digitsOf, editDistance, editsAllowed, editsOf, type NearWord } from '../lexical/dictionary.ts'
import { type Found, fetchCounts, fetchPrepared, findSpelledAlike, findSpellings } from './find.queries.ts'
import { KINDS, LONGEST_KEY, type Prepared, readPrepared } from './prepared.ts'

export type Count = { products: number; written: string | null }
const NONE: Count = { products: 0, written: null }

/** With its terms by name. */
export type Fetched = Found & { prepared: Prepared; frequencyOf: ReadonlyMap<string, number> }

export type Brought = { counts: Map<string, Count>; near: Map<string, NearWord[]> }
export type CountKey = readonly [kind: string, key: string]

export type NodeMemory = {
  /** Each by its kind and key, in one string. */
  count(name: string): Count | undefined
  near(word: string): NearWord[] | undefined
  bring(counts: readonly CountKey[], near: readonly string[]): Promise<Brought>
  /** Those that are still there. */
  bringProducts(found: readonly Found[]): Promise<Fetched[]>
  /** The catalog has changed. */
  forget(): void
}

const MOST_COUNTS = 100_000
const MOST_NEAR = 5_000
const MOST_PRODUCTS = 4_000
const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
/** As many as `near` is ever asked for, and more. */
const MOST_CORRECTIONS = 10

export function createNodeMemory(db: Db, trigrams: () => boolean): NodeMemory {
  const counts = createLatest<Count>(MOST_COUNTS)
  const nears = createLatest<NearWord[]>(MOST_NEAR)
  const products = createLatest<Fetched>(MOST_PRODUCTS)
  /** What was asked for before the catalog changed serves who asked, and is not kept. */
  let age = 0

  async function bringCounts(wanted: readonly CountKey[], brought: Brought): Promise<void> {
    if (wanted.length === 0) return
    const from = age
    const rows = await fetchCounts(
      db,
      wanted.filter(([, key]) => key.length <= LONGEST_KEY),
    )
    const found = new Map(rows.map(({ kind, key, ...count }) => [kind + key, count]))
    for (const [kind, key] of wanted) {
      const count = found.get(kind + key) ?? NONE
      brought.counts.set(kind + key, count)
      if (age === from) counts.set(kind + key, count)
    }
  }

  async function bringNear(word: string, brought: Brought): Promise<void> {
    const from = age
    const max = editsAllowed(word)
    let near: NearWord[] = []
    for (let distance = 1; distance <= max && near.length === 0; distance++) {
      if (distance === 2 && !trigrams()) break
      const spelled =
        distance === 1
          ? await findSpellings(db, [...new Set(editsOf(word, LETTERS))])
          : await findSpelledAlike(db, word)
      const isNear = (surface: string) =>
        digitsOf(surface) === digitsOf(word) && editDistance(word, surface, distance) === distance
      const terms = new Set(spelled.flatMap(({ surface, term }) => (isNear(surface) ? [term] : [])))
      await bringCounts(
        Array.from(terms, (term) => [KINDS.term, term] as const),
        brought,
      )
      const documentsOf = (term: string) => brought.counts.get(KINDS.term + term)?.products ?? 0
      near = Array.from(terms, (term) => ({ term, documents: documentsOf(term) }))
        .filter(({ documents }) => documents > 0)
        .sort((a, b) => b.documents - a.documents || (a.term < b.term ? -1 : 1))
        .slice(0, MOST_CORRECTIONS)
        .map(({ term }) => ({ term, distance }))
    }
    brought.near.set(word, near)
    if (age === from) nears.set(word, near)
  }

  return {
    count: counts.get,
    near: nears.get,
    async bring(wanted, near) {
      const brought: Brought = { counts: new Map(), near: new Map() }
      await Promise.all([bringCounts(wanted, brought), ...near.map((word) => bringNear(word, brought))])
      return brought
    },
    async bringProducts(found) {
      const kept = found.map(({ id, version }) => {
        const known = products.get(id)
        return known?.version === version ? known : null
      })
      const missing = found.filter((_, at) => !kept[at]).map(({ id }) => id)
      const fetched = new Map<string, Fetched>()
      for (const { prepared: text, ...row } of missing.length === 0 ? [] : await fetchPrepared(db, missing)) {
        const prepared = readPrepared(text)
        const one = { ...row, prepared, frequencyOf: byTerm(prepared) }
        fetched.set(row.id, one)
        products.set(row.id, one)
      }
      return found.flatMap(({ id }, at) => kept[at] ?? fetched.get(id) ?? [])
    },
    forget() {
      age++
      counts.clear()
      nears.clear()
    },
  }
}

function byTerm({ terms, frequencies }: Prepared): Map<string, number> {
  return new Map(terms === '' ? [] : terms.split(' ').map((term, at) => [term, frequencies[at] as number]))
}

type Latest<T> = { get(key: string): T | undefined; set(key: string, value: T): void; clear(): void }

/** The latest that were set. */
function createLatest<T>(most: number): Latest<T> {
  const kept = new Map<string, T>()
  return {
    get: (key) => kept.get(key),
    set(key, value) {
      kept.delete(key)
      kept.set(key, value)
      if (kept.size > most) kept.delete(kept.keys().next().value as string)
    },
    clear: () => kept.clear(),
  }
}
