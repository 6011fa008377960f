/**
 * One node's picture of the catalog for searching: the meaning, the words and the facts of every product under one slot
 * number. A changed product gets a new slot and its old one is never found again, so a search under way is never
 * disturbed. What filters look at lies in columns, because a filter passes over every product. Kept in memory (the
 * vectors on request in PostgreSQL), rebuilt from the database at start, and fed from the log of changes.
 */
import type { ProductProfile } from '../catalog/profile.ts'
import { lacksOf } from './absence.ts'
import { createKinds, type Kinds, type TitleWords } from './kinds.ts'
import { createLexicalIndex, type LexicalDoc, type LexicalIndex } from './lexical/lexical-index.ts'
import { growTo } from './lexical/segments.ts'
import { tokenize } from './lexical/tokenize.ts'
import { createMeasureTable, type MeasureTable, type PackedMeasures } from './measures/measure-table.ts'
import { shortSpecsOf } from './short-specs.ts'
import type { Vocabulary } from './understand/understand.ts'
import type { MeaningIndex, ProductVectors, VectorRow } from './vectors/meaning-index.ts'
import { createMemoryMeaning, type MemoryMeaning } from './vectors/memory-meaning.ts'
import { createVocabularyKeeper } from './vocabulary.ts'

/** What ranking, filtering and showing a result need of a product. */
export type IndexedProduct = {
  id: string
  slug: string
  title: string
  category: { slug: string; label: string }
  brand: string | null
  model: string | null
  mpn: string | null
  verdict: string | null
  bestFor: string[]
  priceLowCents: number | null
  priceHighCents: number | null
  rating: number | null
  reviewCount: number | null
  released: string | null
  discontinued: boolean
  /** Stems of what it says it does without, and of whom it is not for. */
  lacks: string[]
  notFor: string[]
  titleWords: TitleWords
  /** Every quantity it states, as the table of measures packs them. */
  measures: PackedMeasures
  /** Its short specs, as reasons quote them (short-specs.ts). */
  shortSpecs: string
  embedded: boolean
}

/** By slot; a removed product's stay as they were, and its slot is not alive. */
export type Columns = {
  alive: Uint8Array
  category: Uint32Array
  /** NaN when the price is not known. */
  priceLow: Float64Array
  priceHigh: Float64Array
  discontinued: Uint8Array
  /** Whether a shop lists it. */
  listed: Uint8Array
  /** How much many buyers like it; below 0 when it is discontinued. */
  popularity: Float32Array
}

export type CatalogIndex = {
  /** Products that can be found. */
  readonly size: number
  /** Of those, products that are found by meaning too. */
  readonly embedded: number
  /** Slots in use, those of replaced products included. */
  readonly slots: number
  /** Grows with every change, so that answers made before it are known to be old. */
  readonly version: number
  readonly meaning: MeaningIndex
  readonly words: LexicalIndex
  readonly kinds: Kinds
  readonly columns: Columns
  readonly measures: MeasureTable
  /** Brands, models and categories, as understanding a query needs them. */
  vocabulary(): Vocabulary
  /**
   * Makes these the categories that are known, with their labels; some may have no products yet. One that is not among
   * them goes, with the products it still has here.
   */
  setCategories(categories: ReadonlyArray<{ slug: string; label: string }>): void
  /** US dollars for one unit of each currency that the operator gave a rate for. */
  setRates(rates: Readonly<Record<string, number>>): void
  put(profile: ProductProfile, vectors: ProductVectors | VectorRow | null): void
  /** Gives a product its vectors where it stands; nothing else of it has changed. One that is not here is passed over. */
  setVectors(productId: string, vectors: ProductVectors | VectorRow): void
  remove(productId: string): void
  at(slot: number): IndexedProduct | null
  slotOf(productId: string): number | undefined
  findBySlug(slug: string): number | undefined
  /** The number by which columns name a category. */
  categoryNumber(slug: string): number | undefined
  /** Those that hold products. */
  categories(): Array<{ slug: string; label: string }>
  /** All that are known; `number` is the one in the columns. */
  allCategories(): Array<{ slug: string; label: string; products: number; number: number }>
  bytes(): number
}

