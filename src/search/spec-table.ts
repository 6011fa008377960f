/**
 * The specs of one category's products as columns, and the facets made of them: which specs tell the products apart, and
 * into which ranges or choices each divides them. A facet's score is how completely it covers the products times how
 * evenly it divides them, so what hardly anybody states, what all say alike and what each says differently fall away.
 * Ranges begin and end at round numbers. A product that does not state a spec is on no side of it.
 */
import { readShortSpecs } from './short-specs.ts'
import { betterWhen } from './spec-direction.ts'
import {
  partKey,
  readRange,
  readSpecValue,
  type SpecQuantity,
  type SpecValue,
  specKey,
  withUnit,
} from './spec-values.ts'

/** What a shelf needs to know of a product. */
export type ShelfItem = {
  brand: string | null
  priceLowCents: number | null
  priceHighCents: number | null
  rating: number | null
  reviewCount: number | null
  discontinued: boolean
  shortSpecs: string
}

export type SpecOption = {
  /** As the address has it. */
  value: string
  label: string
}

export type SpecFacet = {
  key: string
  name: string
  /** Null for choices. `factor` base units are one of it. */
  unit: Pick<SpecQuantity, 'dimension' | 'unit' | 'factor'> | null
  options: readonly SpecOption[]
  /** By row: a bit for each option that it has. */
  bits: Uint32Array
  /** By row: 1 when it states the spec so that it can be on one side. */
  states: Uint8Array
  score: number
  /** Whether a row has one of these values; null when none of them means anything here. */
  test(values: readonly string[]): ((row: number) => boolean) | null
  /** By row, in base units; null for choices and where nothing is stated. */
  quantityAt(row: number): { low: number; high: number } | null
}

export type SpecTable<Item extends ShelfItem = ShelfItem> = {
  readonly items: readonly Item[]
  add(item: Item): void
  /** Facets are made of these rows only; the others are of products that are gone. */
  keepOnly(isAlive: (row: number) => boolean): void
  /** Those that divide the products best, best first. */
  facets(): readonly SpecFacet[]
  /** Any spec of the category by its key. */
  facet(key: string): SpecFacet | null
}

type Column = { key: string; names: Map<string, number>; cells: Array<SpecValue | undefined> }

const MOST_FACETS = 8
/** As many as fit the bits of a row, with room to spare. */
const MOST_OPTIONS = 24
const LEAST_SCORE = 0.4
const LEAST_SHARE = 0.3
const LEAST_PRODUCTS = 4
/** Of the products that state a spec, so many state it as a number of one kind before it is one. */
const MOSTLY_NUMBERS = 0.7
/** So few different numbers are choices. */
const FEW_NUMBERS = 6
/** Of products in all; of fewer, a choice of one product is worth showing. */
const FEW_PRODUCTS = 12
/** An even division into so many is as good as any. */
const EVEN = 4
/** These are filters of their own, or names. */
const OWN_FILTERS = new Set(['brand', 'manufacturer', 'price', 'model', 'model-number', 'sku', 'rating'])
/** A catalog may have thousands of names for what few products state. */
const MOST_COLUMNS = 200

export function createSpecTable<Item extends ShelfItem>(): SpecTable<Item> {
  const items: Item[] = []
  const columns = new Map<string, Column>()
  const keys = new Map<string, string>()
  const values = new Map<string, SpecValue>()
  const made = new Map<string, SpecFacet | null>()
  let alive: number[] | null = null
  let best: readonly SpecFacet[] | null = null

  function forget(): void {
    best = null
    made.clear()
  }

  const rows = () => alive ?? Array.from(items.keys())

  function facet(key: string): SpecFacet | null {
    const known = made.get(key)
    if (known !== undefined) return known
    const column = columns.get(key)
    const facet = column ? facetOf(column, rows(), items.length) : null
    made.set(key, facet)
    return facet
  }

  return {
    items,
    add(item) {
      const row = items.push(item) - 1
      for (const { name, value } of readShortSpecs(item.shortSpecs)) {
        const key = keys.get(name) ?? specKey(name)
        keys.set(name, key)
        let column = columns.get(key)
        if (!column) {
          if (key === '' || OWN_FILTERS.has(key) || columns.size >= MOST_COLUMNS) continue
          column = { key, names: new Map(), cells: [] }
          columns.set(key, column)
        }
        if (column.cells[row] !== undefined) continue
        const text = `${name}\n${value}`
        const read = values.get(text) ?? readSpecValue(name, value)
        values.set(text, read)
        column.cells[row] = read
        column.names.set(name, (column.names.get(name) ?? 0) + 1)
      }
      forget()
    },
    keepOnly(isAlive) {
      alive = Array.from(items.keys()).filter(isAlive)
      forget()
    },
    facets() {
      if (best) return best
      const all = rows()
      const least = Math.max(LEAST_PRODUCTS, all.length * LEAST_SHARE)
      const stated = [...columns.values()].filter(
        ({ cells }) => all.reduce((sum, row) => sum + (cells[row] ? 1 : 0), 0) >= least,
      )
      best = stated
        .flatMap(({ key }) => facet(key) ?? [])
        .filter(({ score, options }) => score >= LEAST_SCORE && options.length > 1)
        .sort((a, b) => b.score - a.score || (a.key < b.key ? -1 : 1))
        .slice(0, MOST_FACETS)
      return best
    },
    facet,
  }
}

