/** Sorting orders what fits the query, in every face, by one function. On the demo catalog with the real model. */
import { describe, expect, test } from 'vitest'
import { systemClock } from '../../src/lib/clock.ts'
import { loadLearned } from '../../src/search/rank/rank.ts'
import { SORTS, type Sort } from '../../src/search/search.schema.ts'
import { createSearch } from '../../src/search/search.service.ts'
import { address, openSearch } from '../e2e/search.page.world.ts'
import {
  createDemoApp,
  demoIndex,
  demoProducts,
  find,
  keptLog,
  NO_SALES,
  slugs,
  untilRemembered,
} from '../e2e/search.world.ts'
import { SILENT } from '../harness.ts'
import { run } from '../skills.world.ts'
import { withTools } from '../tools.world.ts'

const souk = withTools(await createDemoApp())
const { bySlug } = demoProducts()
const ada = await souk.person()
const QUERY = 'robot vacuum for pet hair'
await untilRemembered(souk, { query: QUERY, limit: 10, face: 'rest' })

const categoryOf = (slug: string) => bySlug.get(slug)?.category.slug
const keyOf = (slug: string, sort: Sort): number => {
  const product = bySlug.get(slug)
  if (!product) throw new Error(`no product ${slug}`)
  if (product.discontinued) return Number.POSITIVE_INFINITY
  const keys = {
    relevance: 0,
    popular: -(product.reviewCount ?? Number.NEGATIVE_INFINITY),
    price_asc: product.priceLowCents ?? Number.POSITIVE_INFINITY,
    price_desc: -(product.priceLowCents ?? Number.NEGATIVE_INFINITY),
    rating: -(product.rating ?? Number.NEGATIVE_INFINITY),
    newest: -Date.parse(product.released ?? '0001-01-01'),
  }
  return keys[sort]
}
const inOrder = (found: string[], sort: Sort) => {
  const keys = found.map((slug) => keyOf(slug, sort))
  expect(keys, sort).toEqual(keys.toSorted((a, b) => a - b || 0))
}

type Face = (input: { query: string; sort: Sort; limit?: number; offset?: number }) => Promise<string[]>
const FACES: Record<string, Face> = {
  'the tool search_products': async ({ offset: _, ...args }) =>
    slugs((await souk.call(ada, 'search_products', args)).data.results as Array<{ slug: string }>),
  'REST search': async (body) => slugs((await find(souk.app, body)).results),
  'the A2A skill': async (params) => {
    const { data } = await run(souk, 'product-recommendation', params)
    return slugs(data.results as Array<{ slug: string }>)
  },
  'the page': async ({ query, sort }) => (await openSearch(souk.app, address({ q: query, sort }))).slugs,
}

describe.each(Object.entries(FACES))('%s', (_name, ask) => {
  test.each(SORTS)(
    'by %s finds robot vacuums for "robot vacuum for pet hair", in that order',
    async (sort) => {
      const found = await ask({ query: QUERY, sort })
      expect(found.length).toBeGreaterThan(5)
      const robots = found.filter((slug) => categoryOf(slug) === 'robot-vacuums')
      expect(robots.length / found.length).toBeGreaterThanOrEqual(0.9)
      if (sort !== 'relevance') inOrder(found, sort)
    },
  )
})

test('all faces sort the same products into the same order', async () => {
  const lists = await Promise.all(
    Object.values(FACES).map((ask) => ask({ query: 'quiet coffee grinder for espresso', sort: 'price_asc' })),
  )
  const shortest = Math.min(...lists.map((list) => list.length))
  expect(shortest).toBeGreaterThan(4)
  // Tools and A2A leave out what is discontinued, pages and REST list it last.
  for (const list of lists) expect(list.slice(0, 5)).toEqual(lists[0]?.slice(0, 5))
})

test('pages of a sorted search neither repeat nor skip, and end with what fits', async () => {
  const query = 'tent for two people'
  for (const sort of ['price_asc', 'rating', 'newest'] as const) {
    const whole = (await find(souk.app, { query, sort, limit: 50 })).results
    expect(whole.length).toBeGreaterThan(5)
    const paged: string[] = []
    for (let offset = 0; offset < whole.length + 6; offset += 3)
      paged.push(...slugs((await find(souk.app, { query, sort, limit: 3, offset })).results))
    expect(paged).toEqual(slugs(whole))
    inOrder(paged, sort)
  }
})

test('a sorted search within a category lists what fits there, and a limit of one gives the first', async () => {
  const body = { query: 'lightweight one person tent', filters: { category: 'tents' }, sort: 'price_asc' }
  const all = slugs((await find(souk.app, { ...body, limit: 50 })).results)
  expect(slugs((await find(souk.app, { ...body, limit: 1 })).results)).toEqual(all.slice(0, 1))
  inOrder(all, 'price_asc')
})

test('words alone sort what fits as well: the cheapest is not whatever shares a word', async () => {
  const index = demoIndex()
  const byWords = createSearch({
    ...{ index: () => index, embedder: null, learned: loadLearned(), sales: NO_SALES },
    ...{ queryLog: keptLog(), clock: systemClock, log: SILENT },
  })
  const { results, mode } = await byWords.search({
    ...{ query: QUERY, sort: 'price_asc', limit: 10, face: 'rest' },
  })
  expect(mode).toBe('keyword')
  const robots = slugs(results).filter((slug) => categoryOf(slug) === 'robot-vacuums')
  expect(robots.length / results.length).toBeGreaterThanOrEqual(0.8)
})

test('an unknown sort is refused by REST with the valid ones', async () => {
  const response = await souk.app.request('/api/search/', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: QUERY, sort: 'cheapest' }),
  })
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ field: 'sort', valid: [...SORTS] })
})
