/**
 * What somebody may mean while they type: categories, brands and products called by the words so far, the last of them
 * unfinished. It reads the keyword index of search, so it follows the catalog as search does and knows nothing of what
 * other people typed. Spelling is corrected only when nothing is called so.
 */
import {
  categoryPath,
  categoryPicturePath,
  picturePath,
  priceRange,
  productPath,
} from '../catalog/profile.ts'
import type { BrandNames } from './brand-names.ts'
import { requireWhole } from './catalog.ts'
import type { CatalogIndex, IndexedProduct } from './catalog-index.ts'
import { editDistance } from './lexical/dictionary.ts'
import { foldText, stem, tokenize } from './lexical/tokenize.ts'
import { readShortSpecs } from './short-specs.ts'

export const KINDS = ['products', 'categories', 'brands'] as const
export type Kind = (typeof KINDS)[number]
export const MOST_SUGGESTIONS = 10
export const LONGEST_TYPED = 200

export type SuggestInput = { q: string; limit: number; kinds: readonly Kind[] }

export type Suggestion = {
  kind: 'category' | 'brand' | 'product'
  text: string
  /** Brands have none: search takes their name. */
  slug?: string
  url: string
  /** Products that a category or brand has. */
  products?: number
  category?: { slug: string; label: string }
  price_range?: string | null
  discontinued?: true
  /** A drawing of ours, never a seller's photo: that would tell its host of every key. */
  picture?: string
  /** Where `text` has the typed words: from and to, counted as strings are in JavaScript. */
  matched: Array<[number, number]>
}

/** `terms`: numbers of the terms it may stand for. */
type Word = {
  surface: string
  term: string
  stop: boolean
  last: boolean
  terms: number[]
  corrected: boolean
}

/** As many as fit the bits of `calledBy`. */
const MOST_WORDS = 8
const CORRECTIONS = 3
/** Of categories and of brands, each, while there are products for the rest. */
const SHARE = 0.3

export function suggest(index: CatalogIndex, { q, limit, kinds }: SuggestInput): Suggestion[] {
  requireWhole(index, 'suggestions')
  const typed = readTyped(index, q).slice(-MOST_WORDS)
  if (typed.length === 0) return []
  const exact = find(index, typed, limit)
  const words =
    exact.slots.length + exact.categories.size > 0 || exact.brands !== null
      ? typed
      : correct(index, typed, exact.seen)
  const found = words === typed ? exact : find(index, words, limit)

  const start = foldText(q).trim()
  const products = kinds.includes('products') ? found.slots : []
  const share = Math.max(Math.ceil(limit * SHARE), limit - products.length)
  const most = (kind: Kind) => (kinds.includes(kind) ? share : 0)
  const categories = best(categoriesOf(index, found.categories), start, most('categories')).map(categoryOf)
  const brands = found.brands ? best(brandsOf(index.brands, found.brands), start, most('brands')) : []
  return [
    ...categories.filter(({ first }) => first),
    ...brands.map(brandOf),
    ...categories.filter(({ first }) => !first),
    ...products.flatMap((slot) => productOf(index.at(slot))),
  ]
    .slice(0, limit)
    .map(({ first: _, ...suggestion }) => ({ ...suggestion, matched: matchedIn(suggestion.text, words) }))
}

/** Stop words are left out, except the last one: it may be the start of another word. */
function readTyped({ words }: CatalogIndex, q: string): Word[] {
  if (q.length > LONGEST_TYPED) return []
  const tokens = tokenize(q).filter(({ kind }) => kind === 'word')
  return tokens.flatMap(({ surface, term, stop }, at) => {
    const last = at === tokens.length - 1
    if (stop && !last) return []
    const terms = last ? words.typed(surface, false) : []
    const whole = words.numberOf(term)
    if (whole >= 0) terms.push(whole)
    return [{ surface, term, stop, last, terms, corrected: false }]
  })
}

/** The words that nothing is called by, with what may have been meant; none when that is nothing either. */
function correct({ words }: CatalogIndex, typed: readonly Word[], seen: number): Word[] {
  const corrected = typed.flatMap((word, at) => {
    if ((seen & (1 << at)) !== 0) return [word]
    if (word.stop) return []
    const terms = word.last ? words.typed(word.surface, true) : []
    for (const { term } of words.near(word.surface, CORRECTIONS)) terms.push(words.numberOf(term))
    return [{ ...word, terms, corrected: true }]
  })
  return corrected.every(({ terms }) => terms.length > 0) ? corrected : []
}

type Found = {
  /** Best products first. */
  slots: number[]
  /** By the numbers of their spellings, how many products have it; null when none has one that is called so. */
  brands: Uint32Array | null
  /** By their numbers. */
  categories: Set<number>
  /** A bit for each word that something is called by. */
  seen: number
}

