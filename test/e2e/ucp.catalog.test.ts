/**
 * UCP's catalog over the demo catalog. Every answer is held against the published rules by the caller in test/ucp; what
 * it says is held against the catalog's own files, not against what else the service says.
 */
import { describe, expect, test } from 'vitest'
import type { ProductProfile } from '../../src/catalog/profile.ts'
import { all } from '../../src/db/rows.ts'
import { type SeenProduct, ucp } from '../ucp/world.ts'
import { ask, createDemoApp, demoProducts } from './search.world.ts'

const souk = await createDemoApp()
const { products, bySlug } = demoProducts()
const HOME = 'http://souk.test'
const idOf = ({ category, slug }: ProductProfile) => `${category.slug}/${slug}`
const usd = (amount: number | null) => ({ amount, currency: 'USD' })

function sourceOf({ handle }: SeenProduct): ProductProfile {
  const source = bySlug.get(handle)
  if (!source) throw new Error(`${handle} is not in the catalog`)
  return source
}

async function allPages(
  body: Record<string, unknown>,
): Promise<{ products: SeenProduct[]; totals: number[] }> {
  const seen: SeenProduct[] = []
  const totals: number[] = []
  let cursor: string | undefined
  do {
    const pagination = { ...(body.pagination as object), ...(cursor && { cursor }) }
    const { status, body: page } = await ucp(souk, 'search', { ...body, pagination })
    expect(status).toBe(200)
    seen.push(...page.products)
    totals.push(page.pagination.total_count)
    cursor = page.pagination.cursor
    expect(cursor !== undefined).toBe(page.pagination.has_next_page)
  } while (cursor !== undefined)
  return { products: seen, totals }
}

describe('a product', () => {
  test('every product of the catalog is answered in the published form, with the exact cents of its source', async () => {
    for (let at = 0; at < products.length; at += 50) {
      const batch = products.slice(at, at + 50)
      const { body } = await ucp(souk, 'lookup', { ids: batch.map(idOf) })
      expect(body.messages).toBeUndefined()
      expect(body.products.map(({ id }) => id)).toEqual(batch.map(idOf))
      for (const product of body.products) {
        const source = sourceOf(product)
        const [variant] = product.variants
        expect(variant.price).toEqual(usd(source.priceLowCents))
        expect(product.price_range).toEqual({
          min: usd(source.priceLowCents),
          max: usd(source.priceHighCents ?? source.priceLowCents),
        })
        const reduced = (source.listPriceCents ?? 0) > (source.priceLowCents ?? 0)
        expect(variant.list_price).toEqual(reduced ? usd(source.listPriceCents) : undefined)
        // Every one is listed by a shop, which says nothing of stock.
        expect(variant.availability).toEqual(
          source.discontinued ? { available: false, status: 'discontinued' } : undefined,
        )
        expect(product.rating).toEqual({
          value: source.rating,
          scale_min: 1,
          scale_max: 5,
          count: source.reviewCount,
        })
        expect(product.url).toBe(`${HOME}/p/${idOf(source)}`)
      }
    }
  })

  test('asked for alone it comes with everything there is to know, and no options were chosen', async () => {
    for (const source of products.filter((_, at) => at % 60 === 0)) {
      const { body } = await ucp(souk, 'product', { id: idOf(source) })
      expect(body.ucp.capabilities).toEqual({
        'dev.ucp.shopping.catalog.lookup': [{ version: '2026-08-25' }],
      })
      expect(body.product).toMatchObject({ title: source.title, handle: source.slug, selected: [] })
      expect(body.product.metadata).toMatchObject({
        specs: source.specs,
        best_for: source.bestFor,
        where_to_buy: source.whereToBuy.map(({ name }) => ({ name })),
      })
      expect((await souk.app.request(body.product.url)).status).toBe(200)
      expect((await souk.app.request(String(body.product.metadata.markdown_url))).status).toBe(200)
    }
  })

  test('options that it does not have are let go, which the answer shows', async () => {
    const [source] = products
    const { body } = await ucp(souk, 'product', {
      id: source?.slug,
      selected: [{ name: 'Color', label: 'Red' }],
      preferences: ['Color'],
    })
    expect(body.product.selected).toEqual([])
  })
})

