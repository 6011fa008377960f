/** `POST /api/search/` and what callers send it: the body table of the interface's part 7, over HTTP. */
import { beforeAll, describe, expect, test } from 'vitest'
import { ask, createDemoApp, demoProducts, find, slugs } from './search.world.ts'

let app: Awaited<ReturnType<typeof createDemoApp>>['app']
beforeAll(async () => {
  ;({ app } = await createDemoApp())
})

const query = 'quiet kettle'
const MANY = Array.from({ length: 21 }, (_, n) => `x${n}`)
const PATHS = ['/api/search/', '/api/search']

describe('a search request', () => {
  test.each<[what: string, body: unknown, field: string]>([
    ['no query', {}, 'query'],
    ['an empty query', { query: '' }, 'query'],
    ['a query of blanks', { query: ' \t\n\u00a0 ' }, 'query'],
    ['a query that is a number', { query: 7 }, 'query'],
    ['a query that is null', { query: null }, 'query'],
    ['a query that is a list', { query: ['kettle'] }, 'query'],
    ['a session_id that is a number', { query, session_id: 5 }, 'session_id'],
    ['a session_id of 201 characters', { query, session_id: 'x'.repeat(201) }, 'session_id'],
    ['a bundle that is a string', { query, bundle: 'true' }, 'bundle'],
    ['filters that are a string', { query, filters: 'kettles' }, 'filters'],
    ['filters that are a list', { query, filters: [] }, 'filters'],
    ['filters that are null', { query, filters: null }, 'filters'],
    ['a category that is a number', { query, filters: { category: 1 } }, 'filters.category'],
    ['an empty category', { query, filters: { category: '' } }, 'filters.category'],
    ['a brand that is a number', { query, filters: { brand: 1 } }, 'filters.brand'],
    ['a brand of blanks', { query, filters: { brand: ' ' } }, 'filters.brand'],
    [
      'exclude_brands that are a string',
      { query, filters: { exclude_brands: 'x' } },
      'filters.exclude_brands',
    ],
    ['21 exclude_brands', { query, filters: { exclude_brands: MANY } }, 'filters.exclude_brands'],
    ['specs that are a list', { query, filters: { specs: ['x'] } }, 'filters.specs'],
    ['a spec that is a number', { query, filters: { specs: { seats: 3 } } }, 'filters.specs.seats'],
    [
      '21 specs',
      { query, filters: { specs: Object.fromEntries(MANY.map((name) => [name, name])) } },
      'filters.specs',
    ],
    ['a min_price that is a string', { query, filters: { min_price: '10' } }, 'filters.min_price'],
    ['a max_price that is a string', { query, filters: { max_price: '10' } }, 'filters.max_price'],
    ['a max_price that is null', { query, filters: { max_price: null } }, 'filters.max_price'],
    ['a min_price below zero', { query, filters: { min_price: -0.01 } }, 'filters.min_price'],
    ['a max_price below zero', { query, filters: { max_price: -1 } }, 'filters.max_price'],
    ['an on_sale that is a string', { query, filters: { on_sale: 'yes' } }, 'filters.on_sale'],
    ['an on_sale that is a number', { query, filters: { on_sale: 1 } }, 'filters.on_sale'],
    ['a limit of 0', { query, limit: 0 }, 'limit'],
    ['a limit of 51', { query, limit: 51 }, 'limit'],
    ['a limit of 1.5', { query, limit: 1.5 }, 'limit'],
    ['a limit that is a string', { query, limit: '10' }, 'limit'],
    ['a limit that is null', { query, limit: null }, 'limit'],
    ['an offset of -1', { query, offset: -1 }, 'offset'],
    ['an offset of 10001', { query, offset: 10_001 }, 'offset'],
    ['an offset that is a string', { query, offset: '0' }, 'offset'],
    ['an include that is a string', { query, include: 'facets' }, 'include'],
    ['an include of something unknown', { query, include: ['facets', 'secrets'] }, 'include.1'],
  ])('with %s is 400 and names the field, with and without the trailing slash', async (_, body, field) => {
    for (const path of PATHS) {
      const asked = await ask(app, body, { path })
      expect(asked.status).toBe(400)
      expect(asked.headers.get('content-type')).toContain('application/json')
      expect(asked.body.field).toBe(field)
      expect(asked.body.error).toMatch(new RegExp(`^${field}: `))
      expect(asked.body.results).toBeUndefined()
    }
  })

  test.each<[what: string, body: string | Uint8Array]>([
    ['nothing', ''],
    ['no JSON', 'query=kettle'],
    ['JSON that was cut', '{"query":"kettle"'],
    ['a JSON list', '[{"query":"kettle"}]'],
    ['a JSON null', 'null'],
    ['a JSON string', '"kettle"'],
    ['bytes that are no UTF-8', Buffer.from('{"query":"kettle \xff\xfe"}', 'latin1')],
  ])('whose body is %s is 400 and says so', async (_, body) => {
    for (const path of PATHS) {
      const asked = await ask(app, body, { path })
      expect(asked.status).toBe(400)
      expect(asked.body).toEqual({ error: expect.stringMatching(/the body .*JSON/) })
    }
  })

  test('with a query of 1,000 characters is answered, with one of 1,001 is 400 with the limit', async () => {
    const words = 'kettle '.repeat(200)
    expect((await find(app, { query: words.slice(0, 1_000) })).query_id).toMatch(/./)
    const { status, body } = await ask(app, { query: words.slice(0, 1_001) })
    expect([status, body.field, body.max]).toEqual([400, 'query', 1_000])
  })

  test('with limits and offsets at the ends of their ranges is answered', async () => {
    const found = async (more: object) => (await find(app, { query: 'tent', ...more })).results
    expect(await found({ limit: 1 })).toHaveLength(1)
    expect((await found({ limit: 50 })).length).toBeGreaterThan(10)
    expect(await found({ offset: 10_000 })).toEqual([])
    expect(await found({})).toHaveLength(10)
  })

  test('over the limit of a number is told the limit', async () => {
    expect((await ask(app, { query, limit: 51 })).body.max).toBe(50)
    expect((await ask(app, { query, offset: 10_001 })).body.max).toBe(10_000)
  })

  test('with an unknown category is 400 and lists categories that exist, the nearest first', async () => {
    const known = new Set(demoProducts().products.map(({ category }) => category.slug))
    const [some = ''] = known
    const { status, body } = await ask(app, { query, filters: { category: `${some}x` } })
    expect([status, body.field, body.valid?.[0]]).toEqual([400, 'filters.category', some])
    for (const slug of body.valid ?? []) expect(known).toContain(slug)
    expect((body.valid ?? []).length).toBeLessThan(known.size)
  })

  test('with an unknown value of include is told which there are', async () => {
    expect((await ask(app, { query, include: ['x'] })).body.valid).toEqual(['facets', 'explain'])
  })

  test('over 256 KB is 413, whether its length is announced or found out', async () => {
    const large = JSON.stringify({ query, padding: 'x'.repeat(256 * 1024) })
    const announced = await ask(app, large, { headers: { 'Content-Length': String(large.length) } })
    const foundOut = await ask(app, large)
    for (const { status, body } of [announced, foundOut])
      expect([status, body.code, body.max]).toEqual([413, 'body_too_large', 256 * 1024])
  })

  test('with unknown fields is answered as if they were not there', async () => {
    const plain = await find(app, { query })
    const more = await find(app, { query, order: 7, filters: { colour: 'red' }, ['__proto__']: { limit: 1 } })
    expect(more.results).toEqual(plain.results)
  })

  test('that asks for a bundle anonymously gets the regular shape', async () => {
    const { results } = await find(app, { query: 'home office setup under $800' })
    const bundle = await find(app, { query: 'home office setup under $800', bundle: true })
    expect(bundle).not.toHaveProperty('type')
    expect(bundle.results).toEqual(results)
  })

  test('by another method is 405 and says which is taken', async () => {
    for (const path of PATHS)
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const response = await app.request(path, { method })
        expect(response.status).toBe(405)
        expect(response.headers.get('allow')?.split(', ')).toContain('POST')
        expect(await response.json()).toEqual({ error: expect.stringContaining('POST') })
      }
  })
})

