/**
 * Does "3 person tent" find one? `npm run eval -- specs` makes such queries from the demo catalog's own specs by a fixed
 * rule and counts how often the first result has the value. Units are read by obedience-amounts.ts, apart from src/search.
 *
 * The rule: of every category, each spec that begins with an amount for at least eight products that are still made; of
 * its distinct values those a sixth, a half and five sixths of the way up; said in turn as the catalog writes the unit, in words, and in
 * another unit where people have one. Bare numbers are counts of what the spec is called ("Burners: 2").
 */
import type { ProductProfile } from '../src/catalog/profile.ts'
import type { Search } from '../src/search/search.service.ts'
import { createDemoSearch } from './demo.ts'
import { readDemoSet } from './judged.ts'
import { allIn, firstIn, readAmounts } from './obedience-amounts.ts'

export const SPEC_SLICES = ['as written', 'in words', 'other unit', 'count'] as const

export type SpecQuery = {
  slice: (typeof SPEC_SLICES)[number]
  query: string
  category: string
  spec: string
  relevant: Set<string>
}

/** What people call one product of a category where cutting the last "s" off its label is not it. */
const KINDS: Record<string, string> = {
  'adjustable-dumbbells': 'adjustable dumbbells',
  'carry-on-luggage': 'carry-on suitcase',
  'chef-knives': 'chef knife',
  'computer-mice': 'mouse',
  headphones: 'headphones',
  mattresses: 'mattress',
  'mechanical-keyboards': 'keyboard',
  'running-shoes': 'running shoes',
  smartwatches: 'smartwatch',
  'wifi-routers': 'wifi router',
  'wireless-earbuds': 'earbuds',
}

const WORDS: Record<string, string> = {
  mm: 'millimeter',
  cm: 'centimeter',
  m: 'meter',
  in: 'inch',
  inches: 'inch',
  g: 'gram',
  kg: 'kilo',
  lb: 'pound',
  oz: 'ounce',
  ml: 'milliliter',
  l: 'liter',
  qt: 'quart',
  'm²': 'square meter',
  min: 'minute',
  h: 'hour',
  nm: 'newton meter',
  gb: 'gigabyte',
  tb: 'terabyte',
  v: 'volt',
  w: 'watt',
  kw: 'kilowatt',
  wh: 'watt hour',
  aw: 'air watt',
  pa: 'pascal',
  db: 'decibel',
  hz: 'hertz',
  lm: 'lumen',
  nits: 'nit',
  inch: 'inch',
  people: 'person',
  person: 'person',
  minutes: 'minute',
  seconds: 'second',
  weeks: 'week',
  days: 'day',
  sheets: 'sheet',
  season: 'season',
  speed: 'speed',
  core: 'core',
}

const OTHER_UNIT: Record<string, string> = {
  mm: 'in',
  cm: 'in',
  in: 'cm',
  inch: 'cm',
  inches: 'cm',
  g: 'oz',
  kg: 'lb',
  lb: 'kg',
  ml: 'oz',
  l: 'qt',
  qt: 'l',
  'm²': 'sq ft',
  '°c': '°F',
  '°f': '°C',
  nm: 'ft lb',
}

/** Longer units are never glued to the number or written in the plural before a noun. */
const LONGEST_SYMBOL = 3
/** Warranties, trials and spans of life are asked for in other words. */
const NOT_SAID = /^(year|night)/
const LEAST_PRODUCTS = 8
const PLACES = [1 / 6, 1 / 2, 5 / 6]

type Head = { value: number; unit: string | null; written: string }

/** The amount that the text begins with. A range is not one. */
function readHead(text: string): Head | null {
  const plain = text.replace(/^(about|up to) /i, '')
  const bare = /^(\d+)(?=$| \(|, | plus| programmable)/.exec(plain)
  if (bare) return { value: Number(bare[1]), unit: null, written: '' }
  const [first] = readAmounts(plain)
  if (!first || first.low !== first.high) return null
  const start = /^(-?[\d,]+(?:\.\d+)?)([\s-]*)(\S+)/.exec(plain)
  const isFirst = start && Number(start[1]?.replaceAll(',', '')) === first.low
  return isFirst && start[3]?.toLowerCase().startsWith(first.unit)
    ? { value: first.low, unit: first.unit, written: start[3].slice(0, first.unit.length) }
    : null
}

export function makeSpecQueries(products: readonly ProductProfile[]): SpecQuery[] {
  const byCategory = Map.groupBy(products, (product) => product.category.slug)
  let turn = 0
  return [...byCategory]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([category, own]) => {
      const names = [...new Set(own.flatMap(({ specs }) => specs.map(({ name }) => name)))]
      return names.flatMap((spec) =>
        valuesOf(own, spec).map((head) => makeQuery(own, category, spec, head, turn++)),
      )
    })
}