describe('a search', () => {
  test('finds what the REST search finds, in its order', async () => {
    for (const query of ['quiet air purifier for a bedroom', 'espresso machine under $500', 'zzzz']) {
      const { body } = await ucp(souk, 'search', { query, pagination: { limit: 20 } })
      const { body: rest } = await ask(souk.app, { query, limit: 20 })
      expect(body.products.map(({ handle }) => handle)).toEqual(rest.results.map(({ slug }) => slug))
      expect(body.ucp.capabilities).toEqual({
        'dev.ucp.shopping.catalog.search': [{ version: '2026-08-25' }],
      })
    }
  })

  test('a page has ten products unless asked otherwise, and never more than fifty', async () => {
    expect((await ucp(souk, 'search', { query: 'tent' })).body.products).toHaveLength(10)
    const filters = { price: { max: 1_000_000 } }
    const { body } = await ucp(souk, 'search', { filters, pagination: { limit: 1_000 } })
    expect(body.products).toHaveLength(50)
  })

  test('the pages of a search over several categories hold what fits in each of them once', async () => {
    const categories = ['sleeping-bags', 'tents']
    const query = 'for camping'
    const fitting = await Promise.all(
      categories.map(
        async (category) => (await ask(souk.app, { query, limit: 50, filters: { category } })).body,
      ),
    )
    const wanted = fitting.flatMap(({ results }) => results.map(({ slug }) => slug))
    expect(wanted.length).toBeGreaterThan(7)
    const { products: seen, totals } = await allPages({
      query,
      filters: { categories },
      pagination: { limit: 7 },
    })
    expect(seen.map(({ handle }) => handle).sort()).toEqual(wanted.sort())
    expect(new Set(totals)).toEqual(new Set([wanted.length]))
  })

  test('the pages of a search hold what fits once', async () => {
    const { products: seen } = await allPages({ query: 'tent', pagination: { limit: 4 } })
    const { body } = await ask(souk.app, { query: 'tent', limit: 50 })
    expect(seen.map(({ handle }) => handle)).toEqual(body.results.map(({ slug }) => slug))
  })

  test('where nothing fits lists nothing, says so and names what comes closest', async () => {
    const { body } = await ucp(souk, 'search', { query: 'asdkjh qwe' })
    expect(body).toMatchObject({ products: [], pagination: { has_next_page: false, total_count: 0 } })
    expect(body.messages).toEqual([
      { type: 'info', code: 'nothing_fits', content: expect.stringMatching(/^No products match/) },
    ])
  })

  test('a price filter counts in cents, by what a product may cost', async () => {
    const filters = { price: { min: 9_999, max: 15_000 } }
    const context = { currency: 'usd' }
    const { body } = await ucp(souk, 'search', { query: 'headphones', filters, context })
    const fits = ({ priceLowCents, priceHighCents }: ProductProfile) =>
      (priceLowCents ?? 0) <= 15_000 && (priceHighCents ?? 0) >= 9_999
    expect(body.products.map(sourceOf).every(fits)).toBe(true)
    const { body: rest } = await ask(souk.app, {
      query: 'headphones',
      limit: 50,
      filters: { min_price: 99.99, max_price: 150 },
    })
    expect(body.pagination.total_count).toBe(rest.results.length)
    expect(body.messages).toBeUndefined()
  })

  test('a price in another currency is not applied, and the answer says so', async () => {
    const filters = { price: { max: 1 } }
    const { body } = await ucp(souk, 'search', { query: 'tent', filters, context: { currency: 'EUR' } })
    expect(body.products).toHaveLength(10)
    expect(body.messages).toMatchObject([{ type: 'info', code: 'price_filter_ignored' }])
  })

  test('filters that are unknown here are named', async () => {
    const { body } = await ucp(souk, 'search', { query: 'tent', filters: { color: ['red'], brand: ['x'] } })
    expect(body.messages).toMatchObject([
      { code: 'filter_ignored', content: expect.stringContaining('color, brand') },
    ])
  })

  test('what a platform says of the buyer and of itself changes nothing', async () => {
    const plain = await ucp(souk, 'search', { query: 'kettle' })
    const told = await ucp(souk, 'search', {
      query: 'kettle',
      context: { address_country: 'DE', language: 'de', intent: 'a gift', eligibility: ['com.example.gold'] },
      signals: { 'dev.ucp.buyer_ip': '203.0.113.1' },
      attribution: { gclid: 'x', ucp: 'y' },
    })
    expect(told.body).toEqual(plain.body)
  })
})

describe('browsing', () => {
  const [first] = products
  const slug = first?.category.slug ?? ''
  const label = first?.category.label ?? ''
  const shelf = products.filter(({ category, discontinued }) => category.slug === slug && !discontinued)

  test('a category is listed once over its pages, most reviewed first, by slug or by label', async () => {
    const { products: seen } = await allPages({ filters: { categories: [slug] }, pagination: { limit: 4 } })
    expect(seen.map(({ handle }) => handle).sort()).toEqual(shelf.map((product) => product.slug).sort())
    const reviews = seen.map((product) => sourceOf(product).reviewCount ?? 0)
    expect(reviews).toEqual([...reviews].sort((a, b) => b - a))
    const { products: byLabel } = await allPages({ filters: { categories: [label.toUpperCase()] } })
    expect(byLabel.map(({ id }) => id)).toEqual(seen.map(({ id }) => id))
    expect(seen.every(({ categories }) => categories[0]?.value === slug)).toBe(true)
  })

  test('a price alone lists all that fit it, once', async () => {
    const { products: seen } = await allPages({
      filters: { price: { max: 3_000 } },
      pagination: { limit: 50 },
    })
    const fits = products.filter(
      ({ priceLowCents, discontinued }) => (priceLowCents ?? 0) <= 3_000 && !discontinued,
    )
    expect(fits.length).toBeGreaterThan(5)
    expect(seen.map(({ handle }) => handle).sort()).toEqual(fits.map((product) => product.slug).sort())
  })

  test('an unknown category gives nothing and names similar ones; beside a known one it is passed over', async () => {
    const { body } = await ucp(souk, 'search', { filters: { categories: ['no-such-shelf'] } })
    expect(body).toMatchObject({ products: [], pagination: { has_next_page: false, total_count: 0 } })
    expect(body.messages).toMatchObject([{ code: 'unknown_category' }])
    const { body: some } = await ucp(souk, 'search', { filters: { categories: ['no-such-shelf', slug] } })
    expect(some.pagination.total_count).toBe(shelf.length)
  })
})

