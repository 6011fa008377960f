/** The product page on real products: the whole demo catalog, as the importer reads it. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { EMPTY_FACTS } from '../../catalog/catalog.schema.ts'
import { checkProductInput } from '../../catalog/product-input.ts'
import { renderProductJsonLd } from '../../catalog/profile.json.ts'
import type { ProductProfile } from '../../catalog/profile.ts'
import type { Site } from '../site.ts'
import { renderProductPage } from './product.tsx'

type CatalogFile = { slug: string; label: string; products: Array<Record<string, unknown>> }

const site: Site = { baseUrl: 'https://souk.example', demo: true, stylesheet: '/assets/souk.0123.css' }
const folder = new URL('../../../catalog/', import.meta.url)
const when = new Date('2026-11-15T23:59:00Z')

const products = readdirSync(folder)
  .map((name): CatalogFile => JSON.parse(readFileSync(new URL(name, folder), 'utf8')))
  .flatMap(({ slug, label, products: rows }) => rows.map((row) => profileOf({ slug, label }, row)))

function profileOf(category: ProductProfile['category'], row: Record<string, unknown>): ProductProfile {
  const checked = checkProductInput({ category: category.slug, ...row })
  if ('problem' in checked) throw new Error(`${category.slug}: ${checked.problem.problem}`)
  const { facts, brand, slug } = checked.input
  const stated = Object.keys(facts).map((field) => [field, { source: 'A file', verifiedAt: null }])
  return {
    ...EMPTY_FACTS,
    ...facts,
    id: slug ?? '',
    slug: slug ?? '',
    categoryId: category.slug,
    brandId: null,
    category,
    brand: brand ? { name: brand, domain: null } : null,
    verificationStatus: 'base',
    provenance: Object.fromEntries(stated),
    createdAt: when,
    updatedAt: when,
  }
}

function page(profile: ProductProfile): string {
  const jsonLd = JSON.stringify(renderProductJsonLd(profile, site.baseUrl))
  return renderProductPage(
    {
      profile,
      similar: [profile, profile, profile, profile],
      history: null,
      sellers: { all: 3, atOnce: 2 },
      jsonLd,
    },
    site,
  )
}

function find(slug: string): ProductProfile {
  const profile = products.find((candidate) => candidate.slug === slug)
  if (!profile) throw new Error(`no ${slug} in the demo catalog`)
  return profile
}

/** The words on the page as they follow each other. */
function words(html: string): string {
  return html
    .replace(/<script.*?<\/script>/s, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
}

const dumbbells = find('ironpetal-dial-52')

test('the longest product of the catalog makes a page under 60 KB', () => {
  expect(products.length).toBeGreaterThan(800)
  const sizes = products.map((profile) => Buffer.byteLength(page(profile)))
  expect(Math.max(...sizes)).toBeLessThan(60 * 1024)
})

test('numbers, prices and dates read as people write them', () => {
  const text = words(page(dumbbells))
  expect(text).toContain(
    'Price $379 – $399 instead of $429 listed by shops Rating 4.6 of 5 Reviews 18,340 Released March 2021',
  )
  expect(text).toContain('Fine steps Positive · 41% of reviews')
  expect(text).toContain('Last updated November 15, 2026')
  expect(words(page({ ...dumbbells, released: '2021' }))).toContain('Released 2021 ')
  expect(words(page({ ...dumbbells, released: '2021-03-09' }))).toContain('Released March 9, 2021')
  expect(words(page({ ...dumbbells, priceLowCents: null, priceHighCents: null }))).toContain(
    'Price See sellers',
  )
})

test('the length of a theme’s bar is its share of the reviews', () => {
  const bars = [...page(dumbbells).matchAll(/class="bar-fill" width="(\d+)"/g)].map(([, width]) =>
    Number(width),
  )
  expect(bars).toEqual(dumbbells.themes.map(({ share }) => Math.round((share ?? 0) * 100)))
})

test('shops are listed cheapest first, unpriced last, and linked without endorsement', () => {
  const unpriced = { name: 'Unpriced', url: 'https://unpriced.example/', priceCents: null }
  const priced = { ...dumbbells, whereToBuy: [unpriced, ...dumbbells.whereToBuy] }
  const links = [...page(priced).matchAll(/<a href="(https?:[^"]*)"([^>]*)>([^<]*)</g)]
  expect(links.map(([, , , name]) => name)).toEqual([
    'Trailhead Depot',
    'Ironpetal',
    'Marlowe Market',
    'Unpriced',
  ])
  for (const [, , attributes] of links) expect(attributes).toBe(' rel="nofollow noopener"')
  expect(page(priced).match(/>Lowest</g)).toHaveLength(1)
  expect(page({ ...dumbbells, whereToBuy: [unpriced, unpriced] })).not.toContain('>Lowest<')
})

test('a drawing is called an illustration, and a photo of the product’s own replaces it', () => {
  expect(page(dumbbells)).toContain('src="/pictures/adjustable-dumbbells/dial/ironpetal~2.svg"')
  expect(page(dumbbells)).toContain('Illustration, not a photo of the product')
  const photo = { url: 'https://ironpetal.example/dial-52.jpg', alt: null }
  const withPhoto = page({
    ...dumbbells,
    images: [{ url: 'http://insecure.example/1.jpg', alt: null }, photo],
  })
  expect(withPhoto).toContain(
    `<img class="picture photo" data-instead="/pictures/adjustable-dumbbells/dial/ironpetal~2.svg" src="${photo.url}" alt="${dumbbells.title}"`,
  )
  // The browser shows it alone, as large as it is; those after it are thumbnails.
  expect(withPhoto).toContain(`<a class="full-size" href="${photo.url}" rel="noreferrer"`)
  expect(withPhoto).not.toContain('thumbnails')
  const second = { url: 'https://ironpetal.example/side.jpg', alt: 'From the side' }
  expect(page({ ...dumbbells, images: [photo, second] })).toMatch(
    /<ul class="thumbnails"><li><a [^>]*href="https:\/\/ironpetal\.example\/side\.jpg"[^>]*><img [^>]*alt="From the side" width="640" height="480" loading="lazy"/,
  )
  // Elsewhere a link shows the picture that names product and price.
  expect(withPhoto).toMatch(
    /<meta property="og:image" content="https?:\/\/[^"]+\/previews\/p\/[^"]+\.png"\/>/,
  )
  expect(withPhoto).not.toContain('Illustration')
})

test('facts nobody stated leave no empty section behind', () => {
  expect(page(dumbbells)).not.toContain('have any details')
  const bare = page({ ...dumbbells, ...EMPTY_FACTS, title: 'Bare', brand: null, provenance: {} })
  expect([...bare.matchAll(/<h2[^>]*>([^<]*)</g)].map(([, title]) => title)).toEqual([
    'Request quotes',
    'Sources',
    'Other formats',
    'Similar products',
  ])
  expect(bare).not.toContain('null')
  expect(bare).toContain('We don’t have any details about this product yet.')
})

test('a discontinued product says so, others do not', () => {
  expect(words(page({ ...dumbbells, discontinued: true }))).toContain('Discontinued')
  expect(words(page({ ...dumbbells, discontinued: false }))).not.toContain('Discontinued')
})

test('sources are named once each, with the fields they stand for in plain words', () => {
  const provenance = {
    title: { source: 'Shop feed', verifiedAt: null },
    price: { source: 'Shop feed', verifiedAt: null },
    best_for: { source: 'Ironpetal', verifiedAt: '2026-10-02T00:00:00Z' },
  }
  const text = words(page({ ...dumbbells, provenance }))
  expect(text).toContain('Shop feed title, price Ironpetal, approved October 2, 2026 best for')
})

test('crawlers find the canonical address and the two other forms', () => {
  const base = 'https://souk.example/p/adjustable-dumbbells/ironpetal-dial-52'
  const html = page(dumbbells)
  expect(html).toContain(`<link rel="canonical" href="${base}"/>`)
  expect(html).toContain(`<link rel="alternate" type="text/markdown" href="${base}.md"/>`)
  expect(html).toContain(`<link rel="alternate" type="application/ld+json" href="${base}.json"/>`)
})
