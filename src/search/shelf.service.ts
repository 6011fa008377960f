/** A category's page of products under filters: which products, in which order, and what narrows them further. */
import { requireCategoryWhole } from './catalog.ts'
import type { CatalogIndex } from './catalog-index.ts'
import { allowedSlots, type Filters, type SaleLookup } from './filters.ts'
import type { ShipsTo, Sort } from './search.schema.ts'
import { categoryTable, countShelf, type Shelf, uncounted } from './shelf.ts'
import { sortBy } from './sort.ts'

export type ShelfInput = {
  category: string
  filters: Filters
  sort: Sort
  limit: number
  offset: number
}

export type OnShelf = {
  productIds: string[]
  /** On all pages. */
  total: number
  /** Without filters. */
  inCategory: number
  lowCents: number | null
  highCents: number | null
  shelf: Shelf
  /** Only with that filter. */
  shipsTo?: ShipsTo
}

export function findOnShelf(index: CatalogIndex, input: ShelfInput, sales: SaleLookup): OnShelf {
  const { category, sort, limit, offset } = input
  requireCategoryWhole(index, category, 'the shelves of a category')
  const specs = categoryTable(index, category)
  const filters = { ...input.filters, category }
  const slotsOf = (some: Filters, ships?: 'unknown') => {
    const allowed = allowedSlots(index, some, { budget: null }, sales, ships)
    return (specs?.slots ?? []).filter((slot) => allowed?.[slot] === 1)
  }
  const rows = slotsOf(uncounted(filters)).flatMap((slot) => specs?.rowOf.get(slot) ?? [])
  // Slots differ from node to node, ids do not: equal products keep one order wherever the next page comes from.
  const found = slotsOf(filters)
    .flatMap((slot) => index.at(slot) ?? [])
    .sort((a, b) => (a.id < b.id ? -1 : 1))
  const sorted = sortBy(found, sort, (product) => product)
  const { shipsTo: region } = filters
  const all = (specs?.slots ?? []).filter((slot) => index.columns.alive[slot] === 1)
  return {
    inCategory: all.length,
    lowCents: edge(
      Array.from(all, (slot) => index.columns.priceLow[slot] as number),
      Math.min,
    ),
    highCents: edge(
      Array.from(all, (slot) => index.columns.priceHigh[slot] as number),
      Math.max,
    ),
    productIds: sorted.slice(offset, offset + limit).map(({ id }) => id),
    total: sorted.length,
    shelf: countShelf(specs?.table ?? null, specs?.table.items ?? [], Uint32Array.from(rows), filters),
    ...(region !== undefined && { shipsTo: { region, not_stated: slotsOf(filters, 'unknown').length } }),
  }
}

/** Null when no price is known. */
function edge(prices: readonly number[], of: (a: number, b: number) => number): number | null {
  const known = prices.filter((price) => !Number.isNaN(price))
  return known.length === 0 ? null : known.reduce((a, b) => of(a, b))
}
