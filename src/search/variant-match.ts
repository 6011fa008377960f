/**
 * Which variant of a product a query names: "rain jacket red, size M". Each word of an option stands for a set of the
 * product's variants, one bit each, so that a query is a few intersections. A product that has the words but no variant
 * with all of them, or none that can be ordered, comes after one that has.
 */
import type { ProductProfile } from '../catalog/profile.ts'
import { optionAxes, variantName } from '../catalog/variants.ts'
import type { CatalogIndex, IndexedProduct } from './catalog-index.ts'
import type { QueryTerm } from './lexical/lexical-index.ts'
import { tokenize } from './lexical/tokenize.ts'

/** Terms are numbers of the keyword index. */
export type PackedVariants = {
  terms: Uint32Array
  /** For each term, the variants that have it. */
  sets: Uint32Array
  /** Those that can be ordered, as far as is known. */
  orderable: Uint32Array
  /** A line for each: its id, a tab, its name. */
  labels: string
}

type Match = {
  /** How many words of the query are options of the product. */
  words: number
  /** The variants that have all of them. */
  common: Uint32Array
  isOrderable: boolean
}

const BITS = 32

/** The same with words for numbers, as it is read from a product. */
export type ReadVariants = { terms: string[]; sets: number[]; orderable: number[]; labels: string }

export function readVariants({
  variants,
  discontinued,
}: Pick<ProductProfile, 'variants' | 'discontinued'>): ReadVariants | null {
  if (variants.length === 0) return null
  const width = Math.ceil(variants.length / BITS)
  const sets = new Map<string, Uint32Array>()
  const orderable = new Uint32Array(width)
  variants.forEach(({ options, sku, gtin, availability }, at) => {
    const texts = [...options.map(({ value }) => value), ...numbersOf([{ sku, gtin }])]
    for (const { term, stop } of tokenize(texts.join('. '))) {
      if (stop) continue
      const set = sets.get(term) ?? new Uint32Array(width)
      sets.set(term, set)
      mark(set, at)
    }
    if (!discontinued && availability !== 'out_of_stock') mark(orderable, at)
  })
  return {
    terms: [...sets.keys()],
    sets: Array.from(sets.values(), (set) => [...set]).flat(),
    orderable: [...orderable],
    labels: variants.map((variant) => `${variant.id}\t${variantName(variant)}`).join('\n'),
  }
}

export function packVariants(
  { terms, sets, orderable, labels }: ReadVariants,
  numberOf: (term: string) => number,
): PackedVariants {
  return {
    terms: Uint32Array.from(terms, numberOf),
    sets: Uint32Array.from(sets),
    orderable: Uint32Array.from(orderable),
    labels,
  }
}

function mark(set: Uint32Array, at: number): void {
  set[Math.floor(at / BITS)] = (set[Math.floor(at / BITS)] as number) | (1 << (at % BITS))
}

/** Every value once, as words of the product. */
export function optionWords({
  variants,
}: Pick<ProductProfile, 'variants'>): { name: string; value: string }[] {
  return optionAxes(variants).map(({ name, values }) => ({ name, value: values.join(', ') }))
}

/** Without marks, so that each is one word: "FRJ-MO-M" is "FRJMOM", as the words of a query join to it. */
export function numbersOf(variants: ReadonlyArray<{ sku: string | null; gtin: string | null }>): string[] {
  return variants
    .flatMap(({ sku, gtin }) => [sku, gtin])
    .flatMap((number) => number?.replace(/[^\p{L}\p{N}]/gu, '') || [])
}

/** A joined spelling counts as the words themselves; a synonym does not. */
const AS_SAID = 0.95

/** The numbers of the words that a query says itself. */
export function wantedTerms(index: CatalogIndex, terms: readonly QueryTerm[]): ReadonlySet<number> {
  return new Set(
    terms.filter(({ weight }) => weight >= AS_SAID).map(({ term }) => index.words.numberOf(term)),
  )
}

/** Null if the query names no option of the product. */
function matchVariants(packed: PackedVariants, wanted: ReadonlySet<number>): Match | null {
  const { terms, sets, orderable } = packed
  const width = orderable.length
  let common: Uint32Array | null = null
  let words = 0
  for (let row = 0; row < terms.length; row++) {
    if (!wanted.has(terms[row] as number)) continue
    words++
    common ??= new Uint32Array(width).fill(0xffffffff)
    for (let at = 0; at < width; at++)
      common[at] = (common[at] as number) & (sets[row * width + at] as number)
  }
  return (
    common && {
      words,
      common,
      isOrderable: common.some((set, at) => (set & (orderable[at] as number)) !== 0),
    }
  )
}

/** The variant of a product that a query names, if it can only be one. */
export function namedVariant(
  { variants }: IndexedProduct,
  wanted: ReadonlySet<number>,
): { id: string; name: string } | null {
  const match = variants && matchVariants(variants, wanted)
  const only = match ? onlyIn(match.common) : null
  const [id, name] = only === null ? [] : (variants?.labels.split('\n')[only]?.split('\t') ?? [])
  return id === undefined || name === undefined ? null : { id, name }
}

function onlyIn(set: Uint32Array): number | null {
  let found: number | null = null
  for (let at = 0; at < set.length; at++) {
    const bits = set[at] as number
    if (bits === 0) continue
    // More than one bit, or one in another part besides.
    if (found !== null || (bits & (bits - 1)) !== 0) return null
    found = at * BITS + (31 - Math.clz32(bits))
  }
  return found
}

/**
 * The same places, of which those that name as many options change theirs among each other: a product with such a variant
 * to order comes before one without. `isGood` keeps a poor answer from coming first for being in stock.
 */
export function preferOrderable(
  places: readonly number[],
  wanted: ReadonlySet<number>,
  { productAt, isGood }: { productAt(place: number): IndexedProduct | null; isGood(place: number): boolean },
): number[] {
  const matches = new Map(
    places.filter(isGood).map((place) => {
      const variants = productAt(place)?.variants
      return [place, variants ? matchVariants(variants, wanted) : null]
    }),
  )
  const most = matches.values().reduce((words, match) => Math.max(words, match?.words ?? 0), 0)
  if (most === 0) return [...places]
  const named = places.filter((place) => matches.get(place)?.words === most)
  const rank = (place: number) => (matches.get(place)?.isOrderable ? 0 : 1)
  const ordered = named.toSorted((a, b) => rank(a) - rank(b))
  const among = new Set(named)
  let next = 0
  return places.map((place) => (among.has(place) ? (ordered[next++] as number) : place))
}
