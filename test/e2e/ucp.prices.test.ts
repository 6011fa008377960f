/**
 * One rule for prices in UCP's answers: a variant that the filter does not let through is not shown, a product that is
 * left with none is not found, and what only a live offer brings into the range is found as anything else.
 */
import { beforeEach, describe, expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { captureLog } from '../harness.ts'
import { relate } from '../orgs.ts'
import { addProduct } from '../products.ts'
import { ucp } from '../ucp/world.ts'
import { clear, createLive, createOffersWorld, setStatus } from './offers.world.ts'

// The gooseneck costs 60 dollars, the whistler 30 and the samovar 150.
const souk = await createOffersWorld({ searchable: true })
const GOOSENECK = 'kettles/gooseneck'

/** Only an offer can name its price. */
const riddle = await addProduct(souk, { slug: 'riddle', category: 'urns', title: 'Riddle urn' })
/** Feeds write 0 for what they do not know. */
const nought = await addProduct(souk, {
  slug: 'nought',
  category: 'urns',
  title: 'Nought urn',
  price: 0,
  where_to_buy: [{ name: 'Shop', url: 'https://shop.example/nought', price: 0 }],
})
const relic = await addProduct(souk, {
  slug: 'relic',
  category: 'urns',
  title: 'Relic urn',
  price: 80,
  discontinued: true,
})
for (const id of [riddle, nought, relic]) await relate(souk, souk.shop, id)
const embed = souk.searchRuntime.jobs.find(({ kind }) => kind === 'embed-products')
await embed?.run(
  {},
  { signal: AbortSignal.timeout(30_000), attempt: 1, jobId: newId(), log: captureLog().log },
)
await souk.catchUp()

beforeEach(() => clear(souk))

type Price = { min?: number; max?: number }
type Found = Record<string, number[]>

/** Handles with the prices of their variants: by words, by filters alone, and of those that were named. */
async function seen(price: Price, query = 'kettle', category = 'kettles'): Promise<[Found, Found, Found]> {
  const filters = { price, categories: [category] }
  const answers = [
    await ucp(souk, 'search', { query, filters }),
    await ucp(souk, 'search', { filters }),
    await ucp(souk, 'lookup', {
      ids: ['gooseneck', 'whistler', 'samovar', 'riddle', 'nought'],
      filters,
    }),
  ]
  for (const { body } of answers.slice(0, 2))
    expect(body.pagination).toEqual({ has_next_page: false, total_count: body.products.length })
  return answers.map(({ body }) =>
    Object.fromEntries(
      body.products.map(({ handle, variants }) => [handle, variants.map((variant) => variant.price.amount)]),
    ),
  ) as [Found, Found, Found]
}

describe('a price filter', () => {
  test('finds what a live offer brings below its end, and shows that offer alone', async () => {
    const id = await createLive(souk, souk.shop, { price_usd: 45 })
    const found = { whistler: [3_000], gooseneck: [4_500] }
    expect(await seen({ max: 5_000 })).toEqual([found, found, found])
    await setStatus(souk, souk.shop, id, 'paused')
    const left = { whistler: [3_000] }
    expect(await seen({ max: 5_000 })).toEqual([left, left, left])
  })

  test('leaves out the offer that is too cheap, but not the product that shops sell for more', async () => {
    await createLive(souk, souk.shop, { price_usd: 45 })
    const found = { gooseneck: [6_000], samovar: [15_000] }
    expect(await seen({ min: 5_000 })).toEqual([found, found, found])
  })

  test('between two variants finds neither', async () => {
    await createLive(souk, souk.shop, { price_usd: 45 })
    expect(await seen({ min: 4_600, max: 5_900 })).toEqual([{}, {}, {}])
  })

  test('finds what an offer brings above its other end', async () => {
    await createLive(souk, souk.shop, { product_slug: 'kettles/whistler', price_usd: 200 })
    const found = { whistler: [20_000] }
    expect(await seen({ min: 19_000 })).toEqual([found, found, found])
  })

  test('follows the clock: an offer counts from its start to its end', async () => {
    await createLive(souk, souk.shop, {
      price_usd: 10,
      starts_at: '2026-11-01T13:00:00Z',
      expires_at: '2026-11-01T14:00:00Z',
    })
    const [nothing, offered] = [{}, { gooseneck: [1_000] }]
    expect(await seen({ max: 1_500 })).toEqual([nothing, nothing, nothing])
    souk.clock.set('2026-11-01T13:00:00Z')
    expect(await seen({ max: 1_500 })).toEqual([offered, offered, offered])
    souk.clock.set('2026-11-01T14:00:00Z')
    expect(await seen({ max: 1_500 })).toEqual([nothing, nothing, nothing])
  })
})

describe('a search with words', () => {
  test('puts what an offer brings in where its words belong', async () => {
    await createLive(souk, souk.shop, { price_usd: 45 })
    const filters = { price: { max: 5_000 } }
    const first = async (query: string) =>
      (await ucp(souk, 'search', { query, filters })).body.products.map(({ handle }) => handle)
    expect(await first('gooseneck kettle')).toEqual(['gooseneck', 'whistler'])
    expect(await first('whistling kettle')).toEqual(['whistler', 'gooseneck'])
  })

  test('holds an offer to the budget that the words name', async () => {
    await createLive(souk, souk.shop, { price_usd: 45 })
    const handles = async (query: string) =>
      (await ucp(souk, 'search', { query })).body.products.map(({ handle }) => handle).sort()
    expect(await handles('kettle under $50')).toEqual(['gooseneck', 'whistler'])
    expect(await handles('kettle under $40')).toEqual(['whistler'])
  })

  test('goes through its pages without showing a product twice, leaving one out or taking in what is offered but no answer', async () => {
    await createLive(souk, souk.shop, { price_usd: 15 })
    await createLive(souk, souk.shop, { product_slug: 'urns/riddle', price_usd: 18 })
    await createLive(souk, souk.shop, { product_slug: 'urns/relic', price_usd: 19 })
    const handles: string[] = []
    let cursor: string | undefined
    do {
      const { body } = await ucp(souk, 'search', {
        query: 'kettle',
        filters: { price: { max: 3_000 } },
        pagination: { limit: 1, ...(cursor && { cursor }) },
      })
      handles.push(...body.products.map(({ handle }) => handle))
      expect(body.pagination.total_count).toBe(2)
      cursor = body.pagination.cursor
    } while (cursor !== undefined)
    expect(handles.sort()).toEqual(['gooseneck', 'whistler'])
  })
})

describe('a product whose only price is an offer', () => {
  test('is found while the offer is live', async () => {
    const id = await createLive(souk, souk.shop, { product_slug: 'urns/riddle', price_usd: 25 })
    const found = { riddle: [2_500] }
    expect(await seen({}, 'urn', 'urns')).toEqual([{ ...found, relic: [8_000] }, found, found])
    expect(await seen({ max: 2_499 }, 'urn', 'urns')).toEqual([{}, {}, {}])
    await setStatus(souk, souk.shop, id, 'paused')
    expect(await seen({ max: 7_999 }, 'urn', 'urns')).toEqual([{}, {}, {}])
  })
})

describe('a price of 0', () => {
  test('is unknown: the product is not given out as free, in the catalog, at a shop or by an offer', async () => {
    await createLive(souk, souk.shop, { product_slug: 'urns/nought', price_usd: 0, list_price_usd: 20 })
    const [bySearch, byFilters, byName] = await seen({}, 'nought urn', 'urns')
    expect([bySearch.nought, byFilters.nought, byName.nought]).toEqual([undefined, undefined, undefined])
    const { body } = await ucp(souk, 'product', { id: 'nought' })
    expect(body.messages).toMatchObject([{ type: 'error', code: 'price_unknown' }])
    await createLive(souk, souk.shop, { product_slug: 'urns/nought', price_usd: 12 })
    const { body: priced } = await ucp(souk, 'product', { id: 'nought' })
    expect(priced.product.price_range.min.amount).toBe(1_200)
    expect(priced.product.variants).toHaveLength(1)
    expect(priced.product.metadata.where_to_buy).toEqual([
      { name: 'Shop', url: 'https://shop.example/nought' },
    ])
  })
})

test('what is no longer made is not available, even if promoted; an offer says nothing of other shops', async () => {
  await createLive(souk, souk.shop, { product_slug: 'urns/relic', price_usd: 40 })
  await createLive(souk, souk.shop, { price_usd: 45 })
  const stock = async (id: string) =>
    (await ucp(souk, 'product', { id })).body.product.variants.map(({ availability }) => availability)
  const gone = { available: false, status: 'discontinued' }
  expect(await stock('relic')).toEqual([gone, gone])
  expect(await stock(GOOSENECK)).toEqual([{ available: true }, undefined])
})