/** In the unit that most products use. */
function valuesOf(own: readonly ProductProfile[], spec: string): Head[] {
  const heads = own.flatMap((product) => {
    if (product.discontinued) return []
    const head = readHead(specOf(product, spec) ?? '')
    return head && !NOT_SAID.test(head.unit ?? '') ? [head] : []
  })
  const groups = [...Map.groupBy(heads, ({ unit }) => unit).values()]
  const [most = []] = groups.sort((a, b) => b.length - a.length)
  if (most.length < LEAST_PRODUCTS) return []
  const distinct = [...new Map(most.map((head) => [head.value, head])).values()]
    .filter(({ value }) => value !== 0)
    .sort((a, b) => a.value - b.value)
  const places = new Set(PLACES.map((place) => Math.floor(place * distinct.length)))
  return [...places].flatMap((place) => distinct[place] ?? [])
}

function specOf({ specs }: ProductProfile, spec: string): string | undefined {
  return specs.find(({ name }) => name === spec)?.value
}

function makeQuery(
  own: readonly ProductProfile[],
  category: string,
  spec: string,
  { value, unit, written }: Head,
  turn: number,
): SpecQuery {
  const label = own[0]?.category.label ?? category
  const kind = KINDS[category] ?? label.toLowerCase().replace(/s$/, '')
  const relevant = (fits: (product: ProductProfile) => boolean) =>
    new Set(own.filter(fits).map(({ slug }) => slug))
  if (unit === null) {
    const query = `${value} ${spec.toLowerCase().replace(/s$/, '')} ${kind}`
    const has = (product: ProductProfile) =>
      /^\d+(?![\d.]|,\d)/.exec(specOf(product, spec) ?? '')?.[0] === String(value)
    return { slice: 'count', query, category, spec, relevant: relevant(has) }
  }
  const other = turn % 3 === 2 ? OTHER_UNIT[unit] : undefined
  const asked = other ? rounded(firstIn(`${value} ${unit}`, other)?.low ?? value) : value
  const isAsked = (amount: number) =>
    other ? rounded(amount) === asked : Math.abs(amount - value) <= Math.abs(value) * 0.005
  // The query does not say which spec it means, so any that has the value will do.
  const has = ({ specs }: ProductProfile) =>
    specs.some((one) => allIn(one.value, other ?? unit).some(({ low, high }) => low === high && isAsked(low)))
  if (other)
    return {
      slice: 'other unit',
      query: `${asked} ${other} ${kind}`,
      category,
      spec,
      relevant: relevant(has),
    }
  const word = turn % 3 === 1 || unit.length > LONGEST_SYMBOL ? WORDS[unit] : undefined
  const said = word ? ` ${word}` : turn % 2 === 0 ? ` ${written}` : written
  return {
    slice: word ? 'in words' : 'as written',
    query: `${value}${said} ${kind}`,
    category,
    spec,
    relevant: relevant(has),
  }
}

/** As people round: no decimals from ten on, one below. */
function rounded(value: number): number {
  return Math.abs(value) >= 10 ? Math.round(value) : Math.round(value * 10) / 10
}

export type SpecScore = SpecQuery & { first: ProductProfile | null }

export async function scoreSpecs(search: Search): Promise<SpecScore[]> {
  const { products } = readDemoSet()
  const bySlug = new Map(products.map((product) => [product.slug, product]))
  const scores: SpecScore[] = []
  for (const asked of makeSpecQueries(products)) {
    const { results } = await search.search({ query: asked.query, limit: 1, face: 'web' })
    scores.push({ ...asked, first: bySlug.get(results[0]?.slug ?? '') ?? null })
  }
  return scores
}

export async function reportSpecs(): Promise<void> {
  const search = await createDemoSearch()
  const scores = await scoreSpecs(search)
  await search.close()
  const isHit = ({ first, relevant }: SpecScore) => first !== null && relevant.has(first.slug)
  process.stdout.write(`${'slice'.padEnd(16)}    queries       hits     hit@1\n`)
  for (const slice of [...SPEC_SLICES, null]) {
    const own = scores.filter((score) => slice === null || score.slice === slice)
    const hits = own.filter(isHit).length
    const share = (hits / own.length).toFixed(3)
    process.stdout.write(
      `${(slice ?? 'all').padEnd(16)}${String(own.length).padStart(11)}${String(hits).padStart(11)}${share.padStart(10)}\n`,
    )
  }
  process.stdout.write('\n')
  for (const { slice, query, spec, relevant, first } of scores.filter((score) => !isHit(score))) {
    const found = first
      ? `${first.slug} (${first.category.slug}, ${spec}: ${specOf(first, spec) ?? 'not said'})`
      : 'nothing'
    process.stdout.write(`${slice} | ${query} | ${found}, not ${[...relevant].slice(0, 3).join(', ')}\n`)
  }
}
