/**
 * Why a product is among the results: up to three of its own facts that answer the query, the most telling first. The
 * measure that was asked for, the spec that says what was asked for, what it does without, whom it suits, its
 * price, its rating. A product that states nothing of the kind has no reason. Only short specs are quoted
 * (short-specs.ts); of longer texts only the asker's own words are repeated.
 */
import { priceNowCents } from '../../catalog/profile.buying.ts'
import { formatUsd } from '../../lib/money.ts'
import type { CatalogIndex, IndexedProduct } from '../catalog-index.ts'
import type { SaleLookup } from '../filters.ts'
import { stemsOf } from '../lexical/tokenize.ts'
import { formsOf } from '../measures/attributes.ts'
import { anySize, type SizeJudgement } from '../measures/measure-table.ts'
import { readShortSpecs } from '../short-specs.ts'
import type { Size } from '../understand/sizes.ts'
import type { Understood } from '../understand/understand.ts'
import { measureOf } from '../understand/units.ts'

const MAX_REASONS = 3
const MAX_USE_WORDS = 3
const GOOD_RATING = 4.2
const ENOUGH_REVIEWS = 10
/** So many products must state a measure before one of them is called the lightest. */
const LEAST_COMPARED = 3
const QUALITY = new Set(
  stemsOf('best top good great rated reliable quality popular recommended loved favorite'),
)
/** A use that shares nothing but one of these says nothing: "long" of long flights is not that of long commutes. */
const VAGUE = new Set(
  stemsOf(
    'long short big large huge small little tiny high low hot cold old new full half first last everyday',
  ),
)
const NO = /^(?:no|none|not|without|never|false|n|n\/a|0)\b/i
const YES = /^(?:yes|true|y|included)$/i

/** Words that ask for a lot or little of a measure, and what the first in it is called. */
const MEASURED_QUALITIES = [
  { words: 'quiet silent noiseless', dimension: 'sound', least: true, name: 'noise', most: 'the quietest' },
  { words: 'light lightweight', dimension: 'mass', least: true, name: 'weight', most: 'the lightest' },
  { words: 'bright', dimension: 'lumen', least: false, name: 'brightness', most: 'the brightest' },
  { words: 'bright', dimension: 'nit', least: false, name: 'brightness', most: 'the brightest' },
  { words: 'powerful strong', dimension: 'power', least: false, name: 'power', most: 'the most powerful' },
].map((quality) => ({ ...quality, stems: new Set(stemsOf(quality.words).flatMap(formsOf)) }))

type Spec = { name: string; value: string; stems: string[] }
/** A product's, with the stems of all of them. */
type Specs = { specs: Spec[]; stems: ReadonlySet<string> }
type Judge = (product: IndexedProduct) => SizeJudgement
/** Of the listed products of a category: the first in a measure, and the one in the middle. */
type Usual = { first: number; middle: number }
type Asked = {
  understood: Understood
  /** By its stem, each word as it was written; not those that measure, and not the category's. */
  words: Map<string, string>
  /** By the stem of a word, what says the same; a form may be two words. */
  forms: Map<string, readonly string[][]>
  sizes: Array<{ size: Size; judge: Judge }>
  qualities: Array<{ judge: Judge; usual: Map<string, Usual>; least: boolean; most: string }>
  priceOf: (product: IndexedProduct) => number | null
  lowestCents: number | null
}

/** `listed` are the products that stand beside each other: one of them may be the lightest. */
export function reasonsFor(
  index: CatalogIndex,
  understood: Understood,
  listed: readonly IndexedProduct[],
  sales: Pick<SaleLookup, 'bestCents'>,
): (product: IndexedProduct) => string {
  // The price that stands beside the reason.
  const priceOf = (product: IndexedProduct) => priceNowCents(product, sales.bestCents(product.id))
  const words = askedWords(understood)
  const asked: Asked = {
    understood,
    words,
    forms: new Map(
      [...words.keys()].flatMap((stem) =>
        QUALITY.has(stem) ? [] : [[stem, formsOf(stem).map((form) => form.split(' '))] as const],
      ),
    ),
    sizes: understood.sizes.map((size) => ({ size, judge: index.measures.judge(size) })),
    qualities: MEASURED_QUALITIES.filter(({ stems }) =>
      [...words.keys()].some((stem) => stems.has(stem)),
    ).map(({ dimension, least, name, most }) => {
      const judge = index.measures.judge(anySize(dimension, stemsOf(name)))
      return { judge, least, most, usual: usualOf(listed, judge, least) }
    }),
    priceOf,
    lowestCents: lowestOf(listed.flatMap((product) => priceOf(product) ?? [])),
  }
  const asksQuality = [...words.keys()].some((stem) => QUALITY.has(stem))
  return (product) => {
    const reasons = new Set<string>()
    for (const reason of factsFor(product, asked)) {
      reasons.add(reason)
      if (reasons.size === MAX_REASONS) break
    }
    const left = MAX_REASONS - reasons.size
    const denied = asked.sizes.some(({ judge }) => judge(product).verdict === 'denied')
    if (!denied && (left === MAX_REASONS || (left > 0 && asksQuality)))
      for (const reason of ratingOf(product)) reasons.add(reason)
    return [...reasons].join('; ')
  }
}

