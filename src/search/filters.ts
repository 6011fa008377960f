/**
 * Filters decide before ranking which products may be found at all, so a page is full whenever enough match. Prices match
 * when the product's range and the interval overlap; a product without a price matches no price filter, but is not
 * shut out by a budget that was merely read from the query.
 */
import type { CatalogIndex } from './catalog-index.ts'
import { tokenize } from './lexical/tokenize.ts'
import { categoryTable, readPicks, type SpecPick } from './shelf.ts'
import { readShortSpecs } from './short-specs.ts'
import type { Understood } from './understand/understand.ts'

export type Filters = {
  category?: string
  /** Its name, in whatever case. */
  brand?: string
  /** Any of these, in whatever case. */
  brands?: readonly string[]
  excludeBrands?: readonly string[]
  /** Each by a spec's name and what its value says or measures. */
  specs?: ReadonlyArray<{ name: string; value: string }>
  /** Each by a facet of the category (shelf.ts); without one, or where it has no such facet, they do not filter. */
  picks?: readonly SpecPick[]
  minPriceCents?: number
  maxPriceCents?: number
  /** In stars; a product without a rating does not match. */
  minRating?: number
  /** Only products that are on sale now. */
  onSale?: boolean
  excludeDiscontinued?: boolean
  /** Only products that a shop lists, that have a live offer, or that a seller quotes; no discontinued ones. */
  available?: boolean
  /** Only products that a seller answers requests for quotes of. */
  quoted?: boolean
  /** Only products that a seller is known to deliver there; a region as readRegion writes it. */
  shipsTo?: string
}

export type SaleLookup = {
  isOnSale(productId: string): boolean
  isSponsored(productId: string): boolean
  /** The lowest price of its live offers; null if none has a price. */
  bestCents(productId: string): number | null
  /** Whether a seller answers requests for quotes of it. */
  isQuoted(productId: string): boolean
  /** Whether a seller delivers it to a region. */
  shipsTo(region: string): (productId: string) => Ships
  /** All products of which that is so: what only looks products up one by one may ask the database for them. */
  idsOf(what: 'onSale' | 'sponsored' | 'quoted'): IteratorObject<string>
  /** Only grows; another one after anything that could change the other answers, time included. */
  version(): number
}

/** `unknown`: nobody is known to deliver it there, and somebody may. */
type Ships = 'yes' | 'no' | 'unknown'

/** Where there are no offers and no sellers. */
export const NO_SALES: SaleLookup = {
  isOnSale: () => false,
  isSponsored: () => false,
  bestCents: () => null,
  isQuoted: () => false,
  shipsTo: () => () => 'no',
  idsOf: () => Iterator.from([]),
  version: () => 0,
}

/** A byte a slot; undefined when every product is allowed. `ships` is the answer that `shipsTo` keeps. */
export function allowedSlots(
  index: CatalogIndex,
  filters: Filters,
  { budget }: Pick<Understood, 'budget'>,
  sales: SaleLookup,
  ships: Ships = 'yes',
): Uint8Array | undefined {
  const allowed = slotsWithin(index, filters, budget, sales, ships)
  if (allowed) index.fetched?.narrowed(allowed, filters, budget, soldWithin(filters, sales, ships))
  return allowed
}

/** What filters by sellers ask, as lists of products; a product must be in all of them. */
export type SoldWithin = {
  only: ReadonlySet<string> | null
  /** Where a shop lists it that is enough. */
  listedOr: ReadonlySet<string> | null
  /** The lists say all that is asked. */
  isExact: boolean
}

function soldWithin(
  { onSale, available, quoted, shipsTo }: Filters,
  sales: SaleLookup,
  ships: Ships,
): SoldWithin {
  const all = (what: Parameters<SaleLookup['idsOf']>[0]) => new Set(sales.idsOf(what))
  const delivered = () => {
    const deliver = sales.shipsTo(shipsTo ?? '')
    return new Set(sales.idsOf('quoted').filter((id) => deliver(id) === ships))
  }
  const needed = [
    ...(onSale ? [all('onSale')] : []),
    ...(quoted ? [all('quoted')] : []),
    ...(shipsTo !== undefined && ships === 'yes' ? [delivered()] : []),
  ]
  const only = needed.length === 0 ? null : needed.reduce((some, more) => some.intersection(more))
  // What may be delivered is available.
  if (shipsTo !== undefined && ships !== 'yes')
    return { only, listedOr: all('sponsored').union(delivered()), isExact: false }
  return { only, listedOr: available ? all('sponsored').union(all('quoted')) : null, isExact: true }
}

