/** Rules of managed pricing as producers set, read and try them, over REST. */
import { describe, expect, test } from 'vitest'
import { addMember, call, relate, type TestOrg } from '../orgs.ts'
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
  price_usd: 100,
  stock: 5000,
  free_shipping_above_usd: 10_000,
  shipping_by_region: [{ region: 'HI-US', cost_usd: 30, lead_time_days: 12 }],
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
    expect(read.body).toMatchObject({ product_slug: stool.slug, rules: { lead_time_days: 2 } })
    expect(read.body).not.toHaveProperty('floors')
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
  ['price_usd', 0, 'price_usd'],
  ['stock', 1.5, 'stock'],
  ['shipping_by_region', [{ region: 'US' }], 'shipping_by_region.0.cost_usd'],
  ['confirm', 'yes', 'confirm'],
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
    ...{ base_price_source: 'own_price', shipping_by: 'flat', stock_left: null },
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
    expect(rest).toEqual({
      ...{ would: 'quote', base_price_source: 'list_price', shipping_by: null, stock_left: null },
      ...told,
    })
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

test('the organization’s defaults are read and set without a product, and quoted by where a product has no rule', async () => {
  const stool = await product()
  const org = await managed(stool, { shipping_by_region: [{ region: 'us-ca', cost_usd: 5 }] })
  const defaults = { shipping_cost_usd: 9, lead_time_days: 4, delivery_regions: ['US', 'Germany'] }
  await send(org, 'PATCH', PRICING, defaults)
  expect(await send(org, 'GET', PRICING)).toMatchObject({
    ...{ is_managed: true, product_slug: null, rules: null, default_rules: defaults },
    volume_discounts: [{ min_qty: 10 }, { min_qty: 100 }],
  })
  const shipping = async (delivery_region: string) => {
    const { quotes } = await ask(stool, { delivery_region })
    return quotes.map(({ shipping_cost_usd: usd, estimated_shipping_days: days }) => [usd, days])
  }
  expect(await shipping('CA-US')).toEqual([[5, 4]])
  expect(await shipping('BY-DE')).toEqual([[9, 4]])
  expect(await shipping('ON-CA')).toEqual([])
  const { status, body } = await call(world, org.session, 'PATCH', PRICING, { price_usd: 4 })
  expect([status, body.field]).toEqual([400, 'price_usd'])
})

test('a seller’s own price is the base, but a cheaper live offer is; each sends the buyer to where it is sold', async () => {
  const stool = await product()
  const org = await managed(stool, { price_usd: 80 })
  const base = async () => {
    const { base_price_source, quote } = await simulate(org, stool)
    return [base_price_source, (quote as Body).price_usd, new URL(String((quote as Body).claim_url)).hostname]
  }
  expect(await base()).toEqual(['own_price', 80, expect.stringMatching(/^shop-/)])
  await world.offer(org, stool, { price_usd: 90 })
  expect(await base()).toEqual(['own_price', 80, expect.stringMatching(/^shop-/)])
  await world.offer(org, stool, { price_usd: 75 })
  expect(await base()).toEqual(['live_offer', 75, 'deal.example'])
})

test('a request for more than the stock is out of stock, and says how many there are', async () => {
  const stool = await product()
  const org = await managed(stool, { stock: 12 })
  const { quotes } = await ask(stool, { quantity: 13 })
  expect(quotes).toMatchObject([{ in_stock: false, terms: expect.stringContaining('Only 12 in stock.') }])
  expect(await simulate(org, stool, { quantity: 13 })).toMatchObject({ stock_left: 12 })
  expect((await ask(stool, { quantity: 12 })).quotes).toMatchObject([{ in_stock: true }])
})

test('limits above the price are 409 until they are confirmed', async () => {
  const stool = await product()
  const org = await managed(stool)
  const body = { product_slug: stool.slug, reserve_price_usd: 120.55 }
  const refused = await call(world, org.session, 'PATCH', PRICING, body)
  expect(refused).toMatchObject({ status: 409, body: { code: 'conflict', field: 'confirm' } })
  expect(JSON.stringify(refused.body)).not.toContain('120.55')
  await send(org, 'PATCH', PRICING, { ...body, confirm: true })
  expect(await simulate(org, stool)).toMatchObject({ would: 'decline', limited_by_floor: true })
})

test('whether limits held a request up is counted for owners and admins, and for nobody else', async () => {
  const stool = await product()
  const org = await managed(stool, { reserve_price_usd: 80 })
  await ask(stool, { quantity: 1 })
  await ask(stool, { quantity: 100 })
  await send(org, 'PATCH', PRICING, { product_slug: stool.slug, reserve_price_usd: 120, confirm: true })
  await ask(stool, { quantity: 1 })
  const path = `${PRICING}?product_slug=${stool.slug}`
  expect((await send(org, 'GET', path)).floors).toMatchObject({
    ...{ is_set: true, held_up: 2, last_held_up_at: world.clock.now().toISOString() },
  })
  const { rfqs } = (await send(org, 'GET', '/api/org/rfqs/')) as { rfqs: Body[] }
  expect(rfqs).toMatchObject([
    {
      ...{ outcome: 'declined', quantity: 1 },
      advice: { help: 'price', path: `/dashboard/pricing/${stool.slug}#field-price_usd` },
    },
    { quantity: 100, advice: null },
    { quantity: 1, advice: null },
  ])
  const limited = rfqs.map(
    async ({ rfq_id }) => (await send(org, 'GET', `/api/org/rfqs/${rfq_id}`)).limited_by_floor,
  )
  expect(await Promise.all(limited)).toEqual([true, true, false])
  const one = `/api/org/rfqs/${rfqs[0]?.rfq_id}`
  const [viewer, list] = [await addMember(world, org, 'viewer'), `${PRICING}products/`]
  for (const by of [viewer, org.bearer])
    for (const read of [path, list, one, '/api/org/rfqs/'])
      expect(JSON.stringify((await call(world, by, 'GET', read)).body)).not.toMatch(/floor|held_up|limit/)
})

