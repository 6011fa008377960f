/**
 * A shelf: products of one kind with what narrows them. Each filter's counts are over the products that all other filters
 * allow, so a count is what choosing it shows. A filter by a spec leaves out products that do not state it, and says how
 * many. The table of a category's specs grows with the index and is kept for the next question.
 */
import type { CatalogIndex, IndexedProduct } from './catalog-index.ts'
import type { Filters } from './filters.ts'
import { createSpecTable, type ShelfItem, type SpecFacet, type SpecTable } from './spec-table.ts'

/** One spec and the values of it that will do. */
export type SpecPick = { key: string; values: readonly string[] }

export type ShelfCount = { value: string; label: string; count: number; chosen: boolean }
export type ShelfSpec = {
  key: string
  name: string
  options: ShelfCount[]
  /** Products that the other filters allow and that do not state it. */
  unknown: number
}
export type Shelf = {
  brands: Array<{ name: string; count: number }>
  /** Products rated so or better. */
  ratings: Array<{ from: number; count: number }>
  prices: PriceBars | null
  specs: ShelfSpec[]
  /** Filters by specs that these products do not have, or by values that mean nothing; they do not filter. */
  unread: string[]
}

/** Products by price, in steps of equal width; the last bar has all above it. */
export type PriceBars = {
  stepCents: number
  fromCents: number
  counts: number[]
  lowCents: number
  highCents: number
}

type Counted = Pick<Filters, 'brands' | 'minPriceCents' | 'maxPriceCents' | 'minRating' | 'picks'>

const MOST_BRANDS = 30
const RATINGS = [4.5, 4, 3.5]
const BARS = 16
/** Beyond this share of the prices one bar holds all. */
const USUAL = 0.95
const LEAST_PRICES = 5

/** Without the filters that are counted, which each leave the other counts as they are. */
export function uncounted(filters: Filters): Filters {
  const { brands, minPriceCents, maxPriceCents, minRating, picks, ...rest } = filters
  return rest
}

export function isCounted(filters: Filters): boolean {
  return Object.keys(uncounted(filters)).length < Object.keys(filters).length
}

/** `rows` are of the table: the products that all filters but the counted ones allow. */
export function countShelf(
  table: SpecTable | null,
  items: readonly ShelfItem[],
  rows: Uint32Array,
  filters: Counted,
): Shelf {
  const picked = readPicks(table, filters.picks ?? [])
  const tests: Array<(row: number) => boolean> = [
    brandTest(items, filters.brands),
    priceTest(items, filters),
    ratingTest(items, filters.minRating),
    ...picked.tests.map(({ test }) => test),
  ]
  // By place in `rows`: how many tests it fails, and which it failed last.
  const fails = new Uint8Array(rows.length)
  const failed = new Uint8Array(rows.length)
  for (const [number, test] of tests.entries())
    for (let at = 0; at < rows.length; at++)
      if (!test(rows[at] as number)) {
        fails[at] = (fails[at] as number) + 1
        failed[at] = number
      }
  const allowedBut = (number: number) =>
    rows.filter((_, at) => fails[at] === 0 || (fails[at] === 1 && failed[at] === number))
  const all = allowedBut(-1)
  const numberOf = new Map(picked.tests.map(({ facet }, at) => [facet.key, at + 3]))
  const shown = [...(table?.facets() ?? [])]
  for (const { facet } of picked.tests) if (!shown.some(({ key }) => key === facet.key)) shown.push(facet)
  return {
    brands: countBrands(items, filters.brands ? allowedBut(0) : all),
    ratings: countRatings(items, filters.minRating === undefined ? all : allowedBut(2)),
    prices: priceBars(items, allowedBut(1)),
    specs: shown.flatMap((facet) => {
      const number = numberOf.get(facet.key)
      const values = picked.tests.find((one) => one.facet === facet)?.values ?? []
      return countSpec(facet, number === undefined ? all : allowedBut(number), values)
    }),
    unread: picked.unread,
  }
}

type Picked = {
  tests: Array<{ facet: SpecFacet; values: readonly string[]; test: (row: number) => boolean }>
  unread: string[]
}

export function readPicks(table: SpecTable | null, picks: readonly SpecPick[]): Picked {
  const picked: Picked = { tests: [], unread: [] }
  for (const { key, values } of picks) {
    const facet = table?.facet(key)
    const test = facet?.test(values)
    if (facet && test) picked.tests.push({ facet, values, test })
    else picked.unread.push(key)
  }
  return picked
}

function brandTest(items: readonly ShelfItem[], brands: readonly string[] | undefined) {
  const wanted = new Set(brands?.map((name) => name.toLowerCase()))
  return (row: number) => wanted.size === 0 || wanted.has(items[row]?.brand?.toLowerCase() ?? '')
}

function priceTest(items: readonly ShelfItem[], { minPriceCents, maxPriceCents }: Counted) {
  if (minPriceCents === undefined && maxPriceCents === undefined) return () => true
  const [least, most] = [minPriceCents ?? 0, maxPriceCents ?? Number.POSITIVE_INFINITY]
  return (row: number) => {
    const { priceLowCents: low = null, priceHighCents: high = null } = items[row] ?? {}
    return low !== null && high !== null && low <= most && high >= least
  }
}

function ratingTest(items: readonly ShelfItem[], least: number | undefined) {
  return (row: number) => least === undefined || (items[row]?.rating ?? 0) >= least
}

