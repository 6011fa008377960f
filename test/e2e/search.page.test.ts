/**
 * The page of results on the demo catalog: it shows what the one search finds, in its order; filters hold for every card,
 * links keep the rest of the address, and whatever cannot be searched for is said beside what was typed.
 */
import { beforeAll, describe, expect, test } from 'vitest'
import { wholeCatalog } from '../../src/search/catalog.ts'
import { createClickRecorder } from '../../src/search/clicks.service.ts'
import { createQueryLog } from '../../src/search/query-log.ts'
import { loadLearned } from '../../src/search/rank/rank.ts'
import { createSearch } from '../../src/search/search.service.ts'
import { createTestApp } from '../harness.ts'
import { address, hrefOf, openSearch, type Shown, totalOf, value } from './search.page.world.ts'
import { createDemoApp, demoProducts, find, NO_SALES, put, slugs, untilRemembered } from './search.world.ts'

const { products, bySlug } = demoProducts()
let world: Awaited<ReturnType<typeof createDemoApp>>
beforeAll(async () => {
  world = await createDemoApp()
})

const open = (path: string, app = world.app) => openSearch(app, path)
const productOf = (slug: string) => {
  const product = bySlug.get(slug)
  if (!product) throw new Error(`no product ${slug}`)
  return product
}

describe('a page of results', () => {
  test('shows what the search finds, in its order, with the reason of each', async () => {
    const query = 'headphones for long flights, not in-ear'
    await untilRemembered(world, { query, limit: 24, face: 'rest' })
    const shown = await open(address({ q: query }))
    const { results } = await find(world.app, { query, limit: 24 })
    expect(shown.slugs).toEqual(slugs(results))
    for (const { reason, url } of results) {
      if (reason !== '') expect(shown.text).toContain(`Why: ${reason}`)
      expect(shown.html).toContain(`href="${url}"`)
    }
    expect(new Set(shown.queryIds).size).toBe(1)
    expect(shown.queryIds[0]).toMatch(/^[0-9a-f-]{36}$/)
  })

  test('is titled by its words, kept out of indexes and by nobody, and obeys the content policy', async () => {
    const shown = await open(address({ q: 'kettle' }))
    expect([shown.status, shown.title, shown.h1]).toEqual([200, 'kettle · Souk', 'kettle'])
    expect(shown.html).toContain('<meta name="robots" content="noindex"/>')
    expect(shown.headers.get('cache-control')).toBe('no-store')
    expect(shown.html).not.toMatch(/ style=|<style| on\w+=/)
    expect(shown.inputs.find(({ id }) => id === 'search-box')?.value).toBe('kettle')
  })

  test('pages neither repeat nor skip, and there are as many products as it says', async () => {
    let shown = await open(address({ q: 'Hearthline', sort: 'price_asc' }))
    const total = totalOf(shown)
    const seen = [...shown.slugs]
    for (let next = nextOf(shown); next !== undefined; next = nextOf(shown)) {
      expect(new URL(next, 'http://souk.test').searchParams.get('sort')).toBe('price_asc')
      shown = await open(next)
      seen.push(...shown.slugs)
    }
    expect(total).toBeGreaterThan(24)
    expect(seen).toHaveLength(total)
    expect(new Set(seen).size).toBe(total)
    // Discontinued ones come after all others, in the same order.
    const of = (discontinued: boolean) => seen.filter((slug) => productOf(slug).discontinued === discontinued)
    expect(seen).toEqual([...of(false), ...of(true)])
    for (const some of [of(false), of(true)]) {
      const prices = some.map((slug) => productOf(slug).priceLowCents ?? Number.POSITIVE_INFINITY)
      expect(prices).toEqual(prices.toSorted((a, b) => a - b))
    }
    expect(shown.html).toMatch(/rel="prev"/)
    expect(shown.html.match(/aria-current="page"/g)).toHaveLength(1)
  })

  test('of an empty catalog says that it is empty, and blames no filter', async () => {
    const bare = await createTestApp()
    await bare.searchRuntime.fill()
    const shown = await open(address({ q: 'tent under $80', on_sale: '1' }), bare.app)
    expect(shown.status).toBe(200)
    expect(shown.text).toContain('The catalog is empty')
    expect(shown.text).not.toMatch(/No results|Try removing/)
  })

  const nextOf = ({ links }: Shown) => links.find(({ rel }) => rel === 'next')?.href

  test('asked for again is the same page with a query of its own, until something on it changes', async () => {
    const [first, second] = [
      await open(address({ q: 'espresso machine' })),
      await open(address({ q: 'espresso machine' })),
    ]
    expect(second.slugs).toEqual(first.slugs)
    expect(new Set([...first.queryIds, ...second.queryIds]).size).toBe(2)
    const [slug = ''] = first.slugs
    const { title, category } = productOf(slug)
    await put(world.ctx, { category: category.slug, slug, title, price: 8_765 })
    await world.catchUp()
    expect(first.text).not.toContain('$8,765')
    expect((await open(address({ q: 'espresso machine' }))).text).toContain('$8,765')
  })

  test('past the last one leads to the last one', async () => {
    const response = await world.app.request(address({ q: 'tent', category: 'tents', page: '900' }))
    expect([response.status, response.headers.get('location')]).toEqual([
      302,
      '/search?q=tent&category=tents',
    ])
  })

  test('has a box to tick for each product, in the form that compares them', async () => {
    const shown = await open(address({ q: 'tent' }))
    expect(shown.html).toMatch(/<form[^>]* action="\/compare"/)
    const boxes = shown.inputs.filter(({ name }) => name === 'p').map((box) => box.value)
    expect(boxes).toEqual(shown.slugs.map((slug) => `${productOf(slug).category.slug}/${slug}`))
  })
})

