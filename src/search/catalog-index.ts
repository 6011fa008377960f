/**
 * One node's picture of the catalog for searching: the meaning, the words and the facts of every product under one slot
 * number. A changed product gets a new slot and its old one is never found again, so a search under way is never
 * disturbed. What filters look at lies in columns, because a filter passes over every product. Kept in memory (the
 * vectors on request in PostgreSQL), rebuilt from the database at start, and fed from the log of changes.
 */
import type { IndexedTexts } from '../catalog/profile.ts'
import { type BrandNames, createBrandNames } from './brand-names.ts'
import type { Filters, SoldWithin } from './filters.ts'
import { createKinds, type Kinds, type SavedKinds, type TitleWords } from './kinds.ts'
import { createLexicalIndex, type LexicalIndex, type SavedLexical } from './lexical/lexical-index.ts'
import { growTo, withRoom } from './lexical/segments.ts'
import {
  createMeasureTable,
  type MeasureTable,
  type PackedMeasures,
  type SavedMeasures,
} from './measures/measure-table.ts'
import { createProductStore, type Facts, type SavedProducts } from './product-store.ts'
import { createProductReader, type ReadProduct } from './read-product.ts'
import { likedBy } from './sort.ts'
import type { LeavingPart, Part } from './stored/saved.ts'
import { NO_TUNING, type Tuning } from './tuning.ts'
import type { Understood, Vocabulary } from './understand/understand.ts'
import { packVariants } from './variant-match.ts'
import type { MeaningIndex, ProductVectors, VectorRow } from './vectors/meaning-index.ts'
import { createMemoryMeaning, type MemoryMeaning, type SavedMeaning } from './vectors/memory-meaning.ts'
import { createVocabularyKeeper, type SavedVocabulary } from './vocabulary.ts'

/**
 * What ranking, filtering and showing a result need of a product. `lacks` and `notFor` are stems of what it says it does
 * without and of whom it is not for; `shortSpecs` are as reasons quote them; `variants` is null for one that has none.
 */
export type IndexedProduct = Omit<Facts, 'titleWords' | 'measures'> & {
  category: { slug: string; label: string }
  titleWords: TitleWords
  /** Every quantity it states, as the table of measures packs them. */
  measures: PackedMeasures
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
  /** NaN when not known. */
  rating: Float64Array
  reviews: Float64Array
  /** The number of the brand as this product spells it, in `brands`. */
  brand: Uint32Array
  /** Whether it is found by meaning. */
  embedded: Uint8Array
  /** When the product was last changed, in milliseconds. */
  updated: Float64Array
}

const COLUMNS = {
  alive: Uint8Array,
  category: Uint32Array,
  priceLow: Float64Array,
  priceHigh: Float64Array,
  discontinued: Uint8Array,
  listed: Uint8Array,
  popularity: Float32Array,
  rating: Float64Array,
  reviews: Float64Array,
  brand: Uint32Array,
  embedded: Uint8Array,
  updated: Float64Array,
}
const COLUMN_NAMES = Object.keys(COLUMNS) as Array<keyof Columns>
const COLUMN_BYTES = Object.values(COLUMNS).reduce((sum, { BYTES_PER_ELEMENT }) => sum + BYTES_PER_ELEMENT, 0)

export function createColumns(saved?: Columns): Columns {
  return Object.fromEntries(
    Object.entries(COLUMNS).map(([name, Kind]) => [
      name,
      withRoom(saved?.[name as keyof Columns], new Kind(1024)),
    ]),
  ) as Columns
}

type ColumnFacts = Pick<
  Facts,
  'priceLowCents' | 'priceHighCents' | 'rating' | 'reviewCount' | 'discontinued'
> &
  Pick<ReadProduct, 'listed' | 'updated'> & { category: number }

