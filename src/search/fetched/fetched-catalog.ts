/**
 * The catalog of a node that runs with SOUK_SEARCH=postgres: it holds categories, rates and rules, and fetches what a
 * question needs. A question is asked again until nothing that it asks for is missing, which takes two or three rounds:
 * what its words are, which products come into question, and how near they are. Products and counts that were fetched
 * lately are kept, in numbers that do not grow with the catalog.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { listCategories } from '../../catalog/catalog.service.ts'
import { listRates } from '../../catalog/rates.service.ts'
import type { Db } from '../../db/database.ts'
import { unavailable } from '../../lib/errors.ts'
import { isUuid } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import { type Catalog, needsWhole } from '../catalog.ts'
import type { CatalogIndex } from '../catalog-index.ts'
import { readTuning } from '../tuning.service.ts'
import type { Vocabulary } from '../understand/understand.ts'
import type { MaybePromise } from '../vectors/meaning-index.ts'
import { createPgvectorMeaning } from '../vectors/pgvector-meaning.ts'
import type { VectorTable } from '../vectors/pgvector-tables.queries.ts'
import { createNodeMemory } from './counts.ts'
import { createFetchedIndex, type FetchedIndex, type Held, isEmpty, type Missing } from './fetched-index.ts'
import {
  type CategoryPrices,
  countVectors,
  countWithin,
  type Found,
  findByIds,
  findBySlugs,
  findByWords,
  findCategoryPrices,
  findCategorySizes,
  findInCategory,
  findMostReviewed,
  findNear,
  findVectorRows,
  readPosition,
} from './find.queries.ts'
import { hasTrigrams, readState } from './words-tables.queries.ts'

type Context = { db: Db; log: Log }

export type FetchedCatalog = {
  /** Null until it has been refreshed for the first time. */
  open(): Catalog | null
  /** What a node holds, as an index: it refuses whatever it would have to fetch. */
  held(): CatalogIndex | null
  /** After the catalog or what is held of it has changed. */
  refresh(): Promise<void>
}

/** Words, what they may stand for, products, what is near them, and a second try without demands: each one or two. */
const MOST_ROUNDS = 20
const REPLICA_WITHIN_MS = 5_000
const REPLICA_POLL_MS = 20
const PRICES_FOR_MS = 60_000