describe('filters', () => {
  test('hold for every card, one by one and together', async () => {
    const brand = products.find(({ category }) => category.slug === 'tents')?.brand?.name ?? ''
    const cases: Array<[Record<string, string>, (slug: string) => boolean]> = [
      [{ category: 'tents' }, (slug) => productOf(slug).category.slug === 'tents'],
      [{ brand }, (slug) => productOf(slug).brand?.name === brand],
      [{ brand: brand.toUpperCase() }, (slug) => productOf(slug).brand?.name === brand],
      [{ max_price: '$80' }, (slug) => (productOf(slug).priceLowCents ?? Infinity) <= 8_000],
      [{ min_price: '1,200' }, (slug) => (productOf(slug).priceHighCents ?? 0) >= 120_000],
      [
        { category: 'tents', max_price: '300', sort: 'rating' },
        (slug) =>
          productOf(slug).category.slug === 'tents' && (productOf(slug).priceLowCents ?? Infinity) <= 30_000,
      ],
    ]
    for (const [filters, holds] of cases) {
      const shown = await open(address({ q: 'tent', ...filters }))
      expect(shown.slugs.length, JSON.stringify(filters)).toBeGreaterThan(0)
      expect(
        shown.slugs.filter((slug) => !holds(slug)),
        JSON.stringify(filters),
      ).toEqual([])
    }
  })

  test('by brand: each count within a category is what its link shows, and its chip leads back', async () => {
    const within = await open(address({ q: 'tent', category: 'tents', sort: 'rating' }))
    const brands = within.links.filter(({ href }) =>
      new URL(href, 'http://souk.test').searchParams.has('brand'),
    )
    expect(brands.length).toBeGreaterThan(3)
    for (const { href, text } of brands) {
      const count = Number(/(\d+) results?$/.exec(text)?.[1])
      const narrowed = await open(href)
      expect([text, totalOf(narrowed), narrowed.slugs.length]).toEqual([text, count, count])
      const name = text.replace(/ \d+ results?$/, '')
      expect(hrefOf(narrowed, `Remove filter: ${name}`)).toBe('/search?q=tent&category=tents&sort=rating')
    }
  })

  test('by category and price: a link shows at least as many as it counted, and keeps the rest', async () => {
    const shown = await open(address({ q: 'Hearthline', sort: 'popular' }))
    const counted = shown.links.filter(({ text }) => / \d+ results?$/.test(text))
    const some = counted.filter((_, at) => at % 5 === 0)
    expect(some.length).toBeGreaterThan(2)
    for (const { href, text } of some) {
      const { searchParams } = new URL(href, 'http://souk.test')
      expect([searchParams.get('q'), searchParams.get('sort')]).toEqual(['Hearthline', 'popular'])
      if (searchParams.has('brand')) continue
      const count = Number(/(\d+) results?$/.exec(text)?.[1])
      expect(totalOf(await open(href)), text).toBeGreaterThanOrEqual(count)
    }
  })

  test('that are turned around are told beside the field, with what was typed, and the results stay', async () => {
    const shown = await open(address({ q: 'tent', min_price: '200', max_price: '$100' }))
    expect(shown.html).toContain('id="field-min_price-error"')
    expect([value(shown, 'min_price'), value(shown, 'max_price')]).toEqual(['200', '$100'])
    expect(shown.html).toMatch(/<details open/)
    expect(shown.slugs).toEqual((await open(address({ q: 'tent' }))).slugs)
  })

  test('that are blank or unknown are passed over', async () => {
    const plain = await open(address({ q: 'tent' }))
    const odd = {
      category: '',
      brand: ' ',
      min_price: '',
      max_price: '',
      sort: 'magic',
      page: 'x',
      on_sale: '7',
    }
    const shown = await open(address({ q: ' tent ', ...odd }))
    expect([shown.status, shown.slugs]).toEqual([200, plain.slugs])
    expect(shown.text).not.toContain('Remove filter')
  })

  test('by an unknown category are told, with near ones and the way without', async () => {
    const shown = await open(address({ q: 'warm', category: 'tent' }))
    expect(shown.status).toBe(400)
    expect(shown.h1).toBe('Category “tent” not found')
    expect(hrefOf(shown, 'Tents')).toBe('/search?q=warm&category=tents')
    expect(hrefOf(shown, 'Search all categories for “warm”')).toBe('/search?q=warm')
  })

  test('that leave nothing name themselves, each with the way out', async () => {
    const shown = await open(address({ q: 'tent', category: 'tents', max_price: '1' }))
    expect([shown.status, shown.slugs]).toEqual([200, []])
    expect(shown.text).toContain('No results')
    const freer = await open(hrefOf(shown, 'Remove filter Up to $1'))
    expect(freer.slugs.length).toBeGreaterThan(10)
    for (const slug of freer.slugs) expect(productOf(slug).category.slug).toBe('tents')
    const onSale = await open(address({ q: 'tent', on_sale: '1' }))
    expect(hrefOf(onSale, 'Remove filter On sale')).toBe('/search?q=tent')
  })
})

