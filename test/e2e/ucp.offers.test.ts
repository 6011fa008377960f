/**
 * Prices and promoted offers in UCP's answers: what is live shows at the next question, beside the catalog's price and
 * never in its place. Products with what feeds bring along: no price, odd pictures, hostile words.
 */
import { beforeEach, describe, expect, test } from 'vitest'
import { addProduct } from '../products.ts'
import { type SeenProduct, ucp } from '../ucp/world.ts'
import { clear, createLive, createOffersWorld, DEAL, setStatus } from './offers.world.ts'

const souk = await createOffersWorld({ searchable: true })
const GOOSENECK = 'kettles/gooseneck'
const usd = (amount: number) => ({ amount, currency: 'USD' })

async function product(id = GOOSENECK): Promise<SeenProduct> {
  return (await ucp(souk, 'product', { id })).body.product
}

beforeEach(() => clear(souk))

describe('a promoted offer', () => {
  test('shows with its price against its list price the moment it is live, and is gone with it', async () => {
    const before = await product()
    expect(before.variants.map(({ id, price }) => [id, price])).toEqual([[`${GOOSENECK}:listed`, usd(6_000)]])
    expect(before.metadata).toMatchObject({ sponsored: false })

    const id = await createLive(souk, souk.shop, { price_usd: 47.99, list_price_usd: 59.95 })
    const [offer, listed] = (await product()).variants
    expect(offer).toMatchObject({
      id: `${GOOSENECK}:offer-${id}`,
      price: usd(4_799),
      list_price: usd(5_995),
      availability: { available: true },
      url: `http://souk.test/go/${id}`,
      seller: { name: 'Kettle Shop', links: [{ url: `http://souk.test/go/${id}` }] },
      metadata: { sponsored: true },
    })
    expect(listed).toMatchObject({ id: `${GOOSENECK}:listed`, price: usd(6_000) })
    const shown = await product()
    expect(shown.price_range).toEqual({ min: usd(4_799), max: usd(6_000) })
    expect(shown.list_price_range).toEqual({ min: usd(5_995), max: usd(6_000) })
    const go = await souk.app.request(offer.url)
    expect(go.headers.get('location')).toBe(DEAL.destination_url)

    await setStatus(souk, souk.shop, id, 'paused')
    const after = await product()
    const { updated_at } = after.metadata
    expect(after).toEqual({ ...before, metadata: { ...before.metadata, updated_at } })
  })

  test('coming and going it makes the product newer, in every answer', async () => {
    const updatedAt = async () => {
      const times = [
        (await product()).metadata,
        (await ucp(souk, 'lookup', { ids: [GOOSENECK] })).body.products[0]?.metadata,
        (await ucp(souk, 'search', { query: 'gooseneck kettle' })).body.products[0]?.metadata,
      ].map((metadata) => Date.parse(String(metadata?.updated_at)))
      expect(new Set(times).size).toBe(1)
      return times[0]
    }
    const { clock } = souk
    expect(await updatedAt()).toBeLessThanOrEqual(clock.now().getTime())
    clock.advance(60_000)
    const id = await createLive(souk, souk.shop, { price_usd: 45 })
    expect(await updatedAt()).toBe(clock.now().getTime())
    clock.advance(60_000)
    await setStatus(souk, souk.shop, id, 'paused')
    expect(await updatedAt()).toBe(clock.now().getTime())
  })

  test('shows in searches and lookups as well, the cheapest as the featured one', async () => {
    await createLive(souk, souk.shop, { price_usd: 47.99 })
    const cheapest = await createLive(souk, souk.rival, { price_usd: 45 })
    const { body } = await ucp(souk, 'search', { query: 'gooseneck kettle' })
    const found = body.products.find(({ handle }) => handle === 'gooseneck')
    expect(found?.variants.map(({ price }) => price.amount)).toEqual([4_500, 4_799, 6_000])
    const lookup = await ucp(souk, 'lookup', { ids: ['gooseneck'] })
    expect(lookup.body.products[0]?.variants).toMatchObject([
      { id: `${GOOSENECK}:offer-${cheapest}`, inputs: [{ id: 'gooseneck', match: 'featured' }] },
    ])
  })

  test('is found by its own id while it is live, first in its product; another price filter leaves it out', async () => {
    const id = await createLive(souk, souk.shop, { price_usd: 70 })
    const variant = `${GOOSENECK}:offer-${id}`
    const lookup = await ucp(souk, 'lookup', { ids: [variant, 'gooseneck'] })
    expect(lookup.body.products[0]?.variants.map(({ inputs }) => inputs)).toEqual([
      [{ id: 'gooseneck', match: 'featured' }],
      [{ id: variant, match: 'exact' }],
    ])
    expect((await product(variant)).variants.map(({ price }) => price.amount)).toEqual([7_000, 6_000])
    const filters = { price: { max: 6_500 } }
    const { body } = await ucp(souk, 'product', { id: variant, filters })
    expect(body.product.variants.map(({ price }) => price.amount)).toEqual([6_000])
    const none = await ucp(souk, 'lookup', { ids: [variant], filters })
    expect(none.body).toMatchObject({
      products: [],
      messages: [{ type: 'info', code: 'filtered_out', content: variant }],
    })
    await setStatus(souk, souk.shop, id, 'paused')
    const { body: gone } = await ucp(souk, 'lookup', { ids: [variant] })
    expect(gone.messages).toEqual([{ type: 'info', code: 'not_found', content: variant }])
  })

  test('without a price it is no variant, but it is told', async () => {
    await createLive(souk, souk.shop, { promo_code: 'TEA', offer_types: ['free_shipping'] })
    const { variants, metadata } = await product()
    expect(variants).toHaveLength(1)
    expect(metadata.promotions).toMatchObject([
      { headline: DEAL.headline, promo_code: 'TEA', offer_types: ['free_shipping'], sponsored: true },
    ])
  })

  test('opens and closes with its window, by the clock alone', async () => {
    await createLive(souk, souk.shop, {
      price_usd: 10,
      starts_at: '2026-11-01T13:00:00Z',
      expires_at: '2026-11-01T14:00:00Z',
    })
    const cheapest = async () => (await product()).price_range.min.amount
    expect(await cheapest()).toBe(6_000)
    souk.clock.set('2026-11-01T13:00:00Z')
    expect(await cheapest()).toBe(1_000)
    souk.clock.set('2026-11-01T14:00:00Z')
    expect(await cheapest()).toBe(6_000)
  })
})

