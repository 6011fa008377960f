/** A category's products in a chosen order, a page at a time: the list behind the tools and agents that browse. */
import { requireCategoryWhole } from './catalog.ts'
import type { CatalogIndex } from './catalog-index.ts'
import { allowedSlots, type SaleLookup } from './filters.ts'
import { requireCategory } from './near-categories.ts'
import { toResult } from './result.ts'
import type { SearchResult, ShipsTo, Sort } from './search.schema.ts'
import { sortSlots } from './sort.ts'

export type BrowseInput = {
  category: string
  sort?: Exclude<Sort, 'relevance'>
  onSale?: boolean
  available?: boolean
  /** A region as readRegion writes it. */
  shipsTo?: string
  includeDiscontinued?: boolean
  limit: number
  offset?: number
}

/** Nothing was searched for, so there is no similarity and no reason. */
export type BrowsedProduct = Omit<SearchResult, 'similarity' | 'reason' | 'explain'> & {
  rating: number | null
  review_count: number | null
  discontinued: boolean
}

export type Browsed = {
  category: { slug: string; label: string }
  total: number
  products: BrowsedProduct[]
  /** Only with that filter. */
  shipsTo?: ShipsTo
}

export function browseCategory(index: CatalogIndex, input: BrowseInput, sales: SaleLookup): Browsed {
  const { category, sort = 'popular', includeDiscontinued, limit, offset = 0 } = input
  requireCategory(index, category, 'category')
  requireCategoryWhole(index, category, 'lists of a category')
  const { onSale, available, shipsTo } = input
  const filters = { category, onSale, available, shipsTo, excludeDiscontinued: !includeDiscontinued }
  const allowed = allowedSlots(index, filters, { budget: null }, sales)
  const open = shipsTo && allowedSlots(index, filters, { budget: null }, sales, 'unknown')
  const found: Array<{ slot: number; id: string }> = []
  for (let slot = 0; slot < index.slots; slot++)
    if (allowed?.[slot] === 1) found.push({ slot, id: index.idAt(slot) ?? '' })
  // Slots differ from node to node, ids do not: equal products keep one order wherever the next page comes from.
  found.sort((a, b) => (a.id < b.id ? -1 : 1))
  const order = sortSlots(
    index,
    Uint32Array.from(found, ({ slot }) => slot),
    sort,
  )
  const products = [...order.subarray(offset, offset + limit)].flatMap((slot) => index.at(slot) ?? [])
  const label = index.vocabulary().categories.find(({ slug }) => slug === category)?.label ?? category
  return {
    category: { slug: category, label },
    total: order.length,
    ...(shipsTo &&
      open && { shipsTo: { region: shipsTo, not_stated: open.reduce((sum, one) => sum + one, 0) } }),
    products: products.map((product) => {
      const { similarity: _, ...shown } = toResult(product, 0, sales)
      const { rating, reviewCount, discontinued } = product
      return { ...shown, rating, review_count: reviewCount, discontinued }
    }),
  }
}