describe('what the words demand', () => {
  test('is a chip each and said once; taken back, it can be put back', async () => {
    const q = 'newest headphones under $500, not Tamrel'
    const shown = await open(address({ q }))
    const demands = ['Not Tamrel', 'At most $500', 'Newest first']
    for (const label of demands) {
      expect(shown.text.split(label), label).toHaveLength(2)
      const without = await open(hrefOf(shown, `Remove: ${label}`))
      expect(hrefOf(without, `Restore: ${label}`)).toBe(address({ q }))
      for (const other of demands) if (other !== label) hrefOf(without, `Remove: ${other}`)
    }
    expect(shown.text).toContain('Understood: headphones (category: Headphones)')
    expect(shown.text).not.toContain('under $500 ·')
  })

  test('about the order is what the form shows, and an order that is chosen takes its place', async () => {
    const cheapest = await open(address({ q: 'cheapest tent' }))
    expect(cheapest.html).toContain('<option value="price_asc" selected')
    hrefOf(cheapest, 'Remove: Cheapest first')
    const chosen = await open(address({ q: 'cheapest tent', sort: 'relevance' }))
    expect(chosen.html).toContain('<option value="relevance" selected')
    expect(chosen.text).not.toMatch(/Cheapest first|Remove: /)
    expect(chosen.slugs).not.toEqual(cheapest.slugs)
  })

  test('and nothing has: the page says so, shows what comes closest, and leads on', async () => {
    const shown = await open(address({ q: 'tent under $2' }))
    expect([shown.status, shown.slugs]).toEqual([200, []])
    expect(shown.text).toMatch(/No results No tents under \$2; the cheapest is \$\d+\./)
    expect(shown.text).toContain('Closest products')
    expect(shown.nearest.map((slug) => productOf(slug).category.slug)).toContain('tents')
    expect(shown.text.match(/Not a match/g)).toHaveLength(shown.nearest.length)
    expect(hrefOf(shown, 'Tents')).toBe('/c/tents')
    const freer = await open(hrefOf(shown, 'Remove At most $2'))
    expect(totalOf(freer)).toBeGreaterThan(0)
  })

  test.each(['asdkjh qwe', 'dishwasher'])('by words that fit nothing is answered with 200: %s', async (q) => {
    const shown = await open(address({ q }))
    expect([shown.status, shown.slugs]).toEqual([200, []])
    expect(shown.text).toContain('No products match this.')
    expect(shown.nearest.length).toBeGreaterThan(0)
    expect(shown.text.match(/Not a match/g)).toHaveLength(shown.nearest.length)
    expect(hrefOf(shown, 'All categories')).toBe('/#categories')
  })
})