function countBrands(items: readonly ShelfItem[], rows: Uint32Array): Shelf['brands'] {
  const counts = new Map<string, { name: string; count: number }>()
  for (const row of rows) {
    const name = items[row]?.brand
    if (!name) continue
    const known = counts.get(name.toLowerCase()) ?? { name, count: 0 }
    known.count++
    counts.set(name.toLowerCase(), known)
  }
  return [...counts.values()]
    .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
    .slice(0, MOST_BRANDS)
}

function countRatings(items: readonly ShelfItem[], rows: Uint32Array): Shelf['ratings'] {
  return RATINGS.map((from) => ({
    from,
    count: rows.reduce((sum, row) => sum + ((items[row]?.rating ?? 0) >= from ? 1 : 0), 0),
  })).filter(({ count }) => count > 0 && count < rows.length)
}

function priceBars(items: readonly ShelfItem[], rows: Uint32Array): PriceBars | null {
  const prices = Array.from(rows)
    .flatMap((row) => items[row]?.priceLowCents ?? [])
    .sort((a, b) => a - b)
  const [low = 0, high = 0] = [prices[0], prices.at(-1)]
  if (prices.length < LEAST_PRICES || high === low) return null
  const usual = prices[Math.floor(USUAL * (prices.length - 1))] ?? high
  const step = roundUp((usual - low) / BARS)
  const from = Math.floor(low / step) * step
  const bars = Math.min(BARS + 1, Math.floor((high - from) / step) + 1)
  const counts = new Array<number>(bars).fill(0)
  for (const price of prices) {
    const bar = Math.min(bars - 1, Math.floor((price - from) / step))
    counts[bar] = (counts[bar] ?? 0) + 1
  }
  return { stepCents: step, fromCents: from, counts, lowCents: low, highCents: high }
}

/** The smallest of 1, 2 and 5 dollars times a power of ten that is not smaller. */
function roundUp(cents: number): number {
  const power = 10 ** Math.max(2, Math.floor(Math.log10(Math.max(1, cents))))
  return ([1, 2, 5].find((digit) => digit * power >= cents) ?? 10) * power
}

function countSpec(facet: SpecFacet, rows: Uint32Array, values: readonly string[]): ShelfSpec[] {
  const counts = facet.options.map(() => 0)
  let stated = 0
  for (const row of rows) {
    stated += facet.states[row] as number
    for (let bits = facet.bits[row] as number; bits !== 0; bits &= bits - 1) {
      const at = 31 - Math.clz32(bits & -bits)
      counts[at] = (counts[at] ?? 0) + 1
    }
  }
  const chosen = new Set(values.map((value) => value.toLowerCase()))
  const options = facet.options.map(({ value, label }, at) => ({
    value,
    label,
    count: counts[at] ?? 0,
    chosen: chosen.delete(value.toLowerCase()),
  }))
  // What was written by hand, or was offered before the catalog changed.
  for (const value of chosen) {
    const test = facet.test([value])
    if (test) options.push({ value, label: value, count: rows.filter(test).length, chosen: true })
  }
  const shown = options.filter((option) => option.count > 0 || option.chosen)
  if (shown.length < 2 && values.length === 0) return []
  return [{ key: facet.key, name: facet.name, options: shown, unknown: rows.length - stated }]
}

type CategoryTable = {
  table: SpecTable<IndexedProduct>
  slots: number[]
  rowOf: Map<number, number>
  seen: number
  alive: number
}

/** So many rows of all kept tables together; the table that was asked for longest ago goes first. */
const MOST_ROWS = 100_000
const tables = new WeakMap<CatalogIndex, Map<number, CategoryTable>>()

/** The specs of a category's products as they are in the index now; null for a category it does not know. */
export function categoryTable(index: CatalogIndex, category: string): CategoryTable | null {
  const number = index.categoryNumber(category)
  if (number === undefined) return null
  const kept = tables.get(index) ?? new Map<number, CategoryTable>()
  tables.set(index, kept)
  let known = kept.get(number)
  // Of replaced products more rows than of living ones.
  if (!known || known.slots.length > 2 * known.alive + 1_000) known = emptyTable()
  follow(index, number, known)
  kept.delete(number)
  kept.set(number, known)
  let rows = [...kept.values()].reduce((sum, { slots }) => sum + slots.length, 0)
  for (const [oldest, { slots }] of kept) {
    if (rows <= MOST_ROWS || oldest === number) break
    rows -= slots.length
    kept.delete(oldest)
  }
  return known
}

function emptyTable(): CategoryTable {
  return { table: createSpecTable(), slots: [], rowOf: new Map(), seen: 0, alive: 0 }
}

/** Adds what came since the last time, and finds out what is gone. Slots are never used twice. */
function follow(index: CatalogIndex, number: number, known: CategoryTable): void {
  const { columns } = index
  const before = known.slots.length
  for (; known.seen < index.slots; known.seen++) {
    if (columns.category[known.seen] !== number || columns.alive[known.seen] === 0) continue
    const product = index.at(known.seen)
    if (!product) continue
    known.rowOf.set(known.seen, known.slots.length)
    known.slots.push(known.seen)
    known.table.add(product)
  }
  const isAlive = (row: number) => columns.alive[known.slots[row] ?? 0] === 1
  let alive = 0
  for (let row = 0; row < known.slots.length; row++) if (isAlive(row)) alive++
  if (alive === known.alive && before === known.slots.length) return
  known.alive = alive
  known.table.keepOnly(isAlive)
}
