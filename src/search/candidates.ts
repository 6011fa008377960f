/**
 * What an answer that is more than a search chooses from: the products of a category, or of all, ordered by the same ranking
 * as any search. What the query rules out is not among them. The caller logs what was shown in the end.
 */
import type { CatalogIndex, IndexedProduct } from './catalog-index.ts'
import { allowedSlots, type Filters, type SaleLookup } from './filters.ts'
import { standingOf } from './kinds.ts'
import { stemsOf } from './lexical/tokenize.ts'
import { DENIED, judgeAll, ruleOut } from './obey.ts'
import { type Learned, type RankQuery, rank } from './rank/rank.ts'
import { reasonsFor } from './rank/reasons.ts'
import { andThen, type MaybePromise } from './vectors/meaning-index.ts'
import { meanOf } from './vectors/memory-meaning.ts'
import { countUnsaid } from './wanted.ts'

export type CandidatesInput = {
  query: string
  /** All of them without one. */
  category?: string
  filters?: Pick<
    Filters,
    'minPriceCents' | 'maxPriceCents' | 'onSale' | 'available' | 'shipsTo' | 'excludeBrands'
  >
  /** Words that a product may say of itself; where some do, the others are silent about them. */
  wanted?: readonly string[]
  limit: number
  /** They are for showing, not for a plan: a budget in the query limits them as it does a search, and each has its reason. */
  forShowing?: boolean
}

export type Candidate = {
  product: IndexedProduct
  /** Comparable within one call. */
  score: number
  /** 0 to 1 */
  similarity: number
  /** How many demands of the query its facts do not answer; null when they deny one. */
  silent: number | null
  /** How many of them are demands that the query states outright. */
  unanswered?: number
  /** Its title calls it what the category holds: 1 by its name, 0 by another's; null when it has no such word. */
  isThing: number | null
  /** 0 to 1: the share of the candidates that are less like all of them; null without vectors or category. */
  typical: number | null
  /** In how many days a seller states to deliver it; null when none does, absent where nobody asked. */
  days?: number | null
  /** Why it is among them, in a few words; only of those for showing. */
  reason?: string
}

/** A budget read from the query does not limit those of a plan: how money is split is for the plan to decide. */
export function findCandidatesIn(
  index: CatalogIndex,
  query: RankQuery,
  learned: Learned,
  { category, filters, wanted: words = [], limit, forShowing = false }: CandidatesInput,
  sales: SaleLookup,
): MaybePromise<Candidate[]> {
  const { understood } = query
  const wanted = { ...filters, ...(category !== undefined && { category }), excludeDiscontinued: true }
  const allowed = ruleOut(
    index,
    understood,
    allowedSlots(index, wanted, forShowing ? understood : { budget: null }, sales),
  )
  return andThen(rank(index, query, learned, allowed), ({ slots: ranked, scores, similarity }) => {
    const slots = ranked.subarray(0, limit)
    const found = Array.from(slots, index.at)
    const listed = found.flatMap((product) => product ?? [])
    const verdicts = judgeAll(index, understood, slots)
    const unsaid = countUnsaid(index, words, found)
    const reasonOf = forShowing ? reasonsFor(index, understood, listed, sales) : null
    // Of products of all sorts none is typical.
    const alike = category !== undefined && !forShowing && query.vector !== null
    const typical = alike ? typicality(index, slots) : []
    return andThen(typical, (shares) =>
      found.flatMap((product, place) => {
        // Removed while the database was asked.
        if (!product) return []
        const verdict = verdicts[place] ?? 0
        return {
          product,
          score: scores[place] ?? 0,
          similarity: similarity[place] ?? 0,
          silent: verdict === DENIED ? null : Math.floor(verdict) + (unsaid[place] ?? 0),
          unanswered: Math.floor(verdict),
          isThing: isThing(index, product),
          typical: shares[place] ?? null,
          ...(reasonOf && { reason: reasonOf(product) }),
        }
      }),
    )
  })
}

/** How near each is to what all of them have in common, beside the others. */
function typicality(index: CatalogIndex, slots: Uint32Array): MaybePromise<Array<number | null>> {
  return andThen(index.meaning.means(Array.from(slots, (slot) => [slot])), (vectors) => {
    const middle = meanOf(vectors, index.meaning.dims)
    const near = vectors.map((vector) => {
      const length = Math.sqrt(dotOf(vector, vector))
      return length === 0 ? null : dotOf(vector, middle) / length
    })
    return near.map((own) => {
      if (own === null) return null
      return near.filter((other) => other !== null && other < own).length / Math.max(1, near.length - 1)
    })
  })
}

function dotOf(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let dim = 0; dim < a.length; dim++) sum += (a[dim] ?? 0) * (b[dim] ?? 0)
  return sum
}

/** A product that is wanted whatever the query finds. */
export function candidateOf(index: CatalogIndex, product: IndexedProduct): Candidate {
  return { product, score: 0, similarity: 0, silent: 0, isThing: isThing(index, product), typical: null }
}

function isThing(index: CatalogIndex, { titleWords, category }: IndexedProduct): number | null {
  const head = stemsOf(category.label).at(-1)
  const number = head === undefined ? undefined : index.kinds.numberOf(head)
  if (number === undefined) return null
  return standingOf(index.kinds, titleWords, new Set([number]))?.is ?? null
}
