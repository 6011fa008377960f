/**
 * Products by filters alone, most reviewed first, a page at a time, as the other faces list a category, here over several
 * categories or all of them. Discontinued ones are found only by name or words. A page at any depth is one pass over the
 * columns and one over the order that all such lists share: no filter costs more than another, nothing is remembered.
 */
import type { CatalogIndex } from '../../search/catalog-index.ts'
import type { UcpContext } from './context.ts'
import type { PriceBounds } from './filters.ts'
import { isWithin, type OfferPrices, type OfferPricesOf } from './offer-prices.ts'
import { createPopularOrder } from './popular-order.ts'

export type BrowseInput = PriceBounds & {
  /** Slugs that are known; null for all. */
  categories: readonly string[] | null
  offset: number
  limit: number
}

export type Browse = (input: BrowseInput) => { productIds: string[]; total: number }

export function createBrowse(
  search: Pick<UcpContext['search'], 'index'>,
  offerPrices: OfferPricesOf,
): Browse {
  const orderOf = createPopularOrder()
  return ({ categories, offset, limit, ...bounds }) => {
    const index = search.index()
    const order = orderOf(index)
    const priced = slotsWithin(index, bounds, offerPrices(index))
    const isWanted = categoryCheck(index, categories)
    const productIds: string[] = []
    let total = 0
    for (let place = 0; place < order.length; place++) {
      const slot = order[place] as number
      if (priced[slot] === 0 || !isWanted(slot)) continue
      if (total >= offset && productIds.length < limit) productIds.push(index.at(slot)?.id ?? '')
      total++
    }
    return { productIds, total }
  }
}

/** A byte a slot: 1 for what a shop or an offer sells within the bounds. The rule of `fittingVariants`, on columns. */
function slotsWithin(index: CatalogIndex, bounds: PriceBounds, offerPrices: OfferPrices): Uint8Array {
  const { priceLow, priceHigh } = index.columns
  const min = bounds.minCents ?? 0
  const max = bounds.maxCents ?? Number.POSITIVE_INFINITY
  const within = new Uint8Array(index.slots)
  for (let slot = 0; slot < within.length; slot++) {
    // Neither 0 nor NaN, a price that is not known, is above 0.
    const to = priceHigh[slot] as number
    const from = (priceLow[slot] as number) > 0 ? (priceLow[slot] as number) : to
    if (to > 0 && to >= min && from <= max) within[slot] = 1
  }
  for (const [slot, prices] of offerPrices)
    if (prices.some((cents) => isWithin(cents, bounds))) within[slot] = 1
  return within
}

export function categoryCheck(
  index: CatalogIndex,
  categories: readonly string[] | null,
): (slot: number) => boolean {
  if (categories === null) return () => true
  const { category } = index.columns
  const wanted = new Set(categories.map((slug) => index.categoryNumber(slug)))
  return (slot) => wanted.has(category[slot])
}
