import { beforeAll, expect, test } from 'vitest'
import { sellerOf } from '../../test/e2e/tools.sellers.ts'
import { addProduct } from '../../test/products.ts'
import { createToolsWorld, type ToolsWorld } from '../../test/tools.world.ts'

let world: ToolsWorld
const stools: Record<string, string> = {}
const OWN = 'stools/perch'

beforeAll(async () => {
  world = await createToolsWorld()
  for (const [slug, price] of [
    ['perch', { list_price: 100 }],
    ['priceless', {}],
    ['tripod', {}],
  ] as const)
    stools[slug] = await addProduct(world, { slug, category: 'stools', title: `The ${slug}`, ...price })
  await world.searchRuntime.fill()
})

const seller = () => sellerOf(world, [stools.perch ?? '', stools.priceless ?? ''])

/** Everything that is stored, but for the count of calls. */
async function everything(): Promise<Record<string, unknown[]>> {
  const { pool } = world.database
  const { rows: tables } = await pool.query<{ name: string }>(
    `select relname::text as name from pg_class where relnamespace = 'public'::regnamespace
         and relkind in ('r', 'p') and not relispartition and relname <> 'tool_days' order by 1`,
  )
  const kept: Record<string, unknown[]> = {}
  for (const { name } of tables) kept[name] = (await pool.query(`select * from "${name}" order by 1`)).rows
  return kept
}

test('every step of the calculation is shown, and nothing is stored or sent', async () => {
  const person = await seller()
  await world.call(person, 'set_pricing_rules', {
    volume_discounts: [{ min_qty: 10, discount_pct: 30 }],
  })
  await world.call(person, 'set_pricing_rules', {
    ...{ product_slug: OWN, max_discount_pct: 20, lead_time_days: 3, reserve_price_usd: 85.25 },
  })
  const before = await everything()
  expect(before.audit_log).not.toEqual([])
  const { data, text } = await world.call(person, 'simulate_quote', {
    ...{ product_slug: 'perch', quantity: '12', delivery_region: 'us-ca', deadline_iso: '2026-12-01' },
  })
  expect(await everything()).toEqual(before)
  expect(data).toEqual({
    would: 'quote',
    reason: null,
    ...{ base_price_source: 'list_price', shipping_by: null, stock_left: null },
    unit_price_usd: 86,
    total_usd: 1032,
    list_price_usd: 100,
    in_stock: true,
    shipping_cost_usd: null,
    estimated_shipping_days: 3,
    meets_deadline: true,
    valid_until: expect.stringMatching(/Z$/),
    claim_url: expect.stringMatching(/^https:\/\/shop-\d+\.example\/$/),
    terms: expect.stringContaining('Delivery within 3 business days.'),
    steps: [
      { label: 'Base price', unit_price_usd: 100 },
      { label: '30% off from 10 units', unit_price_usd: 70 },
      { label: 'Discount capped at 20%', unit_price_usd: 80 },
    ],
    limited_by_floor: true,
    is_managed: false,
  })
  expect(text).toContain('**$86 each** · $1,032 in total, shipping not stated')
  expect(text).toContain('2. 30% off from 10 units: $70')
  expect(text).toMatch(/^4\. Limited by your price limit$/m)
  expect(text).not.toContain('85.25')
  expect(text).toContain('12 × stools/perch to California, United States')
  expect(text).toContain('Managed pricing is off')
})

test('a simulation answers as a buyer would be answered once managed pricing is on', async () => {
  const person = await seller()
  await world.database.pool.query(
    `insert into agent_integrations (org_id, is_managed, status) values ($1, true, 'active')`,
    [person.org.id],
  )
  const { data, text } = await world.call(person, 'simulate_quote', { product_slug: OWN, quantity: 1 })
  expect(data).toMatchObject({ would: 'quote', unit_price_usd: 100, is_managed: true, meets_deadline: null })
  expect(text).toContain('Managed pricing is on')
})

test('a deadline that cannot be met is told', async () => {
  const person = await seller()
  await world.call(person, 'set_pricing_rules', { product_slug: OWN, lead_time_days: 200 })
  const { data, text } = await world.call(person, 'simulate_quote', {
    ...{ product_slug: OWN, quantity: 1, deadline_iso: '2026-12-01' },
  })
  expect(data.meets_deadline).toBe(false)
  expect(text).toContain('misses the deadline')
})

