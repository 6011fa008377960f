/** Every form of a product tells of the same variants, whatever they are called and cost. */
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { makeProfile, SITE } from '../../test/listings.ts'
import { type Spec, VARIANT_AVAILABILITIES, type Variant } from '../catalog/catalog.schema.ts'
import { renderProductJsonLd } from '../catalog/profile.json.ts'
import { renderProductMarkdown } from '../catalog/profile.markdown.ts'
import { STOCK_TERMS } from '../catalog/profile.schema.ts'
import { variantData } from '../catalog/profile.text.ts'
import type { ProductProfile } from '../catalog/profile.ts'
import { availabilityWords } from '../catalog/profile.variants.ts'
import { formatUsd } from '../lib/money.ts'
import { renderProductPage } from '../web/pages/product.tsx'
import { GOOGLE_FEED, OPENAI_FEED } from './discovery/listings/feeds.ts'
import { variantsOf } from './ucp/product.ts'

const SITE_OF_PAGES = { ...SITE, stylesheet: '/assets/site.css' }

/** What all forms say, in one way of writing. */
type Told = { key: string; cents: number; sku: string; availability: string | null }

const value = fc.string({ unit: fc.constantFrom(...'aB7 éß-_.&<"'), minLength: 1, maxLength: 12 })
const words = value.map((text) => text.trim().replace(/ +/g, ' ')).filter((text) => /[aB7éß]/.test(text))
const variants = fc
  .uniqueArray(fc.tuple(words, words), { minLength: 1, maxLength: 12, selector: ([a, b]) => `${a}/${b}` })
  .chain((pairs) =>
    fc.tuple(
      ...pairs.map(([color, size], at) =>
        fc.record({
          id: fc.constantFrom(`V${at}`, `gid://shop/Variant/${at}`, `jacket / ${at}`),
          sku: fc.constant(`SKU-${at}`),
          gtin: fc.constantFrom(null, '4006381333931'),
          options: fc.constant<Spec[]>([
            { name: 'Color', value: color },
            { name: 'Cut', value: size },
          ]),
          priceCents: fc.integer({ min: 1, max: 900_000 }),
          listPriceCents: fc.constantFrom(null, 1_000_000),
          image: fc.constant(`https://pictures.example/${at}.jpg`),
          availability: fc.constantFrom(...VARIANT_AVAILABILITIES),
        }),
      ),
    ),
  ) as fc.Arbitrary<Variant[]>

const byKey = (told: Told[]) => told.toSorted((a, b) => (a.key < b.key ? -1 : 1))
const cents = (dollars: number | string | null | undefined) => Math.round(Number(dollars) * 100)

const FORMS: Record<string, (profile: ProductProfile) => Told[]> = {
  'JSON-LD'(profile) {
    const { isVariantOf } = renderProductJsonLd(profile, SITE.baseUrl)
    const stocks = Object.entries(STOCK_TERMS)
    return (isVariantOf?.hasVariant ?? []).map(({ sku = '', offers }) => ({
      key: sku,
      cents: cents(offers.price),
      sku,
      availability: stocks.find(([, term]) => term === offers.availability)?.[0] ?? null,
    }))
  },
  tools: (profile) =>
    variantData(profile, SITE.baseUrl).map(({ sku, price_usd, availability }) => ({
      key: sku ?? '',
      cents: cents(price_usd),
      sku: sku ?? '',
      availability,
    })),
  UCP: (profile) =>
    variantsOf(profile, SITE.baseUrl).map(({ variant: { sku = '', price, availability } }) => ({
      key: sku,
      cents: price.amount,
      sku,
      availability: availability?.status ?? null,
    })),
  Markdown(profile) {
    const text = renderProductMarkdown(profile, SITE)
    return rowsWith(
      profile,
      text.split('\n').filter((line) => line.startsWith('| [')),
    )
  },
  HTML(profile) {
    const page = renderProductPage(
      { profile, similar: [], history: null, sellers: { all: 0, atOnce: 0 }, jsonLd: '{}' },
      SITE_OF_PAGES,
    )
    const [, table = ''] = /<table class="shops variants">(.*?)<\/table>/s.exec(page) ?? []
    return rowsWith(profile, table.split('<tr>').slice(2))
  },
  'products.jsonl': (profile) =>
    OPENAI_FEED.entry(SITE, profile)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, string>)
      .map((item) => inFeed(profile, item.url, item.price, item.availability?.replace('pre_', 'pre'))),
  'google.tsv'(profile) {
    const head = GOOGLE_FEED.head(SITE, { categories: [], productCount: 1 })
    const rows = parse<Record<string, string>>(head + GOOGLE_FEED.entry(SITE, profile), {
      delimiter: '\t',
      columns: true,
    })
    expect(new Set(rows.map(({ item_group_id }) => item_group_id))).toEqual(new Set([profile.slug]))
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length)
    return rows.map((row) => inFeed(profile, row.link, row.price, row.availability))
  },
}