/** `shown` is one for all its products: each would bring its own from the database. */
type Category = { number: number; label: string; products: number; shown: { slug: string; label: string } }

/** Stars of a product that nobody rated; more than the stars times the logarithm of any count of reviews. */
const UNRATED = 3
const DISCONTINUED = 1_000

/** Over all indexes of this process: a rebuilt one must not pass for an earlier state of the one before it. */
let versions = 0

/** Given only the number of dimensions, it keeps the vectors itself. */
export function createCatalogIndex(dims: number): CatalogIndex & { readonly meaning: MemoryMeaning }
export function createCatalogIndex(meaning: MeaningIndex): CatalogIndex
export function createCatalogIndex(kept: number | MeaningIndex): CatalogIndex {
  const meaning = typeof kept === 'number' ? createMemoryMeaning(kept) : kept
  const words = createLexicalIndex()
  const kinds = createKinds()
  const measures = createMeasureTable()
  const products: Array<IndexedProduct | null> = []
  const byId = new Map<string, number>()
  const bySlug = new Map<string, number>()
  const categories = new Map<string, Category>()
  let categoryNumbers = 0
  const vocabulary = createVocabularyKeeper(categories, words)
  const columns: Columns = {
    alive: new Uint8Array(1024),
    category: new Uint32Array(1024),
    priceLow: new Float64Array(1024),
    priceHigh: new Float64Array(1024),
    discontinued: new Uint8Array(1024),
    listed: new Uint8Array(1024),
    popularity: new Float32Array(1024),
  }
  let version = ++versions
  let embedded = 0

  function remove(productId: string): void {
    const slot = byId.get(productId)
    const product = slot === undefined ? null : products[slot]
    if (slot === undefined || !product) return
    version = ++versions
    if (bySlug.get(product.slug) === slot) bySlug.delete(product.slug)
    byId.delete(productId)
    if (product.embedded) embedded--
    const category = categories.get(product.category.slug)
    if (category && --category.products === 0) vocabulary.categoriesChanged()
    products[slot] = null
    columns.alive[slot] = 0
    meaning.remove(slot)
    words.remove(slot)
    kinds.drop(product.titleWords)
    vocabulary.drop(product)
    measures.drop(product)
  }

  function put(profile: ProductProfile, vectors: ProductVectors | VectorRow | null): void {
    remove(profile.id)
    version = ++versions
    const slot = products.length
    meaning.add(vectors)
    words.add(lexicalDoc(profile))
    const category = addCategory(profile.category)
    const product: IndexedProduct = {
      ...factsOf(profile),
      category: category.shown,
      titleWords: kinds.add(profile.title, profile.brand?.name ?? null),
      measures: measures.read(profile),
      embedded: vectors !== null,
    }
    products.push(product)
    if (product.embedded) embedded++
    byId.set(profile.id, slot)
    bySlug.set(profile.slug, slot)
    fillColumns(slot, profile, category)
    vocabulary.add(product)
    measures.add(product)
  }

  function setVectors(productId: string, vectors: ProductVectors | VectorRow): void {
    const slot = byId.get(productId)
    const product = slot === undefined ? null : products[slot]
    if (slot === undefined || !product) return
    version = ++versions
    meaning.set(slot, vectors)
    if (!product.embedded) embedded++
    product.embedded = true
  }

  function addCategory({ slug, label }: { slug: string; label: string }): Category {
    const known = categories.get(slug)
    if (known?.label === label) return known
    version = ++versions
    const shown = { slug, label }
    const category: Category = known
      ? Object.assign(known, { label, shown })
      : { number: categoryNumbers++, label, products: 0, shown }
    categories.set(slug, category)
    vocabulary.categoriesChanged()
    return category
  }

  function setCategories(known: ReadonlyArray<{ slug: string; label: string }>): void {
    for (const category of known) addCategory(category)
    const slugs = new Set(known.map(({ slug }) => slug))
    for (const slug of [...categories.keys()]) if (!slugs.has(slug)) dropCategory(slug)
  }

  function dropCategory(slug: string): void {
    for (const product of products) if (product?.category.slug === slug) remove(product.id)
    version = ++versions
    categories.delete(slug)
    vocabulary.categoriesChanged()
  }

  function fillColumns(slot: number, profile: ProductProfile, category: Category): void {
    columns.alive = growTo(columns.alive, slot + 1)
    columns.category = growTo(columns.category, slot + 1)
    columns.priceLow = growTo(columns.priceLow, slot + 1)
    columns.priceHigh = growTo(columns.priceHigh, slot + 1)
    columns.discontinued = growTo(columns.discontinued, slot + 1)
    columns.listed = growTo(columns.listed, slot + 1)
    columns.popularity = growTo(columns.popularity, slot + 1)
    if (++category.products === 1) vocabulary.categoriesChanged()
    columns.alive[slot] = 1
    columns.category[slot] = category.number
    columns.priceLow[slot] = profile.priceLowCents ?? Number.NaN
    columns.priceHigh[slot] = profile.priceHighCents ?? Number.NaN
    columns.discontinued[slot] = profile.discontinued ? 1 : 0
    columns.listed[slot] = profile.whereToBuy.length > 0 ? 1 : 0
    const liked = (profile.rating ?? UNRATED) * Math.log1p(profile.reviewCount ?? 0)
    columns.popularity[slot] = profile.discontinued ? liked - DISCONTINUED : liked
  }

  return {
    meaning,
    words,
    kinds,
    columns,
    measures,
    get size() {
      return byId.size
    },
    get embedded() {
      return embedded
    },
    get slots() {
      return products.length
    },
    get version() {
      return version
    },
    vocabulary: vocabulary.current,
    setCategories,
    setRates(rates) {
      vocabulary.setRates(rates)
      version = ++versions
    },
    put,
    setVectors,
    remove,
    at: (slot) => products[slot] ?? null,
    slotOf: (productId) => byId.get(productId),
    findBySlug: (slug) => bySlug.get(slug),
    categoryNumber: (slug) => categories.get(slug)?.number,
    categories: () =>
      [...categories].flatMap(([slug, { label, products }]) => (products > 0 ? [{ slug, label }] : [])),
    allCategories: () =>
      Array.from(categories, ([slug, { label, products, number }]) => ({ slug, label, products, number })),
    bytes: () => meaning.bytes() + words.bytes() + columns.alive.length * 27,
  }
}

