import { beforeAll, describe, expect, test } from 'vitest'
import { addProduct } from '../../test/products.ts'
import { createSkillsWorld, HOSTILE, promote } from '../../test/skills.world.ts'
import { type ToolPerson, withTools } from '../../test/tools.world.ts'
import { importCategories } from '../catalog/categories.service.ts'

const createWorld = async () => withTools(await createSkillsWorld({ products: HOSTILE_PRODUCTS }))

const HOSTILE_PRODUCTS = HOSTILE.map((text, n) => ({
  slug: `hostile-${n}`,
  category: 'traps',
  title: text,
  verdict: text,
  price: 10 + n,
}))

let souk: Awaited<ReturnType<typeof createWorld>>
let ada: ToolPerson
beforeAll(async () => {
  souk = await createWorld()
  ada = await souk.person()
})

const categories = () => souk.call(ada, 'list_categories')
const products = (args: Record<string, unknown>) => souk.call(ada, 'list_category_products', args)
const slugsOf = ({ data }: { data: Record<string, unknown> }) =>
  (data.products as Array<{ slug: string }>).map(({ slug }) => slug)

describe('list_categories', () => {
  test('every category comes with its size and price span, in text and in data', async () => {
    const { text, data } = await categories()
    expect(data).toEqual({
      total: 3,
      next_offset: null,
      categories: [
        { slug: 'kettles', label: 'kettles', product_count: 3, price_low_usd: 30, price_high_usd: 60 },
        { slug: 'tents', label: 'tents', product_count: 1, price_low_usd: 210, price_high_usd: 210 },
        { slug: 'traps', label: 'traps', product_count: 5, price_low_usd: 10, price_high_usd: 14 },
      ],
    })
    expect(text).toBe(`# 3 categories

Counts and prices include discontinued products. Next: list_category_products for one category, search_products to search all.

- kettles: kettles · 3 products · $30 – $60
- tents: tents · 1 product · $210
- traps: traps · 5 products · $10 – $14`)
  })

  test('one without products is listed, its prices unknown', async () => {
    await importCategories(souk.ctx, [{ slug: 'lamps', label: 'Lamps' }])
    await souk.catchUp()
    const { text, data } = await categories()
    expect(text).toMatch(/^- lamps: Lamps · 0 products$/m)
    expect(data.categories).toContainEqual({
      slug: 'lamps',
      label: 'Lamps',
      product_count: 0,
      price_low_usd: null,
      price_high_usd: null,
    })
  })

  test('a changed price moves the span, and the price before it counts no more', async () => {
    await addProduct(souk, { slug: 'hostile-0', category: 'traps', title: 'Tamed', price: 99 })
    await souk.catchUp()
    const { data } = await categories()
    expect(data.categories).toContainEqual({
      slug: 'traps',
      label: 'traps',
      product_count: 5,
      price_low_usd: 11,
      price_high_usd: 99,
    })
  })

  test('hundreds are cut at a whole one in the text, whole in the data, and the text says so', async () => {
    const many = Array.from({ length: 200 }, (_, n) => ({
      slug: `zone-${n}`,
      label: `Zone ${n} of [many] things`,
    }))
    await importCategories(souk.ctx, many)
    await souk.catchUp()
    const { text, data } = await categories()
    const shown = text.match(/^- \S+: /gm)?.length ?? 0
    expect(shown).toBeGreaterThan(50)
    expect(data.categories).toHaveLength(data.total as number)
    expect(data.total).toBeGreaterThanOrEqual(203)
    expect(text).toContain(`${(data.total as number) - shown} more are in the data.`)
  })
})