describe('what is asked', () => {
  test('nothing yet: the page invites', async () => {
    for (const path of ['/search', '/search?q=', '/search?q=+%00+']) {
      const shown = await open(path)
      expect([shown.status, shown.h1]).toEqual([200, 'What are you looking for?'])
      expect(hrefOf(shown, 'Tents')).toBe('/c/tents')
      expect(shown.inputs.filter(({ name }) => name === 'q')).toHaveLength(1)
      expect(shown.links.some(({ href }) => href.startsWith('/search?q='))).toBe(true)
    }
  })

  test('too much: 400, said beside the field, which keeps it', async () => {
    const q = `${'warm tent '.repeat(100)}x`
    const shown = await open(address({ q }))
    expect([shown.status, value(shown, 'q')]).toEqual([400, q])
    expect(shown.html).toMatch(/<p class="field-error" id="field-q-error">Use at most 1,000 characters/)
    expect((await open(address({ q: q.slice(0, 1_000) }))).status).toBe(200)
  })

  test.each([
    '"><script>alert(1)</script>',
    '</title><img src=x onerror=alert(1)>',
    '<!--hole-->',
    `' or 1=1 --`,
    '\u202etxet \u0007 \ud83d\ude00 {{7*7}}',
    'q=1&category=tents#x',
    '%00%ff\\',
    '.*+?^$()|[]{}',
  ])('in whatever words, stays text: %s', async (q) => {
    const plain = await open(address({ q: 'tent' }))
    const shown = await open(address({ q, brand: q, sort: q, page: q }))
    expect(shown.status).toBe(200)
    const tags = (html: string, name: string) => html.match(new RegExp(`<${name}[ >]`, 'g'))?.length ?? 0
    expect(tags(shown.html, 'script')).toBe(tags(plain.html, 'script'))
    expect(shown.html).not.toMatch(/<img src=x|<!--|onerror=alert\(1\)>/)
    expect(shown.h1).toBe(q.replaceAll('\u0007', ' ').replace(/\s+/g, ' '))
    for (const { href } of shown.links) expect(href).toMatch(/^(?:\/|#)/)
  })
})

describe('when not all is there', () => {
  test('while the index is loading: 503, when to come back, and the words are kept', async () => {
    const { app } = await createTestApp({ database: world.database, demo: true })
    const shown = await open(address({ q: 'warm tent' }), app)
    expect([shown.status, shown.headers.get('retry-after')]).toEqual([503, '2'])
    expect(shown.h1).toBe('Search is starting')
    expect(value(shown, 'q')).toBe('warm tent')
    expect(hrefOf(shown, 'Try again')).toBe('/search?q=warm+tent')
    expect((await open('/search', app)).status).toBe(200)
  })

  test('without an embedder it says that words alone were compared', async () => {
    const { ctx, database } = world
    const index = () => world.a2a.search.index()
    const queryLog = createQueryLog(ctx)
    const deps = { ...ctx, index, embedder: null, learned: loadLearned(), sales: NO_SALES, queryLog }
    const search = {
      search: createSearch(deps),
      recordClick: createClickRecorder({ ...ctx, queryLog, open: () => wholeCatalog(index()) }),
    }
    const { app } = await createTestApp({ database, demo: true, search })
    expect((await open(address({ q: 'tent' }), app)).text).toContain('Showing keyword matches only')
    expect((await open(address({ q: 'zzqxv' }), app)).text).toContain('No products match this.')
    expect((await open(address({ q: 'tent' }))).text).not.toContain('keyword matches')
  })
})
