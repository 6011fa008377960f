/** How offers look in the forms: their JSON, and sellers' words that must stay words. */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { call } from '../orgs.ts'
import { clear, createLive, createOffersWorld, get, type World } from './offers.world.ts'
import { put } from './search.world.ts'

let souk: World
beforeAll(async () => {
  souk = await createOffersWorld()
})
beforeEach(() => clear(souk))

const SALE = { price_usd: 45, list_price_usd: 60 }

describe('/offers/{slug}.json', () => {
  test('has the shape of the decisions page, in dollars, lowest price first', async () => {
    const dear = await createLive(souk, souk.shop, {
      ...SALE,
      detail: 'New',
      promo_code: 'X',
      offer_types: ['bogo'],
      starts_at: '2026-11-01T00:00:00Z',
      expires_at: '2026-12-01T00:00:00Z',
    })
    const cheap = await createLive(souk, souk.rival, { price_usd: 12.34 })
    for (const path of [
      '/offers/gooseneck.json',
      '/offers/kettles/gooseneck.json',
      '/offers/gooseneck.json/',
    ]) {
      const answer = await get(souk, path)
      expect(answer.status).toBe(200)
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
      expect(answer.headers.get('x-robots-tag')).toBe('noindex')
      expect(answer.body).toEqual({
        product: {
          slug: 'gooseneck',
          category: 'kettles',
          title: 'Gooseneck kettle',
          url: 'http://souk.test/p/kettles/gooseneck',
        },
        offers: [
          {
            id: cheap,
            headline: 'A fifth off',
            detail: null,
            url: `http://souk.test/go/${cheap}`,
            price_usd: 12.34,
            list_price_usd: null,
            promo_code: null,
            offer_types: [],
            starts_at: null,
            expires_at: null,
            seller: {
              name: 'Rival',
              org_type: 'retailer',
              verified: true,
              domain: expect.stringMatching(/\.example$/),
            },
          },
          {
            id: dear,
            headline: 'A fifth off',
            detail: 'New',
            url: `http://souk.test/go/${dear}`,
            price_usd: 45,
            list_price_usd: 60,
            promo_code: 'X',
            offer_types: ['bogo'],
            starts_at: '2026-11-01T00:00:00.000Z',
            expires_at: '2026-12-01T00:00:00.000Z',
            seller: {
              name: 'Kettle Shop',
              org_type: 'retailer',
              verified: true,
              domain: expect.stringMatching(/\.example$/),
            },
          },
        ],
        updated_at: souk.clock.now().toISOString(),
      })
    }
  })

  test('is 200 and empty without offers, and a static 404 for an unknown product', async () => {
    expect(await get(souk, '/offers/samovar.json')).toMatchObject({ status: 200, body: { offers: [] } })
    for (const path of [
      '/offers/nothing.json',
      '/offers/tents/gooseneck.json',
      '/offers/gooseneck',
      '/offers/..json',
    ]) {
      const answer = await get(souk, path)
      expect(answer.status, path).toBe(404)
      expect(answer.headers.get('content-type'), path).toMatch(/^text\/plain/)
    }
  })

  test('shows a new title of the product', async () => {
    await get(souk, '/offers/gooseneck.json')
    await put(souk.ctx, { slug: 'gooseneck', title: 'Goose kettle' })
    await souk.catchUp()
    expect((await get(souk, '/offers/gooseneck.json')).body).toMatchObject({
      product: { title: 'Goose kettle' },
    })
  })
})

test("a seller's words break out of no form", async () => {
  const hostile = '[x](https://evil.example) | `a` *b* "c"'
  await createLive(souk, souk.shop, {
    headline: hostile,
    detail: '# \\| </script> _d_ ![i](x)',
    promo_code: '*|`',
  })
  const markdown = String((await get(souk, '/p/kettles/gooseneck.md')).body.text)
  expect(markdown).toContain('\\[x\\](https://evil.example) \\| \\`a\\` \\*b\\*')
  expect(markdown).not.toMatch(/(?<!\\)\[x(?<!\\)\]\(/)
  expect(markdown.indexOf('## Images')).toBeLessThan(markdown.indexOf('## Offers'))
  expect(markdown).toContain('Sponsored')
  const page = await call(souk, null, 'GET', '/p/kettles/gooseneck', undefined, { accept: 'text/html' })
  expect(String(page.body.text)).toContain('&quot;c&quot;')
  // The page's own two: its data and its script.
  expect(String(page.body.text).match(/<script/g)?.length).toBe(2)
})

test('a page and a text show ten offers and say where the others are', async () => {
  for (let n = 0; n < 12; n++)
    await createLive(souk, souk.shop, { price_usd: 10 + n, headline: `Number ${n}.` })
  const page = await call(souk, null, 'GET', '/p/kettles/gooseneck', undefined, { accept: 'text/html' })
  const markdown = await get(souk, '/p/kettles/gooseneck.md')
  for (const { body } of [page, markdown]) {
    const text = String(body.text)
    expect(text).toContain('Number 9.')
    expect(text).not.toContain('Number 10.')
    expect(text).toContain('2 more')
    expect(text).toContain('/offers/gooseneck.json')
  }
  expect((await get(souk, '/offers/gooseneck.json')).body.offers).toHaveLength(12)
})