describe('a search answer', () => {
  test('has the given fields and no other, unless they were asked for', async () => {
    const body = await find(app, { query: 'tent' })
    expect(Object.keys(body)).toEqual(['query_id', 'results', 'match'])
    expect(body.match).toBe('good')
    expect(body.results.length).toBeGreaterThan(0)
    expect(body.query_id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/)
    const { bySlug } = demoProducts()
    for (const result of body.results) {
      const product = bySlug.get(result.slug)
      expect(result).toEqual({
        slug: product?.slug,
        title: product?.title,
        category: product?.category.slug,
        verdict: product?.verdict,
        price_range: expect.stringMatching(/^\$[\d,.]+( – \$[\d,.]+)?$/),
        price_now_usd: expect.any(Number),
        url: `/p/${product?.category.slug}/${product?.slug}`,
        similarity: expect.any(Number),
        is_sponsored: false,
        reason: expect.any(String),
      })
    }
    const asked = await find(app, { query: 'tent', include: ['explain', 'facets'] })
    expect(Object.keys(asked).sort()).toEqual(['explain', 'facets', 'match', 'query_id', 'results'])
  })

  test('without anything that fits says so, and keeps what comes closest apart', async () => {
    const body = await find(app, { query: 'asdkjh qwe' })
    expect(body).toMatchObject({ results: [], match: 'none', note: expect.stringMatching(/\S/) })
    expect(body.nearest?.length).toBeLessThanOrEqual(5)
  })

  test('to a query that demands something says what was obeyed', async () => {
    const { match, note, nearest } = await find(app, { query: 'tent under $400' })
    expect([match, nearest]).toEqual(['good', undefined])
    expect(note).toContain('$400')
  })

  test('holds to the brand, the brands left out and the specs of its filters', async () => {
    const { bySlug } = demoProducts()
    const brandsOf = ({ results }: { results: Array<{ slug: string }> }) =>
      results.map(({ slug }) => bySlug.get(slug)?.brand?.name ?? '')
    const asked = { query: 'tent', limit: 50, filters: { category: 'tents' } }
    const [some = ''] = brandsOf(await find(app, asked))
    const only = await find(app, { ...asked, filters: { category: 'tents', brand: some.toUpperCase() } })
    expect(new Set(brandsOf(only))).toEqual(new Set([some]))
    const others = await find(app, { ...asked, filters: { category: 'tents', exclude_brands: [some] } })
    expect(others.results.length).toBeGreaterThan(0)
    expect(brandsOf(others)).not.toContain(some)
    const specified = await find(app, {
      ...asked,
      filters: { category: 'tents', specs: { capacity: '2 people' } },
    })
    expect(specified.results.length).toBeGreaterThan(0)
    for (const { slug } of specified.results)
      expect(bySlug.get(slug)?.specs.find(({ name }) => /capacity/i.test(name))?.value).toBe('2 people')
  })

  test('is the same with and without the trailing slash', async () => {
    const [one, other] = await Promise.all(PATHS.map((path) => ask(app, { query: 'tent' }, { path })))
    expect(slugs(one?.body.results ?? [])).toEqual(slugs(other?.body.results ?? []))
    expect(one?.body.results.length).toBe(10)
    expect(one?.body.query_id).not.toBe(other?.body.query_id)
  })

  test.each([
    ['a NUL', 'kettle \u0000 quiet'],
    ['half a character', 'kettle \ud83d'],
    ['only signs', '!!! ??? ---'],
    ['another script', '静かな電気ケトル'],
    ['right-to-left marks', '\u202ekettle\u202c'],
    ['SQL', `'; drop table products; --`],
    ['a regular expression', '(a+)+$ [z-a] \\'],
    ['a property of objects', '__proto__ constructor toString'],
  ])('comes for a query with %s', async (_, odd) => {
    expect(['good', 'near', 'none']).toContain((await find(app, { query: odd })).match)
  })
})
