/** Pricing on the dashboard: the rules as they are, the forms that change them, the limits that nobody reads back. */
import { describe, expect, test } from 'vitest'
import { addMember, createOrg, relate } from '../orgs.ts'
import { read } from './dashboard.agent.world.ts'
import {
  BARE,
  createPricingWorld,
  errorOf,
  formOf,
  PAGE,
  PERCH,
  quoted,
  VOLUME,
} from './dashboard.pricing.world.ts'

const world = await createPricingWorld()
const { pool, perch, acme, owner, browserOf, filled, pageOf, unchanged } = world

describe('volume discounts', () => {
  const saved = async () =>
    (await pool.query('select managed_rules from agent_integrations')).rows[0]?.managed_rules

  test('are added, changed and removed in one form, without a script', async () => {
    const rows = { min_qty_1: '10', discount_pct_1: '12.5', min_qty_0: '5', discount_pct_0: '4' }
    const answer = await owner.post(VOLUME, filled(rows))
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `${PAGE}?done=discounts`])
    const html = await pageOf(`${PAGE}?done=discounts`)
    expect(html).toContain('The volume discounts are saved.')
    const form = formOf(html, VOLUME) ?? {}
    expect(form).toMatchObject({
      min_qty_0: '5',
      discount_pct_0: '4',
      min_qty_1: '10',
      discount_pct_1: '12.5',
      min_qty_4: '',
    })
    expect(form).not.toHaveProperty('min_qty_5')
    await owner.post(VOLUME, { ...form, min_qty_0: '', discount_pct_0: '', min_qty_1: '20' })
    expect(await saved()).toEqual({ volume_discounts: [{ min_qty: 20, discount_pct: 12.5 }] })
    await owner.post(VOLUME, filled({ min_qty_0: '', discount_pct_0: '' }))
    expect((await saved())?.volume_discounts ?? []).toEqual([])
  })

  test.each<[string, Record<string, string>, string]>([
    ['no quantity', { discount_pct_0: '5' }, 'min_qty_0'],
    ['no discount', { min_qty_1: '5' }, 'discount_pct_1'],
    ['half a unit', { min_qty_0: '1.5', discount_pct_0: '5' }, 'min_qty_0'],
    ['more than all of it', { min_qty_0: '2', discount_pct_0: '101' }, 'discount_pct_0'],
    ['three decimals', { min_qty_0: '2', discount_pct_0: '1.001' }, 'discount_pct_0'],
    [
      'a quantity twice',
      { min_qty_0: '2', discount_pct_0: '1', min_qty_1: '2', discount_pct_1: '3' },
      'min_qty_1',
    ],
  ])('%s is refused beside its field, with all rows kept', async (_what, fields, field) => {
    const { status, html } = await unchanged(() => read(owner.post(VOLUME, filled(fields))))
    expect(status).toBe(400)
    expect(errorOf(html, field)).toMatch(/row \d: /)
    expect(html).toContain(`<a href="#field-${field}">`)
    expect(formOf(html, VOLUME)).toMatchObject(fields)
  })
})