function* factsFor(product: IndexedProduct, asked: Asked): Generator<string> {
  const { understood, words } = asked
  const own = specsOf(product)
  const { specs } = own
  const used = new Set<string>()
  const quote = (name: string, note = '') => {
    const spec = specs.find((one) => one.name === name)
    if (spec) used.add(name)
    return spec ? `${spec.name}: ${spec.value}${note}` : null
  }
  if (isNamed(product, understood)) yield `is the ${product.model ?? product.mpn} you named`
  else if (product.brand !== null && understood.brands.includes(product.brand))
    yield `made by ${product.brand}`
  for (const { size, judge } of asked.sizes) {
    const { verdict, stated } = judge(product)
    if (verdict === 'said' && stated) yield quote(stated.name) ?? measureWords(size, stated)
  }
  for (const { judge, usual, least, most } of asked.qualities) {
    const { stated } = judge(product)
    const compared = usual.get(product.category.slug)
    if (!stated || !compared) continue
    const value = least ? stated.low : stated.high
    // A loud one is no answer to "quiet".
    if (least ? value > compared.middle : value < compared.middle) continue
    const quoted = quote(stated.name, value === compared.first ? `, ${most} here` : '')
    if (quoted) yield quoted
  }
  const lacked = deniedWords(understood, product)
  if (lacked.length > 0) yield `no ${lacked.join(', no ')}`
  for (const { name, value } of tellingSpecs(product, own, asked.forms))
    if (!used.has(name)) yield YES.test(value) ? name : `${name}: ${value}`
  const uses = statedUses(product, words)
  if (uses.length > 0) yield `good for ${uses.join(' ')}`
  yield* priceWords(product, asked)
}

function isNamed({ model, mpn }: IndexedProduct, { models }: Understood): boolean {
  const names = models.map((name) => name.toLowerCase())
  return [model, mpn].some((name) => name !== null && names.includes(name.toLowerCase()))
}

/** The best first: those that hold most of the words. None that a product denies. */
function tellingSpecs(
  { lacks }: IndexedProduct,
  { specs, stems }: Specs,
  formsOfAsked: Asked['forms'],
): Spec[] {
  const forms: string[][][] = []
  for (const [stem, own] of formsOfAsked) {
    // Most words are in no spec, and are not looked for in each.
    const held = own.filter((form) => form.every((one) => stems.has(one)))
    if (held.length > 0 && !lacks.includes(stem)) forms.push(held)
  }
  if (forms.length === 0) return []
  return specs
    .map((spec) => ({
      spec,
      shared: forms.filter((own) => own.some((form) => holds(spec.stems, form))).length,
    }))
    .filter(({ spec, shared }) => shared > 0 && !NO.test(spec.value))
    .sort((a, b) => b.shared - a.shared)
    .map(({ spec }) => spec)
}

function holds(stems: readonly string[], form: readonly string[]): boolean {
  return form.every((stem) => stems.includes(stem))
}

/** How units are written behind a number; the others as they are. */
const UNIT_SIGNS: Readonly<Record<string, string>> = {
  inch: 'in',
  foot: 'ft',
  quart: 'qt',
  gallon: 'gal',
  l: 'L',
  gb: 'GB',
  tb: 'TB',
  mb: 'MB',
  watt: 'W',
  kw: 'kW',
  volt: 'V',
  hour: 'h',
  minute: 'min',
  db: 'dB',
  hz: 'Hz',
  ghz: 'GHz',
  mah: 'mAh',
  wh: 'Wh',
  person: 'people',
  piece: 'pieces',
}

/** A measure that no short spec states, in the unit that was asked in. */
function measureWords({ unit }: Size, { low, high }: { low: number; high: number }): string {
  const { factor } = measureOf(unit)
  const plain = (value: number) => String(Number((value / factor).toFixed(1)))
  return `${low === high ? plain(low) : `${plain(low)} to ${plain(high)}`} ${UNIT_SIGNS[unit] ?? unit}`
}

