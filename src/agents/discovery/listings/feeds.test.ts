/** The product feeds, read back by their own rules: what each cell may be, and what is left out. */
import { parse } from 'csv-parse/sync'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  HOSTILE_TEXTS,
  hostileProfile,
  makeOffer,
  makeProfile,
  SITE,
  WORLD,
  WORLD_CATEGORIES,
  writeListing,
} from '../../../../test/listings.ts'
import { DEMO_NOTICE } from '../../../catalog/profile.markdown.ts'
import type { ProductProfile } from '../../../catalog/profile.ts'
import { GOOGLE_FEED, OPENAI_FEED } from './feeds.ts'

const DEMO = { ...SITE, demo: true }
const MONEY = /^\d+\.\d\d USD$/
/** Some readers end a line at each of these. */
const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}]/u
const webUrl = z.url({ protocol: /^https?$/ })

/** The columns that may be there, with the limits of the specification. */
const FeedItem = z.strictObject({
  item_id: z.string().regex(/^[a-z0-9-]{1,100}$/),
  title: z.string().min(1).max(150),
  description: z.string().min(1).max(5_000).optional(),
  url: webUrl,
  brand: z.string().min(1).max(70).optional(),
  image_url: webUrl.optional(),
  price: z.string().regex(MONEY).optional(),
  sale_price: z.string().regex(MONEY).optional(),
  availability: z.enum(['in_stock', 'out_of_stock', 'unknown']),
  offer_id: z.string().optional(),
  gtin: z
    .string()
    .regex(/^\d{8,14}$/)
    .optional(),
  mpn: z.string().min(1).max(70).optional(),
  product_category: z.string().min(1).optional(),
  additional_image_urls: z.array(webUrl).min(1).optional(),
  seller_name: z.string().min(1).max(70).optional(),
  seller_url: webUrl.optional(),
  review_count: z.int().min(0).optional(),
  star_rating: z.number().min(0).max(5).optional(),
  is_eligible_search: z.boolean(),
  is_eligible_checkout: z.literal(false),
})

const readItem = (profile: ProductProfile, site = SITE) =>
  FeedItem.parse(JSON.parse(OPENAI_FEED.entry(site, profile)))

/** A line as Merchant Center takes it apart: tabs, and quotation marks around a cell. */
function readRow(profile: ProductProfile, site = SITE): Record<string, string> {
  const text = `${GOOGLE_FEED.head(site, { categories: [], productCount: 1 })}${GOOGLE_FEED.entry(site, profile)}`
  const rows = parse<Record<string, string>>(text, { delimiter: '\t', columns: true })
  expect(rows).toHaveLength(1)
  return rows[0] ?? {}
}

const [kettle, pot, unknown, dome] = WORLD
if (!kettle || !pot || !unknown || !dome) throw new Error('the world has four products')

