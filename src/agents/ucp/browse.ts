/**
 * Products by filters alone, most reviewed first, a page at a time, as the other faces list a category, here over several
 * categories or all of them. Discontinued ones are found only by name or words. A page at any depth is one pass over the
 * columns and one over the order that all such lists share: no filter costs more than another, nothing is remembered.
 */
import { requireWhole } from '../../search/catalog.ts'
import type { CatalogIndex } from '../../search/catalog-index.ts'
import type { AgentsContext } from '../context.ts'
import { isInPrice, type PriceBounds } from './filters.ts'
import { shownOffers } from './product.ts'

type BrowseInput = PriceBounds & {
  /** Slugs that are known; null for all. */
  categories: readonly string[] | null
  offset: number
  limit: number
}

export type Browse = (input: BrowseInput) => { productIds: string[]; total: number }

export function createBrowse(
  search: Pick<AgentsContext['search'], 'index'>,
  offerPrices: OfferPricesOf,
): Browse {
  const orderOf = createPopularOrder()
  return ({ categories, offset, limit, ...bounds }) => {
    const index = search.index()
    requireWhole(index, 'lists without words')
    const order = orderOf(index)
    const priced = slotsWithin(index, bounds, offerPrices(index))
    const isWanted = categoryCheck(index, categories)
    const productIds: string[] = []
    let total = 0
    for (let place = 0; place < order.length; place++) {
      const slot = order[place] as number
      if (priced[slot] === 0 || !isWanted(slot)) continue
      if (total >= offset && productIds.length < limit) productIds.push(index.idAt(slot) ?? '')
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

/** What the database can hold. */
const MOST_REVIEWS = 2 ** 31

type KnownOrder = { version: number; slots: number; order: Uint32Array }
type Entry = { slot: number; reviews: number; id: string }

/**
 * All products that are still made, most reviewed first: the order of every list without words. One for each index,
 * brought up to date rather than made anew, because sorting a large catalog takes longer than a request may. A slot
 * never changes what it holds: those that were given up drop out, those that came since are put in their place.
 */
export function createPopularOrder(): (index: CatalogIndex) => Uint32Array {
  const known = new WeakMap<CatalogIndex, KnownOrder>()
  return (index) => {
    const last = known.get(index) ?? { version: -1, slots: 0, order: new Uint32Array(0) }
    if (last.version === index.version) return last.order
    const { version, slots } = index
    const { alive } = index.columns
    const order = putIn(
      index,
      last.order.filter((slot) => alive[slot] === 1),
      newEntries(index, last.slots),
    )
    known.set(index, { version, slots, order })
    return order
  }
}

function newEntries(index: CatalogIndex, from: number): Entry[] {
  const { alive, discontinued } = index.columns
  const entries: Entry[] = []
  for (let slot = from; slot < index.slots; slot++)
    if (alive[slot] === 1 && discontinued[slot] === 0) entries.push(entryOf(index, slot))
  return inOrder(entries.sort((a, b) => (a.id < b.id ? -1 : 1)))
}

/** Of entries by id, which they nearly are from the start: then plain numbers are sorted, several times as fast. */
function inOrder(byId: readonly Entry[]): Entry[] {
  // Exact as long as there are fewer than four million.
  const keys = Float64Array.from(byId, ({ reviews }, at) => (MOST_REVIEWS - reviews) * byId.length + at)
  return Array.from(keys.sort(), (key) => byId[key % byId.length] as Entry)
}

/** `entries` are in order as well. */
function putIn(index: CatalogIndex, order: Uint32Array, entries: readonly Entry[]): Uint32Array {
  const merged = new Uint32Array(order.length + entries.length)
  let taken = 0
  for (const [at, entry] of entries.entries()) {
    const place = placeOf(index, order, entry, taken)
    merged.set(order.subarray(taken, place), taken + at)
    merged[place + at] = entry.slot
    taken = place
  }
  merged.set(order.subarray(taken), taken + entries.length)
  return merged
}

/** How many of `order` come before it; at least `from`. */
function placeOf(index: CatalogIndex, order: Uint32Array, entry: Entry, from: number): number {
  let [low, high] = [from, order.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compare(entryOf(index, order[middle] ?? 0), entry) < 0) low = middle + 1
    else high = middle
  }
  return low
}

function entryOf(index: CatalogIndex, slot: number): Entry {
  const reviews = index.columns.reviews[slot] ?? Number.NaN
  return { slot, reviews: Number.isNaN(reviews) ? -1 : reviews, id: index.idAt(slot) ?? '' }
}

/** Slots differ from node to node, ids do not: the next page may come from another. */
function compare(a: Entry, b: Entry): number {
  return b.reviews - a.reviews || (a.id < b.id ? -1 : 1)
}

/** Only prices of offers that are shown as variants. */
type OfferPrices = ReadonlyMap<number, readonly number[]>

export type OfferPricesOf = (index: CatalogIndex) => OfferPrices

type KnownPrices = { version: number; slots: number; prices: Map<number, number[]> }

/**
 * What live offers ask for products, by their slots. Few products are promoted, so a search for a price passes over
 * these and not over the catalog. Made anew when an offer changes, starts or ends; slots that came since are looked at
 * as they come. A slot that was given up stays until then: ask the index whether it is alive.
 */
export function createOfferPrices(
  offers: Pick<AgentsContext['offers'], 'of' | 'isSponsored' | 'version'>,
): OfferPricesOf {
  const known = new WeakMap<CatalogIndex, KnownPrices>()
  return (index) => {
    const version = offers.version()
    const last = known.get(index)
    const current = last?.version === version ? last : { version, slots: 0, prices: new Map() }
    for (let slot = current.slots; slot < index.slots; slot++) {
      const id = index.idAt(slot)
      if (id === null || !offers.isSponsored(id)) continue
      const prices = shownOffers(offers.of(id)).map(({ priceCents }) => priceCents)
      if (prices.length > 0) current.prices.set(slot, prices)
    }
    current.slots = index.slots
    known.set(index, current)
    return current.prices
  }
}

export function isWithin(cents: number, bounds: PriceBounds): boolean {
  return isInPrice({ lowCents: cents, highCents: cents }, bounds)
}
