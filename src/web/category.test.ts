/** A category that is longer than a page: each product on exactly one page, in the order asked for. */
import { beforeAll, describe, expect, test } from 'vitest'
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
  expect(first.html).toContain('<option value="price_asc" selected="">Price: low to high</option>')
  // One address for search engines: the plain one.
  expect(first.html).toContain('<meta name="robots" content="noindex"/>')
})

test.each(['?page=0', '?page=x', '?sort=nothing', '?page=1&sort=relevance', '?utm_source=x'])(
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

describe('filters', () => {
  beforeAll(async () => {
    await importCategories(souk.ctx, [{ slug: 'presses', label: 'Presses', description: '' }])
    const presses = Array.from({ length: 24 }, (_, at) => ({
      category: 'presses',
      slug: `press-${at}`,
      title: `Press ${at}`,
      brand: at % 3 ? 'Alder' : 'Birch',
      price: 20 + at * 10,
      rating: 3 + (at % 4) / 2,
      review_count: 100 + at,
      discontinued: at === 5,
      specs: { Type: at % 2 ? 'Lever' : 'Pump', ...(at % 4 !== 3 && { Weight: `${at + 1} kg` }) },
    }))
    await put(souk.ctx, ...presses)
    await souk.catchUp()
  })

  const pressesOf = async (query: string) => {
    const response = await souk.app.request(`/c/presses${query}`, { headers: { accept: 'text/html' } })
    const html = await response.text()
    const found = [...html.matchAll(/class="card-title"><a href="\/p\/presses\/press-(\d+)"/g)]
    return { response, html, numbers: found.map(([, number]) => Number(number)).sort((a, b) => a - b) }
  }
  const all = Array.from({ length: 24 }, (_, at) => at)

  test.each<[string, (at: number) => boolean]>([
    ['?s.type=Lever', (at) => at % 2 === 1],
    ['?s.type=lever&s.type=PUMP', () => true],
    ['?s.weight=..10+kg', (at) => at % 4 !== 3 && at + 1 < 10],
    ['?s.weight=10000..+g&s.type=Lever', (at) => at % 4 === 1 && at + 1 >= 10],
    ['?brand=birch', (at) => at % 3 === 0],
    ['?brand=birch&brand=Alder&rating=4', (at) => at % 4 >= 2],
    ['?max_price=100', (at) => 20 + at * 10 <= 100],
    ['?available=1', () => false],
    ['?quoted=1', () => false],
  ])('%s shows exactly the products it says, none from the plain page', async (query, holds) => {
    const { response, html, numbers } = await pressesOf(query)
    expect([response.status, numbers]).toEqual([200, all.filter(holds)])
    expect(html).toContain('<meta name="robots" content="noindex"/>')
  })

  test('each count is what its link shows, and its chip leads back', async () => {
    const { html } = await pressesOf('?s.type=Lever')
    const links = [...html.matchAll(/<a class="option" href="([^"]+)"[^>]*>[^<]*<span class="soft">(\d+)</g)]
    expect(links.length).toBeGreaterThan(6)
    for (const [, href = '', count] of links) {
      const address = href.replaceAll('&amp;', '&')
      // Of a spec that is chosen already, a count is of that value alone.
      if (address.includes('s.type=Lever&s.type') || !address.includes('s.type=Lever')) continue
      expect([address, (await pressesOf(address.replace('/c/presses', ''))).numbers.length]).toEqual([
        address,
        Number(count),
      ])
    }
    expect(html).toMatch(
      /class="chip" href="\/c\/presses"><span class="hidden">Remove filter: <\/span>Type: Lever/,
    )
  })

  test('leave out products that do not state the spec, and say how many', async () => {
    expect((await pressesOf('?s.weight=..10+kg')).html).toContain('6 do not say.')
  })

  test('that mean nothing here are named and do not filter; nothing is lost', async () => {
    const { html, numbers } = await pressesOf('?s.colour=red&s.weight=..10+dB')
    expect(numbers).toEqual(all)
    expect(html).toContain('Ignored filters that these products don’t have: colour, weight.')
  })

  test('keep the order, discontinued last', async () => {
    const { html } = await pressesOf('?s.type=Lever&sort=price_asc')
    const order = [
      ...html.matchAll(/"\/p\/presses\/press-(\d+)" /g),
      ...html.matchAll(/title"><a href="\/p\/presses\/press-(\d+)"/g),
    ]
    expect(order.map(([, number]) => Number(number))).toEqual([1, 3, 7, 9, 11, 13, 15, 17, 19, 21, 23, 5])
  })

  test('follow the catalog, and leave the Markdown form as it is', async () => {
    await put(souk.ctx, {
      category: 'presses',
      slug: 'press-2',
      title: 'Press 2',
      specs: { Type: 'Lever', Weight: '3 kg' },
    })
    await souk.catchUp()
    expect((await pressesOf('?s.type=Lever')).numbers).toContain(2)
    const [plain, filtered] = await Promise.all(
      ['/c/presses.md', '/c/presses.md?s.type=Lever'].map(async (path) =>
        (await souk.app.request(path)).text(),
      ),
    )
    expect(filtered).toBe(plain)
  })

  test('a buying guide is on the plain page, in the numbers of the products', async () => {
    const { html } = await pressesOf('')
    expect(html).toMatch(/Listed prices run from \$20 to \$250; half are between \$\d+ and \$\d+\./)
    expect(html).toContain('<dt>Weight</dt><dd>1 to 23 kg</dd>')
    expect(html).toContain('Lightest')
  })
})
