import { beforeAll, describe, expect, test } from 'vitest'
import { audits } from '../../test/e2e/offers.world.ts'
import { type Seller, sellerOf } from '../../test/e2e/tools.sellers.ts'
import { addProduct } from '../../test/products.ts'
import { HOSTILE, outsideFences } from '../../test/skills.world.ts'
import { createToolsWorld, type ToolsWorld } from '../../test/tools.world.ts'

let world: ToolsWorld
const stools: Record<string, string> = {}
const OWN = 'stools/perch'
const TIERS = [
  { min_qty: 10, discount_pct: 5 },
  { min_qty: 100, discount_pct: 12.5 },
]
const NO_DEFAULTS = {
  max_discount_pct: null,
  lead_time_days: null,
  return_policy_days: null,
  delivery_regions: null,
  shipping_cost_usd: null,
  free_shipping_above_usd: null,
  shipping_by_region: null,
}
const NOTHING_SET = { price_usd: null, stock: null, in_stock: null, ...NO_DEFAULTS }
const NO_PRODUCT = { product_slug: null, product_rules: null, effective_rules: null, floors: null }

beforeAll(async () => {
  world = await createToolsWorld()
  for (const slug of ['perch', 'tripod'])
    stools[slug] = await addProduct(world, {
      slug,
      category: 'stools',
      title: `The ${slug}`,
      list_price: 100,
    })
  await world.searchRuntime.fill()
})

const seller = () => sellerOf(world, [stools.perch ?? ''])

async function keepRules({ org }: Seller, managedRules: unknown, isManaged = true) {
  await world.database.pool.query(
    `insert into agent_integrations (org_id, is_managed, managed_rules, status) values ($1, $2, $3, 'active')`,
    [org.id, isManaged, JSON.stringify(managedRules)],
  )
}

const actions = (by: Seller) => audits(world, by.org)

async function integrationOf({ org }: Seller) {
  const { rows } = await world.database.pool.query(
    'select is_managed, managed_rules, status from agent_integrations where org_id = $1',
    [org.id],
  )
  return rows[0]
}

test('an organization that has set nothing has no rules, and is told that managed pricing is off', async () => {
  const { data, text } = await world.call(await seller(), 'get_pricing_rules')
  expect(data).toEqual({
    ...{ is_managed: false, volume_discounts: [], default_rules: NO_DEFAULTS, other_rules: {} },
    ...NO_PRODUCT,
  })
  expect(text).toContain('Managed pricing is off')
})

test('the organization’s tiers are set alone: managed or not and every other rule stay as they are', async () => {
  const person = await seller()
  await keepRules(person, { volume_discounts: [{ min_qty: 2, discount_pct: 1 }], note: 'kept' })
  const { data, text } = await world.call(person, 'set_pricing_rules', { volume_discounts: TIERS })
  expect(data).toEqual({
    ...{ is_managed: true, volume_discounts: TIERS, default_rules: NO_DEFAULTS },
    ...{ other_rules: { note: 'kept' }, ...NO_PRODUCT },
  })
  expect(text).toContain('from 100 units: 12.5% off')
  expect(await integrationOf(person)).toEqual({
    ...{ is_managed: true, status: 'active', managed_rules: { volume_discounts: TIERS, note: 'kept' } },
  })
  expect(await actions(person)).toEqual([
    { action: 'pricing.changed', detail: { rules: ['volume_discounts'] } },
  ])
  expect((await world.call(person, 'get_pricing_rules')).data).toEqual(data)
})

test('the first tiers do not switch managed pricing on, and null takes tiers away', async () => {
  const person = await seller()
  const set = await world.call(person, 'set_pricing_rules', { volume_discounts: TIERS })
  expect(set.data).toMatchObject({ is_managed: false, volume_discounts: TIERS })
  const cleared = await world.call(person, 'set_pricing_rules', { volume_discounts: null })
  expect(cleared.data).toMatchObject({ is_managed: false, volume_discounts: [] })
  expect(await integrationOf(person)).toEqual({ is_managed: false, status: 'pending', managed_rules: {} })
})

