/**
 * All products that are still made, most reviewed first: the order of every list without words. One for each index,
 * brought up to date rather than made anew, because sorting a large catalog takes longer than a request may. A slot
 * never changes what it holds: those that were given up drop out, those that came since are put in their place.
 */
import type { CatalogIndex } from '../../search/catalog-index.ts'

/** What the database can hold. */
const MOST_REVIEWS = 2 ** 31

type Known = { version: number; slots: number; order: Uint32Array }
type Entry = { slot: number; reviews: number; id: string }

export function createPopularOrder(): (index: CatalogIndex) => Uint32Array {
  const known = new WeakMap<CatalogIndex, Known>()
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
  const product = index.at(slot)
  return { slot, reviews: product?.reviewCount ?? -1, id: product?.id ?? '' }
}

/** Slots differ from node to node, ids do not: the next page may come from another. */
function compare(a: Entry, b: Entry): number {
  return b.reviews - a.reviews || (a.id < b.id ? -1 : 1)
}
