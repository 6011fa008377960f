/** Editing a kept plan over REST: what each edit does, what it refuses, and that nothing is lost on the way. */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { PLAN_EDITS_A_DAY } from '../../src/bundles/bundles.schema.ts'
import { withTools } from '../tools.world.ts'
import { createPerson } from './bundles.world.ts'
import { call, createPlanner, planOf, productsOf } from './plans.world.ts'
import { createDemoApp } from './search.world.ts'

let world: Awaited<ReturnType<typeof createDemoApp>>
const TODAY = '2026-11-01'

beforeAll(async () => {
  world = await createDemoApp()
})
beforeEach(() => world.clock.set(`${TODAY}T12:00:00Z`))

const editsOf = async (userId: string) =>
  (
    await world.database.pool.query<{ served: number; edited: number }>(
      'select served, edited from bundle_days where user_id = $1',
      [userId],
    )
  ).rows[0]

describe('reading', () => {
  test('gives the plan as it was made, with what else could fill each line', async () => {
    const { read, made, id } = await createPlanner(world)
    const plan = await read()
    expect(plan).toMatchObject({ plan_id: id, revision: 1, total: made.total, overview: made.overview })
    expect(productsOf(plan)).toEqual(productsOf(made as never))
    for (const { alternatives, product, cost } of plan.categories) {
      expect(alternatives.length).toBeGreaterThan(0)
      for (const one of alternatives) {
        expect(one.product.slug).not.toBe(product?.slug)
        expect(one.change).toBeCloseTo((one.cost ?? 0) - (cost ?? 0), 2)
        expect(one.total).toBeCloseTo(plan.total + (one.change ?? 0), 2)
        expect(one.fits).toBe((one.total ?? 0) <= 1500)
      }
    }
  })

  test('lists the plans of a person, the last changed first', async () => {
    const { as, id, person, edit } = await createPlanner(world)
    await person.search({ query: 'a tent and two sleeping bags under $400' })
    world.clock.advance(1_000)
    await edit({ keep: 'monitors' })
    const { body } = await as('GET', '/api/plans/')
    expect(body.plans).toMatchObject([
      { plan_id: id, revision: 2 },
      { revision: 1, budget: 400 },
    ])
  })

  test('shows the prices of now', async () => {
    const { read, made } = await createPlanner(world)
    const { slug, product, cost } = made.categories[0] ?? {}
    await world.database.pool.query(
      'update products set price_high_cents = price_high_cents + 100 where slug = $1',
      [product?.slug],
    )
    await world.database.pool.query(
      `insert into changes (product_id, aspect) select id, 'price' from products where slug = $1`,
      [product?.slug],
    )
    await world.catchUp()
    const plan = await read()
    expect(plan.categories.find((line) => line.slug === slug)?.cost).toBe((cost ?? 0) + 1)
    expect(plan.total).toBe(made.total + 1)
    await world.database.pool.query(
      'update products set price_high_cents = price_high_cents - 100 where slug = $1',
      [product?.slug],
    )
  })
})