export function createFetchedCatalog(
  ctx: Context,
  {
    reads,
    vectors,
    answerWithinMs,
  }: {
    /** A replica, or the database itself. */
    reads: Db
    /** Null where words alone decide. */
    vectors: VectorTable | null
    answerWithinMs?: number
  },
): FetchedCatalog {
  let held: Held | null = null
  let versions = 0
  let trigrams = false
  let priced: { at: number; prices: Promise<CategoryPrices[]> } | null = null
  const memory = createNodeMemory(reads, () => trigrams)

  async function refresh(): Promise<void> {
    const state = await readState(ctx.db)
    if (!state) throw new Error('the words of the catalog are not in the database')
    if (reads !== ctx.db) await untilThere(state.position)
    const [categories, sizes, rates, tuning, embedded] = await Promise.all([
      listCategories(ctx),
      findCategorySizes(ctx.db),
      listRates(ctx),
      readTuning(ctx),
      vectors ? countVectors(ctx.db, vectors) : 0,
    ])
    trigrams = await hasTrigrams(reads)
    const products = new Map(sizes.map(({ slug, products }) => [slug, products]))
    const known = categories.map(({ slug, label }, number) => ({
      ...{ number, slug, label },
      products: products.get(slug) ?? 0,
    }))
    memory.forget()
    held = {
      version: ++versions,
      products: state.products,
      embedded: Math.min(embedded, state.products),
      totals: state.totals,
      having: state.having,
      categories: new Map(known.map((category) => [category.slug, category])),
      named: namedOf(known, held?.named),
      rates: Object.fromEntries(Object.entries(rates).map(([code, { rate }]) => [code, rate])),
      tuning,
    }
  }

  /** A replica shows a change a moment later. */
  async function untilThere(position: string): Promise<void> {
    const until = performance.now() + REPLICA_WITHIN_MS
    while (BigInt((await readPosition(reads)) ?? '0') < BigInt(position)) {
      if (performance.now() > until) {
        ctx.log.warn('the database that SOUK_READ_URL names is behind; searches show an older catalog')
        return
      }
      await sleep(REPLICA_POLL_MS)
    }
  }

  async function load(view: FetchedIndex, missing: Missing): Promise<void> {
    const [brought, sizes, prices, found] = await Promise.all([
      memory.bring([...missing.counts.values()], [...missing.near]),
      sizesOf(missing),
      missing.prices.size > 0 ? pricesLately() : null,
      find(view, missing),
    ])
    view.learnCounts(brought)
    view.learnSizes(sizes)
    if (prices) view.learnPrices(prices)
    const unique = [...new Map(found.map((one) => [one.id, one])).values()]
    if (unique.length > 0) {
      const ids = unique.map(({ id }) => id)
      const [products, rows] = await Promise.all([
        memory.bringProducts(unique),
        vectors ? findVectorRows(reads, vectors, ids) : new Map<string, number>(),
      ])
      for (const product of products) view.put(product, rows.get(product.id) ?? null)
    }
    view.settle(missing)
  }

  /** It passes over all rows, so it is asked once a minute. */
  function pricesLately(): Promise<CategoryPrices[]> {
    const now = performance.now()
    if (priced && now - priced.at < PRICES_FOR_MS) return priced.prices
    const prices = findCategoryPrices(reads)
    priced = { at: now, prices }
    prices.catch(() => {
      priced = null
    })
    return prices
  }

  async function sizesOf({ sizes }: Missing): Promise<Map<string, number>> {
    const counted = [...sizes].map(async ([key, within]) => [key, await countWithin(reads, within)] as const)
    return new Map(await Promise.all(counted))
  }

  async function find(view: FetchedIndex, { slugs, ids, asks, counts }: Missing): Promise<Found[]> {
    // What a word is worth is not known before its counts are.
    const isReady = counts.size === 0
    const wanted = [...asks].map(([name, ask]) => {
      if ('whole' in ask) return findInCategory(reads, ask.within, ask.limit)
      if ('mostReviewed' in ask) return findMostReviewed(reads, ask.within, ask.limit)
      if ('near' in ask) return vectors ? findNear(reads, vectors, ask.near, ask.within, ask.limit) : []
      if (isReady) return findByWords(reads, view.groupsOf(ask.terms), ask.within, ask.limit)
      asks.delete(name)
      return []
    })
    const found = await Promise.all([
      ...wanted,
      slugs.size > 0 ? findBySlugs(reads, [...slugs]) : [],
      ids.size > 0 ? findByIds(reads, [...ids].filter(isUuid)) : [],
    ])
    return found.flat()
  }

  async function read<T>(view: FetchedIndex, look: (index: CatalogIndex) => MaybePromise<T>): Promise<T> {
    for (let round = 0; round < MOST_ROUNDS; round++) {
      let outcome: { value: T } | { error: unknown }
      try {
        outcome = { value: await look(view.index) }
      } catch (error) {
        outcome = { error }
      }
      const missing = view.missing()
      if (isEmpty(missing)) {
        if ('value' in outcome) return outcome.value
        throw outcome.error
      }
      await load(view, missing)
    }
    throw unavailable('the search asked for too much; try again in a moment', 2)
  }

  const viewOf = (of: Held) =>
    createFetchedIndex(
      of,
      memory,
      vectors && createPgvectorMeaning(reads, vectors, { ...(answerWithinMs && { answerWithinMs }) }),
    )

  return {
    open() {
      if (!held) return null
      const view = viewOf(held)
      return { version: held.version, read: (look) => read(view, look) }
    },
    held: () => held && refusing(viewOf(held)),
    refresh,
  }
}

/** The same list while nothing of it has changed: what is made of it is made once. */
function namedOf(
  categories: ReadonlyArray<{ slug: string; label: string; products: number }>,
  before: Vocabulary['categories'] = [],
): Vocabulary['categories'] {
  const named = categories.flatMap(({ slug, label, products }) =>
    products > 0 ? [{ slug, label, words: label.toLowerCase().split(/[^\p{L}\p{N}]+/u) }] : [],
  )
  const isSame =
    named.length === before.length &&
    named.every(({ slug, label }, at) => before[at]?.slug === slug && before[at]?.label === label)
  return isSame ? before : named
}

/** An answer that would need to be fetched is refused, because nothing would be a wrong answer. */
function refusing(view: FetchedIndex): CatalogIndex {
  return refusingIn(view.index, view)
}

function refusingIn<T extends object>(part: T, view: FetchedIndex): T {
  return new Proxy(part, {
    get(target, name) {
      const value = Reflect.get(target, name)
      if (typeof value === 'function')
        return (...args: unknown[]) =>
          checked(Reflect.apply(value as (...args: unknown[]) => unknown, target, args))
      return checked(value)
    },
  })

  function checked(value: unknown): unknown {
    if (!isEmpty(view.missing())) throw needsWhole('this and what else looks products up one by one')
    const isPart =
      typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
    return isPart ? refusingIn(value, view) : value
  }
}