describe('a product’s rules', () => {
  const ALL = {
    max_discount_pct: '15',
    lead_time_days: '3',
    return_policy_days: '30',
    in_stock: 'no',
    shipping_cost_usd: '4.50',
    delivery_regions: 'us\nny-us\nUS',
    reserve_price_usd: '80.25',
    min_margin_pct: '',
  }

  test('are all set by one form and shown in it again, but for the limits', async () => {
    const answer = await read(owner.post(PERCH, filled(ALL)))
    expect(answer.headers.get('location')).toBe(`${PERCH}?done=saved`)
    const html = await pageOf(`${PERCH}?done=saved`)
    expect(html).toContain('The rules are saved.')
    expect(formOf(html, PERCH)).toMatchObject({
      max_discount_pct: '15',
      lead_time_days: '3',
      return_policy_days: '30',
      in_stock: 'no',
      shipping_cost_usd: '4.50',
      reserve_price_usd: '',
      min_margin_pct: '',
    })
    expect(html).toMatch(/<textarea[^>]*name="delivery_regions"[^>]*>US\nNY-US<\/textarea>/)
    expect(html + answer.html).not.toContain('80.25')
    expect(await pageOf(PAGE)).toContain(
      'At most 15% off · 3 business days · returns within 30 days · $4.50 shipping · only US, NY-US · out of stock',
    )
  })

  test('an empty field clears its rule, an empty limit stays, and a box takes a limit away', async () => {
    await owner.post(PERCH, filled({ ...ALL, reserve_price_usd: '150' }))
    await owner.post(PERCH, filled({ lead_time_days: '9' }))
    const { rows } = await pool.query('select rules, floors_box from product_pricing')
    expect(rows[0]?.floors_box).not.toBeNull()
    const kept = Object.entries(rows[0]?.rules ?? {}).filter(([, value]) => value !== null)
    expect(Object.fromEntries(kept)).toEqual({ lead_time_days: 9 })
    expect(quoted(await pageOf(PERCH))).toBeUndefined()
    await owner.post(PERCH, filled({ clear_reserve_price_usd: 'on' }))
    expect(quoted(await pageOf(PERCH))).toBe('$100')
    const after = await pool.query('select floors_box from product_pricing')
    expect(after.rows).toEqual([{ floors_box: null }])
  })

  test.each<[string, Record<string, string>, string, string]>([
    ['too large a discount', { max_discount_pct: '101' }, 'max_discount_pct', 'must be at most 100'],
    ['half a day', { lead_time_days: '1.5' }, 'lead_time_days', 'whole number'],
    ['words for a number', { return_policy_days: 'a month' }, 'return_policy_days', 'Returns (days)'],
    ['no money', { shipping_cost_usd: 'free' }, 'shipping_cost_usd', 'Shipping'],
    ['an unknown place', { delivery_regions: 'US\nAtlantis' }, 'delivery_regions', 'STATE-COUNTRY'],
    ['two places on a line', { delivery_regions: 'US, CA' }, 'delivery_regions', 'line of its own'],
    [
      'a limit and its box',
      { min_margin_pct: '12', clear_min_margin_pct: 'on' },
      'min_margin_pct',
      'not both',
    ],
    ['no room for a margin', { min_margin_pct: '100' }, 'min_margin_pct', 'at most 99.99'],
  ])('%s: refused beside its field, the rest kept, limits never', async (_what, fields, field, words) => {
    const form = filled({ ...ALL, reserve_price_usd: '81.37', ...fields })
    const { status, html } = await unchanged(() => read(owner.post(PERCH, form)))
    expect(status).toBe(400)
    expect(errorOf(html, field)).toContain(words)
    expect(formOf(html, PERCH)).toMatchObject({ reserve_price_usd: '', min_margin_pct: '', in_stock: 'no' })
    expect(html).not.toContain('81.37')
    if (!(field in { min_margin_pct: 1, delivery_regions: 1 }))
      expect(formOf(html, PERCH)?.[field]).toBe(fields[field])
  })

  test('limits that can no longer be read are asked for both, in words', async () => {
    await owner.post(PERCH, filled({ reserve_price_usd: '80' }))
    await pool.query(`update product_pricing set floors_box = 'cannot be opened'`)
    expect(await pageOf(PERCH)).toContain('Enter both limits above, or remove them.')
    const form = filled({ reserve_price_usd: '70' })
    const { status, html } = await unchanged(() => read(owner.post(PERCH, form)))
    expect(status).toBe(409)
    expect(errorOf(html, 'reserve_price_usd')).toContain('give both, or tick the boxes')
    await owner.post(PERCH, filled({ reserve_price_usd: '70', clear_min_margin_pct: 'on' }))
    expect(quoted(await pageOf(PERCH))).toBe('$100')
  })

  test('two who change different products at once both have what they saved', async () => {
    const answers = await Promise.all([
      owner.post(PERCH, filled({ lead_time_days: '1' })),
      owner.post(BARE, filled({ lead_time_days: '2' })),
    ])
    expect(answers.map(({ status }) => status)).toEqual([303, 303])
    expect(formOf(await pageOf(PERCH), PERCH)?.lead_time_days).toBe('1')
    expect(formOf(await pageOf(BARE), BARE)?.lead_time_days).toBe('2')
  })
})

