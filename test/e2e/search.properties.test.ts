/**
 * What holds for every search, whatever is asked: only what the filters allow, full pages, no product twice, the same
 * answer to the same question. Checked against the catalog files, with the model and by words alone.
 */

import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { createDemoIndex } from '../../eval/demo.ts'
import { readDemoSet } from '../../eval/judged.ts'
import type { ProductProfile } from '../../src/catalog/profile.ts'
import { systemClock } from '../../src/lib/clock.ts'
import type { Answer } from '../../src/search/answer.ts'
import type { CatalogIndex } from '../../src/search/catalog-index.ts'
import { NO_SALES } from '../../src/search/filters.ts'
import { loadLearned } from '../../src/search/rank/rank.ts'
import { toInput } from '../../src/search/search.input.ts'
import { SearchRequest } from '../../src/search/search.schema.ts'
import { createSearch, type Search } from '../../src/search/search.service.ts'
import { understand } from '../../src/search/understand/understand.ts'
import { EMBEDDER as embedder, SILENT } from '../harness.ts'
import { demoIndex, demoProducts, keptLog, slugs } from './search.world.ts'

const { products, bySlug } = demoProducts()
const { queries } = readDemoSet()
/** A third of the products, told by their names, so that it is the same on every run. */
const isOnSale = (slug: string) => slug.length % 3 === 0
let index: CatalogIndex
let modes: Record<'semantic' | 'keyword', Search>

beforeAll(async () => {
  index = demoIndex()
  // A search does not wait for a model that is still loading.
  await embedder.embedQuery('warm')
  const deps = {
    index: () => index,
    learned: loadLearned(),
    // Products of the files are known by their slugs, in the index too.
    sales: { ...NO_SALES, isOnSale },
    queryLog: keptLog(),
    clock: systemClock,
    log: SILENT,
  }
  modes = {
    semantic: createSearch({ ...deps, embedder }),
    keyword: createSearch({ ...deps, embedder: null }),
  }
})

type Body = z.input<typeof SearchRequest>
type SearchFilters = { category?: string; min_price?: number; max_price?: number; on_sale?: boolean }
/** As the route does it, so that dollars become cents in the same way. */
const ask = (mode: keyof typeof modes, body: Body): Promise<Answer> =>
  modes[mode].search(toInput(SearchRequest.parse(body)))

const categories = [...new Set(products.map(({ category }) => category.slug))]
const cents = products.flatMap(({ priceLowCents, priceHighCents }) => [priceLowCents, priceHighCents])
/** Prices that products really have, where limits are decided, and any others. */
const price = fc.oneof(
  fc.constantFrom(...cents.filter((value) => value !== null)).map((value) => value / 100),
  fc.integer({ min: 0, max: 300_000 }).map((value) => value / 100),
)
const query = fc
  .oneof(
    { weight: 3, arbitrary: fc.constantFrom(...queries.map(({ text }) => text)) },
    { weight: 1, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 80 }) },
    { weight: 1, arbitrary: fc.lorem({ maxCount: 6 }) },
  )
  .filter((text) => text.trim() !== '')
const filters: fc.Arbitrary<SearchFilters> = fc.record(
  { category: fc.constantFrom(...categories), min_price: price, max_price: price, on_sale: fc.boolean() },
  { requiredKeys: [] },
)
const mode = fc.constantFrom<'semantic' | 'keyword'>('semantic', 'keyword')

/** The decisions page: ranges that overlap; what the query itself limits counts too, unknown prices aside. */
function matches(product: ProductProfile, wanted: SearchFilters, text: string): boolean {
  const [low, high] = [product.priceLowCents, product.priceHighCents]
  const { category, min_price, max_price, on_sale } = wanted
  if (category !== undefined && product.category.slug !== category) return false
  if (on_sale && !isOnSale(product.slug)) return false
  if (min_price !== undefined && (high === null || high / 100 < min_price)) return false
  if (max_price !== undefined && (low === null || low / 100 > max_price)) return false
  const { budget } = understand(text, index.vocabulary())
  if (!budget || low === null || high === null) return true
  return low <= (budget.maxCents ?? Infinity) && high >= (budget.minCents ?? 0)
}

