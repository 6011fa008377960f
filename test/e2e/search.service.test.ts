/** Similar products, orders, counts, explanations and reasons, on the demo catalog with the real model. */
import { beforeAll, describe, expect, test } from 'vitest'
import { readDemoSet } from '../../eval/judged.ts'
import { systemClock } from '../../src/lib/clock.ts'
import type { CatalogIndex } from '../../src/search/catalog-index.ts'
import { stemsOf } from '../../src/search/lexical/tokenize.ts'
import { FEATURES } from '../../src/search/rank/features.ts'
import { loadLearned } from '../../src/search/rank/rank.ts'
import { SORTS } from '../../src/search/search.schema.ts'
import { createSearch, type Search, type SearchInput } from '../../src/search/search.service.ts'
import { understand } from '../../src/search/understand/understand.ts'
import { EMBEDDER as embedder, SILENT } from '../harness.ts'
import { demoIndex, demoProducts, keptLog, NO_SALES, slugs } from './search.world.ts'

const { products, bySlug } = demoProducts()
const { queries } = readDemoSet()
let index: CatalogIndex
const queryLog = keptLog()
let search: Search
let byWords: Search
beforeAll(() => {
  index = demoIndex()
  const deps = {
    index: () => index,
    learned: loadLearned(),
    sales: NO_SALES,
    queryLog,
    clock: systemClock,
    log: SILENT,
  }
  search = createSearch({ ...deps, embedder })
  byWords = createSearch({ ...deps, embedder: null })
})

const ask = (query: string, more: Partial<SearchInput> = {}) =>
  search.search({ query, limit: 50, face: 'rest', ...more })
const every = <T>(list: T[], step: number): T[] => list.filter((_, at) => at % step === 0)
const productOf = (slug: string) => {
  const product = bySlug.get(slug)
  if (!product) throw new Error(`no product ${slug}`)
  return product
}

test('a search that is not to be counted finds the same, and leaves no trace in the log', async () => {
  const find = (query: string, unlogged: boolean) =>
    byWords.search({ query, limit: 10, face: 'web', unlogged })
  const counted = await find('quiet kettle for one', false)
  const before = queryLog.entries.length
  expect((await find('quiet kettle for one', true)).productIds).toEqual(counted.productIds)
  await find('quiet kettle for two', true)
  expect(queryLog.entries).toHaveLength(before)
  await find('quiet kettle for two', false)
  expect(queryLog.entries).toHaveLength(before + 1)
})

describe('what fits', () => {
  test('is nothing for signs without a word', async () => {
    for (const query of ['........', '%%% ### @@@', '?!']) {
      const { match, results } = await ask(query)
      expect({ match, results }, query).toEqual({ match: 'none', results: [] })
    }
  })

  test('is of the kind that comes first of all, though another is called by the same word', async () => {
    const first = async (query: string) => (await ask(query)).results[0]?.category
    expect(await first('monitor with lullabies and white noise')).toBe('baby-monitors')
    expect(await first('monitor with a white stand')).toBe('monitors')
  })

  test('is what a word written otherwise names', async () => {
    const { match, results } = await ask('ebike for a careful rider')
    expect(match).toBe('good')
    expect(results[0]?.category).toBe('electric-bikes')
  })

  test('is what states a size under the name that was said, whatever the category', async () => {
    const { match, results } = await ask('retention of at most 0.3 g')
    expect(match).toBe('good')
    expect(results.filter(({ category }) => category !== 'coffee-grinders')).toEqual([])
  })

  test('beside a known product is of its category, and less where less is asked for', async () => {
    const cheaper = (await ask('less expensive than Lumaro Clearline 27')).results
    expect(cheaper.length).toBeGreaterThan(2)
    expect(cheaper.filter(({ category }) => category !== 'monitors')).toEqual([])
    const lighter = (await ask('like the Voltbourne Metro 3 but lighter')).results
    const weightOf = (slug: string) =>
      Number.parseFloat(productOf(slug).specs.find(({ name }) => name === 'Weight')?.value ?? 'NaN')
    const own = weightOf('voltbourne-metro-3')
    expect(lighter.length).toBeGreaterThan(2)
    expect(lighter.filter(({ slug }) => !(weightOf(slug) < own)).map(({ slug }) => slug)).toEqual([])
  })

  test('is what its profile calls so: a kind within a category', async () => {
    const { results } = await ask('trackball')
    expect(results.length).toBeGreaterThan(1)
    expect(results.filter(({ title }) => !/trackball/i.test(title))).toEqual([])
  })
})

