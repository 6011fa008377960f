/** What a plan over several categories chooses from: one category's products, ordered by the same ranking as any search. */
import type { CatalogIndex, IndexedProduct } from './catalog-index.ts'
import { allowedSlots } from './filters.ts'
import type { RankQuery } from './rank/query.ts'
import { rank, type Weights } from './rank/rank.ts'

export type CandidatesInput = { query: string; category: string; limit: number }

export type Candidate = {
  product: IndexedProduct
  /** Comparable within one call. */
  score: number
  /** 0 to 1 */
  similarity: number
}

const NO_SALES = { isOnSale: () => false }

/** A budget read from the query does not limit them: how money is split is for the plan to decide. */
export function findCandidatesIn(
  index: CatalogIndex,
  query: RankQuery,
  weights: Weights,
  { category, limit }: CandidatesInput,
): Candidate[] {
  const allowed = allowedSlots(index, { category, excludeDiscontinued: true }, { budget: null }, NO_SALES)
  const { slots, scores, similarity } = rank(index, query, weights, allowed)
  return Array.from(slots.subarray(0, limit), (slot, place) => ({
    product: index.at(slot) as IndexedProduct,
    score: scores[place] ?? 0,
    similarity: similarity[place] ?? 0,
  }))
}
