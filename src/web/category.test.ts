/** A category that is longer than a page: each product on exactly one page, in the order asked for. */
import { beforeAll, expect, test } from 'vitest'
import { put } from '../../test/e2e/search.world.ts'
import { createTestApp } from '../../test/harness.ts'
import { importCategories } from '../catalog/categories.service.ts'

const KETTLES = 110
let souk: Awaited<ReturnType<typeof createTestApp>>

beforeAll(async () => {
  souk = await createTestApp()
  const kettles = Array.from({ length: KETTLES }, (_, at) => ({
    slug: `kettle-${at}`,
    title: `Kettle ${at}`,
    price: 10 + ((at * 37) % KETTLES),
    review_count: 1_000 - at,
    discontinued: at === 109,
  }))
  await importCategories(souk.ctx, [{ slug: 'kettles', label: 'Kettles', description: '' }])
  await put(souk.ctx, ...kettles)
  await souk.catchUp()
  await souk.searchRuntime.fill()
})

async function read(path: string) {
  const response = await souk.app.request(path, { headers: { accept: 'text/html' } })
  const html = await response.text()
  const slugs = [...html.matchAll(/class="card-title"><a href="\/p\/kettles\/([a-z0-9-]+)"/g)].map(
    ([, slug]) => slug,
  )
  const prices = [...html.matchAll(/class="price">\$(\d+)/g)].map(([, price]) => Number(price))
  return { response, html, slugs, prices }
}

test('its pages together show every product once', async () => {
  const pages = await Promise.all(['', '?page=2', '?page=3'].map((query) => read(`/c/kettles${query}`)))
  expect(pages.map(({ slugs }) => slugs.length)).toEqual([48, 48, 14])
  expect(new Set(pages.flatMap(({ slugs }) => slugs)).size).toBe(KETTLES)
  expect(pages[0]?.slugs[0]).toBe('kettle-0')
  expect(pages[0]?.response.headers.get('etag')).toBeTruthy()
  expect(pages[0]?.html).toContain('href="/c/kettles?page=2" rel="next"')
  expect(pages[2]?.html).toContain('href="/c/kettles?page=2" rel="prev"')
  for (const { html } of pages) expect(html).toContain('<li>110 products</li>')
})

test('another order holds over the pages, and its links keep it', async () => {
  const [first, second] = [
    await read('/c/kettles?sort=price_asc'),
    await read('/c/kettles?sort=price_asc&page=2'),
  ]
  const prices = [...first.prices, ...second.prices]
  expect(prices).toEqual(prices.toSorted((a, b) => a - b))
  expect(new Set(prices).size).toBe(96)
  expect(first.html).toContain('href="/c/kettles?sort=price_asc&amp;page=2"')
  expect(first.html).toMatch(/sort=price_asc" aria-current="true">Price: low to high</)
  // One address for search engines: the plain one.
  expect(first.html).toContain('<meta name="robots" content="noindex"/>')
})

test.each(['?page=0', '?page=x', '?sort=nothing', '?page=1&sort=popular', '?utm_source=x'])(
  'what means nothing (%s) is the plain page',
  async (query) => {
    const [plain, other] = [await read('/c/kettles'), await read(`/c/kettles${query}`)]
    expect(other.response.headers.get('etag')).toBe(plain.response.headers.get('etag'))
  },
)

test('past the last page there is nothing', async () => {
  expect((await read('/c/kettles?page=4')).response.status).toBe(404)
})

test('a change is on the pages that show it, in every order', async () => {
  const paths = ['/c/kettles?page=3', '/c/kettles?sort=price_desc']
  for (const path of paths) expect((await read(path)).html).not.toContain('$9,000')
  await put(souk.ctx, { slug: 'kettle-108', title: 'Kettle 108', price: 9_000 })
  await souk.catchUp()
  for (const path of paths) expect((await read(path)).html).toContain('$9,000')
})

test('a category that is none is not found in any order', async () => {
  expect((await read('/c/kites?sort=rating')).response.status).toBe(404)
})

test('the Markdown form has them all', async () => {
  const markdown = await (await souk.app.request('/c/kettles.md')).text()
  expect(new Set(markdown.match(/\/p\/kettles\/kettle-\d+/g)).size).toBe(KETTLES)
})