describe('an edit', () => {
  test('keeps a product, and lets it go again', async () => {
    const { edit } = await createPlanner(world)
    const kept = await edit({ keep: 'monitors' })
    expect(kept.categories.map(({ slug, kept }) => [slug, kept])).toContainEqual(['monitors', true])
    expect(kept).toMatchObject({ revision: 2, changed: [] })
    const free = await edit({ keep: 'monitors', off: true })
    expect(free.categories.some(({ kept }) => kept)).toBe(false)
    expect(productsOf(free)).toEqual(productsOf(kept))
  })

  test('replaces a product with the one named, and back again', async () => {
    const { read, edit } = await createPlanner(world)
    const before = await read()
    const chair = before.categories.find(({ slug }) => slug === 'office-chairs')
    const other = chair?.alternatives.find(({ fits }) => fits)
    const after = await edit({ replace: 'office-chairs', with: `office-chairs/${other?.product.slug}` })
    expect(productsOf(after)).toEqual({ ...productsOf(before), 'office-chairs': other?.product.slug })
    expect(after.total).toBeCloseTo(other?.total ?? 0, 2)
    const back = await edit({ replace: 'office-chairs', with: chair?.product?.slug })
    expect([productsOf(back), back.total]).toEqual([productsOf(before), before.total])
  })

  test('replaces a product with the best other one that fits, another one each time', async () => {
    const { read, edit } = await createPlanner(world)
    const before = await read()
    const seen = [productsOf(before).monitors]
    for (let n = 0; n < 3; n++) {
      const plan = await edit({ replace: 'monitors' })
      const { monitors, ...others } = productsOf(plan)
      const { monitors: _, ...unchanged } = productsOf(before)
      expect(seen).not.toContain(monitors)
      expect(others).toEqual(unchanged)
      expect(plan.total).toBeLessThanOrEqual(1500)
      seen.push(monitors)
    }
  })

  test('removes a line, and puts it back where it was', async () => {
    const { read, edit } = await createPlanner(world)
    const before = await read()
    const without = await edit({ remove: 'office-chairs' })
    const { 'office-chairs': _, ...others } = productsOf(before)
    expect(productsOf(without)).toEqual(others)
    expect(without.left_out).toEqual([{ slug: 'office-chairs', label: 'Office chairs', why: 'removed' }])
    const back = await edit({ add: 'office-chairs' })
    expect(productsOf(back)).toEqual(productsOf(before))
    expect(back.categories.map(({ slug }) => slug)).toEqual(before.categories.map(({ slug }) => slug))
    expect(back).toMatchObject({ total: before.total, left_out: [] })
  })

  test('adds a category, or a product by its name', async () => {
    const { read, edit } = await createPlanner(world)
    const before = await read()
    await edit({ budget_usd: null })
    const after = await edit({ add: 'desk-lamps' })
    expect(productsOf(after)).toEqual({ ...productsOf(before), 'desk-lamps': expect.any(String) })
    const [other] = after.categories.find(({ slug }) => slug === 'desk-lamps')?.alternatives ?? []
    await edit({ remove: 'desk-lamps' })
    const named = await edit({ add: `desk-lamps/${other?.product.slug}` })
    expect(productsOf(named)['desk-lamps']).toBe(other?.product.slug)
  })

  test('of the budget changes only what must: more money changes nothing and says what it would buy', async () => {
    const { read, edit } = await createPlanner(world)
    const before = await read()
    const richer = await edit({ budget_usd: 3000 })
    expect([productsOf(richer), richer.total, richer.budget]).toEqual([
      productsOf(before),
      before.total,
      3000,
    ])
    expect(richer.upgrades.length).toBeGreaterThan(0)
    for (const { change, fits } of richer.upgrades)
      expect([(change ?? 0) > 0, typeof fits]).toEqual([true, 'boolean'])
    const poorer = await edit({ keep: 'monitors' }, { budget_usd: before.total - 20 })
    expect(poorer.total).toBeLessThanOrEqual(before.total - 20)
    expect(productsOf(poorer).monitors).toBe(productsOf(before).monitors)
    expect(poorer.changed).toHaveLength(1)
    expect(poorer.changed[0]).toMatchObject({ from: expect.any(String), to: expect.any(String) })
  })

  test('of a quantity counts every piece', async () => {
    const { read, edit } = await createPlanner(world)
    const before = await read()
    const one = before.categories.find(({ slug }) => slug === 'office-chairs')
    const after = await edit({ budget_usd: null }, { quantity: 3, line: 'Office chairs' })
    const three = after.categories.find(({ slug }) => slug === 'office-chairs')
    expect([three?.quantity, three?.cost]).toEqual([3, (one?.cost ?? 0) * 3])
    expect(after.total).toBe(before.total + (one?.cost ?? 0) * 2)
  })

  test('names a line by its category, its product, both, or its label', async () => {
    const { read, edit } = await createPlanner(world)
    const { product } = (await read()).categories.find(({ slug }) => slug === 'monitors') ?? {}
    for (const line of ['monitors', 'MONITORS', 'Monitors', product?.slug, `monitors/${product?.slug}`]) {
      const plan = await edit({ keep: line })
      expect(plan.categories.filter(({ kept }) => kept).map(({ slug }) => slug)).toEqual(['monitors'])
      await edit({ keep: 'monitors', off: true })
    }
  })
})

