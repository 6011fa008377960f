/** Rules of managed pricing as producers set, read and try them, over REST. */
import { expect, test } from 'vitest'
import { addMember, call, relate } from '../orgs.ts'
import { type Body, createManagedWorld, FLOORS, PRICING, SIMULATE } from './rfq.managed.world.ts'

const world = await createManagedWorld()
const { product, managed, send, rulesOf, simulate, rowCounts, quotesFor: ask } = world

const SHOWN = {
  max_discount_pct: 40,
  lead_time_days: 3,
  return_policy_days: 30,
  in_stock: true,
  delivery_regions: ['CA-US', 'Germany'],
  shipping_cost_usd: 4.5,
}

test('rules are read back as they were set, without the floors; absent keeps and null clears', async () => {
  const stool = await product()
  const org = await managed(stool, { ...SHOWN, ...FLOORS })
  expect(await rulesOf(org, stool)).toEqual(SHOWN)
  await send(org, 'PATCH', PRICING, { product_slug: stool.slug, lead_time_days: 5 })
  expect(await rulesOf(org, stool)).toEqual({ ...SHOWN, lead_time_days: 5 })
  const price = async () => (await simulate(org, stool, { quantity: 100 })).quote
  expect(await price()).toMatchObject({ price_usd: 85, estimated_shipping_days: 5 })
  await send(org, 'PATCH', PRICING, { product_slug: stool.slug, min_margin_pct: null })
  expect(await price()).toMatchObject({ price_usd: 81 })
  const cleared = { reserve_price_usd: null, max_discount_pct: null, lead_time_days: null }
  await send(org, 'PATCH', PRICING, { product_slug: stool.slug, ...cleared })
  expect(await price()).toMatchObject({ price_usd: 50, shipping_cost_usd: 4.5 })
  expect(await price()).not.toHaveProperty('estimated_shipping_days')
  expect(await rulesOf(org, stool)).toMatchObject({ max_discount_pct: null, return_policy_days: 30 })
  const { rows } = await world.database.pool.query(
    'select floors_box from product_pricing where org_id = $1',
    [org.id],
  )
  expect(rows).toEqual([{ floors_box: null }])
})

test('a product that is unknown, or not known to be the organization’s, is 404 and leaves nothing behind', async () => {
  const [own, others, waiting] = [await product(), await product(), await product()]
  const org = await managed(own)
  await managed(others)
  await relate(world, org, waiting.id, { status: 'pending' })
  const admin = await addMember(world, org, 'admin')
  const before = await rowCounts()
  for (const slug of ['stools/no-such', others.slug, waiting.slug])
    for (const by of [org.session, admin]) {
      const body = { product_slug: slug, lead_time_days: 1, quantity: 1 }
      const answers = [
        await call(world, by, 'PATCH', PRICING, body),
        await call(world, by, 'GET', `${PRICING}?product_slug=${slug}`),
        await call(world, by, 'POST', SIMULATE, body),
      ]
      for (const answer of answers)
        expect(answer, slug).toMatchObject({ status: 404, body: { code: 'not_found' } })
    }
  expect(await rowCounts()).toEqual(before)
})

test('owners and admins set rules; editors, viewers and the link token read and simulate them', async () => {
  const stool = await product()
  const org = await managed(stool)
  const body = { product_slug: stool.slug, lead_time_days: 2 }
  for (const by of [org.session, await addMember(world, org, 'admin')])
    expect((await call(world, by, 'PATCH', PRICING, body)).body).toEqual({ ok: true })
  const [editor, viewer] = [await addMember(world, org, 'editor'), await addMember(world, org, 'viewer')]
  for (const by of [editor, viewer, org.bearer]) {
    expect(await call(world, by, 'PATCH', PRICING, { ...body, lead_time_days: 9, ...FLOORS })).toMatchObject({
      status: 403,
      body: { code: 'not_owner_or_admin' },
    })
    const read = await call(world, by, 'GET', `${PRICING}?product_slug=${stool.slug}`)
    expect(read.body).toEqual({ product_slug: stool.slug, rules: { lead_time_days: 2 } })
    expect(read.headers.get('cache-control')).toBe('no-store')
    expect((await call(world, by, 'POST', SIMULATE, { product_slug: stool.slug })).body.would).toBe('quote')
  }
})

test.each([
  ['max_discount_pct', 101, 'max_discount_pct'],
  ['max_discount_pct', 1.005, 'max_discount_pct'],
  ['lead_time_days', 1.5, 'lead_time_days'],
  ['return_policy_days', -1, 'return_policy_days'],
  ['reserve_price_usd', '9.99', 'reserve_price_usd'],
  ['reserve_price_usd', 9.999, 'reserve_price_usd'],
  ['min_margin_pct', 100, 'min_margin_pct'],
  ['in_stock', 1, 'in_stock'],
  ['delivery_regions', ['CA-US', 'Atlantis'], 'delivery_regions.1'],
  ['delivery_regions', ['CA'], 'delivery_regions.0'],
  ['shipping_cost_usd', -5, 'shipping_cost_usd'],
  ['product_slug', 'No Slug', 'product_slug'],
  ['product_slug', undefined, 'product_slug'],
])('%s %j is 400 and names the field, and nothing of the body is kept', async (field, value, named) => {
  const stool = await product()
  const org = await managed(stool, { lead_time_days: 4 })
  const body = { product_slug: stool.slug, return_policy_days: 9, [field]: value }
  expect(await call(world, org.session, 'PATCH', PRICING, body)).toMatchObject({
    status: 400,
    body: { field: named },
  })
  expect(await rulesOf(org, stool)).toEqual({ lead_time_days: 4 })
})

