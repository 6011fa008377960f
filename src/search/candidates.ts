/**
 * What an answer that is more than a search chooses from: the products of a category, or of all, ordered by the same ranking
 * as any search. The caller logs what was shown in the end.
 */
import type { CatalogIndex, IndexedProduct } from './catalog-index.ts'
import { allowedSlots, type Filters, type SaleLookup } from './filters.ts'
import { type Learned, type RankQuery, rank } from './rank/rank.ts'
import { reasonsFor } from './rank/reasons.ts'
import { andThen, type MaybePromise } from './vectors/meaning-index.ts'

export type CandidatesInput = {
  query: string
  /** All of them without one. */
  category?: string
  filters?: Pick<Filters, 'minPriceCents' | 'maxPriceCents' | 'onSale' | 'available' | 'shipsTo'>
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
  /** Why it is among them, in a few words; only of those for showing. */
  reason?: string
}

/** A budget read from the query does not limit those of a plan: how money is split is for the plan to decide. */
export function findCandidatesIn(
  index: CatalogIndex,
  query: RankQuery,
  learned: Learned,
  { category, filters, limit, forShowing = false }: CandidatesInput,
  sales: SaleLookup,
): MaybePromise<Candidate[]> {
  const { understood } = query
  const wanted = { ...filters, ...(category !== undefined && { category }), excludeDiscontinued: true }
  const allowed = allowedSlots(index, wanted, forShowing ? understood : { budget: null }, sales)
  return andThen(rank(index, query, learned, allowed), ({ slots, scores, similarity }) => {
    const found = Array.from(slots.subarray(0, limit), index.at)
    const listed = found.flatMap((product) => product ?? [])
    const reasonOf = forShowing ? reasonsFor(index, understood, listed) : null
    return found.flatMap((product, place) => {
      // Removed while the database was asked.
      if (!product) return []
      return {
        product,
        score: scores[place] ?? 0,
        similarity: similarity[place] ?? 0,
        ...(reasonOf && { reason: reasonOf(product) }),
      }
    })
  })
}
