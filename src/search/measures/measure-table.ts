/**
 * The measures of all products, packed, and what can be learned from all of them: under which spec names the products
 * of a category state a length or a mass, and how large these usually are. So "350 lb chair" is known to mean a load
 * and "20 lb stroller" a weight, whatever a catalog calls them. A number without a unit takes the unit that the
 * titles of products state the same number in.
 */
import { factsOf } from '../lexical/tokenize.ts'
import type { Size } from '../understand/sizes.ts'
import { tokenize } from '../understand/tokens.ts'
import { measureOf } from '../understand/units.ts'
import { type Measure, readMeasures, titleQuantities } from './read-measures.ts'

/** Three numbers a measure: name, dimension and flags in one, then low and high. */
export type PackedMeasures = readonly number[]
type Measured = { category: { slug: string; label: string }; measures: PackedMeasures }
type Source = Parameters<typeof readMeasures>[0]

export type Verdict = 'said' | 'silent' | 'denied'
export type SizeJudgement = {
  verdict: Verdict
  /** What decided: the spec's name (empty for the title) and its value in base units; null when silent. */
  stated: { name: string; low: number; high: number } | null
  /** 0 for exactly what was asked; grows by one with each doubling. */
  distance: number
}
/** What is read of a product before it is packed. `stated` are what its title states, if some measure has no unit. */
export type ReadMeasures = {
  measures: Measure[]
  stated: Array<Pick<ReturnType<typeof titleQuantities>[number], 'unit' | 'low'>>
}
export type MeasureTable = {
  pack(read: ReadMeasures): PackedMeasures
  add(product: Measured): void
  drop(product: Measured): void
  /** Whether the name of some spec holds this stem. */
  isNamed(stem: string): boolean
  /** Asked for product after product; what it finds out about a category it keeps. */
  judge(size: Size): (product: Measured) => SizeJudgement
  save(): SavedMeasures
}

export type SavedMeasures = {
  names: Array<{ text: string; units: Array<[string, UnitVotes]> | null }>
  dimensions: string[]
  categories: Array<{
    slug: string
    /** By dimension and name: how many products, and pairs of a step and its count. */
    uses: Array<[number, Array<[number, { products: number; counts: Float64Array }]>]>
  }>
}

type Name = { text: string; stems: string[]; units: Map<string, UnitVotes> | null }
/** Products whose title states the bare number in this unit, and those whose title states only others. */
type UnitVotes = { same: number; other: number }
/** `counts`: by half doublings of the value. */
type NameUse = { products: number; counts: Map<number, number> }
type Dimensions = Map<number, Map<number, NameUse>>
/** How likely each name is meant, by dimension and name; `factor` brings a value into the dimension asked for. */
type Meant = Map<number, { score: number; factor: number }>

const BARE = 0
const MAX_DIMENSIONS = 4096
const SIDE = 1
const MOST = 2
/** Not the first that a spec states: "10.2 kg frame, 4.1 kg car seat". */
const LATER = 4
const FLAGS = 8

const LEAST_VOTES = 3
/** A name this much less likely than the best is not meant. */
const AS_LIKELY = 0.5
const SHARED_WORD = 4
/** What one doubling beyond the usual values leaves of a name's likelihood. */
const PER_DOUBLING = 0.08
/** Of these, at each end, a name's usual values know nothing: one wrong entry must not widen them. */
const TRIMMED = 0.01
/** What a name counts that states another dimension, in which the asked one can also be read. */
const RELATED_SHARE = 0.4
const LEAST_LIKELY = 0.01

/** Ounces may be of weight or of volume. */
const FLUID = 0.0295735 / 28.349523
const RELATED: Readonly<Record<string, ReadonlyArray<readonly [dimension: string, factor: number]>>> = {
  ounces: [
    ['mass', 1],
    ['volume', 1 / FLUID],
  ],
  mass: [['ounces', 1]],
  volume: [['ounces', FLUID]],
}
/** What a word of a query calls in a spec's name. */
const CALLED: ReadonlyMap<string, readonly string[]> = relations(`
  wide: width
  deep: depth
  tall high: height
  long: length reach
  thick thin: thickness
  light heavy weigh lightweight: weight
  hold support carry capacity load rated: capacity load limit
  loud quiet noise: noise
  screen display: screen display diagonal
  ram: memory
  ssd hdd drive: storage
  last run: life time battery
`)
const SIDES = stemsIn('width depth height thickness')
/** A product of at least this much will do, where these names measure mass or area. */
const LIMITS = stemSet('capacity load limit max maximum rated rating support holds room coverage covers user')
const LESS_IS_BETTER = stemSet('noise charging charge boil setup heat response latency delay')

