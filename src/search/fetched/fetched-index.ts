/**
 * An index over the products that were fetched for one question, with what is known of the catalog as a whole, so that
 * understanding, ranking, obeying and explaining are the same code as over an index that holds everything. What it is
 * asked and does not know yet it notes and answers as nothing; who asked fetches what was noted and asks again.
 */

import { createHash } from 'node:crypto'
import { createBrandNames } from '../brand-names.ts'
import { MOST_OF_CATEGORY, needsWhole } from '../catalog.ts'
import { type CatalogIndex, createColumns, type IndexedProduct, setColumns } from '../catalog-index.ts'
import type { Filters } from '../filters.ts'
import { FIRST_WORD, finalityOf } from '../kinds.ts'
import type { QueryTerm } from '../lexical/lexical-index.ts'
import { createMeasureTable, type PackedMeasures } from '../measures/measure-table.ts'
import type { Tuning } from '../tuning.ts'
import type { Names } from '../understand/names.ts'
import type { Understood, Vocabulary } from '../understand/understand.ts'
import { packVariants } from '../variant-match.ts'
import { type Gathered, type MeaningIndex, MeaningUnavailable } from '../vectors/meaning-index.ts'
import { noPassages } from '../vectors/memory-meaning.ts'
import type { CountKey, Fetched, NodeMemory } from './counts.ts'
import { createFetchedWords } from './fetched-words.ts'
import type { CategoryPrices, IdList, Within } from './find.queries.ts'
import { KINDS, type Prepared } from './prepared.ts'

/** What a node holds of the whole: it grows with the number of categories, and with nothing else. */
export type Held = {
  version: number
  products: number
  embedded: number
  totals: number[]
  having: number[]
  /** Those that are known, by slug. */
  categories: ReadonlyMap<string, { number: number; slug: string; label: string; products: number }>
  /** Those that hold products, as understanding needs them; one list for as long as it is the same. */
  named: Vocabulary['categories']
  rates: Vocabulary['rates']
  tuning: Tuning
}

/** Products that are looked for. */
export type Ask = { within: Within; limit: number } & (
  | { terms: readonly QueryTerm[] }
  | { near: { vector: Float32Array } | { row: number } }
  | { mostReviewed: true }
  | { whole: true }
)

/** What was asked for and not known. */
export type Missing = {
  counts: Map<string, CountKey>
  near: Set<string>
  slugs: Set<string>
  ids: Set<string>
  asks: Map<string, Ask>
  sizes: Map<string, Within>
  /** The one set is of the prices of categories. */
  prices: Set<'prices'>
}

export type FetchedIndex = {
  index: CatalogIndex
  missing(): Missing
  isComplete(): boolean
  /** What was missing and is known by now, whatever came of it. */
  settle(missing: Missing): void
  learnCounts(brought: Awaited<ReturnType<NodeMemory['bring']>>): void
  learnSizes(sizes: ReadonlyMap<string, number>): void
  learnPrices(prices: CategoryPrices[]): void
  /** `row` is that of its vectors; null without. */
  put(product: Fetched, row: number | null): void
  groupsOf(terms: readonly QueryTerm[]): ReturnType<ReturnType<typeof createFetchedWords>['groupsOf']>
}

/** More than the hundred that ranking takes: the database finds them by a coarser measure. */
const BY_WORDS = 200
const BY_MEANING = 120
/** Where what a filter asks can only be told of what was fetched. */
const FILTERED_LATER = 600
/** Products that sellers offer, as a list in a question to the database; of more, those that were fetched are judged. */
const MOST_SOLD = 20_000