function* priceWords(
  product: IndexedProduct,
  { understood, priceOf, lowestCents }: Asked,
): Generator<string> {
  const limit = understood.budget?.maxCents ?? null
  const cents = priceOf(product)
  if (cents === null) return
  const lowest = understood.price === 'cheap' && cents === lowestCents ? ', the lowest price here' : ''
  if (limit !== null && cents <= limit)
    yield `${formatUsd(cents)}, ${cents < limit ? 'under' : 'within'} your ${formatUsd(limit)}`
  else if (lowest) yield `${formatUsd(cents)}${lowest}`
}

function ratingOf({ rating, reviewCount }: IndexedProduct): string[] {
  if (rating === null || rating < GOOD_RATING || (reviewCount ?? 0) < ENOUGH_REVIEWS) return []
  return [`${rating} from ${(reviewCount ?? 0).toLocaleString('en-US')} reviews`]
}

function deniedWords({ negated }: Understood, { lacks }: IndexedProduct): string[] {
  return negated
    .filter(({ words }) => words.length > 0 && stemsOf(words.join(' ')).every((stem) => lacks.includes(stem)))
    .map(({ words }) => words.join(' '))
}

/** Those of the asker's own words that a stated use shares: never the product's, which are untrusted text. */
function statedUses(product: IndexedProduct, asked: ReadonlyMap<string, string>): string[] {
  const telling = tellingStems(product)
  const shared = (stems: string[]) => stems.filter((stem) => asked.has(stem))
  const use = telling.reduce((best, stems) => (shared(stems).length > shared(best).length ? stems : best), [])
  if (use.some((stem) => product.notFor.includes(stem))) return []
  if (shared(use).every((stem) => VAGUE.has(stem))) return []
  // In the order in which they were asked. The stems of "pour-over" are of one word.
  const said = new Set([...asked].flatMap(([stem, word]) => (use.includes(stem) ? word : [])))
  return [...said].slice(0, MAX_USE_WORDS)
}

/** By category, where enough of the listed state the measure and not all the same. */
function usualOf(listed: readonly IndexedProduct[], judge: Judge, least: boolean): Map<string, Usual> {
  const values = new Map<string, number[]>()
  for (const product of listed) {
    const { stated } = judge(product)
    const known = values.get(product.category.slug) ?? []
    values.set(product.category.slug, known)
    if (stated) known.push(least ? stated.low : stated.high)
  }
  const usual = new Map<string, Usual>()
  for (const [slug, all] of values) {
    const [first, ...others] = all.sort((a, b) => (least ? a - b : b - a))
    const middle = all[all.length >> 1]
    if (first === undefined || middle === undefined || all.length < LEAST_COMPARED) continue
    if (others.some((value) => value !== first)) usual.set(slug, { first, middle })
  }
  return usual
}

function lowestOf(prices: readonly number[]): number | null {
  return prices.length >= LEAST_COMPARED ? Math.min(...prices) : null
}

// Taking a text apart is slow: a product's is read once for all queries that show it.
const specsByProduct = new WeakMap<IndexedProduct, Specs>()
const tellingByProduct = new WeakMap<IndexedProduct, string[][]>()

function specsOf(product: IndexedProduct): Specs {
  const known = specsByProduct.get(product)
  if (known) return known
  const plain = new Set(stemsOf(product.category.label))
  const specs = readShortSpecs(product.shortSpecs).map(({ name, value }) => ({
    name,
    value,
    stems: stemsOf(`${name} ${value}`).filter((stem) => !plain.has(stem)),
  }))
  const made = { specs, stems: new Set(specs.flatMap(({ stems }) => stems)) }
  specsByProduct.set(product, made)
  return made
}

/** Without numbers: what they measure is asked of the measures. */
function askedWords({ text, sizes }: Understood): Map<string, string> {
  const sized = new Set(sizes.flatMap(({ phrase }) => stemsOf(phrase)))
  const words = text.split(/[^\p{L}\p{N}'-]+/u).filter((word) => word && !/\d/.test(word))
  return new Map(
    words.flatMap((word) =>
      stemsOf(word).flatMap((stem) => (sized.has(stem) ? [] : [[stem, word.toLowerCase()] as const])),
    ),
  )
}

/** Of each use, without the product's own name: "Spare stroller" says nothing to someone who asks for a stroller. */
function tellingStems(product: IndexedProduct): string[][] {
  const known = tellingByProduct.get(product)
  if (known) return known
  const plain = new Set(stemsOf(`${product.title} ${product.category.label}`))
  const telling = product.bestFor.map((use) => stemsOf(use).filter((stem) => !plain.has(stem)))
  tellingByProduct.set(product, telling)
  return telling
}