export function createMeasureTable(saved?: SavedMeasures): MeasureTable {
  const names: Name[] = (saved?.names ?? []).map(({ text, units }) => ({
    text,
    stems: stemsIn(text),
    units: units && new Map(units),
  }))
  const nameIds = new Map<string, number>(names.map(({ text }, id) => [text, id]))
  const dimensions = new Map<string, number>(saved?.dimensions.map((name, id) => [name, id]) ?? [['', BARE]])
  const categories = new Map<string, Dimensions>(
    saved?.categories.map(({ slug, uses }) => [slug, openUses(uses)]),
  )

  function nameId(text: string): number {
    const known = nameIds.get(text)
    if (known !== undefined) return known
    names.push({ text, stems: stemsIn(text), units: null })
    nameIds.set(text, names.length - 1)
    return names.length - 1
  }

  function dimensionId(dimension: string): number | undefined {
    const known = dimensions.get(dimension)
    if (known !== undefined || dimensions.size >= MAX_DIMENSIONS) return known
    dimensions.set(dimension, dimensions.size)
    return dimensions.size - 1
  }

  function pack({ measures, stated }: ReadMeasures): PackedMeasures {
    const packed: number[] = []
    for (const measure of measures) {
      const dimension = dimensionId(measure.unit === null ? '' : measureOf(measure.unit).dimension)
      if (dimension === undefined) continue
      const flags = (measure.side ? SIDE : 0) + (measure.most ? MOST : 0) + (measure.later ? LATER : 0)
      packed.push(
        (nameId(measure.name) * MAX_DIMENSIONS + dimension) * FLAGS + flags,
        measure.low,
        measure.high,
      )
    }
    learnUnits({ measures, stated })
    return packed
  }

  function learnUnits({ measures, stated }: ReadMeasures): void {
    for (const { name, low, unit: written } of measures) {
      if (written !== null) continue
      const units = (names[nameId(name)] as Name).units ?? new Map<string, UnitVotes>()
      for (const unit of new Set(stated.flatMap(({ unit }) => unit ?? []))) {
        const votes = units.get(unit) ?? { same: 0, other: 0 }
        const value = low * measureOf(unit).factor
        const same = stated.some((one) => one.unit === unit && Math.abs(one.low - value) <= 0.005 * value)
        units.set(unit, same ? { ...votes, same: votes.same + 1 } : { ...votes, other: votes.other + 1 })
      }
      if (units.size > 0) (names[nameId(name)] as Name).units = units
    }
  }

  /** The unit that a name's bare numbers are in, when enough titles say so. */
  function learnedUnit({ units }: Name): string | null {
    if (!units) return null
    let best: string | null = null
    let most = LEAST_VOTES - 1
    for (const [unit, { same, other }] of units)
      if (same > most && same > other) {
        best = unit
        most = same
      }
    return best
  }

  function count({ category, measures }: Measured, by: 1 | -1): void {
    const uses = categories.get(category.slug) ?? new Map<number, Map<number, NameUse>>()
    categories.set(category.slug, uses)
    const seen = new Set<number>()
    for (const { key, low, high } of unpack(measures)) {
      const { name, dimension } = key
      const byName = uses.get(dimension) ?? new Map<number, NameUse>()
      uses.set(dimension, byName)
      const use = byName.get(name) ?? { products: 0, counts: new Map() }
      byName.set(name, use)
      const pair = name * MAX_DIMENSIONS + dimension
      if (!seen.has(pair)) use.products += by
      seen.add(pair)
      for (const value of low === high ? [low] : [low, high]) {
        const step = stepOf(value)
        const left = (use.counts.get(step) ?? 0) + by
        if (left > 0) use.counts.set(step, left)
        else use.counts.delete(step)
      }
      if (use.products <= 0) byName.delete(name)
    }
  }

  /** Which names of a category can be the measure that is asked for. */
  function meantIn(category: Measured['category'], size: Size): Meant {
    const uses = categories.get(category.slug)
    const meant: Meant = new Map()
    const own = new Set(stemsIn(category.label))
    const asked = new Set(
      size.words.flatMap((word) => (own.has(word) ? [] : [word, ...(CALLED.get(word) ?? [])])),
    )
    const value = size.value * measureOf(size.unit).factor
    // Who asks how wide something is does not ask how high it goes.
    const sides = SIDES.filter((side) => asked.has(side))
    const isOtherSide = (stems: readonly string[]) =>
      sides.length > 0 &&
      stems.some((stem) => SIDES.includes(stem)) &&
      !stems.some((stem) => sides.includes(stem))
    const weigh = (dimension: number, name: number, use: NameUse, factor: number, share = 1) => {
      if (isOtherSide((names[name] as Name).stems)) return
      const shared = (names[name] as Name).stems.filter((stem) => asked.has(stem) && !own.has(stem)).length
      const score = share * use.products * likelihood(use, value / factor) * (1 + SHARED_WORD * shared)
      meant.set(name * MAX_DIMENSIONS + dimension, { score, factor })
    }
    for (const [dimension, factor] of [[size.dimension, 1] as const, ...(RELATED[size.dimension] ?? [])]) {
      const id = dimensions.get(dimension)
      const share = dimension === size.dimension ? 1 : RELATED_SHARE
      for (const [name, use] of (id !== undefined && uses?.get(id)) || [])
        weigh(id ?? 0, name, use, factor, share)
    }
    for (const [name, use] of uses?.get(BARE) ?? []) {
      const unit = learnedUnit(names[name] as Name)
      const measure = unit === null ? null : measureOf(unit)
      if (measure?.dimension === size.dimension) weigh(BARE, name, use, measure.factor)
    }
    if (meant.size === 0) return meant
    const best = Math.max(...Array.from(meant.values(), ({ score }) => score))
    const likely = Array.from(meant).filter(([, { score }]) => score >= best * AS_LIKELY)
    const named = new Set(likely.map(([key]) => Math.floor(key / MAX_DIMENSIONS)))
    for (const key of meant.keys()) if (!named.has(Math.floor(key / MAX_DIMENSIONS))) meant.delete(key)
    return meant
  }

  function judge(size: Size): (product: Measured) => SizeJudgement {
    const byCategory = new Map<string, Meant>()
    return ({ category, measures }) => {
      let meant = byCategory.get(category.slug)
      if (!meant) {
        meant = meantIn(category, size)
        byCategory.set(category.slug, meant)
      }
      let nearest: SizeJudgement = SILENT
      if (!statesAny(measures, meant)) return nearest
      for (const { key, low, high } of sidesTaken(unpack(measures), size)) {
        const likely = meant.get(key.name * MAX_DIMENSIONS + key.dimension)
        // What a spec says last is a part or an option: it may be asked for, but a bound is about the whole.
        if (!likely || (key.later && (size.comparison !== 'eq' || key.most))) continue
        const name = names[key.name] as Name
        const stated = { name: name.text, low: low * likely.factor, high: high * likely.factor }
        const fits = satisfies(size, stated, name, key.most)
        const distance = distanceOf(size, stated)
        const better = fits ? nearest.verdict !== 'said' : nearest.verdict === 'silent'
        const closer = fits === (nearest.verdict === 'said') && distance < nearest.distance
        if (better || closer) nearest = { verdict: fits ? 'said' : 'denied', stated, distance }
      }
      return nearest
    }
  }

  return {
    pack,
    add: (product) => count(product, 1),
    drop: (product) => count(product, -1),
    judge,
    isNamed: (stem) => names.some(({ stems }) => stems.includes(stem)),
    save: () => ({
      names: names.map(({ text, units }) => ({ text, units: units && [...units] })),
      dimensions: [...dimensions.keys()],
      categories: Array.from(categories, ([slug, uses]) => ({ slug, uses: saveUses(uses) })),
    }),
  }
}