describe('a lookup', () => {
  const [one, two] = products as [ProductProfile, ProductProfile]

  test('takes both forms of the slug, the page in every form and the variant, and answers once', async () => {
    const page = `${HOME}/p/${idOf(one)}`
    const ids = [idOf(one), one.slug, page, `${page}.md`, `${page}.json`, `${page}/?x=1#y`, ` ${one.slug} `]
    const variant = `${idOf(one)}:listed`
    const { body } = await ucp(souk, 'lookup', { ids: [...ids, variant, one.slug] })
    expect(body.messages).toBeUndefined()
    expect(body.products).toHaveLength(1)
    expect(body.products[0]?.variants.map(({ inputs }) => inputs)).toEqual([
      [...ids.map((id) => ({ id, match: 'featured' })), { id: variant, match: 'exact' }],
    ])
    for (const id of [...ids, variant])
      expect((await ucp(souk, 'product', { id })).body.product.id).toBe(idOf(one))
  })

  test('tells which ids led nowhere, by the id itself, and answers with the others', async () => {
    const missing = [
      'no-such',
      'other/no-such',
      `${two.category.slug}-x/${one.slug}`,
      'https://evil.example/p/a/b',
    ]
    const { status, body } = await ucp(souk, 'lookup', { ids: [missing[0], idOf(one), ...missing.slice(1)] })
    expect(status).toBe(200)
    expect(body.products.map(({ id }) => id)).toEqual([idOf(one)])
    expect(body.messages).toEqual(missing.map((content) => ({ type: 'info', code: 'not_found', content })))
  })

  test('a product that is not there is an error of the answer, not of the request', async () => {
    for (const id of ['no-such', `${idOf(one)}:offer-00000000-0000-7000-8000-000000000000`]) {
      const { status, body } = await ucp(souk, 'product', { id })
      expect(status).toBe(200)
      expect(body.ucp.status).toBe('error')
      expect(body.messages).toMatchObject([{ type: 'error', code: 'not_found', severity: 'unrecoverable' }])
    }
  })

  test('filters narrow what was named, and which ids they left out is told', async () => {
    const low = one.priceLowCents ?? 0
    const high = one.priceHighCents ?? low
    const found = async (filters: object) => {
      const { body } = await ucp(souk, 'lookup', { ids: [idOf(one), one.slug], filters })
      const said = [idOf(one), one.slug].map((content) => ({ type: 'info', code: 'filtered_out', content }))
      expect(body.messages).toEqual(body.products.length === 0 ? said : undefined)
      return body.products.length
    }
    expect(await found({ price: { max: low } })).toBe(1)
    expect(await found({ price: { max: low - 1 } })).toBe(0)
    expect(await found({ price: { min: high } })).toBe(1)
    expect(await found({ price: { min: high + 1 } })).toBe(0)
    expect(await found({ categories: [one.category.slug] })).toBe(1)
    expect(await found({ categories: ['elsewhere'] })).toBe(0)
    const { body } = await ucp(souk, 'product', { id: one.slug, filters: { price: { max: low - 1 } } })
    expect(body.messages).toMatchObject([{ code: 'filtered_out', severity: 'recoverable' }])
  })
})

test('reads by agents are counted for the producer, by the family of the client; what was not shown is not', async () => {
  const source = products[5] as ProductProfile
  const headers = { 'user-agent': 'Windsurf/1' }
  await ucp(souk, 'product', { id: source.slug }, { headers })
  await ucp(souk, 'lookup', { ids: [source.slug] }, { headers })
  const filters = { categories: ['elsewhere'] }
  await ucp(souk, 'product', { id: source.slug, filters }, { headers })
  await ucp(souk, 'lookup', { ids: [source.slug], filters }, { headers })
  await souk.a2a.reads.settled()
  const rows = await all(souk.database.db)`select face, reads from product_reads where agent = 'Windsurf'`
  expect(rows).toEqual([{ face: 'ucp', reads: 2 }])
})
