/** Orders of a list that no ranking made; unknown values come last, equal ones stay by relevance, discontinued products come after all others. */
import type { CatalogIndex, IndexedProduct } from './catalog-index.ts'
import type { Sort } from './search.schema.ts'

type Sortable = Pick<IndexedProduct, 'reviewCount' | 'priceLowCents' | 'rating' | 'released' | 'discontinued'>

/** Stars of a product that nobody rated. */
const UNRATED = 3

/** How much many buyers like a product; more with every rating and every review. */
export function likedBy({ rating, reviewCount }: Pick<Sortable, 'rating' | 'reviewCount'>): number {
  return (rating ?? UNRATED) * Math.log1p(reviewCount ?? 0)
}

/** Where nothing was asked for, what is liked best fits best. */
const KEYS: Record<Sort, (product: Sortable) => number | string | null> = {
  relevance: (product) => -likedBy(product),
  popular: ({ reviewCount }) => (reviewCount === null ? null : -reviewCount),
  price_asc: ({ priceLowCents }) => priceLowCents,
  price_desc: ({ priceLowCents }) => (priceLowCents === null ? null : -priceLowCents),
  rating: ({ rating }) => (rating === null ? null : -rating),
  newest: ({ released }) => released,
}

export function sortSlots(index: CatalogIndex, slots: Uint32Array, sort: Sort): Uint32Array {
  if (sort === 'relevance') return slots
  const { reviews, priceLow, rating, discontinued } = index.columns
  const known = (value = Number.NaN) => (Number.isNaN(value) ? null : value)
  const of = (slot: number): Sortable => ({
    reviewCount: known(reviews[slot]),
    priceLowCents: known(priceLow[slot]),
    rating: known(rating[slot]),
    // In no column, because no filter asks for it.
    released: sort === 'newest' ? (index.at(slot)?.released ?? null) : null,
    discontinued: discontinued[slot] === 1,
  })
  return Uint32Array.from(sortBy([...slots], sort, of))
}

/** Those that are equal stay as they came. */
export function sortBy<T>(list: readonly T[], sort: Sort, of: (one: T) => Sortable): T[] {
  const keyed = list.map((one) => {
    const product = of(one)
    return { one, key: KEYS[sort](product), last: Number(product.discontinued) }
  })
  const direction = sort === 'newest' ? -1 : 1
  keyed.sort((a, b) => {
    if (a.last !== b.last) return a.last - b.last
    if (a.key === null || b.key === null) return Number(a.key === null) - Number(b.key === null)
    return a.key === b.key ? 0 : a.key < b.key ? -direction : direction
  })
  return keyed.map(({ one }) => one)
}