function facetOf(column: Column, rows: readonly number[], size: number): SpecFacet {
  const name = mostCommon(column.names) ?? column.key
  return rangeFacet(column, name, rows, size) ?? choiceFacet(column, name, rows, size)
}

function mostCommon<T>(counts: ReadonlyMap<T, number>): T | undefined {
  let best: [T, number] | undefined
  for (const entry of counts) if (!best || entry[1] > best[1]) best = entry
  return best?.[0]
}

/** Null when the spec is no number, or one of few. */
function rangeFacet(
  { key, cells }: Column,
  name: string,
  rows: readonly number[],
  size: number,
): SpecFacet | null {
  const stating = rows.filter((row) => cells[row])
  const dimensions = new Map<string, number>()
  for (const row of stating) {
    const { dimension } = cells[row]?.quantity ?? {}
    if (dimension !== undefined) dimensions.set(dimension, (dimensions.get(dimension) ?? 0) + 1)
  }
  const dimension = mostCommon(dimensions)
  if (dimension === undefined || (dimensions.get(dimension) ?? 0) < MOSTLY_NUMBERS * stating.length)
    return null
  // "23 to 51 dB" is as loud as 51 dB.
  const isLess = betterWhen(key, dimension)?.way === 'less'
  const quantityAt = (row: number) => {
    const quantity = cells[row]?.quantity
    if (quantity?.dimension !== dimension) return null
    return isLess ? { ...quantity, low: quantity.high } : quantity
  }
  const measured = stating.flatMap((row) => {
    const quantity = quantityAt(row)
    return quantity ? [{ row, quantity }] : []
  })
  const middles = measured.map(({ quantity }) => (quantity.low + quantity.high) / 2).sort((a, b) => a - b)
  if (new Set(middles).size <= FEW_NUMBERS) return null
  const unit = commonUnit(measured.map(({ quantity }) => quantity))
  const cuts = roundCuts(middles.map((value) => value / unit.factor))
  const bounds = [Number.NEGATIVE_INFINITY, ...cuts, Number.POSITIVE_INFINITY]
  const ranges = bounds.slice(0, -1).map((from, at) => ({ from, below: bounds[at + 1] as number }))
  const bits = new Uint32Array(size)
  const states = new Uint8Array(size)
  const counts = ranges.map(() => 0)
  for (const { row, quantity } of measured) {
    states[row] = 1
    for (const [at, range] of ranges.entries()) {
      if (!overlaps(quantity, range, unit.factor)) continue
      bits[row] = (bits[row] as number) | (1 << at)
      counts[at] = (counts[at] as number) + 1
    }
  }
  return {
    key,
    name,
    unit: { dimension, ...unit },
    options: ranges.map(({ from, below }) => ({
      value: `${endOf(from)}..${endOf(below)} ${unit.unit}`.trim(),
      label: rangeWords(from, below, unit.unit),
    })),
    bits,
    states,
    // Ranges that most products touch, as "180 to 400 °F" does, divide little.
    score:
      (measured.length / rows.length) * evenness(counts) * (measured.length / Math.max(1, sumOf(counts))),
    test(values) {
      const asked = values
        .flatMap((value) => readRange(value) ?? [])
        .filter((range) => range.dimension === dimension)
      if (asked.length === 0) return null
      return (row) => {
        const quantity = quantityAt(row)
        return quantity !== null && asked.some((range) => overlaps(quantity, range, 1))
      }
    },
    quantityAt,
  }
}

function endOf(value: number): string {
  return Number.isFinite(value) ? String(value) : ''
}

/** From the lower end, which is included, to the upper, which is not; a product that states a range is in all it touches. */
function overlaps(
  { low, high }: { low: number; high: number },
  { from, below }: { from: number; below: number },
  factor: number,
): boolean {
  // What is written as 0.1 and 100 g is equal but for the last bit.
  const slack = 1e-9 * Math.max(Math.abs(low), Math.abs(high))
  return high >= from * factor - slack && low < below * factor - slack
}