describe('similar products', () => {
  test('never hold the product itself nor one twice, as many as asked for, nearest first', async () => {
    for (const { slug } of every(products, 9)) {
      const found = await search.similar({ slug, limit: 20 })
      expect(found).toHaveLength(20)
      expect(slugs(found)).not.toContain(slug)
      expect(new Set(slugs(found)).size).toBe(20)
      const near = found.map(({ similarity }) => similarity)
      expect(near).toEqual(near.toSorted((a, b) => b - a))
      for (const value of near) expect(value >= 0 && value <= 1).toBe(true)
      for (const { reason } of found) expect(reason).not.toBe('')
    }
  })

  test('cost no more than the cap, and a page is full whenever enough do', async () => {
    for (const { slug, priceLowCents } of every(products, 25)) {
      const cap = priceLowCents ?? 5_000
      const right = products.filter((one) => one.slug !== slug && (one.priceLowCents ?? Infinity) <= cap)
      const found = await search.similar({ slug, limit: 20, maxPriceCents: cap })
      expect(found).toHaveLength(Math.min(20, right.length))
      for (const one of found) expect(productOf(one.slug).priceLowCents).toBeLessThanOrEqual(cap)
    }
    expect(await search.similar({ slug: products[0]?.slug ?? '', limit: 5, maxPriceCents: 0 })).toEqual([])
  })

  test('are the same for both forms of a slug, and the same every time', async () => {
    for (const { slug, category } of every(products, 50)) {
      const found = await search.similar({ slug, limit: 10 })
      expect(await search.similar({ slug: `${category.slug}/${slug}`, limit: 10 })).toEqual(found)
      expect(await search.similar({ slug, limit: 10 })).toEqual(found)
    }
  })

  test('of an unknown product are not found', async () => {
    for (const slug of ['no-such-thing', '', 'kettles/no-such-thing', '__proto__'])
      await expect(search.similar({ slug, limit: 5 })).rejects.toThrow(
        expect.objectContaining({ kind: 'not_found', code: 'not_found' }),
      )
  })
})

describe('sorting', () => {
  const KEYS = {
    popular: (slug: string) => -(productOf(slug).reviewCount ?? -Infinity),
    price_asc: (slug: string) => productOf(slug).priceLowCents ?? Infinity,
    price_desc: (slug: string) => -(productOf(slug).priceLowCents ?? -Infinity),
    rating: (slug: string) => -(productOf(slug).rating ?? -Infinity),
    newest: (slug: string) => -Date.parse(productOf(slug).released ?? '0001-01-01'),
  }

  test.each(Object.entries(KEYS))(
    'by %s orders what fits, equal ones by relevance, discontinued ones last',
    async (sort, key) => {
      // Words alone decide until the model is awake.
      const mode = async () => (await ask('headphones')).mode
      await expect.poll(mode, { timeout: 60_000 }).toBe('semantic')
      const sorted = await ask('headphones', { sort: sort as keyof typeof KEYS })
      expect(sorted.total).toBeGreaterThan(10)
      const near = await ask('headphones')
      const gone = (slug: string) => Number(productOf(slug).discontinued)
      const expected = slugs(near.results.slice(0, sorted.total)).toSorted(
        (a, b) => gone(a) - gone(b) || key(a) - key(b) || 0,
      )
      expect(slugs(sorted.results)).toEqual(expected)
    },
  )

  test('pages of every order neither repeat nor skip', async () => {
    for (const sort of SORTS) {
      const { total } = await ask('something nice', { sort })
      const listed: string[] = []
      expect(total).toBeGreaterThan(100)
      for (let offset = 0; offset < total; offset += 50)
        listed.push(...slugs((await ask('something nice', { sort, offset })).results))
      expect(new Set(listed).size, sort).toBe(total)
      expect(listed).toHaveLength(total)
    }
  })
})