function find(index: CatalogIndex, words: readonly Word[], limit: number): Found {
  const found: Found = { slots: [], brands: null, categories: new Set(), seen: 0 }
  if (words.length === 0) return found
  const { alive, brand, category, popularity } = index.columns
  const all = (1 << words.length) - 1
  const called = index.words.calledBy(words.map(({ terms }) => terms))
  const { slots, categories } = found
  // "esp" means espresso machines before a stroller called Esplanade.
  const isOfKind = (slot: number) => (called[slot] as number) >>> 16 === all
  const isBetter = (a: number, b: number) => {
    const [liked, other] = [popularity[a] as number, popularity[b] as number]
    // Below zero it is discontinued.
    if (liked < 0 === other < 0 && isOfKind(a) !== isOfKind(b)) return isOfKind(a)
    return liked === other ? index.compareSlugs(a, b) < 0 : liked > other
  }
  let seen = 0
  for (let slot = 0, end = index.slots; slot < end; slot++) {
    const bits = called[slot] as number
    if (bits === 0 || alive[slot] === 0) continue
    const byName = bits & 0xff
    const byCategory = bits >>> 16
    seen |= byName | byCategory
    if (byCategory === all) categories.add(category[slot] as number)
    if (((bits >>> 8) & 0xff) === all) {
      found.brands ??= new Uint32Array(index.brands.size)
      const number = brand[slot] as number
      found.brands[number] = (found.brands[number] as number) + 1
    }
    // "espresso bezzera": its category may say what its title leaves out.
    if (byName === 0 || (byName | byCategory) !== all) continue
    keepBest(slots, slot, limit, isBetter)
  }
  return { ...found, seen }
}

/** `list` is ordered and stays so, with at most so many. */
function keepBest<T>(list: T[], one: T, most: number, isBetter: (a: T, b: T) => boolean): void {
  let place = list.length
  while (place > 0 && isBetter(one, list[place - 1] as T)) place--
  if (place >= most) return
  list.splice(place, 0, one)
  list.splice(most)
}

type Named = Omit<Suggestion, 'matched'> & { first?: boolean }
type Counted = { text: string; folded: string; slug?: string; products: number }

type Ordered = Omit<Counted, 'folded'> & { first: boolean }

/** Those that begin with all that was typed first, then those with the most products. */
function best(named: Iterable<Counted>, start: string, most: number): Ordered[] {
  const kept: Ordered[] = []
  for (const { text, folded, slug, products } of named)
    keepBest(kept, { text, slug, products, first: folded.startsWith(start) }, most, isBefore)
  return kept
}

function isBefore(a: Ordered, b: Ordered): boolean {
  if (a.first !== b.first) return a.first
  return a.products === b.products ? a.text < b.text : a.products > b.products
}

function categoriesOf(index: CatalogIndex, found: ReadonlySet<number>): Counted[] {
  return index
    .allCategories()
    .flatMap(({ number, slug, label, products }) =>
      found.has(number) ? [{ text: label, folded: foldText(label), slug, products }] : [],
    )
}

/** In whatever case, as search takes them; shown as most products spell it. */
function brandsOf(brands: BrandNames, found: Uint32Array): Counted[] {
  const known = new Map<number, Counted & { most: number }>()
  for (let number = 0; number < found.length; number++) {
    const products = found[number] as number
    if (products === 0) continue
    const first = brands.firstOf(number)
    const text = brands.nameOf(number)
    const brand = known.get(first)
    if (!brand) {
      known.set(first, { text, folded: brands.foldedOf(first), products, most: products })
      continue
    }
    brand.products += products
    if (products < brand.most || (products === brand.most && text > brand.text)) continue
    brand.text = text
    brand.most = products
  }
  return [...known.values()]
}

function categoryOf({ slug = '', ...named }: Ordered): Named {
  const picture = categoryPicturePath({ slug })
  return { kind: 'category', ...named, slug, url: categoryPath({ slug }), picture }
}

function brandOf(named: Ordered): Named {
  const query = new URLSearchParams({ q: named.text, brand: named.text })
  return { kind: 'brand', ...named, url: `/search?${query}` }
}

function productOf(product: IndexedProduct | null): Named[] {
  if (!product) return []
  const { title, slug, category, brand, discontinued } = product
  return [
    {
      kind: 'product',
      text: title,
      slug,
      url: productPath(product),
      category,
      price_range: priceRange(product),
      ...(discontinued && { discontinued }),
      picture: picturePath({
        ...product,
        variants: undefined,
        brand: brand === null ? null : { name: brand },
        specs: readShortSpecs(product.shortSpecs),
      }),
    },
  ]
}

const WORD = /[\p{L}\p{M}\p{N}'’]+/gu

/** What was typed of a word, or the whole word where it is meant but spelled otherwise. */
function matchedIn(text: string, typed: readonly Word[]): Array<[number, number]> {
  return Array.from(text.matchAll(WORD)).flatMap(({ 0: written, index }): Array<[number, number]> => {
    const folded = foldText(written).replaceAll("'", '')
    const word = typed.find((one) => isMeant(folded, one))
    if (!word) return []
    const begins = folded.startsWith(word.surface) && folded.length === written.length
    return [[index, index + (begins ? word.surface.length : written.length)]]
  })
}

function isMeant(folded: string, { surface, term, last, corrected }: Word): boolean {
  if ((last && folded.startsWith(surface)) || stem(folded) === term) return true
  if (!corrected) return false
  const lengths = last ? [-1, 0, 1] : [folded.length - surface.length]
  return lengths.some((by) => editDistance(folded.slice(0, surface.length + by), surface, 1) <= 1)
}