/** All but `brand` and `embedded`. The slot is alive from now on. */
export function setColumns(columns: Columns, slot: number, product: ColumnFacts): void {
  if (slot >= columns.alive.length)
    for (const name of COLUMN_NAMES) Object.assign(columns, { [name]: growTo(columns[name], slot + 1) })
  columns.alive[slot] = 1
  columns.updated[slot] = product.updated
  columns.category[slot] = product.category
  columns.priceLow[slot] = product.priceLowCents ?? Number.NaN
  columns.priceHigh[slot] = product.priceHighCents ?? Number.NaN
  columns.rating[slot] = product.rating ?? Number.NaN
  columns.reviews[slot] = product.reviewCount ?? Number.NaN
  columns.discontinued[slot] = product.discontinued ? 1 : 0
  columns.listed[slot] = product.listed ? 1 : 0
  const liked = likedBy(product)
  columns.popularity[slot] = product.discontinued ? liked - DISCONTINUED : liked
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
  readonly brands: BrandNames
  /** Brands, models and categories, as understanding a query needs them. */
  vocabulary(): Vocabulary
  /**
   * Makes these the categories that are known, with their labels; some may have no products yet. One that is not among
   * them goes, with the products it still has here.
   */
  setCategories(categories: ReadonlyArray<{ slug: string; label: string }>): void
  /** US dollars for one unit of each currency that the operator gave a rate for. */
  setRates(rates: Readonly<Record<string, number>>): void
  /** The operator's rules. */
  setTuning(tuning: Tuning): void
  readonly tuning: Tuning
  put(product: IndexedTexts, vectors: ProductVectors | VectorRow | null): void
  /** The same of one that was read already. */
  take(product: ReadProduct, vectors: ProductVectors | VectorRow | null): void
  /** Gives a product its vectors where it stands; nothing else of it has changed. One that is not here is passed over. */
  setVectors(productId: string, vectors: ProductVectors | VectorRow): void
  remove(productId: string): void
  at(slot: number): IndexedProduct | null
  /** The product's id, without its other facts. */
  idAt(slot: number): string | null
  /** Its brand as it spells it. */
  brandAt(slot: number): string | null
  /** Less than 0 when the slug of the first slot comes before that of the second. */
  compareSlugs(a: number, b: number): number
  slotOf(productId: string): number | undefined
  findBySlug(slug: string): number | undefined
  /** The number by which columns name a category. */
  categoryNumber(slug: string): number | undefined
  /** Those that hold products. */
  categories(): Array<{ slug: string; label: string }>
  /** All that are known; `number` is the one in the columns. */
  allCategories(): Array<{ slug: string; label: string; products: number; number: number }>
  /** Only of an index that holds what was fetched for one question, see fetched/. */
  readonly fetched?: FetchedPart
  bytes(): number
  /** All but what its parts hold; null for an index whose vectors are elsewhere. */
  save(): SavedIndex | null
  parts(): Part[]
  /** Of those, what searching does without in memory when it is in files. */
  fullParts(): LeavingPart[]
  /** Called when a file that was left for reading turns out not to hold what was written. */
  whenDamaged(listener: () => void): void
}

/** How an index that holds but a part of the catalog learns which part is meant. */
export type FetchedPart = {
  /** This mask is of what these filters allow. */
  narrowed(allowed: Uint8Array, filters: Filters, budget: Understood['budget'], sold: SoldWithin): void
  /** The most reviewed of what the mask allows are looked for next. */
  mostReviewed(allowed: Uint8Array | undefined): void
  /** All products of the category are looked for next; false when they are too many. */
  category(slug: string): boolean
  /** By category, in cents; null until they are known. They may be a minute old. */
  prices(): ReadonlyMap<string, { low: number | null; high: number | null }> | null
  /** Products of the catalog that the filters of the mask allow, as far as the database can tell. */
  matching(allowed: Uint8Array | undefined): number
}

export type SavedIndex = {
  columns: Columns
  categories: Array<{ slug: string; label: string; number: number; products: number }>
  categoryNumbers: number
  brands: string[]
  products: SavedProducts
  words: SavedLexical
  kinds: SavedKinds
  measures: SavedMeasures
  vocabulary: SavedVocabulary
  meaning: SavedMeaning
}

