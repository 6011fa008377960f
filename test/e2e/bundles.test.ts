/**
 * Bundles through `POST /api/search/`: who gets one and for what (interface 4, rule 1), and in which shape (2.4).
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { beforeAll, describe, expect, test } from 'vitest'
import { one } from '../../src/db/rows.ts'
import { createFastLane } from '../../src/http/fast-lane.ts'
import { repeatedSearch } from '../../src/search/repeated.routes.ts'
import { createTestApp } from '../harness.ts'
import { bundleOf, createPerson, isBundle, PATTERN, PLAIN } from './bundles.world.ts'
import { ask, createDemoApp, demoProducts } from './search.world.ts'

type World = Awaited<ReturnType<typeof createDemoApp>>
type Person = Awaited<ReturnType<typeof createPerson>>
let world: World
let verified: Person
let unverified: Person
const TODAY = '2026-11-01'

beforeAll(async () => {
  world = await createDemoApp()
  verified = await createPerson(world, true)
  unverified = await createPerson(world, false)
})

/** Without what every regular answer may add: how well it fits. */
const partsOf = (body: object) =>
  Object.keys(body).filter((key) => !['match', 'note', 'nearest'].includes(key))

describe('who gets a bundle', () => {
  const getsOne = new Set([
    'verified, bundle true, no category, a pattern',
    'verified, bundle true, no category, no pattern',
    'verified, bundle absent, no category, a pattern',
  ])
  const cases = ['anonymous', 'unverified', 'verified'].flatMap((caller) =>
    ['bundle true', 'bundle false', 'bundle absent'].flatMap((bundle) =>
      ['a category', 'no category'].flatMap((category) =>
        ['a pattern', 'no pattern'].map((query) => [caller, bundle, category, query] as const),
      ),
    ),
  )

  test.each(cases.map((words) => [words.join(', '), ...words] as const))(
    '%s',
    async (name, caller, bundle, category, query) => {
      const body = {
        query: query === 'a pattern' ? PATTERN : PLAIN,
        ...(bundle !== 'bundle absent' && { bundle: bundle === 'bundle true' }),
        ...(category === 'a category' && { filters: { category: 'air-fryers' } }),
      }
      const person = { verified, unverified }[caller]
      const before = await verified.served()
      const answer = person ? await person.search(body) : await ask(world.app, body)
      expect(answer.status).toBe(200)
      // A pattern is one whatever `bundle: false` says: the interface knows the field only as a way in.
      const expected = getsOne.has(name.replace('bundle false', 'bundle absent'))
      const keys = expected
        ? ['type', 'query_id', 'plan_id', 'overview', 'budget', 'total', 'categories']
        : ['query_id', 'results']
      expect(partsOf(answer.body)).toEqual(keys)
      const spent = ((await verified.served())[TODAY] ?? 0) - (before[TODAY] ?? 0)
      expect(spent).toBe(expected ? 1 : 0)
    },
  )

  test('a wrong body is 400 for everybody, before anything is looked at', async () => {
    for (const body of ['{', { query: '' }, { query: PATTERN, bundle: 'true' }, { query: PATTERN, limit: 0 }])
      expect((await verified.search(body)).status).toBe(400)
    const { status, body } = await verified.search({ query: PATTERN, filters: { category: 'air-fryerz' } })
    expect([status, body.field]).toEqual([400, 'filters.category'])
  })

  test('a bearer token is nobody here, even beside a good cookie', async () => {
    const answer = await verified.search({ query: PATTERN, bundle: true }, { authorization: 'Bearer x' })
    expect(partsOf(answer.body)).toEqual(['query_id', 'results'])
  })

  test('a session that has ended gets the regular answer', async () => {
    const person = await createPerson(world, true)
    await person.browser.post('/auth/signout')
    const answer = await person.search({ query: PATTERN, bundle: true })
    expect(partsOf(answer.body)).toEqual(['query_id', 'results'])
  })

  test('a post that another site makes a browser send gets the regular answer and spends nothing', async () => {
    const person = await createPerson(world, true)
    const fromElsewhere: Array<Record<string, string>> = [
      { 'sec-fetch-site': 'cross-site', origin: 'https://elsewhere.example' },
      { 'sec-fetch-site': 'same-site', origin: 'http://souk.test' },
      { origin: 'https://elsewhere.example' },
      { origin: 'null' },
    ]
    for (const headers of fromElsewhere) {
      const answer = await person.search({ query: PATTERN, bundle: true }, headers)
      expect([answer.status, isBundle(answer)]).toEqual([200, false])
    }
    expect(await person.served()).toEqual({})
    const fromHere: Array<Record<string, string>> = [
      { 'sec-fetch-site': 'same-origin' },
      { origin: 'http://souk.test' },
    ]
    for (const headers of fromHere)
      expect(isBundle(await person.search({ query: PATTERN }, headers))).toBe(true)
  })

  test('an ordinary search with a cookie reads no session; one that may be a bundle does', async () => {
    const person = await createPerson(world, true)
    const lastSeen = async () => {
      const rows = await world.database.db
        .selectFrom('sessions')
        .select('last_seen_at')
        .where('user_id', '=', person.id)
        .execute()
      return rows.map(({ last_seen_at }) => last_seen_at.toISOString())
    }
    const [before] = await lastSeen()
    // Reading a session that was last seen over an hour ago leaves a trace.
    world.clock.advance(2 * 3_600_000)
    await person.search({ query: PLAIN })
    await person.search({ query: PATTERN, filters: { category: 'air-fryers' } })
    expect(await lastSeen()).toEqual([before])
    await person.search({ query: PATTERN })
    expect(await lastSeen()).toEqual([world.clock.now().toISOString()])
    world.clock.set(`${TODAY}T12:00:00Z`)
  })
})