export function readSource(source: Source): ReadMeasures {
  const measures = readMeasures(source)
  const isBare = measures.some(({ unit }) => unit === null)
  return { measures, stated: isBare ? titleQuantities(source.title) : [] }
}

type SavedUses = SavedMeasures['categories'][number]['uses']

function saveUses(uses: Dimensions): SavedUses {
  return Array.from(uses, ([dimension, byName]) => [
    dimension,
    Array.from(byName, ([name, { products, counts }]) => [
      name,
      { products, counts: Float64Array.from([...counts].flat()) },
    ]),
  ])
}

function openUses(uses: SavedUses): Dimensions {
  const pairs = (counts: Float64Array) =>
    Array.from({ length: counts.length / 2 }, (_, at): [number, number] => [
      counts[at * 2] as number,
      counts[at * 2 + 1] as number,
    ])
  return new Map(
    uses.map(([dimension, byName]) => [
      dimension,
      new Map(
        byName.map(([name, { products, counts }]) => [name, { products, counts: new Map(pairs(counts)) }]),
      ),
    ]),
  )
}

/** Asks for nothing but the measure itself: how heavy a product is, whatever that is. */
export function anySize(dimension: string, words: string[]): Size {
  const [low, high] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
  const unasked = { value: Number.NaN, unit: '', comparison: 'gt', phrase: '', side: false } as const
  return { ...unasked, dimension, low, high, words }
}

const SILENT: SizeJudgement = { verdict: 'silent', stated: null, distance: Number.POSITIVE_INFINITY }

/** Most products state nothing that is meant, and need not be unpacked. */
function statesAny(measures: PackedMeasures, meant: Meant): boolean {
  if (meant.size === 0) return false
  for (let at = 0; at < measures.length; at += 3)
    if (meant.has(Math.floor((measures[at] as number) / FLAGS))) return true
  return false
}

