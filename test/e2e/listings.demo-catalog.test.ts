/** Every file over the whole demo catalog: all of it is there, and each file reads back by its own rules. */
import { parse } from 'csv-parse/sync'
import MarkdownIt from 'markdown-it'
import { SaxesParser } from 'saxes'
import { beforeAll, expect, test } from 'vitest'
import { GOOGLE_FEED, OPENAI_FEED } from '../../src/agents/discovery/listings/feeds.ts'
import type { Listing } from '../../src/agents/discovery/listings/listing.ts'
import { createLlmsTxt, LLMS_FULL } from '../../src/agents/discovery/listings/llms.ts'
import { SITEMAP } from '../../src/agents/discovery/listings/sitemap.ts'
import {
  type CategorySummary,
  streamProfiles,
  summarizeCategories,
} from '../../src/catalog/catalog.service.ts'
import { categoryPath, type ProductProfile, productPath } from '../../src/catalog/profile.ts'
import { BASE_URL, createDemoDatabase, createTestApp } from '../harness.ts'
import { LISTED_TOOLS, writeListing } from '../listings.ts'

const SITE = { baseUrl: BASE_URL, mcpUrl: BASE_URL, demo: true }
let souk: Awaited<ReturnType<typeof createTestApp>>
const profiles: ProductProfile[] = []
let categories: CategorySummary[]
let slugs: string[]

beforeAll(async () => {
  souk = await createTestApp({ database: await createDemoDatabase(), demo: true })
  for await (const profile of streamProfiles(souk.ctx)) profiles.push(profile)
  categories = await summarizeCategories(souk.ctx)
  slugs = profiles.map(({ slug }) => slug).sort()
})

const write = (listing: Listing) => writeListing(listing, SITE, categories, profiles)

test('llms.txt links every product once, and what it links of the catalog is there', async () => {
  const text = write(createLlmsTxt(LISTED_TOOLS))
  const found = new MarkdownIt()
    .parse(text, {})
    .flatMap(({ children }) => children ?? [])
    .flatMap((token) => (token.type === 'link_open' ? [String(token.attrGet('href'))] : []))
  const ofCatalog = found.filter((url) => /^\/[pc]\//.test(url.slice(BASE_URL.length)))
  expect(ofCatalog.sort()).toEqual(
    [...categories.map(categoryPath), ...profiles.map(productPath)]
      .map((path) => `${BASE_URL}${path}.md`)
      .sort(),
  )
  for (const url of ofCatalog) expect((await souk.app.request(url)).status, url).toBe(200)
})

test('llms-full.txt has every profile once', () => {
  const addresses = [...write(LLMS_FULL).matchAll(/^Address: (.*)$/gm)].map(([, address]) => address)
  expect(addresses.sort()).toEqual(profiles.map((profile) => `${BASE_URL}${productPath(profile)}`).sort())
})

test('products.jsonl has every product once', () => {
  const items = write(OPENAI_FEED)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { item_id: string; price?: string })
  expect(items.map(({ item_id }) => item_id).sort()).toEqual(slugs)
  expect(items.filter(({ price }) => price === undefined)).toEqual([])
})

test('google.tsv has every product once, and every line has every cell', () => {
  const rows = parse<Record<string, string>>(write(GOOGLE_FEED), { delimiter: '\t', columns: true })
  expect(rows.map(({ link }) => link?.split('/').at(-1)).sort()).toEqual(slugs)
  expect(new Set(rows.map(({ id }) => id)).size).toBe(slugs.length)
  expect(Math.max(...rows.map(({ id = '' }) => id.length))).toBeLessThanOrEqual(50)
})

test('sitemap.xml has every page once, and every page is there for an index', async () => {
  const found: string[] = []
  let isAddress = false
  const parser = new SaxesParser()
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ name }) => {
    isAddress = name === 'loc'
  })
  parser.on('closetag', () => {
    isAddress = false
  })
  parser.on('text', (text) => {
    if (isAddress) found.push(text)
  })
  parser.write(write(SITEMAP)).close()
  const pages = ['/', '/docs', '/sets', ...categories.map(categoryPath), ...profiles.map(productPath)]
  expect(found.sort()).toEqual(pages.map((path) => `${BASE_URL}${path}`).sort())
  for (const path of ['/', '/sets', ...categories.map(categoryPath)]) {
    const response = await souk.app.request(path)
    expect(response.status, path).toBe(200)
    expect(response.headers.get('x-robots-tag'), path).toBeNull()
    expect(await response.text(), path).not.toContain('name="robots"')
  }
})