test('an answer that is remembered for strangers never stands in for a bundle', async () => {
  const { search } = world.searchRuntime
  const lane = createFastLane({
    ready: [repeatedSearch({ search, trustProxy: false, https: false })],
    trustProxy: false,
    log: world.ctx.log,
  })
  const routed = getRequestListener(world.app.fetch)
  const server = createServer((request, response) => {
    lane(request, response, () => void routed(request, response))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const { port } = server.address() as AddressInfo
    const post = async (headers: Record<string, string>) => {
      const body = JSON.stringify({ query: PATTERN })
      const init = { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body }
      return (await (await fetch(`http://127.0.0.1:${port}/api/search/`, init)).json()) as object
    }
    const person = await createPerson(world, true)
    for (let round = 0; round < 2; round++) {
      expect(await post({})).toHaveProperty('results')
      expect(await post({ cookie: person.cookie })).toHaveProperty('type', 'bundle')
    }
  } finally {
    await new Promise((resolve) => server.close(resolve))
  }
})

describe('a bundle', () => {
  test('has the shape of the interface, with the additions beside it', async () => {
    const person = await createPerson(world, true)
    const answer = await person.search({ query: PATTERN })
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
    const { bySlug } = demoProducts()
    const bundle = bundleOf(answer)
    expect(bundle).toEqual({
      type: 'bundle',
      query_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      plan_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      overview: expect.stringMatching(/\S/),
      budget: 1500,
      total: expect.any(Number),
      categories: expect.any(Array),
    })
    expect(bundle.categories.length).toBeGreaterThanOrEqual(2)
    expect(bundle.categories.length).toBeLessThanOrEqual(8)
    for (const category of bundle.categories) {
      expect(category).toEqual({
        slug: expect.stringMatching(/^[a-z0-9-]+$/),
        label: expect.stringMatching(/\S/),
        role: expect.stringMatching(/\S/),
        kept: false,
        reasoning: expect.stringMatching(/\S/),
        budget_allocated: expect.any(Number),
        over_budget: expect.any(Boolean),
        quantity: expect.any(Number),
        cost: expect.any(Number),
        product: {
          slug: expect.any(String),
          url: `/p/${category.slug}/${category.product?.slug}`,
          title: bySlug.get(category.product?.slug ?? '')?.title,
          price_range: expect.stringMatching(/^\$/),
          verdict: bySlug.get(category.product?.slug ?? '')?.verdict,
        },
      })
    }
    const cost = bundle.categories.reduce((sum, category) => sum + (category.cost ?? 0), 0)
    expect(bundle.total).toBeCloseTo(cost, 2)
    if (!bundle.categories.some(({ over_budget }) => over_budget))
      expect(bundle.total).toBeLessThanOrEqual(1500)
  })

  test('of things named together takes those things', async () => {
    const bundle = bundleOf(await verified.search({ query: PATTERN }))
    const slugs = bundle.categories.map(({ slug }) => slug)
    expect(slugs).toEqual(expect.arrayContaining(['standing-desks', 'office-chairs', 'monitors']))
  })

  test('is entered into the log of searches with its products, best category first', async () => {
    const person = await createPerson(world, true)
    const bundle = bundleOf(await person.search({ query: PATTERN, session_id: 'visit-1' }))
    const chosen = bundle.categories.flatMap(({ product }) => product?.slug ?? [])
    const { rows: products } = await world.database.pool.query<{ id: string; slug: string }>(
      'select id, slug from products where slug = any($1)',
      [chosen],
    )
    const product_ids = chosen.map((slug) => products.find((product) => product.slug === slug)?.id)
    await expect
      .poll(
        () => one(world.database.db)`
          select a.query, q.session_id, a.face, a.product_ids
          from search_queries q join search_answers a on a.id = q.answer_id where q.id = ${bundle.query_id}`,
      )
      .toEqual({ query: PATTERN, session_id: 'visit-1', face: 'rest', product_ids })
  })

  test('keeps to a filter by price for each of its products', async () => {
    const { bySlug } = demoProducts()
    const person = await createPerson(world, true)
    const highest = (bundle: ReturnType<typeof bundleOf>) =>
      bundle.categories.map(({ product }) => bySlug.get(product?.slug ?? '')?.priceLowCents ?? 0)
    const free = bundleOf(await person.search({ query: PATTERN }))
    const max_price = 200
    expect(Math.max(...highest(free))).toBeGreaterThan(max_price * 100)
    const bounded = bundleOf(await person.search({ query: PATTERN, filters: { max_price } }))
    expect(Math.max(...highest(bounded))).toBeLessThanOrEqual(max_price * 100)
    expect(bounded.categories.some(({ product }) => product !== null)).toBe(true)
  })

  test('that was not asked for is never made up of what does not fit the wish', async () => {
    const person = await createPerson(world, true)
    const query = 'starter kit for xqzzvw plokfre under $500'
    expect(isBundle(await person.search({ query }))).toBe(false)
    expect(await person.served()).toEqual({})
    expect(isBundle(await person.search({ query, bundle: true }))).toBe(true)
  })

  test('of an empty catalog is empty, and still has its shape', async () => {
    const empty = await createTestApp()
    await empty.searchRuntime.fill()
    const person = await createPerson(empty, true)
    const { status, body } = await person.search({ query: PATTERN, bundle: true })
    expect([status, body]).toMatchObject([200, { type: 'bundle', categories: [], total: 0 }])
  })

  test('of more than a thousand of a thing is refused in words, and of sixty is priced for sixty', async () => {
    const person = await createPerson(world, true)
    const wanted = (many: number) => `${many} office chairs and ${many} desk lamps under $900000`
    const { status, body } = await person.search({ query: wanted(100_000), bundle: true })
    expect([status, body]).toEqual([
      400,
      { error: expect.stringContaining('1,000'), field: 'query', max: 1_000 },
    ])
    expect(await person.served()).toEqual({})
    const bundle = bundleOf(await person.search({ query: wanted(60) }))
    expect(bundle.categories.map(({ quantity }) => quantity)).toEqual([60, 60])
  })

  test('in another currency is planned in dollars and says so, asked for or not', async () => {
    const person = await createPerson(world, true)
    const query = 'a standing desk, an office chair and a monitor under €900'
    for (const asked of [{ bundle: true }, {}]) {
      const { budget, overview } = bundleOf(await person.search({ query, ...asked }))
      expect([budget, overview]).toEqual([
        900,
        expect.stringMatching(/US dollars.*no exchange rate for €, so we read your budget as \$900/),
      ])
    }
  })
})
