/**
 * What the operator says of search, ready for use: words that mean the same, products that come first for a query, and
 * what counts for more or less. None of it touches how similar a product is, what the filters allow or what a query rules
 * out; what it did to an answer is said by `explain`. Pure.
 */
import type { CatalogIndex, IndexedProduct } from './catalog-index.ts'
import { SPELLING_WEIGHT, SYNONYM_WEIGHT, type Synonym } from './lexical/synonyms.ts'
import { tokenize } from './lexical/tokenize.ts'

/** How much a synonym counts: as the word itself, or as a hint that ranks below it. */
export const SYNONYM_WEIGHTS = { same: SPELLING_WEIGHT, hint: SYNONYM_WEIGHT } as const

export type TuningRule =
  | { kind: 'synonym'; words: string[]; weight: number }
  | { kind: 'pin'; query: string; productId: string; place: number }
  | {
      kind: 'boost'
      /** Only for queries that have all of these words; empty for every query. */
      query: string
      of: { productId: string } | { brand: string } | { category: string }
      weight: number
    }

export type Tuning = {
  synonymsOf(term: string): readonly Synonym[]
  /** The rules for one query; null when there are none. */
  tunedFor(query: string): Tuned | null
}

export type Tuned = {
  /** Product ids in their order. */
  pins: readonly string[]
  boostOf(product: IndexedProduct): number
}

export const NO_TUNING: Tuning = { synonymsOf: () => [], tunedFor: () => null }

/** More would say nothing but "always", or "never", which is what pins and hiding are for. */
export const MOST_BOOST = 5

export function compileTuning(rules: readonly TuningRule[]): Tuning {
  if (rules.length === 0) return NO_TUNING
  const synonyms = synonymTable(rules)
  const pins = new Map<string, Array<{ productId: string; place: number }>>()
  const boosts: Array<{ words: string[]; adds(product: IndexedProduct): number }> = []
  for (const rule of rules) {
    if (rule.kind === 'pin') {
      const key = queryKey(rule.query)
      pins.set(
        key,
        [...(pins.get(key) ?? []), rule].sort((a, b) => a.place - b.place),
      )
    } else if (rule.kind === 'boost') {
      const isMeant = meantBy(rule.of)
      boosts.push({
        words: termsIn(rule.query),
        adds: (product) => (isMeant(product) ? rule.weight : 0),
      })
    }
  }
  return {
    synonymsOf: (term) => synonyms.get(term) ?? [],
    tunedFor(query) {
      const pinned = pins.get(queryKey(query)) ?? []
      const said = new Set(boosts.length === 0 ? [] : termsIn(query))
      const holding = boosts.filter(({ words }) => words.every((word) => said.has(word)))
      if (pinned.length + holding.length === 0) return null
      return {
        pins: pinned.map(({ productId }) => productId),
        boostOf(product) {
          const sum = holding.reduce((total, { adds }) => total + adds(product), 0)
          return Math.max(-MOST_BOOST, Math.min(MOST_BOOST, sum))
        },
      }
    },
  }
}

/** Two queries with the same words in the same order are one, whatever their case, signs and plurals. */
export function queryKey(query: string): string {
  return termsIn(query).join(' ')
}

function termsIn(text: string): string[] {
  return tokenize(text).flatMap(({ kind, term }) => (kind === 'word' ? [term] : []))
}

function meantBy(of: Extract<TuningRule, { kind: 'boost' }>['of']): (product: IndexedProduct) => boolean {
  if ('productId' in of) return ({ id }) => id === of.productId
  if ('category' in of) return ({ category }) => category.slug === of.category
  const brand = of.brand.trim().toLowerCase()
  return (product) => product.brand?.trim().toLowerCase() === brand
}

/** Groups do not chain, as those that Souk comes with do not. */
function synonymTable(rules: readonly TuningRule[]): Map<string, Synonym[]> {
  const table = new Map<string, Synonym[]>()
  for (const rule of rules) {
    if (rule.kind !== 'synonym') continue
    const names = new Set(rule.words.map(queryKey).filter((name) => name !== ''))
    for (const name of names)
      for (const term of names)
        if (term !== name) table.set(name, [...(table.get(name) ?? []), { term, weight: rule.weight }])
  }
  return table
}

/** The slots of the pins that are in the index, in their order. */
export function pinnedSlots(index: CatalogIndex, tuned: Tuned | null | undefined): number[] {
  return (tuned?.pins ?? []).flatMap((id) => index.slotOf(id) ?? [])
}

/** What the rules did, for `explain`. */
export function tuningNotes(
  tuning: Tuning,
  query: string,
  pinned: readonly IndexedProduct[],
): Array<{ phrase: string; meaning: string }> {
  const terms = termsIn(query)
  const runs = [...terms, ...terms.slice(1).map((term, at) => `${terms[at]} ${term}`)]
  const synonyms = runs.flatMap((phrase) =>
    tuning
      .synonymsOf(phrase)
      .map(({ term }) => ({ phrase, meaning: `also ${term}, by a rule of the operator` })),
  )
  const pins = pinned.map(({ title }) => ({ phrase: query, meaning: `the operator put ${title} first` }))
  return [...synonyms, ...pins]
}