test('a decline says why', async () => {
  const { data, text } = await world.call(await seller(), 'simulate_quote', {
    ...{ product_slug: 'stools/priceless', quantity: 1 },
  })
  expect(data).toMatchObject({
    would: 'decline',
    unit_price_usd: null,
    total_usd: null,
    claim_url: null,
    steps: [],
  })
  expect(data.reason).toContain('no base price')
  expect(text).toContain('**Would decline.** There is no base price')
})

test('every member may simulate, and only owners and admins see that a floor held the price up', async () => {
  const person = await seller()
  const asked = { product_slug: OWN, quantity: 10 }
  const rules = { product_slug: OWN, lead_time_days: 3 }
  await world.call(person, 'set_pricing_rules', { volume_discounts: [{ min_qty: 10, discount_pct: 30 }] })
  await world.call(person, 'set_pricing_rules', { ...rules, reserve_price_usd: 80.75 })
  for (const role of ['viewer', 'editor'] as const) {
    const member = await world.person({ in: person.org, role })
    const bound = await world.call(member, 'simulate_quote', asked)
    expect(bound.data).toMatchObject({ unit_price_usd: 81, steps: [], limited_by_floor: null })
    expect(bound.text).not.toMatch(/limit|floor|80\.75|\$70\b/i)
    await world.call(person, 'set_pricing_rules', { ...rules, reserve_price_usd: 50 })
    const free = await world.call(member, 'simulate_quote', asked)
    expect(free.data).toMatchObject({ unit_price_usd: 70, steps: [], limited_by_floor: null })
    await world.call(person, 'set_pricing_rules', { ...rules, reserve_price_usd: 80.75 })
  }
  const admin = await world.person({ in: person.org, role: 'admin' })
  const { data } = await world.call(admin, 'simulate_quote', asked)
  expect(data).toMatchObject({
    steps: [
      { label: 'Base price', unit_price_usd: 100 },
      { label: '30% off from 10 units', unit_price_usd: 70 },
    ],
    limited_by_floor: true,
  })
})

test.each([
  [{ quantity: undefined }, { field: 'quantity' }],
  [{ quantity: 0 }, { field: 'quantity' }],
  [{ quantity: 100_001 }, { field: 'quantity', max: 100_000 }],
  [{ quantity: 1.5 }, { field: 'quantity' }],
  [{ delivery_region: 'Atlantis' }, { field: 'delivery_region' }],
  [{ deadline_iso: '2026-02-30' }, { field: 'deadline_iso' }],
  [{ product_slug: '# Ignore this' }, { field: 'product_slug' }],
])('%j is refused by name', async (input, error) => {
  const answer = await world.call(await seller(), 'simulate_quote', {
    product_slug: OWN,
    quantity: 1,
    ...input,
  })
  expect(answer).toMatchObject({ isError: true, error: { kind: 'invalid', ...error } })
})

test('a product that is not known to be the organization’s is not there', async () => {
  for (const product_slug of ['stools/tripod', 'stools/nothing']) {
    const answer = await world.call(await seller(), 'simulate_quote', { product_slug, quantity: 1 })
    expect(answer.error).toMatchObject({ kind: 'not_found', field: 'product_slug' })
  }
})

test('a deactivated organization is not asked for quotes, and hears so', async () => {
  const person = await seller()
  await world.database.pool.query('update orgs set deactivated_at = now() where id = $1', [person.org.id])
  const answer = await world.call(person, 'simulate_quote', { product_slug: OWN, quantity: 1 })
  expect(answer.error).toMatchObject({ kind: 'forbidden', code: 'org_deactivated' })
})

test.each(['stools/tripod', 'tripod', '/p/stools/tripod'])(
  'a product without a relationship, named %s, is not answered with itself as a near match',
  async (product_slug) => {
    const { text, error } = await world.call(await seller(), 'simulate_quote', { product_slug, quantity: 1 })
    expect(text).toBe('Your organization has no verified relationship to this product: claim it first.')
    expect(error).not.toHaveProperty('valid')
  },
)

test('a product that is not there is answered with near matches', async () => {
  const { text } = await world.call(await seller(), 'simulate_quote', {
    product_slug: 'stool/tripod',
    quantity: 1,
  })
  expect(text).toContain('Near matches: stools/tripod')
})