const REFUSED: Array<[name: string, edits: unknown, field: string, said: RegExp]> = [
  ['no edits', [], 'edits', /at least 1/],
  ['two things in one', [{ keep: 'monitors', remove: 'monitors' }], 'edits.0', /exactly one/],
  ['nothing in one', [{ off: true }], 'edits.0', /exactly one/],
  ['an unknown line', [{ keep: 'teapots' }], 'edits.0.keep', /has no line teapots/],
  ['a line that is there', [{ add: 'monitors' }], 'edits.0.add', /has a line for Monitors/],
  ['an unknown category', [{ add: 'desk-lamp' }], 'edits.0.add', /no category or product/],
  ['an unknown product', [{ add: 'desk-lamps/nope' }], 'edits.0.add', /no product desk-lamps\/nope/],
  [
    'a product of another line',
    [{ replace: 'monitors', with: 'KETTLE' }],
    'edits.0.with',
    /no product|not in/,
  ],
  ['too many pieces', [{ quantity: 1001, line: 'monitors' }], 'edits.0.quantity', /at most 1000/],
  ['a quantity of nothing', [{ quantity: 2 }], 'edits.0', /needs the line/],
  [
    'no line left',
    [{ remove: 'monitors' }, { remove: 'office-chairs' }, { remove: 'standing-desks' }],
    'edits',
    /at least one line/,
  ],
  [
    'a kept line over the budget',
    [{ keep: 'monitors' }, { budget_usd: 20 }],
    'edits',
    /more than your \$20 budget/,
  ],
  [
    'kept lines over it together',
    [{ keep: 'monitors' }, { keep: 'office-chairs' }, { keep: 'standing-desks' }, { budget_usd: 700 }],
    'edits',
    /what you keep costs/,
  ],
  ['three decimals', [{ budget_usd: 10.001 }], 'edits.0.budget_usd', /two decimals/],
  [
    'a second edit that fails',
    [{ remove: 'monitors' }, { keep: 'monitors' }],
    'edits.1.keep',
    /no line monitors/,
  ],
]

describe('an edit that cannot be', () => {
  let one: Awaited<ReturnType<typeof createPlanner>>
  beforeAll(async () => {
    one = await createPlanner(world)
  })
  test.each(REFUSED)('%s is a clear 400 that changes nothing', async (_, edits, field, said) => {
    const before = await one.read()
    const { status, body } = await one.tryEdit(edits)
    expect([status, body.field]).toEqual([400, field])
    expect(body.error).toMatch(said)
    expect(await one.read()).toEqual(before)
    expect(await editsOf(one.person.id)).toEqual({ served: 1, edited: 0 })
  })

  test('more than eight lines is one too', async () => {
    const { edit, tryEdit, read } = await createPlanner(world)
    const { slugs } = {
      slugs: world.searchRuntime.search
        .index()
        .categories()
        .map(({ slug }) => slug),
    }
    const free = slugs.filter((slug) => !['monitors', 'office-chairs', 'standing-desks'].includes(slug))
    const plan = await edit({ budget_usd: null }, ...free.slice(0, 5).map((add) => ({ add })))
    expect(plan.categories).toHaveLength(8)
    const { status, body } = await tryEdit([{ add: free[5] }])
    expect([status, body.field, body.max]).toEqual([400, 'edits', 8])
    expect((await read()).categories).toHaveLength(8)
  })
})