test('changes of different fields at the same moment all stay, the very first ones too', async () => {
  const stool = await product()
  const org = await managed(stool)
  const changes = Object.entries({ ...SHOWN, ...FLOORS }).map(([field, value]) =>
    send(org, 'PATCH', PRICING, { product_slug: stool.slug, [field]: value }),
  )
  await Promise.all(changes)
  expect(await rulesOf(org, stool)).toEqual(SHOWN)
  expect((await simulate(org, stool, { quantity: 100 })).quote).toMatchObject({ price_usd: 85 })
})

test('a change is in the history by the names of what it touched; one that changes nothing is not', async () => {
  const stool = await product()
  const org = await managed(stool)
  const set = (rules: Body) => send(org, 'PATCH', PRICING, { product_slug: stool.slug, ...rules })
  for (const rules of [{}, { unknown: 1 }, FLOORS, { in_stock: false, lead_time_days: 1 }]) await set(rules)
  const { entries } = (await send(org, 'GET', '/api/org/audit/')) as { entries: Body[] }
  expect(
    entries.filter(({ action }) => action === 'pricing.changed').map(({ detail }) => detail),
  ).toStrictEqual([
    { product_slug: stool.slug, rules: ['in_stock', 'lead_time_days'] },
    { product_slug: stool.slug, rules: [], limits: 'set' },
  ])
})

test('a simulation shows each step, stores nothing, and is what a request at the same moment is answered', async () => {
  const stool = await product()
  const org = await managed(stool, { ...SHOWN, reserve_price_usd: 70 })
  const request = { quantity: 100, delivery_region: 'ca-us', deadline_iso: '2026-12-24' }
  const before = await rowCounts()
  const simulated = await simulate(org, stool, request)
  expect(await simulate(org, stool, request)).toEqual(simulated)
  expect(await rowCounts()).toEqual(before)
  expect(simulated).toEqual({
    would: 'quote',
    steps: [
      { label: 'Base price', unit_price_usd: 100 },
      { label: '50% off from 100 units', unit_price_usd: 50 },
      { label: 'Discount capped at 40%', unit_price_usd: 60 },
    ],
    limited_by_floor: true,
    quote: {
      price_usd: 71,
      in_stock: true,
      claim_url: expect.stringMatching(/^https:\/\/shop-\d+\.example\/$/),
      offer_expires_at: '2026-11-02T12:00:00.000Z',
      shipping_cost_usd: 4.5,
      list_price_usd: 100,
      estimated_shipping_days: 3,
      terms: 'Volume price from 100 units. Delivery within 3 business days. Returns within 30 days.',
    },
  })
  const { claim_url: _, ...promised } = simulated.quote as Body
  const tasks = [await ask(stool, request), await ask(stool, request)]
  for (const { quotes } of tasks) expect(quotes).toMatchObject([{ ...promised, total_usd: 7104.5, rank: 1 }])
})

test('members below admin are simulated the price, and neither its steps nor that a floor held it up', async () => {
  const stool = await product()
  const org = await managed(stool, { reserve_price_usd: 93.45 })
  const body = { product_slug: stool.slug, quantity: 10 }
  for (const [role, told] of [
    ['viewer', { steps: [] }],
    ['editor', { steps: [] }],
    [
      'admin',
      {
        steps: [
          { label: 'Base price', unit_price_usd: 100 },
          { label: '10% off from 10 units', unit_price_usd: 90 },
        ],
        limited_by_floor: true,
      },
    ],
  ] as const) {
    const member = await addMember(world, org, role)
    const { quote, ...rest } = (await call(world, member, 'POST', SIMULATE, body)).body
    expect(quote).toMatchObject({ price_usd: 94 })
    expect(rest).toEqual({ would: 'quote', ...told })
  }
})

test('regions that were stored as codes are read as countries, and what is read can be sent back', async () => {
  const stool = await product()
  const org = await managed(stool, SHOWN)
  await world.database.pool.query(
    `update product_pricing set rules = rules || '{"delivery_regions": ["US", "CA", "DE"]}' where org_id = $1`,
    [org.id],
  )
  const rules = (await rulesOf(org, stool)) as Body
  expect(rules.delivery_regions).toEqual(['US', 'Canada', 'Germany'])
  await send(org, 'PATCH', PRICING, { product_slug: stool.slug, ...rules })
  expect(await simulate(org, stool, { delivery_region: 'Ontario' })).toMatchObject({ would: 'quote' })
  expect(await simulate(org, stool, { delivery_region: 'France' })).toMatchObject({ would: 'decline' })
})