function slotsWithin(
  index: CatalogIndex,
  filters: Filters,
  said: Understood['budget'],
  sales: SaleLookup,
  ships: Ships,
): Uint8Array | undefined {
  const { category, minPriceCents, maxPriceCents, minRating, onSale, available, quoted, shipsTo } = filters
  const excludeDiscontinued = filters.excludeDiscontinued || available
  const asked = filters.brand === undefined ? (filters.brands ?? []) : [filters.brand]
  const wanted = asked.length === 0 ? null : index.brands.find(asked)
  const unwanted = index.brands.find(filters.excludeBrands?.filter((name) => name.trim() !== '') ?? [])
  const specs = filters.specs?.map(specTest) ?? []
  const picks = pickTests(index, filters)
  const byPrice = minPriceCents !== undefined || maxPriceCents !== undefined
  const byName = category !== undefined || wanted !== null || unwanted.size > 0 || specs.length > 0
  const bySeller = onSale || available || quoted || shipsTo !== undefined
  const byQuality = excludeDiscontinued || minRating !== undefined
  if (!byName && !byPrice && !bySeller && !byQuality && !said) return undefined

  const { columns, brands } = index
  const allowed = columns.alive.slice(0, index.slots)
  // Each in a loop of its own: a filter that is not asked costs nothing, and most products fail the first.
  const keep = (isKept: (slot: number) => boolean) => {
    for (let slot = 0; slot < allowed.length; slot++)
      if (allowed[slot] === 1 && !isKept(slot)) allowed[slot] = 0
  }
  const makerOf = (slot: number) => brands.firstOf(columns.brand[slot] as number)
  const number = category === undefined ? undefined : index.categoryNumber(category)
  if (category !== undefined) keep((slot) => columns.category[slot] === number)
  if (excludeDiscontinued) keep((slot) => columns.discontinued[slot] === 0)
  // Comparisons with NaN, an unknown price, are false: such a product fails the first and passes the second.
  const [low, high] = [minPriceCents ?? 0, maxPriceCents ?? Number.POSITIVE_INFINITY]
  if (byPrice)
    keep((slot) => (columns.priceLow[slot] as number) <= high && (columns.priceHigh[slot] as number) >= low)
  const [saidLow, saidHigh] = [said?.minCents ?? 0, said?.maxCents ?? Number.POSITIVE_INFINITY]
  if (said)
    keep(
      (slot) =>
        !((columns.priceLow[slot] as number) > saidHigh || (columns.priceHigh[slot] as number) < saidLow),
    )
  if (minRating !== undefined) keep((slot) => (columns.rating[slot] || 0) >= minRating)
  if (wanted) keep((slot) => wanted.has(makerOf(slot)))
  if (unwanted.size > 0) keep((slot) => !unwanted.has(makerOf(slot)))
  for (const holds of picks) keep(holds)
  for (const holds of specs) keep((slot) => holds(index.at(slot)?.shortSpecs ?? ''))
  if (!bySeller) return allowed
  const deliver = shipsTo === undefined ? null : sales.shipsTo(shipsTo)
  for (let slot = 0; slot < allowed.length; slot++) {
    if (allowed[slot] === 0) continue
    const id = index.idAt(slot) ?? ''
    const isListed = columns.listed[slot] === 1 || sales.isSponsored(id)
    if (onSale && !sales.isOnSale(id)) allowed[slot] = 0
    if (available && !isListed && !sales.isQuoted(id)) allowed[slot] = 0
    if (quoted && !sales.isQuoted(id)) allowed[slot] = 0
    if (deliver === null) continue
    const delivered = deliver(id)
    // A shop may deliver there: it does not say.
    if ((delivered === 'no' && isListed ? 'unknown' : delivered) !== ships) allowed[slot] = 0
  }
  return allowed
}

function pickTests(index: CatalogIndex, { category, picks = [] }: Filters): Array<(slot: number) => boolean> {
  const specs = category === undefined || picks.length === 0 ? null : categoryTable(index, category)
  if (!specs) return []
  return readPicks(specs.table, picks).tests.map(({ test }) => (slot) => {
    const row = specs.rowOf.get(slot)
    return row !== undefined && test(row)
  })
}

/** Whether some spec by this name, or one whose name holds its words, says the value: a number with its unit, or words. */
function specTest({ name, value }: { name: string; value: string }): (shortSpecs: string) => boolean {
  const asked = stemsIn(name)
  const wanted = stemsIn(value)
  return (shortSpecs) =>
    readShortSpecs(shortSpecs).some((spec) => {
      const named = new Set(stemsIn(spec.name))
      const said = new Set(stemsIn(spec.value))
      return asked.every((stem) => named.has(stem)) && wanted.every((stem) => said.has(stem))
    })
}

function stemsIn(text: string): string[] {
  return tokenize(text).flatMap(({ term, kind }) => (kind === 'word' ? [term] : []))
}