function factsOf(
  profile: ProductProfile,
): Omit<IndexedProduct, 'category' | 'titleWords' | 'measures' | 'embedded'> {
  return {
    id: profile.id,
    slug: profile.slug,
    title: profile.title,
    brand: profile.brand?.name ?? null,
    model: profile.model,
    mpn: profile.mpn,
    verdict: profile.verdict,
    bestFor: profile.bestFor,
    priceLowCents: profile.priceLowCents,
    priceHighCents: profile.priceHighCents,
    rating: profile.rating,
    reviewCount: profile.reviewCount,
    released: profile.released,
    discontinued: profile.discontinued,
    lacks: lacksOf(profile),
    notFor: stemsOf(profile.notFor.join(' ')),
    shortSpecs: shortSpecsOf(profile.specs),
  }
}

export function stemsOf(text: string): string[] {
  return [...new Set(tokenize(text).flatMap(({ term, stop }) => (stop ? [] : [term])))]
}

export function lexicalDoc(profile: ProductProfile): LexicalDoc {
  return {
    title: profile.title,
    brand: profile.brand?.name,
    model: [profile.model, profile.mpn, profile.gtin, profile.sku].filter(Boolean).join(' '),
    category: profile.category.label,
    specs: profile.specs.map(({ name, value }) => `${name} ${value}`).join('. '),
    themes: profile.themes.map(({ theme, summary }) => `${theme} ${summary ?? ''}`).join('. '),
    text: [profile.description, profile.verdict, profile.bestFor.join(', ')].filter(Boolean).join(' '),
  }
}
