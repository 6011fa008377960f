/** Searching for a size and a colour, by words alone. */
import { expect, test } from 'vitest'
import { makeProfile } from '../../test/listings.ts'
import type { Variant } from '../catalog/catalog.schema.ts'
import { systemClock } from '../lib/clock.ts'
import { createLog } from '../lib/log.ts'
import { createCatalogIndex } from './catalog-index.ts'
import { NO_SALES } from './filters.ts'
import { loadLearned } from './rank/rank.ts'
import { createSearch } from './search.service.ts'

const variant = (color: string, size: string, availability?: Variant['availability']): Variant => ({
  ...{ id: `${color}-${size}`.toLowerCase(), sku: `FRJ-${color.slice(0, 2)}-${size}`, gtin: null },
  ...{ priceCents: 5_000, listPriceCents: null, ...(availability && { availability }) },
  options: [
    { name: 'Color', value: color },
    { name: 'Size', value: size },
  ],
})

const jacket = (slug: string, variants: Variant[]) =>
  makeProfile({
    ...{ slug, title: `Rain jacket ${slug}`, category: { slug: 'jackets', label: 'Rain jackets' } },
    ...{ verdict: 'Keeps dry.', variants, reviewCount: 10 },
  })

const index = createCatalogIndex(16)
const PRODUCTS = [
  // Twins but for what is in stock: which of them comes first is up to that alone.
  jacket('one', [variant('Red', 'M', 'out_of_stock'), variant('Blue', 'L', 'in_stock')]),
  jacket('two', [variant('Red', 'M', 'in_stock'), variant('Blue', 'L', 'out_of_stock')]),
  jacket('apart', [variant('Red', 'L', 'in_stock'), variant('Blue', 'M', 'in_stock')]),
  makeProfile({ slug: 'kettle', title: 'Kettle' }),
]
for (const profile of PRODUCTS) index.put(profile, null)

const searchOf = (of: typeof index) =>
  createSearch({
    ...{ index: () => of, embedder: null, learned: loadLearned(), sales: NO_SALES },
    ...{ queryLog: { add() {}, async settled() {} }, clock: systemClock, log: createLog('error') },
  })
const search = searchOf(index)
const find = async (query: string) => (await search.search({ query, limit: 10, face: 'rest' })).results

test.each([
  ['rain jacket red, size M', 'two', 'one', 'Red / M'],
  ['blue rain jacket in L', 'one', 'two', 'Blue / L'],
])('%s: a product that has it to order comes first, and results name the variant', async (...row) => {
  const [query, first, second, name] = row
  const found = await find(query)
  const at = (slug: string) => found.findIndex((result) => result.slug === slug)
  expect(at(first)).toBe(0)
  expect(at(second)).toBeGreaterThan(0)
  expect(found[at(first)]?.variant?.name).toBe(name)
  expect(found[at(second)]?.variant?.name).toBe(name)
  // Both words are there, but not in one variant.
  expect(found[at('apart')]?.variant).toBeUndefined()
})

test('a query that names no option names no variant', async () => {
  const results = await find('rain jacket')
  expect(results.length).toBeGreaterThan(2)
  for (const result of results) expect(result).not.toHaveProperty('variant')
})

test('an article number of a variant finds it', async () => {
  const [first] = await find('FRJ-Bl-L')
  expect(first).toMatchObject({ variant: { name: 'Blue / L' } })
})

test('a size that is asked for names no thing: a shirt in size M is a shirt, not whatever comes in black and M', async () => {
  const shop = createCatalogIndex(16)
  const kinds = [
    ['T-Shirt', 'T-Shirts'],
    ['Hoodie', 'Hoodies'],
    ['Mug', 'Mugs'],
    ['Poster', 'Posters'],
  ] as const
  for (const print of ['Wolf', 'Robot', 'Sunset', 'Skyline', 'Mountain'])
    for (const [name, label] of kinds) {
      const slug = `${print}-${name}`.toLowerCase()
      const category = { slug: label.toLowerCase(), label }
      const variants = [variant('Black', 'M'), variant('White', 'L')]
      shop.put(makeProfile({ id: slug, slug, title: `${print} ${name}`, category, variants }), null)
    }
  for (const query of ['black t-shirt size M', 'black t-shirt in M', 't-shirt size M']) {
    const { results } = await searchOf(shop).search({ query, limit: 20, face: 'rest' })
    expect([query, new Set(results.map(({ category }) => category))]).toEqual([query, new Set(['t-shirts'])])
    expect(results).toHaveLength(5)
  }
})