test('tiers that are so already, or gone already, leave no record', async () => {
  const person = await seller()
  await world.call(person, 'set_pricing_rules', { volume_discounts: null })
  expect(await actions(person)).toEqual([])
  await world.call(person, 'set_pricing_rules', { volume_discounts: TIERS })
  await world.call(person, 'set_pricing_rules', { volume_discounts: TIERS })
  expect(await actions(person)).toHaveLength(1)
})

test('tiers and other rules that are written at once all stay', async () => {
  const person = await seller()
  await keepRules(person, { note: 'kept' })
  const { pool } = world.database
  const other = await pool.connect()
  try {
    await other.query('begin')
    await other.query(
      `update agent_integrations set managed_rules = managed_rules || '{"late": 1}' where org_id = $1`,
      [person.org.id],
    )
    const asked = world.call(person, 'set_pricing_rules', { volume_discounts: TIERS })
    await expect
      .poll(
        async () => {
          const { rows } = await pool.query(
            `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
          )
          return rows.length
        },
        { timeout: 20_000 },
      )
      .toBe(1)
    await other.query('commit')
    expect((await asked).data).toMatchObject({
      volume_discounts: TIERS,
      other_rules: { note: 'kept', late: 1 },
    })
  } finally {
    other.release()
  }
})

test('a product’s rules are set one by one: what is not given stays, null clears', async () => {
  const person = await seller()
  const first = { max_discount_pct: 20, lead_time_days: 3, return_policy_days: 0 }
  const set = await world.call(person, 'set_pricing_rules', { product_slug: 'perch', ...first })
  expect(set.data).toMatchObject({ product_slug: OWN, product_rules: { ...NOTHING_SET, ...first } })
  expect(set.text).toContain('- Returns: none')
  const changed = await world.call(person, 'set_pricing_rules', {
    ...{ product_slug: OWN, max_discount_pct: null, lead_time_days: '4' },
  })
  const after = { ...NOTHING_SET, lead_time_days: 4, return_policy_days: 0 }
  expect(changed.data).toMatchObject({ product_rules: after })
  const { data, text } = await world.call(person, 'get_pricing_rules', { product_slug: OWN })
  expect(data).toEqual(changed.data)
  expect(text).toContain('- Maximum discount: no cap')
  expect(text).toContain('- Lead time: 4 business days')
})

test('rules of other kinds that REST set are shown and stay', async () => {
  const person = await seller()
  const rules = {
    in_stock: false,
    delivery_regions: ['CA-US', 'GB'],
    shipping_cost_usd: 4.5,
    shipping_by_region: [{ region: 'ON-CA', cost_usd: 12, lead_time_days: 6 }],
  }
  await world.database.pool.query(
    'insert into product_pricing (org_id, product_id, rules) values ($1, $2, $3)',
    [person.org.id, stools.perch, JSON.stringify(rules)],
  )
  const { data, text } = await world.call(person, 'set_pricing_rules', {
    product_slug: OWN,
    lead_time_days: 1,
  })
  expect(data).toMatchObject({ product_rules: { ...NOTHING_SET, ...rules, lead_time_days: 1 } })
  expect(text).toContain('- Delivered to: California, United States; United Kingdom\n')
  expect(text).toContain('- Shipping by region: Ontario, Canada: $12 in 6 business days\n')
  expect(text).toContain('$4.50')
})

test.each([{ product_slug: OWN }, {}])(
  'a call with no rules changes nothing and says so: %j',
  async (input) => {
    const person = await seller()
    const answer = await world.call(person, 'set_pricing_rules', input)
    expect(answer.isError).toBe(false)
    expect(answer.text).toMatch(/^Nothing was changed\./)
    expect(await actions(person)).toEqual([])
    expect(await integrationOf(person)).toBeUndefined()
  },
)

test.each([
  [{ product_slug: OWN, volume_discounts: TIERS }, 'volume_discounts', /without product_slug/],
  [{ price_usd: 10 }, 'price_usd', /product_slug/],
  [{ reserve_price_usd: null }, 'reserve_price_usd', /product_slug/],
  [{ volume_discounts: TIERS, stock: 1 }, 'stock', /product_slug/],
])('rules that do not go together are refused with what to do: %j', async (input, field, words) => {
  const person = await seller()
  const answer = await world.call(person, 'set_pricing_rules', input)
  expect(answer.error).toMatchObject({ kind: 'invalid', field })
  expect(answer.text).toMatch(words)
  expect(await actions(person)).toEqual([])
  expect(await integrationOf(person)).toBeUndefined()
})

test.each([
  [{ volume_discounts: [{ min_qty: 0, discount_pct: 5 }] }, { field: 'volume_discounts.0.min_qty' }],
  [
    { volume_discounts: [{ min_qty: 1, discount_pct: 101 }] },
    { field: 'volume_discounts.0.discount_pct', max: 100 },
  ],
  [
    { volume_discounts: Array(51).fill({ min_qty: 1, discount_pct: 1 }) },
    { field: 'volume_discounts', max: 50 },
  ],
  [
    { product_slug: OWN, max_discount_pct: 100.5 },
    { field: 'max_discount_pct', max: 100 },
  ],
  [
    { product_slug: OWN, lead_time_days: 366 },
    { field: 'lead_time_days', max: 365 },
  ],
  [{ product_slug: OWN, return_policy_days: 1.5 }, { field: 'return_policy_days' }],
  [{ product_slug: OWN, reserve_price_usd: -1 }, { field: 'reserve_price_usd' }],
  [
    { product_slug: OWN, min_margin_pct: 100 },
    { field: 'min_margin_pct', max: 99.99 },
  ],
])('%j is refused by name', async (input, error) => {
  const answer = await world.call(await seller(), 'set_pricing_rules', input)
  expect(answer).toMatchObject({ isError: true, error: { kind: 'invalid', ...error } })
})

test('a product that is not known to be the organization’s has no rules to see or set', async () => {
  const person = await seller()
  for (const product_slug of ['stools/tripod', 'stools/nothing'])
    for (const [tool, rules] of [
      ['get_pricing_rules', {}],
      ['set_pricing_rules', { lead_time_days: 1 }],
    ] as const) {
      const answer = await world.call(person, tool, { product_slug, ...rules })
      expect(answer.error).toMatchObject({ kind: 'not_found', field: 'product_slug' })
    }
})

test('rules are for owners and admins to set, and for every member to see', async () => {
  const { org } = await seller()
  const editor = await world.person({ in: org, role: 'editor' })
  for (const input of [{ volume_discounts: TIERS }, { product_slug: OWN, lead_time_days: 1 }]) {
    const answer = await world.call(editor, 'set_pricing_rules', input)
    expect(answer.error).toMatchObject({ kind: 'forbidden', code: 'not_owner_or_admin' })
  }
  expect((await world.call(editor, 'get_pricing_rules', { product_slug: OWN })).isError).toBe(false)
})

const HAWAII = { region: 'HI-US', cost_usd: 30, lead_time_days: 12 }
const DEFAULTS = {
  ...{ lead_time_days: 5, return_policy_days: 30, delivery_regions: ['US'], shipping_cost_usd: 9 },
  ...{ free_shipping_above_usd: 500, shipping_by_region: [HAWAII] },
}

test('defaults and tiers are set in one call and one record, and a product takes what it does not say itself', async () => {
  const person = await seller()
  await keepRules(person, { note: 'kept' })
  const set = await world.call(person, 'set_pricing_rules', { volume_discounts: TIERS, ...DEFAULTS })
  expect(set.data).toMatchObject({
    ...{ volume_discounts: TIERS, default_rules: { ...NO_DEFAULTS, ...DEFAULTS } },
    ...{ other_rules: { note: 'kept' } },
  })
  expect(set.text).toContain('- Shipping by region: Hawaii, United States: $30 in 12 business days')
  // What PATCH agent-integration stores stays what it was sent.
  expect((await integrationOf(person)).managed_rules).toEqual({ note: 'kept', volume_discounts: TIERS })
  expect(await actions(person)).toEqual([
    {
      action: 'pricing.changed',
      detail: { rules: [...Object.keys(DEFAULTS), 'volume_discounts'].sort() },
    },
  ])
  const own = { price_usd: 80, stock: 12, lead_time_days: 2 }
  const { data, text } = await world.call(person, 'set_pricing_rules', { product_slug: OWN, ...own })
  expect(data).toMatchObject({
    product_rules: { ...NOTHING_SET, ...own },
    effective_rules: {
      ...{ ...NOTHING_SET, ...DEFAULTS, ...own },
      shipping_by_region: [{ ...HAWAII, lead_time_days: null }],
    },
  })
  for (const line of [
    'Price: $80',
    'Stock: 12 units',
    'Lead time: 2 business days',
    'Returns: 30 days (default)',
  ])
    expect(text).toContain(`- ${line}\n`)
  await world.call(person, 'set_pricing_rules', { ...DEFAULTS, shipping_by_region: null })
  expect(await actions(person)).toHaveLength(3)
  expect((await world.call(person, 'get_pricing_rules')).data.default_rules).toEqual({
    ...{ ...NO_DEFAULTS, ...DEFAULTS, shipping_by_region: null },
  })
})

test('owners and admins are told that limits are set, when and by whom; others are not told even that', async () => {
  const person = await seller()
  const unset = { is_set: false, set_at: null, set_by: null, held_up: 0, last_held_up_at: null }
  const told = async (by: Parameters<typeof world.call>[0]) =>
    world.call(by, 'get_pricing_rules', { product_slug: OWN })
  expect((await told(person)).data.floors).toEqual(unset)
  const editor = await world.person({ in: person.org, role: 'editor' })
  const before = await told(editor)
  expect(before.data.floors).toBeNull()
  await world.call(person, 'set_pricing_rules', { product_slug: OWN, reserve_price_usd: 61 })
  const at = world.clock.now().toISOString()
  const { data, text } = await told(person)
  expect(data.floors).toMatchObject({ ...unset, is_set: true, set_at: at, set_by: expect.any(String) })
  expect(text).toContain(`- Limits: set on ${at.slice(0, 10)} by `)
  expect(await told(editor)).toEqual(before)
  world.clock.advance(60_000)
  await world.call(person, 'set_pricing_rules', { product_slug: OWN, lead_time_days: 9 })
  expect((await told(person)).data.floors).toMatchObject({ set_at: at })
  await world.call(person, 'set_pricing_rules', { product_slug: OWN, reserve_price_usd: null })
  expect((await told(person)).data.floors).toEqual(unset)
})

describe('limits above the price', () => {
  const set = (person: Seller, rules: Record<string, unknown>) =>
    world.call(person, 'set_pricing_rules', { product_slug: OWN, ...rules })

  test.each([
    [{ reserve_price_usd: 100 }, /base price of \$100, so Souk would decline/],
    [{ reserve_price_usd: 61.37, min_margin_pct: 39 }, /base price of \$100/],
    [{ price_usd: 50, reserve_price_usd: 61.37 }, /base price of \$50/],
    [{ price_usd: 150, reserve_price_usd: 121.37 }, /list price of \$100, so every quote/],
  ])('%j must be confirmed, and until then nothing is saved', async (rules, words) => {
    const person = await seller()
    const refused = await set(person, { ...rules, stock: 4 })
    expect(refused.error).toMatchObject({ kind: 'conflict', code: 'conflict', field: 'confirm' })
    expect(refused.text).toMatch(words)
    expect(refused.text).not.toMatch(/61\.37|121\.37/)
    expect(await actions(person)).toEqual([])
    expect((await world.call(person, 'get_pricing_rules', { product_slug: OWN })).data).toMatchObject({
      ...{ product_rules: NOTHING_SET, floors: { is_set: false } },
    })
    expect((await set(person, { ...rules, stock: 4, confirm: true })).isError).toBe(false)
    expect(await actions(person)).toHaveLength(1)
    // What is not about price or limits needs no confirmation, nor does what is so already.
    for (const again of [{ ...rules, stock: 4 }, { stock: 5 }])
      expect((await set(person, again)).isError).toBe(false)
  })

  test.each([
    { reserve_price_usd: 98.99 },
    { min_margin_pct: 99.99 },
    { price_usd: 150, reserve_price_usd: 98 },
  ])('%j need no confirmation', async (rules) =>
    expect((await set(await seller(), rules)).isError).toBe(false),
  )

  test('a price that is tried against limits of another tells their step and no more', async () => {
    const told = async (reserve_price_usd: number) => {
      const person = await seller()
      await set(person, { reserve_price_usd })
      const answers: boolean[] = []
      for (let cents = 6_950; cents <= 7_150; cents += 25)
        answers.push((await set(person, { price_usd: cents / 100 })).isError)
      return answers
    }
    const [one, other] = [await told(70), await told(70.99)]
    expect(other).toEqual(one)
    expect(new Set(one)).toEqual(new Set([true, false]))
  })
})

test('the floors bound the quote and are in no answer, record or log line', async () => {
  const person = await seller()
  const plain = await world.call(person, 'get_pricing_rules', { product_slug: OWN })
  const floors = { reserve_price_usd: 7713.37, min_margin_pct: 11.93 }
  const said = [
    await world.call(person, 'set_pricing_rules', { product_slug: OWN, confirm: true, ...floors }),
    await world.call(person, 'set_pricing_rules', {
      product_slug: OWN,
      ...floors,
      reserve_price_usd: 7716.591,
    }),
    await world.call(person, 'set_pricing_rules', { ...floors, product_slug: 'stools/tripod' }),
    await world.call(person, 'set_pricing_rules', floors),
    await world.call(person, 'get_pricing_rules', { product_slug: OWN }),
    await world.call(person, 'get_pricing_rules'),
  ]
  expect(said.map(({ isError }) => isError)).toEqual([false, true, true, true, false, false])
  expect({ ...said[4]?.data, floors: null }).toEqual({ ...plain.data, floors: null })
  const { rows } = await world.database.pool.query(
    'select floors_box from product_pricing where org_id = $1',
    [person.org.id],
  )
  expect(JSON.parse(world.rfq.pricingSecrets.open(rows[0]?.floors_box))).toEqual(floors)
  const places = {
    said: JSON.stringify(said),
    records: JSON.stringify(await actions(person)),
    // Without times, which are figures too.
    log: world.logged.text().replaceAll(/"(?:time|ms)":(?:"[^"]*"|[\d.]+)/g, ''),
  }
  expect(places.records).toContain('"limits":"set"')
  for (const text of Object.values(places)) expect(text).not.toMatch(/7713\.?37|7716\.?591|11\.93/)
  expect(places.records + places.log).not.toMatch(/reserve_price|min_margin/)
})

test('private figures that are among the kept rules are not shown, however deep', async () => {
  const person = await seller()
  await keepRules(person, { reserve_price_usd: 71, deep: [{ min_margin_pct: 72, note: 'x' }] })
  const { data, text } = await world.call(person, 'get_pricing_rules')
  expect(data.other_rules).toEqual({ deep: [{ note: 'x' }] })
  expect(text).not.toMatch(/71|72/)
})

test('kept rules of any size and shape leave room for what is used, and what makes no tier is passed over', async () => {
  const person = await seller()
  const many = Array.from({ length: 400 }, (_, at) => ({ min_qty: at + 1, discount_pct: 1 }))
  await keepRules(person, { volume_discounts: ['ten percent', ...many], note: 'y'.repeat(9_000) })
  const { data, text } = await world.call(person, 'get_pricing_rules')
  expect(data.volume_discounts).toEqual(many)
  expect(text).toMatch(/\d+ more tiers in the data/)
  expect(text).toContain('Next: set_pricing_rules')
})

test.each(HOSTILE)('kept rules stay in their fence: %j', async (words) => {
  const person = await seller()
  await keepRules(person, {
    [words]: words,
    volume_discounts: [{ min_qty: 1, discount_pct: 1, note: words }],
  })
  const { text } = await world.call(person, 'get_pricing_rules')
  expect(outsideFences(text)).not.toMatch(/OBEY|Ignore|System|javascript|bold|onerror/)
})
