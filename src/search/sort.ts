/** Orders other than by relevance; unknown values come last, equal ones stay by relevance. */
import type { CatalogIndex, IndexedProduct } from './catalog-index.ts'
import type { Sort } from './search.schema.ts'

const KEYS: Record<Exclude<Sort, 'relevance'>, (product: IndexedProduct) => number | string | null> = {
  popular: ({ reviewCount }) => (reviewCount === null ? null : -reviewCount),
  price_asc: ({ priceLowCents }) => priceLowCents,
  price_desc: ({ priceLowCents }) => (priceLowCents === null ? null : -priceLowCents),
  rating: ({ rating }) => (rating === null ? null : -rating),
  newest: ({ released }) => released,
}

export function sortSlots(index: CatalogIndex, slots: Uint32Array, sort: Sort): Uint32Array {
  if (sort === 'relevance') return slots
  const keyed = Array.from(slots, (slot) => ({ slot, key: KEYS[sort](index.at(slot) as IndexedProduct) }))
  const direction = sort === 'newest' ? -1 : 1
  keyed.sort((a, b) => {
    if (a.key === null || b.key === null) return Number(a.key === null) - Number(b.key === null)
    return a.key === b.key ? 0 : a.key < b.key ? -direction : direction
  })
  return Uint32Array.from(keyed, ({ slot }) => slot)
}