describe('who may what', () => {
  test('editors and viewers read the rules, and change none', async () => {
    await owner.post(VOLUME, filled({ min_qty_0: '5', discount_pct_0: '4' }))
    await owner.post(PERCH, filled({ lead_time_days: '3', max_discount_pct: '15' }))
    for (const role of ['editor', 'viewer'] as const) {
      const member = browserOf(await addMember(world, acme, role))
      const [all, one] = [await pageOf(PAGE, member), await pageOf(PERCH, member)]
      expect(all).toContain('5 units')
      expect(all).toContain('An owner or admin of Acme can change what is on this page.')
      expect(one).toContain('>3 business days<')
      expect(one).toContain('>15%<')
      expect(`${all}${one}`).not.toContain('method="post"')
      expect(one).not.toContain('reserve_price_usd')
      for (const [path, form] of [
        [VOLUME, { min_qty_0: '2', discount_pct_0: '50' }],
        [PERCH, { lead_time_days: '1' }],
      ] as const)
        expect((await unchanged(() => member.post(path, filled(form)))).status).toBe(403)
    }
  })

  test('another organization’s product is not there, and a form for another organization does nothing', async () => {
    for (const path of [
      `${PAGE}/stools/theirs`,
      `${PAGE}/stools/none`,
      `${PAGE}/tables/perch`,
      `${PAGE}/a/%20`,
    ]) {
      expect((await owner.get(path)).status).toBe(404)
      expect((await unchanged(() => owner.post(path, filled({ lead_time_days: '1' })))).status).toBe(404)
    }
    const other = await createOrg(world, { name: 'Other' })
    const stranger = browserOf(other.session)
    expect(await pageOf(PAGE, stranger)).not.toContain('Perch')
    expect((await stranger.get(PERCH)).status).toBe(404)
    const crossed = await unchanged(() =>
      stranger.post(VOLUME, filled({ min_qty_0: '2', discount_pct_0: '9' })),
    )
    expect(crossed.status).toBe(409)
    const elsewhere = { origin: 'https://evil.example' }
    expect((await unchanged(() => owner.post(PERCH, filled({}), elsewhere))).status).toBe(403)
  })

  test('a deactivated organization reads its rules, and nothing is simulated', async () => {
    const gone = await createOrg(world, { name: 'Gone', deactivated: true })
    await relate(world, gone, perch)
    const browser = browserOf(gone.session)
    const { status, html } = await read(browser.get(PERCH))
    expect(status).toBe(200)
    expect(html).not.toMatch(/method="post"|At a glance/)
    expect((await browser.post(PERCH, filled({ lead_time_days: '1' }, gone))).status).toBe(403)
  })
})

describe('the list', () => {
  test('shows verified products with their readiness, found by name, and an empty one says what to do', async () => {
    await owner.post('/dashboard/agent/answering', filled({ is_managed: 'true', agent_card: 'keep' }))
    const html = await pageOf(PAGE)
    expect(html).toMatch(/Perch<\/a>.*?Ready/s)
    expect(html).toMatch(/Bare &amp; plain<\/a>.*?No price to quote/s)
    const found = await pageOf(`${PAGE}?q=perch`)
    expect(found).toContain('Perch</a>')
    expect(found).not.toContain('Bare &amp;')
    expect(await pageOf(`${PAGE}?q=x%26y`)).toContain(
      'None of the products you have a proved claim to has “x&amp;y”',
    )
    const empty = await createOrg(world, { name: 'Empty' })
    expect(await pageOf(PAGE, browserOf(empty.session))).toContain(
      'You have no proved claim to a product yet.',
    )
  })

  test('managed pricing is switched where the rules are, and one stays there', async () => {
    const form = formOf(await pageOf(PAGE), '/dashboard/agent/answering')
    const answer = await owner.post('/dashboard/agent/answering', form)
    expect(answer.headers.get('location')).toBe(`${PAGE}?done=managed`)
    const html = await pageOf(`${PAGE}?done=managed`)
    expect(html).toContain('From now on Souk answers for you')
    expect(html).toContain('<span class="state good">On</span>')
  })
})