test('all products are listed with their rules, found by name, page by page', async () => {
  const [stool, other] = [await product({ title: 'Aaa stool' }), await product({ title: 'Bbb stool' })]
  const org = await managed(stool, { price_usd: 80 })
  await relate(world, org, other.id)
  await relate(world, org, (await product()).id, { status: 'pending' })
  const list = (query: string) => send(org, 'GET', `${PRICING}products/?${query}`)
  expect(await list('limit=1')).toMatchObject({
    products: [{ product_slug: stool.slug, title: 'Aaa stool', rules: { price_usd: 80 } }],
    ...{ total: 2, next_offset: 1 },
  })
  expect(await list('limit=1&offset=1')).toMatchObject({
    products: [{ product_slug: other.slug, rules: {}, effective_rules: { price_usd: null } }],
    ...{ total: 2, next_offset: null },
  })
  expect(await list('q=BBB')).toMatchObject({ total: 1, products: [{ product_slug: other.slug }] })
  expect(await list('q=%25')).toMatchObject({ total: 0 })
})

describe('a file of prices', () => {
  const IMPORT = `${PRICING}import/`
  const sent = (org: TestOrg, content: string, wish: Body = {}) =>
    call(world, org.session, 'POST', IMPORT, { content, ...wish })
  const records = async (org: TestOrg) =>
    ((await send(org, 'GET', '/api/org/audit/')).entries as Body[]).filter(
      ({ action }) => action === 'pricing.imported',
    )

  test('saves the rows that are right together, and names the others with what is wrong', async () => {
    const [one, two, theirs] = [await product(), await product({ sku: 'AB-7' }), await product()]
    const org = await managed(one, { price_usd: 90, lead_time_days: 3 })
    await relate(world, org, two.id)
    await managed(theirs)
    const file = [
      'product_slug,sku,price,stock',
      `${one.slug},,80,`,
      ',ab-7,70.50,4',
      `${theirs.slug},,60,`,
      'stools/none,,60,',
      `${two.slug},,60,1`,
      `${one.slug.split('/')[1]},,cheap,`,
    ].join('\n')
    const expected = {
      changed: [
        { line: 2, product_slug: one.slug, rules: ['price_usd'] },
        { line: 3, product_slug: two.slug, rules: ['price_usd', 'stock'] },
      ],
      unchanged: 0,
      failed: [
        { line: 4, product: theirs.slug, field: 'product_slug' },
        { line: 5, product: 'stools/none', field: 'product_slug' },
        { line: 6, field: 'product_slug', problem: expect.stringContaining('line 3') },
        { line: 7, field: 'price_usd' },
      ],
    }
    const before = await rowCounts()
    const tried = await sent(org, file, { dry_run: true })
    expect(tried).toMatchObject({ status: 200, body: { dry_run: true, ...expected } })
    expect(await rowCounts()).toEqual(before)
    expect((await sent(org, file)).body).toMatchObject({ dry_run: false, ...expected })
    expect(await rulesOf(org, one)).toEqual({ price_usd: 80, lead_time_days: 3 })
    expect(await rulesOf(org, two)).toEqual({ price_usd: 70.5, stock: 4 })
    expect(await records(org)).toMatchObject([{ detail: { products: 2, rules: ['price_usd', 'stock'] } }])
    expect((await sent(org, file)).body).toMatchObject({ changed: [], unchanged: 2 })
    expect(await records(org)).toHaveLength(1)
  })

  test('a price under the limits is left out until it is confirmed, and no floor is told', async () => {
    const stool = await product()
    const org = await managed(stool, { reserve_price_usd: 61.37 })
    const file = `slug,price\n${stool.slug},50\n`
    const refused = await sent(org, file)
    expect(refused.body).toMatchObject({ changed: [], failed: [{ line: 2, field: 'confirm' }] })
    expect(JSON.stringify(refused.body)).not.toContain('61.37')
    expect((await sent(org, file, { confirm: true })).body).toMatchObject({
      changed: [{ line: 2 }],
      failed: [],
    })
  })

  test('may be the body itself', async () => {
    const stool = await product()
    const org = await managed(stool)
    const body = `slug,price\n${stool.slug},50\n`
    const type = { 'content-type': 'text/csv' }
    const answer = await call(world, org.session, 'POST', `${IMPORT}?dry_run=1`, body, type)
    expect(answer.body).toMatchObject({ dry_run: true, changed: [{ product_slug: stool.slug }] })
  })

  test.each([
    ['', 400],
    ['a,b\n1,2\n', 400],
    ['slug,reserve_price_usd\nx,1\n', 400],
    ['x'.repeat(4 * 1024 * 1024), 413],
  ])('one that cannot be used is refused whole', async (text, status) => {
    const stool = await product()
    expect((await sent(await managed(stool), text)).status).toBe(status)
  })
})
