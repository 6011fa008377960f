/** What a plan over several categories chooses from: one category's products, ordered by the same ranking as any search. */
import type { CatalogIndex, IndexedProduct } from './catalog-index.ts'
import { allowedSlots, type Filters, type SaleLookup } from './filters.ts'
import type { RankQuery } from './rank/query.ts'
import { rank, type Weights } from './rank/rank.ts'

export type CandidatesInput = {
  query: string
  category: string
  filters?: Pick<Filters, 'minPriceCents' | 'maxPriceCents' | 'onSale'>
  limit: number
}

export type Candidate = {
  product: IndexedProduct
  /** Comparable within one call. */
  score: number
  /** 0 to 1 */
  similarity: number
}

/** A budget read from the query does not limit them: how money is split is for the plan to decide. */
export function findCandidatesIn(
  index: CatalogIndex,
  query: RankQuery,
  weights: Weights,
  { category, filters, limit }: CandidatesInput,
  sales: SaleLookup,
): Candidate[] {
  const wanted = { ...filters, category, excludeDiscontinued: true }
  const allowed = allowedSlots(index, wanted, { budget: null }, sales)
  const { slots, scores, similarity } = rank(index, query, weights, allowed)
  return Array.from(slots.subarray(0, limit), (slot, place) => ({
    product: index.at(slot) as IndexedProduct,
    score: scores[place] ?? 0,
    similarity: similarity[place] ?? 0,
  }))
}