describe('facets', () => {
  test('count every candidate once, and as the catalog has it', async () => {
    for (const { text } of every(queries, 40)) {
      const { facets, explain } = await ask(text, { facets: true, explain: true })
      const sum = (list: Array<{ count: number }> = []) => list.reduce((total, { count }) => total + count, 0)
      const candidates = explain?.candidates ?? -1
      expect(sum(facets?.category)).toBe(candidates)
      expect(sum(facets?.price)).toBe(candidates)
      expect(sum(facets?.brand)).toBeLessThanOrEqual(candidates)
      for (const { slug, label, count } of facets?.category ?? []) {
        const all = products.filter(({ category }) => category.slug === slug)
        expect(all[0]?.category.label).toBe(label)
        expect(count).toBeLessThanOrEqual(all.length)
      }
    }
  })

  test('of one category hold its products, by brand and by price', async () => {
    const category = products[0]?.category.slug ?? ''
    const own = products.filter((product) => product.category.slug === category)
    const { facets } = await ask('anything', { filters: { category }, facets: true })
    expect(facets?.category).toEqual([expect.objectContaining({ slug: category, count: own.length })])
    for (const { name, count } of facets?.brand ?? [])
      expect(count, name).toBe(own.filter(({ brand }) => brand?.name === name).length)
    for (const { min, max, count } of facets?.price ?? []) {
      const within = own.filter(
        ({ priceLowCents }) =>
          (priceLowCents ?? -1) >= min * 100 && (priceLowCents ?? 0) < (max ?? Infinity) * 100,
      )
      expect(count, `from ${min}`).toBe(within.length)
    }
  })
})

describe('a filter by brand', () => {
  const { brand, category } = products.find((product) => product.brand !== null) ?? {}
  const name = brand?.name ?? ''
  const own = products.filter((product) => product.brand?.name === name)

  test('finds every product of that brand and no other, in whatever case it is written', async () => {
    for (const written of [name, name.toUpperCase()]) {
      const { results, matching } = await ask('anything', { filters: { brand: written } })
      expect(matching).toBe(own.length)
      expect(slugs(results).toSorted()).toEqual(own.map(({ slug }) => slug).toSorted())
    }
    expect((await ask('anything', { filters: { brand: 'no such brand' } })).results).toEqual([])
  })

  test('holds beside the others, and no remembered answer passes for one with another brand', async () => {
    const filters = { category: category?.slug ?? '' }
    const all = await ask('anything', { filters })
    const some = await ask('anything', { filters: { ...filters, brand: name } })
    expect(slugs(some.results).toSorted()).toEqual(
      own.flatMap(({ slug, category }) => (category.slug === filters.category ? [slug] : [])).toSorted(),
    )
    expect(some.matching ?? 0).toBeLessThan(all.matching ?? 0)
    expect((await ask('anything', { filters })).matching).toBe(all.matching)
  })
})