describe('any search', () => {
  test('returns only what matches, a full page whenever enough fit, each product once, similarity in 0 to 1', async () => {
    await fc.assert(
      fc.asyncProperty(
        mode,
        query,
        filters,
        fc.record({ limit: fc.integer({ min: 1, max: 50 }), offset: fc.nat({ max: 900 }) }),
        async (mode, text, wanted, page) => {
          const answer = await ask(mode, { query: text, filters: wanted, ...page })
          const { results, matching, total, match, nearest, mode: by } = answer
          const right = products.filter((product) => matches(product, wanted, text))
          expect(by).toBe(mode)
          // What the words rule out beside prices is not known here.
          expect(matching).toBeLessThanOrEqual(right.length)
          expect(total).toBeLessThanOrEqual(matching ?? -1)
          expect(results).toHaveLength(Math.max(0, Math.min(page.limit, total - page.offset)))
          expect(match === 'good').toBe(total > 0)
          expect(match === 'good' ? nearest : nearest.slice(5)).toEqual([])
          const allowed = new Set(slugs(right))
          expect(slugs(results).filter((slug) => !allowed.has(slug))).toEqual([])
          expect(new Set(slugs(results)).size).toBe(results.length)
          expect(results.filter(({ similarity }) => !(similarity >= 0 && similarity <= 1))).toEqual([])
        },
      ),
      { numRuns: 150 },
    )
  })

  test('gives pages that put together are one list of what fits, in one order', async () => {
    await fc.assert(
      fc.asyncProperty(
        mode,
        query,
        filters,
        fc.integer({ min: 20, max: 50 }),
        async (mode, text, wanted, limit) => {
          const listed: string[] = []
          const { total } = await ask(mode, { query: text, filters: wanted })
          for (let offset = 0; ; offset += limit) {
            const { results } = await ask(mode, { query: text, filters: wanted, limit, offset })
            listed.push(...slugs(results))
            if (results.length < limit) break
          }
          expect(listed).toHaveLength(total)
          expect(new Set(listed).size).toBe(total)
          const shifted = await ask(mode, { query: text, filters: wanted, limit: 50, offset: 7 })
          expect(slugs(shifted.results)).toEqual(listed.slice(7, 57))
        },
      ),
      { numRuns: 40 },
    )
  })

  test('asked twice gives the same results in the same order, from memory or made anew', async () => {
    const forgetful = (by: 'semantic' | 'keyword') =>
      createSearch({
        index: () => index,
        embedder: by === 'semantic' ? embedder : null,
        learned: loadLearned(),
        sales: { ...NO_SALES, isOnSale },
        queryLog: keptLog(),
        clock: systemClock,
        log: SILENT,
      })
    const anew = { semantic: forgetful('semantic'), keyword: forgetful('keyword') }
    await fc.assert(
      fc.asyncProperty(mode, query, filters, async (mode, text, wanted) => {
        const body = { query: text, filters: wanted, limit: 20 }
        const first = await ask(mode, body)
        expect((await ask(mode, body)).results).toEqual(first.results)
        const other = await anew[mode].search(toInput(SearchRequest.parse(body)))
        expect(other.results).toEqual(first.results)
      }),
      { numRuns: 60 },
    )
  })

  test('is answered alike by a node that learned of the products in another order', async () => {
    const shuffled = createDemoIndex(products.toSorted((a, b) => (a.title < b.title ? -1 : 1)).reverse())
    const deps = {
      index: () => shuffled,
      learned: loadLearned(),
      sales: { ...NO_SALES, isOnSale },
      queryLog: keptLog(),
      clock: systemClock,
      log: SILENT,
    }
    const other = {
      semantic: createSearch({ ...deps, embedder }),
      keyword: createSearch({ ...deps, embedder: null }),
    }
    for (const { text } of queries.filter((_, at) => at % 16 === 0))
      for (const by of ['semantic', 'keyword'] as const) {
        const body = { query: text, limit: 20 }
        const there = await other[by].search(toInput(SearchRequest.parse(body)))
        expect(slugs(there.results), text).toEqual(slugs((await ask(by, body)).results))
      }
  })

  test('that states a budget never lets a costlier product through', async () => {
    const stated = fc.constantFrom(
      (dollars: number) => `blender under $${dollars}`,
      (dollars: number) => `a tent for two, max ${dollars} dollars`,
      (dollars: number) => `headphones no more than $${dollars}`,
      (dollars: number) => `gift up to $${dollars}`,
      (dollars: number) => `something nice for less than ${dollars} usd`,
    )
    let found = 0
    await fc.assert(
      fc.asyncProperty(mode, stated, fc.integer({ min: 15, max: 900 }), async (mode, write, dollars) => {
        const { results } = await ask(mode, { query: write(dollars), limit: 50 })
        const costlier = ({ slug }: { slug: string }) =>
          (bySlug.get(slug)?.priceLowCents ?? 0) / 100 > dollars
        expect(results.filter(costlier)).toEqual([])
        found += results.length
      }),
      { numRuns: 60 },
    )
    expect(found).toBeGreaterThan(100)
  })

  test('of the demo queries with a budget never lets a costlier product through', async () => {
    const budgets = queries.filter(({ slice }) => slice === 'budget')
    expect(budgets.length).toBeGreaterThan(20)
    for (const { text } of budgets) {
      const { results, explain } = await ask('semantic', { query: text, limit: 50, include: ['explain'] })
      const most = explain?.budget?.firm ? (explain.budget.max ?? Infinity) : Infinity
      const costlier = slugs(results).filter((slug) => (bySlug.get(slug)?.priceLowCents ?? 0) / 100 > most)
      expect({ text, costlier }).toEqual({ text, costlier: [] })
    }
  })

  test('with a price filter at exactly what a product costs finds it, to the cent', async () => {
    const odd = products.filter(({ priceLowCents }) => priceLowCents !== null).slice(0, 150)
    for (const { slug, title, category, priceLowCents, priceHighCents } of odd) {
      const limits = { max_price: (priceLowCents ?? 0) / 100, category: category.slug }
      expect(slugs((await ask('keyword', { query: title, filters: limits, limit: 50 })).results)).toContain(
        slug,
      )
      const least = { min_price: (priceHighCents ?? 0) / 100, category: category.slug }
      expect(slugs((await ask('keyword', { query: title, filters: least, limit: 50 })).results)).toContain(
        slug,
      )
    }
  })
})

test('a limit of 19.99 dollars means 1999 cents', () => {
  for (let value = 0; value < 300_000; value += 769) {
    const { filters } = toInput(
      SearchRequest.parse({ query: 'x', filters: { min_price: value / 100, max_price: value / 100 } }),
    )
    expect([filters?.minPriceCents, filters?.maxPriceCents]).toEqual([value, value])
  }
})