describe('what feeds bring along', () => {
  test('a new product is found as soon as it is shown, with every picture at a valid address', async () => {
    await addProduct(souk, {
      slug: 'copper',
      category: 'kettles',
      title: 'Copper <b>kettle</b> "one" & ünï',
      price: 19.99,
      list_price: 24.5,
      gtin: '4006381333931',
      sku: 'CU 1',
      images: [{ url: 'https://img.example/a|b[1].jpg' }, { url: 'https://img.example/ok.jpg', alt: 'Side' }],
    })
    await souk.catchUp()
    const { body } = await ucp(souk, 'search', { query: 'copper kettle' })
    const found = body.products.find(({ handle }) => handle === 'copper')
    expect(found?.media).toEqual([
      { type: 'image', url: 'https://img.example/a%7Cb%5B1%5D.jpg', alt_text: found?.title },
      { type: 'image', url: 'https://img.example/ok.jpg', alt_text: 'Side' },
    ])
    expect(found?.variants[0]).toMatchObject({
      price: usd(1_999),
      list_price: usd(2_450),
      sku: 'CU 1',
      barcodes: [{ type: 'GTIN', value: '4006381333931' }],
    })
    // Nobody promotes it, so nothing is said of whether it can be had.
    expect(found?.variants[0].availability).toBeUndefined()
  })

  test('without a price it is not given out as free: searches pass it over, asked for by name it is explained', async () => {
    await addProduct(souk, { slug: 'riddle', category: 'kettles', title: 'Riddle kettle' })
    await souk.catchUp()
    for (const body of [{ query: 'kettle' }, { filters: { categories: ['kettles'] } }]) {
      const { body: found } = await ucp(souk, 'search', body)
      expect(found.products.length).toBeGreaterThan(1)
      expect(found.products.map(({ handle }) => handle)).not.toContain('riddle')
      expect(found.pagination.total_count).toBe(found.products.length)
    }
    const { body: looked } = await ucp(souk, 'lookup', { ids: ['riddle'] })
    expect(looked).toMatchObject({ products: [], messages: [{ code: 'price_unknown', content: 'riddle' }] })
    const { body } = await ucp(souk, 'product', { id: 'riddle' })
    expect(body).toMatchObject({
      ucp: { status: 'error' },
      messages: [{ code: 'price_unknown' }],
      continue_url: 'http://souk.test/p/kettles/riddle',
    })
  })

  test('with no words but its title it still has a description; a discontinued one cannot be had', async () => {
    await addProduct(souk, { slug: 'relic', category: 'urns', title: 'Relic', price: 5, discontinued: true })
    await souk.catchUp()
    const relic = await product('relic')
    expect(relic.description).toEqual({ plain: 'Relic' })
    expect(relic.rating).toBeUndefined()
    expect(relic.variants[0].availability).toEqual({ available: false, status: 'discontinued' })
    const { body: shelf } = await ucp(souk, 'search', { filters: { categories: ['urns'] } })
    expect(shelf.products).toEqual([])
    const { body: found } = await ucp(souk, 'search', { query: 'relic', filters: { categories: ['urns'] } })
    expect(found.products.map(({ handle }) => handle)).toEqual(['relic'])
  })
})