describe('an explanation', () => {
  test('shows the budget as it is applied', async () => {
    const { explain, results } = await ask('headphones under $60', { explain: true })
    expect(explain?.budget).toEqual({ min: null, max: 60, firm: true })
    expect(explain?.understood).toContainEqual(expect.objectContaining({ phrase: 'under $60' }))
    expect(explain?.matching).toBe(
      products.filter(({ priceLowCents }) => (priceLowCents ?? 0) <= 6_000).length,
    )
    expect(results.length).toBeGreaterThan(0)
    const around = await ask('tent around $200', { explain: true })
    expect(around.explain?.budget).toMatchObject({ firm: false })
    expect((await ask('tent', { explain: true })).explain?.budget).toBeNull()
  })

  test('shows what was understood of negation, brand and category, in the words of the query', async () => {
    const known = index.vocabulary()
    const { brand, category } = products.find(({ brand }) => brand !== null) ?? {}
    const brandName = brand?.name ?? ''
    const query = `${brandName} ${category?.label.toLowerCase()} without wheels`
    const { explain } = await ask(query, { explain: true })
    const meaning = (phrase: string) =>
      explain?.understood.find((note) => note.phrase.toLowerCase().includes(phrase.toLowerCase()))?.meaning
    expect(meaning(brandName)).toBe('a brand')
    expect(meaning('wheels')).toMatch(/wheels/)
    expect(understand(query, known).categories[0]).toBe(category?.slug)
    expect(explain?.understood.map((note) => note.meaning).join('; ')).toContain(category?.label)
    for (const { phrase } of explain?.understood ?? []) expect(query).toContain(phrase)
  })

  test('says what counted for each result, and the parts make up the score', async () => {
    for (const { text } of every(queries, 40)) {
      const { results } = await ask(text, { explain: true, limit: 10 })
      for (const { explain } of results) {
        const parts = explain?.because ?? []
        const total = parts.reduce((sum, { value }) => sum + value, 0)
        for (const { feature } of parts) expect(FEATURES).toContain(feature)
        // Parts under .05 are left out.
        const unsaid = (FEATURES.length - parts.length) * 0.05
        expect(Math.abs(total - (explain?.score ?? Number.NaN))).toBeLessThanOrEqual(unsaid + 0.02)
        expect(parts.length).toBeGreaterThan(0)
      }
    }
  })

  test('is absent unless asked for', async () => {
    const { explain, facets, results } = await ask('tent')
    expect([explain, facets, results[0]?.explain]).toEqual([undefined, undefined, undefined])
  })
})

describe('a reason', () => {
  test('names nothing that the product has not', async () => {
    let quoted = 0
    for (const by of [search, byWords])
      for (const { text } of every(queries, 5)) {
        const { results } = await by.search({ query: text, limit: 50, face: 'rest' })
        for (const { slug, reason } of results) {
          const { brand, model, bestFor, priceLowCents, rating, specs } = productOf(slug)
          const lacks = index.at(index.findBySlug(slug) ?? -1)?.lacks ?? []
          const parts = reason.split('; ').filter(Boolean)
          expect(parts.length).toBeLessThanOrEqual(3)
          for (const part of parts) {
            const [, maker] = /^made by (.+)$/.exec(part) ?? []
            if (maker !== undefined) expect(maker).toBe(brand?.name)
            const [, named] = /^is the (.+) you named$/.exec(part) ?? []
            if (named !== undefined) expect(named).toBe(model)
            const [, uses] = /^good for (.+)$/.exec(part) ?? []
            if (uses !== undefined) {
              const stated = stemsOf(bestFor.join(' '))
              // In the asker's own words, each of which a stated use has.
              for (const word of uses.split(' ')) {
                expect(text.toLowerCase()).toContain(word)
                expect(stemsOf(word).some((stem) => stated.includes(stem))).toBe(true)
              }
            }
            const [, limit] = /(?:under|within) your \$(.+)$/.exec(part) ?? []
            if (limit !== undefined)
              expect((priceLowCents ?? Infinity) / 100).toBeLessThanOrEqual(Number(limit.replaceAll(',', '')))
            const [, stars] = /^(\S+) from .+ reviews$/.exec(part) ?? []
            if (stars !== undefined) expect(Number(stars)).toBe(rating)
            if (part.startsWith('no ')) expect(lacks.length).toBeGreaterThan(0)
            const [, name, value = ''] = /^([^:]+): (.+?)(?:, the .+ here)?$/.exec(part) ?? []
            if (name === undefined) continue
            quoted++
            const spec = specs.find((one) => one.name === name)
            expect(spec?.value, `${text}: ${slug}: ${part}`).toContain(value)
          }
        }
      }
    expect(quoted).toBeGreaterThan(50)
  })

  test('never speaks of meaning when words alone were compared', async () => {
    for (const { text } of every(queries, 20)) {
      const { results, mode } = await byWords.search({ query: text, limit: 50, face: 'rest' })
      expect(mode).toBe('keyword')
      for (const { reason, slug } of results) expect(reason, `${text}: ${slug}`).not.toMatch(/meaning/)
    }
  })
})
