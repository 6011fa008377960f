/** What is no longer made: left out by tools and A2A, last and marked in REST and on pages, never asked about. */
import { beforeAll, describe, expect, test } from 'vitest'
import { address, openSearch } from '../e2e/search.page.world.ts'
import { find, slugs } from '../e2e/search.world.ts'
import { addProduct } from '../products.ts'
import { createSkillsWorld, run } from '../skills.world.ts'
import { type ToolPerson, withTools } from '../tools.world.ts'
import { ucp } from '../ucp/world.ts'

const KETTLES = ['gooseneck', 'whistler', 'relic', 'antique']

async function createWorld() {
  const world = withTools(await createSkillsWorld())
  // The best match for its own name, the cheapest and the most reviewed of all.
  await addProduct(world, {
    slug: 'antique',
    category: 'kettles',
    title: 'Antique Kettle',
    description: 'A kettle. The kettle of kettles.',
    price: 1,
    rating: 5,
    review_count: 99_999,
    released: '2026-10-01',
    discontinued: true,
  })
  await world.catchUp()
  return world
}

let souk: Awaited<ReturnType<typeof createWorld>>
let ada: ToolPerson
beforeAll(async () => {
  souk = await createWorld()
  ada = await souk.person()
}, 90_000)

const gone = (slug: string) => slug === 'relic' || slug === 'antique'
/** All that are made come before all that are not. */
function standLast(found: string[]) {
  expect(found.filter(gone).length).toBeGreaterThan(0)
  expect(found).toEqual([...found.filter((slug) => !gone(slug)), ...found.filter(gone)])
}
const listed = (data: Record<string, unknown>, name = 'results') =>
  slugs(data[name] as Array<{ slug: string }>)

describe('tools and A2A leave it out unless include_discontinued', () => {
  const calls: Array<[string, (more: Record<string, unknown>) => Promise<string[]>, boolean]> = [
    [
      'search_products',
      async (more) => listed((await souk.call(ada, 'search_products', { query: 'kettle', ...more })).data),
      true,
    ],
    [
      'search_products, sorted',
      async (more) =>
        listed(
          (await souk.call(ada, 'search_products', { query: 'kettle', sort: 'price_asc', ...more })).data,
        ),
      true,
    ],
    [
      'list_category_products',
      async (more) =>
        listed(
          (await souk.call(ada, 'list_category_products', { category: 'kettles', ...more })).data,
          'products',
        ),
      true,
    ],
    [
      'A2A product-recommendation',
      async (more) => listed((await run(souk, 'product-recommendation', { query: 'kettle', ...more })).data),
      true,
    ],
    [
      'A2A category-browse',
      async (more) =>
        listed((await run(souk, 'category-browse', { category: 'kettles', ...more })).data, 'products'),
      true,
    ],
    [
      'find_similar',
      async () =>
        listed((await souk.call(ada, 'find_similar', { category: 'kettles', slug: 'gooseneck' })).data),
      false,
    ],
  ]

  test.each(calls)('%s', async (_name, call, takesFlag) => {
    expect((await call({})).filter(gone)).toEqual([])
    if (takesFlag) standLast(await call({ include_discontinued: true }))
  })

  test('the pair of tools for connectors', async () => {
    const response = await souk.app.request('/mcp/connector', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${ada.token}`,
      },
      body: JSON.stringify({
        ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
        params: { name: 'search', arguments: { query: 'kettle' } },
      }),
    })
    const text = await response.text()
    expect(text).toContain('kettles/gooseneck')
    expect(text).not.toMatch(/kettles\/(antique|relic)/)
  })
})

describe('REST search and pages show it last and marked', () => {
  test.each(['relevance', 'price_asc', 'rating', 'popular', 'newest'])('REST search by %s', async (sort) => {
    const { results } = await find(souk.app, { query: 'kettle', sort })
    expect(slugs(results)).toContain('antique')
    standLast(slugs(results))
    for (const { slug, discontinued } of results) expect(discontinued).toBe(gone(slug) ? true : undefined)
  })

  test('over all pages of a search', async () => {
    const seen: string[] = []
    for (let offset = 0; offset < 6; offset += 2)
      seen.push(...slugs((await find(souk.app, { query: 'kettle', limit: 2, offset })).results))
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen).toEqual(expect.arrayContaining(KETTLES))
    standLast(seen)
  })

  test.each(['relevance', 'price_asc'])('the page of results by %s', async (sort) => {
    const shown = await openSearch(souk.app, address({ q: 'kettle', sort }))
    standLast(shown.slugs)
    expect(shown.html).toContain('Discontinued')
  })

  test.each(['', '?sort=price_asc', '?sort=rating'])('the page of a category, %s', async (query) => {
    const html = await (await souk.app.request(`/c/kettles${query}`)).text()
    const found = [...html.matchAll(/href="\/p\/kettles\/([\w-]+)"/g)].map(([, slug = '']) => slug)
    standLast([...new Set(found)].filter((slug) => KETTLES.includes(slug)))
    expect(html).toContain('Discontinued')
  })

  test('the Markdown of a category, in its table and its sections', async () => {
    const text = await (await souk.app.request('/c/kettles.md')).text()
    const rows = text.split('\n').filter((line) => line.startsWith('| ['))
    expect(rows.map((row) => /kettles\/([\w-]+)\)/.exec(row)?.[1])).toEqual(expect.arrayContaining(KETTLES))
    for (const row of rows) expect(row.includes('(discontinued)')).toBe(/antique|relic/.test(row))
    standLast(rows.map((row) => /kettles\/([\w-]+)\)/.exec(row)?.[1] ?? ''))
    expect(text.indexOf('### Antique Kettle')).toBeGreaterThan(text.indexOf('### Whistling Stove Kettle'))
  })

  test('UCP search', async () => {
    const { body } = await ucp(souk, 'search', { query: 'kettle' })
    standLast(body.products.map(({ handle }) => handle))
  })
})