describe('whose plan it is', () => {
  test('anybody else’s id is answered as an unknown one', async () => {
    const { path } = await createPlanner(world)
    const other = await createPerson(world, true)
    const unknown = '/api/plans/01990000-0000-7000-8000-000000000000/'
    const headers = { cookie: other.cookie }
    for (const [method, body] of [
      ['GET'],
      ['PATCH', { edits: [{ keep: 'monitors' }] }],
      ['DELETE'],
    ] as const) {
      const theirs = await call(world, method, path, { body, headers })
      const none = await call(world, method, unknown, { body, headers })
      expect([theirs.status, theirs.body]).toEqual([404, none.body])
    }
    expect(await editsOf(other.id)).toBeUndefined()
  })

  test('nobody is 401, an email that is not verified 403, another site 403', async () => {
    const { path, person } = await createPlanner(world)
    const unverified = await createPerson(world, false)
    expect((await call(world, 'GET', path)).body.code).toBe('unauthenticated')
    const waiting = await call(world, 'GET', path, { headers: { cookie: unverified.cookie } })
    expect([waiting.status, waiting.body.code]).toEqual([403, 'EMAIL_UNVERIFIED_CODE'])
    const elsewhere = { cookie: person.cookie, origin: 'https://elsewhere.example' }
    expect((await call(world, 'DELETE', path, { headers: elsewhere })).status).toBe(403)
    const bad = { cookie: person.cookie, authorization: 'Bearer nonsense' }
    expect((await call(world, 'GET', path, { headers: bad })).status).toBe(401)
  })

  test('an access token of the person does as well as the cookie', async () => {
    const souk = withTools(world)
    const ada = await souk.person()
    const { data } = await souk.call(ada, 'product_curator', {
      query: 'a desk and a chair under $900',
      bundle: true,
    })
    expect(data).toMatchObject({ kind: 'bundle' })
    const headers = { authorization: `Bearer ${ada.token}` }
    const { body } = await call(world, 'GET', '/api/plans/', { headers })
    expect(body.plans).toMatchObject([{ budget: 900 }])
  })
})

describe('edits at once', () => {
  test('all apply, one after the other, and none is lost', async () => {
    const { tryEdit, read } = await createPlanner(world)
    const lines = ['monitors', 'office-chairs', 'standing-desks']
    const answers = await Promise.all(lines.map((keep) => tryEdit([{ keep }])))
    const done = lines.filter((_, at) => answers[at]?.status === 200)
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true)
    expect(done.length).toBeGreaterThan(0)
    const plan = await read()
    expect(
      plan.categories
        .filter(({ kept }) => kept)
        .map(({ slug }) => slug)
        .sort(),
    ).toEqual(done.sort())
    expect(plan.revision).toBe(1 + done.length)
  })

  test('of one revision, exactly one applies and the others are a conflict', async () => {
    const { tryEdit, read, person } = await createPlanner(world)
    const answers = await Promise.all(
      [2, 3, 4, 5].map((quantity) => tryEdit([{ quantity, line: 'monitors' }, { budget_usd: null }], 1)),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409])
    const won = answers.find(({ status }) => status === 200)
    expect(await read()).toMatchObject({ revision: 2, total: planOf(won as never).total })
    expect(await editsOf(person.id)).toEqual({ served: 1, edited: 1 })
  })
})

test('edits have a limit of their own, which failed ones do not count against', async () => {
  const { tryEdit, person } = await createPlanner(world)
  await world.database.pool.query('update bundle_days set edited = $2 where user_id = $1', [
    person.id,
    PLAN_EDITS_A_DAY - 1,
  ])
  expect((await tryEdit([{ keep: 'teapots' }])).status).toBe(400)
  expect((await tryEdit([{ keep: 'monitors' }])).status).toBe(200)
  const { status, headers, body } = await tryEdit([{ keep: 'monitors', off: true }])
  expect([status, headers.get('retry-after')]).toEqual([429, String(12 * 3600)])
  expect(body).toEqual({ error: expect.stringContaining('200'), max: 200, code: 'quota_exceeded' })
  expect(await editsOf(person.id)).toEqual({ served: 1, edited: PLAN_EDITS_A_DAY })
  world.clock.set('2026-11-02T00:00:00Z')
  expect((await tryEdit([{ keep: 'monitors', off: true }])).status).toBe(200)
})