/** A row of a table holds the number, the price and the stock of exactly one variant. */
function rowsWith({ variants: all }: ProductProfile, rows: string[]): Told[] {
  return rows.map((row) => {
    const plain = row.replaceAll('\\', '')
    const cells = plain.split(/\||<td>/).map((cell) => cell.replace(/<[^>]*>/g, '').trim())
    const sku = cells.find((cell) => /^SKU-\d+$/.test(cell)) ?? ''
    const one = all.find((variant) => variant.sku === sku)
    const price = one?.priceCents ?? 0
    const stock = VARIANT_AVAILABILITIES.find((each) => cells.includes(availabilityWords(each))) ?? null
    return { key: sku, cents: cells.includes(formatUsd(price)) ? price : -1, sku, availability: stock }
  })
}

/** Feeds have no column for the article number; the address leads to the variant. */
function inFeed({ variants: all }: ProductProfile, url = '', price = '', availability = ''): Told {
  const id = new URL(url).searchParams.get('variant')
  const sku = all.find((variant) => variant.id === id)?.sku ?? ''
  return { key: sku, cents: cents(price.replace(' USD', '')), sku, availability }
}

test('HTML, Markdown, JSON-LD, tools, UCP and both feeds have the same variants, prices and numbers', () => {
  fc.assert(
    fc.property(variants, (all) => {
      const profile = makeProfile({ slug: 'jacket', title: 'Rain jacket', variants: all })
      const expected = byKey(
        all.map(({ sku, priceCents, availability = null }) => ({
          key: sku ?? '',
          cents: priceCents ?? 0,
          sku: sku ?? '',
          availability,
        })),
      )
      for (const [form, tell] of Object.entries(FORMS)) expect(byKey(tell(profile)), form).toEqual(expected)
    }),
    { numRuns: 100 },
  )
})

const many = (count: number): Variant[] =>
  Array.from({ length: count }, (_, at) => ({
    ...{ id: `4477001${at}`, sku: `FRJ-LONG-ARTICLE-${at}`, gtin: '4006381333931' },
    options: [
      { name: 'Color', value: `Color number ${at % 40}` },
      { name: 'Size', value: `Size ${Math.floor(at / 40)}` },
    ],
    ...{ priceCents: 4_500 + at, listPriceCents: 9_900 },
    ...{ image: `https://cdn.shop.example/files/products/rain-jacket-${at}.jpg?v=1700000000` },
    availability: 'in_stock' as const,
  }))

test.each([12, 500])('the page of a product with %i variants stays under 60 KB', (count) => {
  const profile = makeProfile({ slug: 'jacket', title: 'Rain jacket', variants: many(count) })
  const jsonLd = JSON.stringify(renderProductJsonLd(profile, SITE.baseUrl, { mostVariants: 12 }))
  const page = renderProductPage(
    { profile, similar: [], history: null, sellers: { all: 0, atOnce: 0 }, jsonLd, variantId: '44770013' },
    SITE_OF_PAGES,
  )
  expect(Buffer.byteLength(page)).toBeLessThan(60_000)
  expect(page).toContain('FRJ-LONG-ARTICLE-3')
  if (count > 24) expect(page).toContain('476 more variants')
})