/** The unit that most products are written in. */
function commonUnit(quantities: readonly SpecQuantity[]): { unit: string; factor: number } {
  const counts = new Map<string, number>()
  for (const { unit } of quantities) counts.set(unit, (counts.get(unit) ?? 0) + 1)
  const unit = mostCommon(counts) ?? ''
  return { unit, factor: quantities.find((one) => one.unit === unit)?.factor ?? 1 }
}

/** Where sorted values are cut into three to five parts of about the same size, at round numbers. */
function roundCuts(sorted: readonly number[]): number[] {
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
  const spread = at(0.9) - at(0.1)
  const parts = sorted.length >= 60 ? 5 : sorted.length >= FEW_PRODUCTS ? 4 : 3
  const cuts: number[] = []
  for (let part = 1; part < parts; part++) {
    const value = at(part / parts)
    const step = roundStep(Math.min(Math.abs(value) / 2 || spread, spread / 5))
    const cut = step === 0 ? value : Number((Math.round(value / step) * step).toPrecision(6))
    const last = cuts.at(-1) ?? Number.NEGATIVE_INFINITY
    const between = sorted.some((one) => one >= last && one < cut)
    if (cut > last && between && (sorted.at(-1) as number) >= cut) cuts.push(cut)
  }
  return cuts
}

/** The largest of 1, 2 and 5 times a power of ten that is not larger. */
function roundStep(value: number): number {
  if (!(value > 0)) return 0
  const power = 10 ** Math.floor(Math.log10(value))
  const digit = value / power
  return (digit >= 5 ? 5 : digit >= 2 ? 2 : 1) * power
}

const NUMBER = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 4 })

export function numberWords(value: number): string {
  return NUMBER.format(value)
}

function rangeWords(from: number, below: number, unit: string): string {
  if (!Number.isFinite(from)) return `Under ${withUnit(numberWords(below), unit)}`
  if (!Number.isFinite(below)) return `${withUnit(numberWords(from), unit)} and up`
  return `${numberWords(from)} to ${withUnit(numberWords(below), unit)}`
}

function choiceFacet({ key, cells }: Column, name: string, rows: readonly number[], size: number): SpecFacet {
  const counts = new Map<string, number>()
  const labels = new Map<string, Map<string, number>>()
  for (const row of rows)
    for (const part of cells[row]?.parts ?? []) {
      counts.set(part.key, (counts.get(part.key) ?? 0) + 1)
      const spellings = labels.get(part.key) ?? new Map<string, number>()
      labels.set(part.key, spellings.set(part.label, (spellings.get(part.label) ?? 0) + 1))
    }
  const least = rows.length < FEW_PRODUCTS ? 1 : 2
  const options = [...counts]
    .filter(([, count]) => count >= least && count < rows.length)
    .sort(([a, many], [b, other]) => other - many || (a < b ? -1 : 1))
    .slice(0, MOST_OPTIONS)
    .map(([part, count]) => {
      const label = capital(mostCommon(labels.get(part) ?? new Map()) ?? part)
      return { part, count, value: label, label, number: Number.parseFloat(label) }
    })
  // "51 mm" before "58 mm", however many have it.
  if (options.every(({ number }) => !Number.isNaN(number))) options.sort((a, b) => a.number - b.number)
  const bits = new Uint32Array(size)
  const states = new Uint8Array(size)
  let covered = 0
  const places = new Map(options.map(({ part }, at) => [part, 1 << at]))
  for (const row of rows) {
    let has = 0
    for (const part of cells[row]?.parts ?? []) has |= places.get(part.key) ?? 0
    bits[row] = has
    states[row] = cells[row] ? 1 : 0
    if (has !== 0) covered++
  }
  return {
    key,
    name,
    unit: null,
    options: options.map(({ value, label }) => ({ value, label })),
    bits,
    states,
    score: (covered / Math.max(1, rows.length)) * evenness(options.map(({ count }) => count)),
    test(values) {
      const asked = new Set(values.map(partKey).filter((value) => counts.has(value)))
      return asked.size === 0 ? null : (row) => cells[row]?.parts.some((part) => asked.has(part.key)) ?? false
    },
    quantityAt: () => null,
  }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((all, count) => all + count, 0)
}

/** 0 for one part that has all, 1 for an even division into several. */
function evenness(counts: readonly number[]): number {
  const sum = sumOf(counts)
  if (sum === 0 || counts.length < 2) return 0
  const entropy = counts.reduce(
    (all, count) => (count === 0 ? all : all - (count / sum) * Math.log2(count / sum)),
    0,
  )
  return Math.min(1, entropy / Math.log2(EVEN))
}