export function createFetchedIndex(
  held: Held,
  memory: NodeMemory,
  meaning: MeaningIndex | null,
): FetchedIndex {
  const counts: Awaited<ReturnType<NodeMemory['bring']>>['counts'] = new Map()
  const nears: Awaited<ReturnType<NodeMemory['bring']>>['near'] = new Map()
  const sizes = new Map<string, number>()
  const settled = { slugs: new Set<string>(), ids: new Set<string>(), asks: new Set<string>() }
  let missing = nothing()
  let prices: ReadonlyMap<string, Omit<CategoryPrices, 'slug'>> | null = null

  const products: IndexedProduct[] = []
  const prepared: Prepared[] = []
  const rows: Array<number | null> = []
  const slots = new Map<string, number>()
  const slugs = new Map<string, number>()
  const columns = createColumns()
  const brands = createBrandNames()
  const shown = new Map(Array.from(held.categories, ([slug, { label }]) => [slug, { slug, label }] as const))

  const noteCount = (kind: string, key: string) => {
    missing.counts.set(kind + key, [kind, key])
  }
  const countOf = (kind: string, key: string) => {
    const known = counts.get(kind + key) ?? memory.count(kind + key)
    // Kept, so that what was known once stays so for this question.
    if (known) counts.set(kind + key, known)
    else noteCount(kind, key)
    return known ?? { products: 0, written: null }
  }
  const productsWith = (kind: string, key: string) => Math.max(0, countOf(kind, key).products)

  // What a mask lets through, by the mask itself.
  const narrowed = new WeakMap<Uint8Array, { within: Within; isWhole: boolean }>()
  const scopeOf = (allowed: Uint8Array | undefined) =>
    allowed ? (narrowed.get(allowed) ?? { within: {}, isWhole: false }) : { within: {}, isWhole: true }

  function ask(
    key: string,
    wanted: (scope: { within: Within; isWhole: boolean }) => Ask,
    allowed: Uint8Array | undefined,
  ) {
    const scope = scopeOf(allowed)
    const name = `${key} ${JSON.stringify(scope)}`
    if (settled.asks.has(name)) return true
    missing.asks.set(name, wanted(scope))
    return false
  }

  const words = createFetchedWords({
    products: held.products,
    totals: held.totals,
    having: held.having,
    documents: (term) => productsWith(KINDS.term, term),
    tied: (term) => productsWith(KINDS.tied, term),
    near(word) {
      const known = nears.get(word) ?? memory.near(word)
      if (known) nears.set(word, known)
      else missing.near.add(word)
      return known ?? []
    },
    searched(terms, allowed) {
      if (terms.length === 0) return
      ask(
        `words ${JSON.stringify(terms)}`,
        ({ within, isWhole }) => ({ within, terms, limit: isWhole ? BY_WORDS : FILTERED_LATER }),
        allowed,
      )
    },
  })

  const titles = { terms: ['', ''], numbers: new Map<string, number>() }
  const numberOfTitleWord = (term: string): number => {
    const known = titles.numbers.get(term)
    if (known !== undefined) return known
    titles.numbers.set(term, titles.terms.push(term) - 1)
    return titles.terms.length - 1
  }

  const table = createMeasureTable()
  let measured = 0
  /** Read when they are first asked for: few questions measure anything. */
  function measureAll(): void {
    for (; measured < products.length; measured++) {
      const product = products[measured] as IndexedProduct
      product.measures = table.pack((prepared[measured] as Prepared).measures)
      table.add(product)
    }
  }

  const names = (kind: string): Names & { uses(key: string): number } => ({
    get: (key) => {
      const { products, written } = countOf(kind, key)
      return products > 0 ? (written ?? key) : undefined
    },
    uses: (key) => productsWith(kind, key),
  })
  const brandNames = names(KINDS.brand)
  const share = (count: number) => count / Math.max(1, held.products)
  const vocabulary: Vocabulary = {
    brands: brandNames,
    models: names(KINDS.model),
    kinds: {
      inTitles: (term) => productsWith(KINDS.kind, term) > 0,
      isHead: (term, category) =>
        productsWith(KINDS.head, category === undefined ? term : `${term} ${category}`) > 0,
    },
    categories: held.named,
    documentShare: (word) => share(productsWith(KINDS.term, word)),
    brandShare: (key) => share(brandNames.uses(key)),
    rates: held.rates,
  }

  function put({ id, prepared: one, frequencyOf }: Fetched, row: number | null): void {
    if (slots.has(id)) return
    const { facts } = one
    const category = held.categories.get(one.category)
    // The category came or went a moment ago.
    if (!category) return
    const slot = products.length
    prepared.push(one)
    rows.push(row)
    products.push({
      ...facts,
      category: shown.get(one.category) as { slug: string; label: string },
      titleWords: one.title.map((word) => (typeof word === 'number' ? word : numberOfTitleWord(word))),
      measures: [] as PackedMeasures,
      variants: one.variants && packVariants(one.variants, words.numberOf),
      embedded: row !== null,
    })
    slots.set(id, slot)
    slugs.set(facts.slug, slot)
    words.put(frequencyOf, one.lengths)
    meaning?.add(row === null ? null : { row })
    const { listed, updated } = one
    setColumns(columns, slot, { ...facts, listed, updated, category: category.number })
    columns.brand[slot] = brands.numberOf(facts.brand ?? '')
    columns.embedded[slot] = row === null ? 0 : 1
  }

  const index: CatalogIndex = {
    size: held.products,
    embedded: held.embedded,
    get slots() {
      return products.length
    },
    version: held.version,
    meaning: meaning ? askingFirst(meaning) : withoutMeaning(),
    words,
    kinds: {
      numberOf: (term) => (productsWith(KINDS.seen, term) > 0 ? numberOfTitleWord(term) : undefined),
      finality(number) {
        const term = titles.terms[number] ?? ''
        return number < FIRST_WORD
          ? 0
          : finalityOf(productsWith(KINDS.seen, term), productsWith(KINDS.final, term))
      },
      add: refuse,
      drop: refuse,
      save: refuse,
    },
    columns,
    measures: {
      judge(size) {
        measureAll()
        return table.judge(size)
      },
      // A query is read before any product is fetched.
      isNamed: () => true,
      ...{ pack: refuse, add: refuse, drop: refuse, save: refuse },
    },
    brands,
    vocabulary: () => vocabulary,
    tuning: held.tuning,
    at: (slot) => products[slot] ?? null,
    idAt: (slot) => products[slot]?.id ?? null,
    brandAt: (slot) => products[slot]?.brand ?? null,
    compareSlugs: (a, b) => ((products[a]?.slug ?? '') < (products[b]?.slug ?? '') ? -1 : 1),
    slotOf(id) {
      const slot = slots.get(id)
      if (slot === undefined && !settled.ids.has(id)) missing.ids.add(id)
      return slot
    },
    findBySlug(slug) {
      const slot = slugs.get(slug)
      if (slot === undefined && !settled.slugs.has(slug)) missing.slugs.add(slug)
      return slot
    },
    categoryNumber: (slug) => held.categories.get(slug)?.number,
    categories: () => held.named.map(({ slug, label }) => ({ slug, label })),
    allCategories: () =>
      Array.from(held.categories.values(), ({ slug, label, products, number }) => ({
        ...{ slug, label, products, number },
      })),
    fetched: {
      narrowed(allowed, filters, budget, sold) {
        const { only, listedOr, isExact } = sold
        const isShort = [only, listedOr].every((ids) => (ids?.size ?? 0) <= MOST_SOLD)
        const within = {
          ...withinOf(filters, budget),
          ...(only && only.size <= MOST_SOLD && { only: idList(only) }),
          ...(listedOr && listedOr.size <= MOST_SOLD && { listedOr: idList(listedOr) }),
        }
        narrowed.set(allowed, { within, isWhole: isWholly(filters) && isExact && isShort })
      },
      mostReviewed(allowed) {
        ask(
          'reviewed',
          ({ within, isWhole }) => ({
            within,
            mostReviewed: true,
            limit: isWhole ? BY_WORDS : FILTERED_LATER,
          }),
          allowed,
        )
      },
      category(slug) {
        if ((held.categories.get(slug)?.products ?? 0) > MOST_OF_CATEGORY) return false
        const within = { category: slug }
        ask(`whole ${slug}`, () => ({ within, whole: true, limit: MOST_OF_CATEGORY }), undefined)
        return true
      },
      prices() {
        if (!prices) missing.prices.add('prices')
        return prices
      },
      matching(allowed) {
        if (!allowed) return held.products
        const { within } = scopeOf(allowed)
        const key = JSON.stringify(within)
        const known = sizes.get(key)
        if (known === undefined) missing.sizes.set(key, within)
        return known ?? 0
      },
    },
    bytes: () => 0,
    ...{ setCategories: refuse, setRates: refuse, setTuning: refuse, put: refuse, take: refuse },
    ...{
      setVectors: refuse,
      remove: refuse,
      save: refuse,
      parts: () => [],
      fullParts: () => [],
      whenDamaged: () => {},
    },
  }

  /** Sees to it that the nearest of all are among those that were fetched, before these are compared. */
  function askingFirst(own: MeaningIndex): MeaningIndex {
    const vectors = new Map<Float32Array, number>()
    const numberOf = (vector: Float32Array) => {
      vectors.set(vector, vectors.get(vector) ?? vectors.size)
      return vectors.get(vector) ?? 0
    }
    const limitOf = (isWhole: boolean, k = BY_MEANING) => (isWhole ? Math.max(k, BY_MEANING) : FILTERED_LATER)
    // Without a mask all rows of the table would be looked through.
    const among = (allowed: Uint8Array | undefined) => allowed ?? new Uint8Array(products.length).fill(1)
    return {
      ...own,
      dims: own.dims,
      gather(query, k, found, allowed) {
        const { vector } = query
        const isThere = ask(
          `near ${numberOf(vector)}`,
          ({ within, isWhole }) => ({ within, near: { vector }, limit: limitOf(isWhole) }),
          allowed,
        )
        // As when nothing was found: it is asked again.
        if (!isThere || !isComplete()) return nothingGathered()
        return own.gather(query, k, found, among(allowed))
      },
      async around(slot, k, allowed) {
        const row = rows[slot] ?? null
        const nothing = { slots: new Uint32Array(0), full: new Float32Array(0), short: new Float32Array(0) }
        if (row === null) return nothing
        const isThere = ask(
          `around ${row}`,
          ({ within, isWhole }) => ({ within, near: { row }, limit: limitOf(isWhole, 4 * k) }),
          allowed,
        )
        return isThere ? own.around(slot, k, allowed) : nothing
      },
      nearest() {
        throw needsWhole('lists by meaning')
      },
      inOrder() {
        throw needsWhole('lists by meaning')
      },
    }
  }

  const isComplete = () => isEmpty(missing)

  return {
    index,
    missing() {
      const noted = missing
      missing = nothing()
      return noted
    },
    isComplete,
    settle(noted) {
      for (const slug of noted.slugs) settled.slugs.add(slug)
      for (const id of noted.ids) settled.ids.add(id)
      for (const name of noted.asks.keys()) settled.asks.add(name)
    },
    learnCounts(brought) {
      for (const [name, count] of brought.counts) counts.set(name, count)
      for (const [word, near] of brought.near) nears.set(word, near)
    },
    learnSizes(known) {
      for (const [key, size] of known) sizes.set(key, size)
    },
    learnPrices(known) {
      prices = new Map(known.map(({ slug, ...span }) => [slug, span]))
    },
    put,
    groupsOf: words.groupsOf,
  }
}