type Unpacked = {
  key: { name: number; dimension: number; side: boolean; most: boolean; later: boolean }
  low: number
  high: number
}

function unpack(measures: PackedMeasures): Unpacked[] {
  const unpacked: Unpacked[] = []
  for (let at = 0; at < measures.length; at += 3) {
    const packed = measures[at] as number
    const pair = Math.floor(packed / FLAGS)
    unpacked.push({
      key: {
        name: Math.floor(pair / MAX_DIMENSIONS),
        dimension: pair % MAX_DIMENSIONS,
        side: (packed & SIDE) !== 0,
        most: (packed & MOST) !== 0,
        later: (packed & LATER) !== 0,
      },
      low: measures[at + 1] as number,
      high: measures[at + 2] as number,
    })
  }
  return unpacked
}

/** Of "60 x 30 in" the long side is what "60 inch desk" is about, unless a side is asked for by name. */
function sidesTaken(measures: Unpacked[], size: Size): Unpacked[] {
  const anySide = size.side || size.words.some((word) => ['wide', 'deep', 'tall', 'high'].includes(word))
  if (anySide || measures.every(({ key }) => !key.side)) return measures
  const smallest = size.words.includes('thick') || size.words.includes('thin')
  return measures.filter(
    ({ key, low }) =>
      !key.side ||
      measures.every(
        (other) =>
          !other.key.side || other.key.name !== key.name || (smallest ? other.low >= low : other.low <= low),
      ),
  )
}

function satisfies(
  size: Size,
  { low, high }: { low: number; high: number },
  name: Name,
  most: boolean,
): boolean {
  const { least, largest } = boundsFor(size, name, most)
  return high >= least && low <= largest
}

/** A plain "350 lb chair" or "30 hour battery" asks for at least that much, "50 dB" for at most. */
function boundsFor(size: Size, { stems }: Name, most: boolean): { least: number; largest: number } {
  const { low, high, comparison, dimension } = size
  const plain = { least: low, largest: high }
  if (comparison !== 'eq' || size.side) return plain
  const lessIsBetter = stems.some((stem) => LESS_IS_BETTER.has(stem))
  if (dimension === 'sound' || dimension === 'time') {
    if (lessIsBetter) return { least: Number.NEGATIVE_INFINITY, largest: high }
    return dimension === 'time' ? { least: low, largest: Number.POSITIVE_INFINITY } : plain
  }
  // What keeps warm at minus ten does so at minus five.
  if (dimension === 'degree' && size.value <= 0) return { least: Number.NEGATIVE_INFINITY, largest: high }
  const isLimit =
    ((dimension === 'mass' || dimension === 'area') && stems.some((stem) => LIMITS.has(stem))) ||
    (dimension === 'length' && stems.includes('climb'))
  return isLimit || most ? { least: low, largest: Number.POSITIVE_INFINITY } : plain
}

function distanceOf(size: Size, { low, high }: { low: number; high: number }): number {
  const value = size.value * measureOf(size.unit).factor
  if (low <= value && value <= high) return 0
  const near = value < low ? low : high
  return near > 0 && value > 0 ? Math.abs(Math.log2(near / value)) : Math.abs(near - value)
}

function stepOf(value: number): number {
  return value > 0 ? Math.round(Math.log2(value) * 2) : 0
}

/** 1 within the usual values of a name, less with each doubling beyond. */
function likelihood({ counts }: NameUse, value: number): number {
  if (!(value > 0)) return 1
  const step = Math.log2(value) * 2
  const steps = [...counts.keys()].sort((a, b) => a - b)
  const few = TRIMMED * [...counts.values()].reduce((sum, count) => sum + count, 0)
  const least = firstBeyond(steps, counts, few)
  const most = firstBeyond(steps.reverse(), counts, few)
  const beyond = Math.max(least - 0.5 - step, step - most - 0.5, 0) / 2
  return Math.max(PER_DOUBLING ** beyond, LEAST_LIKELY)
}

function firstBeyond(steps: readonly number[], counts: ReadonlyMap<number, number>, few: number): number {
  let seen = 0
  for (const step of steps) {
    seen += counts.get(step) ?? 0
    if (seen > few) return step
  }
  return 0
}

function stemsIn(text: string): string[] {
  return [
    ...new Set(tokenize(text).flatMap(({ kind, fold }) => (kind === 'word' ? [factsOf(fold).term] : []))),
  ]
}

function stemSet(words: string): ReadonlySet<string> {
  return new Set(stemsIn(words))
}

function relations(lines: string): ReadonlyMap<string, readonly string[]> {
  return new Map(
    lines
      .trim()
      .split('\n')
      .flatMap((line) => {
        const [words = '', called = ''] = line.split(':')
        return stemsIn(words).map((word) => [word, stemsIn(called)] as const)
      }),
  )
}