/** `shown` is one for all its products: each would bring its own from the database. */
type Category = { number: number; label: string; products: number; shown: { slug: string; label: string } }

/** More than `likedBy` of any product. */
const DISCONTINUED = 1_000

/** Over all indexes of this process: a rebuilt one must not pass for an earlier state of the one before it. */
let versions = 0

/** Products whose facts are kept as objects, since they were asked for. */
const MOST_READ = 20_000

/** Given only the number of dimensions, it keeps the vectors itself. With what was saved, its parts are yet to be loaded. */
export function createCatalogIndex(
  dims: number,
  saved?: SavedIndex,
): CatalogIndex & { readonly meaning: MemoryMeaning }
export function createCatalogIndex(meaning: MeaningIndex): CatalogIndex
export function createCatalogIndex(kept: number | MeaningIndex, saved?: SavedIndex): CatalogIndex {
  let onDamage = () => {}
  const damaged = () => onDamage()
  const meaning = typeof kept === 'number' ? createMemoryMeaning(kept, saved?.meaning, damaged) : kept
  const own = 'save' in meaning ? (meaning as MemoryMeaning) : null
  const words = createLexicalIndex(undefined, saved?.words)
  const kinds = createKinds(saved?.kinds)
  const measures = createMeasureTable(saved?.measures)
  const products = createProductStore(saved?.products, damaged)
  /** By slot; the latest that were read, and in which order. */
  const known: Array<IndexedProduct | undefined> = []
  const read = new Uint32Array(MOST_READ)
  let reads = 0
  const categories = new Map<string, Category>(
    saved?.categories.map(({ slug, ...rest }) => [slug, { ...rest, shown: { slug, label: rest.label } }]),
  )
  const byNumber: Category[] = []
  for (const category of categories.values()) byNumber[category.number] = category
  let categoryNumbers = saved?.categoryNumbers ?? 0
  const vocabulary = createVocabularyKeeper(categories, words, saved?.vocabulary)
  const brands = createBrandNames(saved?.brands)
  const columns = createColumns(saved?.columns)
  let version = ++versions
  let tuning = NO_TUNING
  let embedded = saved
    ? saved.columns.embedded.reduce(
        (sum, one, slot) => sum + (one & (saved.columns.alive[slot] as number)),
        0,
      )
    : 0

  function at(slot: number): IndexedProduct | null {
    if (columns.alive[slot] !== 1) return null
    return known[slot] ?? look(slot)
  }

  function look(slot: number): IndexedProduct | null {
    const facts = products.read(slot)
    if (!facts) return null
    const place = reads++ % MOST_READ
    if (reads > MOST_READ) known[read[place] as number] = undefined
    read[place] = slot
    const product: IndexedProduct = {
      ...facts,
      category: (byNumber[columns.category[slot] as number] as Category).shown,
      embedded: columns.embedded[slot] === 1,
    }
    while (known.length <= slot) known.push(undefined)
    known[slot] = product
    return product
  }

  function remove(productId: string): void {
    const slot = products.slotOf(productId)
    if (slot === undefined || columns.alive[slot] !== 1) return
    const product = at(slot)
    version = ++versions
    products.drop(slot)
    if (columns.embedded[slot] === 1) embedded--
    const category = byNumber[columns.category[slot] as number]
    if (category && --category.products === 0) vocabulary.categoriesChanged()
    columns.alive[slot] = 0
    known[slot] = undefined
    meaning.remove(slot)
    words.remove(slot)
    if (!product) return
    kinds.drop(product.titleWords)
    vocabulary.drop(product)
    measures.drop(product)
  }

  function take(product: ReadProduct, vectors: ProductVectors | VectorRow | null): void {
    remove(product.facts.id)
    version = ++versions
    meaning.add(vectors)
    words.take(product.words)
    const category = addCategory(product.category)
    const facts: Facts = {
      ...product.facts,
      titleWords: kinds.add(product.title),
      measures: measures.pack(product.measures),
      variants: product.variants && packVariants(product.variants, words.numberOf),
    }
    const slot = products.add(facts)
    if (vectors !== null) embedded++
    if (++category.products === 1) vocabulary.categoriesChanged()
    const { listed, updated } = product
    setColumns(columns, slot, { ...facts, listed, updated, category: category.number })
    columns.brand[slot] = brands.numberOf(facts.brand ?? '')
    columns.embedded[slot] = vectors === null ? 0 : 1
    const named = { ...facts, category: category.shown }
    vocabulary.add(named, product.kind)
    measures.add(named)
  }

  function setVectors(productId: string, vectors: ProductVectors | VectorRow): void {
    const slot = products.slotOf(productId)
    if (slot === undefined) return
    version = ++versions
    meaning.set(slot, vectors)
    if (columns.embedded[slot] === 1) return
    embedded++
    columns.embedded[slot] = 1
    const product = known[slot]
    if (product) product.embedded = true
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
    byNumber[category.number] = category
    vocabulary.categoriesChanged()
    return category
  }

  function setCategories(known: ReadonlyArray<{ slug: string; label: string }>): void {
    for (const category of known) addCategory(category)
    const slugs = new Set(known.map(({ slug }) => slug))
    for (const slug of [...categories.keys()]) if (!slugs.has(slug)) dropCategory(slug)
  }

  function dropCategory(slug: string): void {
    const number = categories.get(slug)?.number
    for (let slot = 0; slot < products.slots; slot++)
      if (columns.alive[slot] === 1 && columns.category[slot] === number) remove(products.idAt(slot))
    version = ++versions
    categories.delete(slug)
    vocabulary.categoriesChanged()
  }

  return {
    meaning,
    words,
    kinds,
    columns,
    measures,
    brands,
    get size() {
      return products.size
    },
    get embedded() {
      return embedded
    },
    get slots() {
      return products.slots
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
    setTuning(next) {
      tuning = next
      version = ++versions
    },
    get tuning() {
      return tuning
    },
    put: (product, vectors) => take(createProductReader()(product), vectors),
    take,
    setVectors,
    remove,
    at,
    idAt: (slot) => (columns.alive[slot] === 1 ? products.idAt(slot) : null),
    brandAt: (slot) => (columns.alive[slot] === 1 && brands.nameOf(columns.brand[slot] as number)) || null,
    compareSlugs: products.compareSlugs,
    slotOf: products.slotOf,
    findBySlug: products.findBySlug,
    categoryNumber: (slug) => categories.get(slug)?.number,
    categories: () =>
      [...categories].flatMap(([slug, { label, products }]) => (products > 0 ? [{ slug, label }] : [])),
    allCategories: () =>
      Array.from(categories, ([slug, { label, products, number }]) => ({ slug, label, products, number })),
    bytes: () =>
      meaning.bytes() +
      words.bytes() +
      products.bytes() +
      brands.bytes() +
      columns.alive.length * COLUMN_BYTES,
    save: () =>
      own && {
        columns: Object.fromEntries(
          Object.entries(columns).map(([name, column]) => [name, column.subarray(0, products.slots)]),
        ) as Columns,
        categories: Array.from(categories, ([slug, { label, number, products }]) => ({
          slug,
          label,
          number,
          products,
        })),
        categoryNumbers,
        brands: brands.save(),
        products: products.save(),
        words: words.save(),
        kinds: kinds.save(),
        measures: measures.save(),
        vocabulary: vocabulary.save(),
        meaning: own.save(),
      },
    parts: () => [...products.parts(), ...words.parts(), ...(own?.parts() ?? [])],
    fullParts: () => [...products.fullParts(), ...(own?.fullParts() ?? [])],
    whenDamaged(listener) {
      onDamage = listener
    },
  }
}