describe('products.jsonl', () => {
  test('every product is one line', () => {
    const lines = writeListing(OPENAI_FEED, SITE, WORLD_CATEGORIES, WORLD).trimEnd().split('\n')
    expect(lines.map((line) => FeedItem.parse(JSON.parse(line)).item_id)).toEqual(
      WORLD.map(({ slug }) => slug),
    )
  })

  test('what is known has its column', () => {
    expect(readItem(kettle)).toEqual({
      item_id: 'brightwater-gooseneck',
      title: 'Brightwater Gooseneck Kettle, 1.0 L',
      description: 'A kettle with a slow spout. It holds a temperature for an hour.',
      url: 'https://souk.test/p/kettles/brightwater-gooseneck',
      brand: 'Brightwater',
      image_url: 'https://pictures.example/kettle.jpg',
      price: '89.00 USD',
      sale_price: '69.00 USD',
      availability: 'in_stock',
      offer_id: '01920000-0000-7000-8000-000000000001',
      gtin: '4006381333931',
      mpn: 'BW-G1',
      product_category: 'Kettles & pots',
      additional_image_urls: [
        'https://pictures.example/kettle%2Cside.jpg',
        'https://brightwater.example/box.jpg',
      ],
      seller_name: 'Copper & Sons',
      seller_url: 'https://shop.example/',
      review_count: 1_204,
      star_rating: 4.6,
      is_eligible_search: true,
      is_eligible_checkout: false,
    })
  })

  test('what is not known has no column', () => {
    expect(readItem(unknown)).toEqual({
      item_id: 'unknown-thing',
      title: 'Unknown Thing',
      url: 'https://souk.test/p/kettles/unknown-thing',
      availability: 'unknown',
      product_category: 'Kettles & pots',
      is_eligible_search: true,
      is_eligible_checkout: false,
    })
  })

  test('seller and price belong together: the cheapest shop where no offer states a price', () => {
    expect(readItem(pot)).toMatchObject({
      seller_name: 'Pot & Pan',
      seller_url: 'https://shop.example/pot',
      price: '20.00 USD',
    })
    expect(readItem(pot)).not.toHaveProperty('offer_id')
  })

  test('a seller who promotes without a price is named where no shop is known', () => {
    const item = readItem({ ...pot, whereToBuy: [] })
    expect(item).toMatchObject({ seller_name: 'Copper & Sons', price: '19.50 USD' })
    expect(item.seller_url).toBe('https://shop.example/')
  })

  test('an offer without a list price above it is a price, not a sale', () => {
    for (const listPriceCents of [null, 6_900, 6_000]) {
      const item = readItem({ ...kettle, offers: [makeOffer({ priceCents: 6_900, listPriceCents })] })
      expect(item.price).toBe('69.00 USD')
      expect(item).not.toHaveProperty('sale_price')
    }
  })

  test('a price of nothing is no price', () => {
    const item = readItem(
      makeProfile({
        slug: 'x',
        priceLowCents: 0,
        offers: [makeOffer({ priceCents: 0, listPriceCents: 500 })],
      }),
    )
    expect(item).not.toHaveProperty('price')
    expect(item).not.toHaveProperty('sale_price')
  })

  test('what is no longer made is out of stock, whatever is promoted', () => {
    expect(readItem(dome).availability).toBe('out_of_stock')
    expect(readItem({ ...dome, offers: [makeOffer()] }).availability).toBe('out_of_stock')
  })

  test('a part number is itself or not there, never cut', () => {
    const mpn = (text: string) => readItem(makeProfile({ slug: 'x', mpn: text })).mpn
    expect(mpn('-BW 1')).toBe('-BW 1')
    expect(mpn('7'.repeat(70))).toBe('7'.repeat(70))
    expect(mpn('7'.repeat(90))).toBeUndefined()
    expect(mpn(`${'7'.repeat(62)} ${'8'.repeat(27)}`)).toBeUndefined()
  })

  test('the verdict describes what nobody described', () => {
    expect(readItem(dome).description).toBe('Was good.')
  })

  test('invented products are for no search, and say so themselves', () => {
    for (const profile of WORLD) {
      const item = readItem(profile, DEMO)
      expect(item.is_eligible_search).toBe(false)
      expect(item.description?.startsWith(DEMO_NOTICE)).toBe(true)
    }
  })

  test.each(HOSTILE_TEXTS)('$name stays in its value', ({ text }) => {
    const line = OPENAI_FEED.entry(SITE, hostileProfile(text))
    expect(line.slice(0, -1)).not.toMatch(BREAKS)
    expect(line.endsWith('\n')).toBe(true)
    const item = FeedItem.parse(JSON.parse(line))
    expect(item).toMatchObject({ item_id: 'trap', price: '6.00 USD', sale_price: '4.00 USD' })
    expect(JSON.stringify(item)).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b]/)
  })
})