describe('list_category_products', () => {
  test('a page of products has price, rating, verdict and address, the most reviewed first', async () => {
    const { text, data } = await products({ category: 'kettles' })
    expect(data).toEqual({
      category: { slug: 'kettles', label: 'kettles' },
      total: 2,
      next_offset: null,
      products: [
        {
          category: 'kettles',
          slug: 'gooseneck',
          title: 'Spout Gooseneck Kettle',
          price_low_usd: 55,
          price_high_usd: 60,
          price_now_usd: 55,
          rating: 4.6,
          review_count: 1234,
          verdict: 'The steadiest pour for hand-brewed coffee.',
          discontinued: false,
          is_sponsored: false,
          url: 'http://souk.test/p/kettles/gooseneck',
        },
        expect.objectContaining({ slug: 'whistler', rating: null, price_low_usd: 30, price_high_usd: 30 }),
      ],
    })
    expect(text).toBe(`# kettles

2 products (discontinued ones left out), most reviewed first; promoted offers do not affect the order.

1. **Spout Gooseneck Kettle** · kettles/gooseneck · $55 – $60 · rated 4.6 of 5 · 1,234 reviews
   Verdict: The steadiest pour for hand-brewed coffee.
   http://souk.test/p/kettles/gooseneck

2. **Whistling Stove Kettle** · kettles/whistler · $30 · 10 reviews
   Verdict: Cheap and loud.
   http://souk.test/p/kettles/whistler

Next: get_product for a full profile, find_similar, find_retailers for quotes.`)
  })

  test('discontinued ones come when asked for, in the order asked for', async () => {
    const answer = await products({ category: 'kettles', include_discontinued: true, sort: 'price_asc' })
    expect(slugsOf(answer)).toEqual(['whistler', 'gooseneck', 'relic'])
    expect(answer.text).toContain('kettles/relic · price unknown · **discontinued**')
  })

  test('pages follow one another; the last promises no more, and one past the end says so', async () => {
    const first = await products({ category: 'kettles', limit: 1 })
    expect(first.data.next_offset).toBe(1)
    expect(first.text).toContain('There are more: use offset 1.')
    const last = await products({ category: 'kettles', limit: 1, offset: 1 })
    expect(last.data.next_offset).toBeNull()
    expect(last.text).not.toContain('There are more')
    expect([...slugsOf(first), ...slugsOf(last)]).toEqual(['gooseneck', 'whistler'])
    const past = await products({ category: 'kettles', offset: 50 })
    expect(past.data).toMatchObject({ total: 2, products: [], next_offset: null })
    expect(past.text).toContain('No more products')
  })

  test('only what is cheaper now, when that is asked for', async () => {
    const none = await products({ category: 'kettles', on_sale: true })
    expect(none.data.total).toBe(0)
    expect(none.text).toContain('try without on_sale')
    await promote(souk, souk.shop, { price_usd: 40, list_price_usd: 60 })
    const sale = await products({ category: 'kettles', on_sale: true })
    expect(sale.data.products).toMatchObject([{ slug: 'gooseneck', is_sponsored: true }])
  })

  test('an unknown category is refused with near ones', async () => {
    const { isError, error, text } = await products({ category: 'kettel' })
    expect(isError).toBe(true)
    expect(error).toMatchObject({ kind: 'invalid', field: 'category' })
    expect(error.valid?.[0]).toBe('kettles')
    expect(text).toContain('kettles')
  })

  test.each([
    [{}, { field: 'category' }],
    [
      { category: 'kettles', limit: 51 },
      { field: 'limit', max: 50 },
    ],
    [{ category: 'kettles', limit: 0 }, { field: 'limit' }],
    [{ category: 'kettles', offset: -1 }, { field: 'offset' }],
    [
      { category: 'kettles', offset: 10_001 },
      { field: 'offset', max: 10_000 },
    ],
    [
      { category: 'kettles', sort: 'relevance' },
      { field: 'sort', valid: ['popular', 'price_asc', 'price_desc', 'rating', 'newest'] },
    ],
  ])('%j is refused by the name of what is wrong', async (args, wrong) => {
    const { isError, error } = await products(args)
    expect(isError).toBe(true)
    expect(error).toMatchObject({ kind: 'invalid', ...wrong })
  })

  test('hostile titles and verdicts stay within their line and open no markup', async () => {
    const { text, data } = await products({ category: 'traps', limit: 50 })
    expect(data.products).toHaveLength(HOSTILE.length)
    for (const line of text.split('\n'))
      expect(line).toMatch(/^(# traps|5 products|\d\. \*\*| {3}\S|Next: |$)/)
    expect(text).not.toMatch(/```|[^\\]<img|[^\\]\[click/)
    expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b]/)
  })
})