function refuse(): never {
  throw needsWhole('changes of the index')
}

function nothing(): Missing {
  return {
    counts: new Map(),
    near: new Set(),
    slugs: new Set(),
    ids: new Set(),
    asks: new Map(),
    sizes: new Map(),
    prices: new Set(),
  }
}

function nothingGathered(): Gathered {
  const none = () => new Float32Array(0)
  return {
    slots: new Uint32Array(0),
    cosines: { full: none(), short: none(), plain: none(), passages: noPassages(0) },
  }
}

export function isEmpty(missing: Missing): boolean {
  return Object.values(missing).every(({ size }) => size === 0)
}

/** Without vectors nothing is near anything. */
function withoutMeaning(): MeaningIndex {
  const unavailable = () => {
    throw new MeaningUnavailable(
      new Error('SOUK_SEARCH=postgres without SOUK_VECTORS=pgvector has no vectors'),
    )
  }
  return {
    dims: 0,
    ...{ add: unavailable, set: unavailable, remove: unavailable },
    ...{ gather: unavailable, nearest: unavailable, inOrder: unavailable },
    ...{ cosines: unavailable, around: unavailable, means: unavailable },
    bytes: () => 0,
  }
}

function withinOf(filters: Filters, said: Understood['budget']): Within {
  const { category, minPriceCents, maxPriceCents, minRating } = filters
  const brands = filters.brand === undefined ? filters.brands : [filters.brand]
  const lower = (names: readonly string[]) => names.map((name) => name.trim().toLowerCase())
  return {
    ...(category !== undefined && { category }),
    ...(brands && brands.length > 0 && { brands: lower(brands) }),
    ...(filters.excludeBrands &&
      filters.excludeBrands.length > 0 && { excludeBrands: lower(filters.excludeBrands) }),
    ...((minPriceCents !== undefined || maxPriceCents !== undefined) && {
      price: { low: minPriceCents ?? 0, high: maxPriceCents ?? null },
    }),
    ...(said && { budget: { low: said.minCents ?? 0, high: said.maxCents ?? null } }),
    ...(minRating !== undefined && { minRating }),
    ...((filters.excludeDiscontinued || filters.available) && { excludeDiscontinued: true }),
  }
}

/** Named by a hash where questions are told apart. */
function idList(ids: ReadonlySet<string>): IdList {
  const list = [...ids].sort()
  const hash = createHash('sha256').update(list.join()).digest('base64')
  return { list, toJSON: () => hash }
}

/** Whether all that the filters ask is in the rows of the database. */
function isWholly({ specs, picks }: Filters): boolean {
  return !specs?.length && !picks?.length
}