describe('google.tsv', () => {
  test('every product is one line of as many cells as the header has', () => {
    const lines = writeListing(GOOGLE_FEED, SITE, WORLD_CATEGORIES, WORLD).split('\n').slice(0, -1)
    expect(lines).toHaveLength(1 + WORLD.length)
    expect(new Set(lines.map((line) => line.split('\t').length))).toEqual(new Set([21]))
  })

  test('what is known has its cell', () => {
    expect(readRow(kettle)).toEqual({
      id: 'brightwater-gooseneck',
      title: 'Brightwater Gooseneck Kettle, 1.0 L',
      description: 'A kettle with a slow spout. It holds a temperature for an hour.',
      link: 'https://souk.test/p/kettles/brightwater-gooseneck',
      image_link: 'https://pictures.example/kettle.jpg',
      additional_image_link: 'https://pictures.example/kettle%2Cside.jpg,https://brightwater.example/box.jpg',
      availability: 'in_stock',
      price: '89.00 USD',
      sale_price: '69.00 USD',
      sale_price_effective_date: '2026-11-01T00:00+0000/2026-12-01T00:00+0000',
      brand: 'Brightwater',
      gtin: '4006381333931',
      mpn: 'BW-G1',
      identifier_exists: 'yes',
      product_type: 'Kettles & pots',
      product_detail: 'Specifications:Volume:1.0 L,Specifications:Power:1200 W; at 120 V',
      ...{ item_group_id: '', color: '', size: '', material: '', pattern: '' },
    })
  })

  test('what is not known is an empty cell', () => {
    const known = Object.entries(readRow(unknown)).filter(([, value]) => value !== '')
    expect(known.map(([column]) => column)).toEqual(['id', 'title', 'link', 'product_type'])
  })

  test('a sale whose start or end nobody stated has no dates', () => {
    for (const window of [{ startsAt: null }, { expiresAt: null }]) {
      const offers = kettle.offers?.map((offer) => ({ ...offer, ...window }))
      const row = readRow({ ...kettle, offers })
      expect(row.sale_price).toBe('69.00 USD')
      expect(row.sale_price_effective_date).toBe('')
    }
  })

  test('an id is the slug, and where that is too long still one of its own that stays', () => {
    const long = (end: string) => makeProfile({ slug: `${'very-'.repeat(14)}${end}` })
    const ids = [long('long-a'), long('long-b'), long('long-a')].map((profile) => readRow(profile).id ?? '')
    expect(ids[0]).toBe(ids[2])
    expect(ids[0]).not.toBe(ids[1])
    for (const id of ids) expect(id).toMatch(/^[a-z0-9-]{39}_[0-9a-f]{10}$/)
    expect(readRow(makeProfile({ slug: 'x'.repeat(50) })).id).toBe('x'.repeat(50))
  })

  test('a product is never said to have no identifiers', () => {
    const identified = (facts: Partial<ProductProfile>) =>
      readRow(makeProfile({ slug: 'x', ...facts })).identifier_exists
    const brand = { name: 'Brightwater', domain: null }
    expect(identified({})).toBe('')
    expect(identified({ brand })).toBe('')
    expect(identified({ mpn: 'X1' })).toBe('')
    expect(identified({ brand, mpn: 'X1' })).toBe('yes')
    expect(identified({ gtin: '4006381333931' })).toBe('yes')
  })

  test('a part number is itself or not there', () => {
    const mpn = (text: string) => readRow(makeProfile({ slug: 'x', mpn: text })).mpn
    expect(mpn('BW-G1')).toBe('BW-G1')
    expect(mpn('-BW')).toBe('')
    expect(mpn('7'.repeat(71))).toBe('')
    expect(mpn(`${'7'.repeat(62)} ${'8'.repeat(27)}`)).toBe('')
  })

  test('a text that a spreadsheet would run begins with an apostrophe; prices are untouched', () => {
    const row = readRow({
      ...kettle,
      title: '=1+1',
      description: '@SUM(A1)',
      brand: { name: '-2', domain: null },
    })
    expect(row).toMatchObject({ title: "'=1+1", description: "'@SUM(A1)", brand: "'-2", price: '89.00 USD' })
  })

  test('a quotation mark is doubled in a quoted cell', () => {
    expect(GOOGLE_FEED.entry(SITE, { ...kettle, title: '12" pan' })).toContain('\t"12"" pan"\t')
  })

  test('invented products say that they are', () => {
    for (const profile of WORLD)
      expect(readRow(profile, DEMO).description?.startsWith(DEMO_NOTICE)).toBe(true)
  })

  test.each(HOSTILE_TEXTS)('$name stays in its cell and is no formula', ({ text }) => {
    const line = GOOGLE_FEED.entry(SITE, hostileProfile(text))
    const cells = line.slice(0, -1).split('\t')
    expect(cells).toHaveLength(21)
    for (const value of cells) expect(value).not.toMatch(BREAKS)
    const row = readRow(hostileProfile(text))
    expect(row).toMatchObject({
      id: 'trap',
      link: 'https://souk.test/p/traps/trap',
      price: '6.00 USD',
      sale_price: '4.00 USD',
      gtin: '4006381333931',
    })
    expect(row.title?.length).toBeGreaterThan(0)
    expect(row.title?.length).toBeLessThanOrEqual(151)
    expect(row.description?.length).toBeLessThanOrEqual(5_001)
    for (const value of Object.values(row)) {
      expect(value).not.toMatch(/^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]/)
      expect(value).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b]/)
    }
    for (const address of [row.image_link ?? '', ...(row.additional_image_link ?? '').split(',')])
      expect(webUrl.safeParse(address).success).toBe(true)
    for (const detail of (row.product_detail ?? '').split(',').filter(Boolean))
      expect(detail).toMatch(/^Specifications:[^:",]+:[^:",]+$/)
  })
})
