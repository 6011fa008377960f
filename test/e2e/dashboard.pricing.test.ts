/** Pricing on the dashboard: the rules as they are, the forms that change them, the limits that nobody reads back. */
import { describe, expect, test } from 'vitest'
import { addMember, createOrg, relate } from '../orgs.ts'
import { read } from './dashboard.agent.world.ts'
import {
  BARE,
  createPricingWorld,
  discounts,
  errorOf,
  formOf,
  PAGE,
  PERCH,
  quoted,
  VOLUME,
} from './dashboard.pricing.world.ts'

const world = await createPricingWorld()
const { pool, perch, acme, owner, upload, browserOf, filled, pageOf, unchanged } = world

describe('volume discounts', () => {
  const saved = async () =>
    (await pool.query('select managed_rules from agent_integrations')).rows[0]?.managed_rules

  test('are added, changed and removed in one form, without a script', async () => {
    const answer = await owner.post(VOLUME, filled(discounts(['10', '12.5'], ['5', '4'])))
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `${PAGE}?done=discounts`])
    const html = await pageOf(`${PAGE}?done=discounts`)
    expect(html).toContain('Volume discounts saved.')
    const { org_id, ...form } = formOf(html, VOLUME) ?? {}
    expect([org_id, form]).toEqual([acme.id, discounts(['5', '4'], ['10', '12.5'], ['', ''])])
    const more = await read(owner.post(VOLUME, filled({ ...form, _add: 'volume_discounts' })))
    expect(formOf(more.html, VOLUME)).toHaveProperty(['volume_discounts.3.min_qty'], '')
    const less = await read(owner.post(VOLUME, filled({ ...form, _remove: 'volume_discounts.0' })))
    expect(formOf(less.html, VOLUME)).toMatchObject(discounts(['10', '12.5'], ['', '']))
    expect((await saved())?.volume_discounts).toHaveLength(2)
    await owner.post(VOLUME, filled({ ...form, ...discounts(['', ''], ['20', '12.5']) }))
    expect(await saved()).toEqual({ volume_discounts: [{ min_qty: 20, discount_pct: 12.5 }] })
    await owner.post(VOLUME, filled(discounts(['', ''])))
    expect((await saved())?.volume_discounts ?? []).toEqual([])
  })

  test.each<[string, Record<string, string>, string]>([
    ['no quantity', discounts(['', '5']), '0.min_qty'],
    ['no discount', discounts(['', ''], ['5', '']), '1.discount_pct'],
    ['half a unit', discounts(['1.5', '5']), '0.min_qty'],
    ['more than all of it', discounts(['2', '101']), '0.discount_pct'],
    ['three decimals', discounts(['2', '1.001']), '0.discount_pct'],
    ['a quantity twice', discounts(['2', '1'], ['2', '3']), '1.min_qty'],
  ])('%s is refused beside its field, with all rows kept', async (_what, fields, cell) => {
    const { status, html } = await unchanged(() => read(owner.post(VOLUME, filled(fields))))
    const field = `volume_discounts.${cell}`
    expect(status).toBe(400)
    expect(errorOf(html, field)).toMatch(/, row \d\b/)
    expect(html).toContain(`<a href="#field-${field}">`)
    expect(formOf(html, VOLUME)).toMatchObject(fields)
  })
})

describe('a product’s rules', () => {
  const ALL = {
    max_discount_pct: '15',
    lead_time_days: '3',
    return_policy_days: '30',
    price_usd: '80',
    stock: '12',
    in_stock: 'no',
    shipping_cost_usd: '4.50',
    free_shipping_above_usd: '500',
    'shipping_by_region.0.region': 'California',
    'shipping_by_region.0.cost_usd': '5',
    'shipping_by_region.0.lead_time_days': '2',
    'delivery_regions.0.value': 'us',
    'delivery_regions.1.value': 'New York',
    'delivery_regions.2.value': 'US',
    reserve_price_usd: '60.25',
    min_margin_pct: '',
  }

  test('are all set by one form and shown in it again, but for the limits', async () => {
    const answer = await read(owner.post(PERCH, filled(ALL)))
    expect(answer.headers.get('location')).toBe(`${PERCH}?done=saved`)
    const html = await pageOf(`${PERCH}?done=saved`)
    expect(html).toContain('Rules saved.')
    expect(formOf(html, PERCH)).toMatchObject({
      max_discount_pct: '15',
      lead_time_days: '3',
      return_policy_days: '30',
      in_stock: 'no',
      'delivery_regions.0.value': 'United States',
      'delivery_regions.1.value': 'New York',
      'delivery_regions.2.value': '',
      shipping_cost_usd: '4.50',
      price_usd: '80',
      stock: '12',
      'shipping_by_region.0.region': 'California',
      'shipping_by_region.0.cost_usd': '5',
      reserve_price_usd: '',
      min_margin_pct: '',
    })
    const { rows } = await pool.query('select rules from product_pricing')
    expect(rows[0]?.rules.delivery_regions).toEqual(['US', 'NY-US'])
    expect(rows[0]?.rules).toMatchObject({
      ...{ price_usd: 80, stock: 12, free_shipping_above_usd: 500 },
      shipping_by_region: [{ region: 'CA-US', cost_usd: 5, lead_time_days: 2 }],
    })
    expect(html + answer.html).not.toContain('60.25')
    expect(html).toMatch(/Limits are set by [^.]+ on /)
    const list = await pageOf(PAGE)
    for (const cell of [
      '$80',
      'Out of stock',
      '$4.50, free from $500, 1 region',
      '3 business days',
      'United States; New York, United States',
    ])
      expect(list).toContain(cell)
    expect(list).toMatch(/data-label="Limits">\s*<div>\s*Set/)
  })

  test('an empty field clears its rule, an empty limit stays, and a box takes a limit away', async () => {
    await owner.post(PERCH, filled({ ...ALL, reserve_price_usd: '150', confirm: 'on' }))
    await owner.post(PERCH, filled({ lead_time_days: '9', confirm: 'on' }))
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
    [
      'an unknown place',
      { 'delivery_regions.1.value': 'Atlantis' },
      'delivery_regions.1.value',
      'state or country',
    ],
    ['two places in a row', { 'delivery_regions.0.value': 'US, CA' }, 'delivery_regions.0.value', 'own row'],
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
    if (field !== 'min_margin_pct') expect(formOf(html, PERCH)?.[field]).toBe(fields[field])
  })

  test('a place of two meanings is a question with both, and the answer is kept', async () => {
    const typed = filled({ ...ALL, 'delivery_regions.0.value': 'CA' })
    const { status, html } = await unchanged(() => read(owner.post(PERCH, typed)))
    expect(status).toBe(400)
    expect(errorOf(html, 'delivery_regions.0.value')).toContain('California, United States or Canada')
    expect(html).toMatch(/<select[^>]*name="delivery_regions.0.value".*?value="CA-US".*?value="Canada"/)
    await owner.post(PERCH, filled({ ...ALL, 'delivery_regions.0.value': 'Canada' }))
    const { rows } = await pool.query('select rules from product_pricing')
    expect(rows[0]?.rules.delivery_regions).toEqual(['Canada', 'NY-US', 'US'])
  })

  test('limits above the price are saved only when that is confirmed, and are not shown meanwhile', async () => {
    const form = filled({ lead_time_days: '9', reserve_price_usd: '123.45' })
    const { status, html } = await unchanged(() => read(owner.post(PERCH, form)))
    expect(status).toBe(409)
    expect(html).toContain('higher than the base price of $100')
    expect(html).not.toContain('123.45')
    expect(formOf(html, PERCH)).toMatchObject({ lead_time_days: '9', reserve_price_usd: '' })
    expect(html).toContain('name="confirm"')
    expect((await owner.post(PERCH, { ...form, confirm: 'on' })).status).toBe(303)
    expect(await pageOf(PERCH)).not.toContain('name="confirm"')
  })

  test('defaults apply where a product has no rule, and its form says what they are', async () => {
    const DEFAULTS = `${PAGE}/defaults`
    const answer = await owner.post(
      DEFAULTS,
      filled({
        ...{ lead_time_days: '6', shipping_cost_usd: '9', 'delivery_regions.0.value': 'US' },
        ...{ 'shipping_by_region.0.region': 'Hawaii', 'shipping_by_region.0.cost_usd': '30' },
      }),
    )
    expect(answer.headers.get('location')).toBe(`${PAGE}?done=defaults`)
    const list = await pageOf(`${PAGE}?done=defaults`)
    expect(list).toContain('Defaults saved.')
    expect(formOf(list, DEFAULTS)).toMatchObject({
      ...{ lead_time_days: '6', 'shipping_by_region.0.region': 'Hawaii', 'shipping_by_region.1.region': '' },
    })
    expect(list).toContain('6 business days<span class="row-note">default</span>')
    const one = await pageOf(`${PERCH}?quantity=1&delivery_region=Hawaii`)
    expect(one).toContain('Your default: 6 business days.')
    expect(one).toContain('$130 total')
    await owner.post(PERCH, filled({ deliver_everywhere: 'on' }))
    expect((await pool.query('select rules from product_pricing')).rows[0]?.rules).toMatchObject({
      delivery_regions: [],
    })
    const bad = filled({ 'shipping_by_region.0.region': 'Atlantis', 'shipping_by_region.0.cost_usd': '1' })
    const refused = await unchanged(() => read(owner.post(DEFAULTS, bad)))
    expect(refused.status).toBe(400)
    expect(formOf(refused.html, DEFAULTS)).toMatchObject({ 'shipping_by_region.0.region': 'Atlantis' })
  })

  test('a file is previewed, then saved as it was shown; a large one is chosen again', async () => {
    const FILE = `${PAGE}/import`
    const text = 'product_slug,price,stock\nstools/perch,80,4\nstools/theirs,1,1\n'
    const preview = await unchanged(() => read(upload(FILE, text)))
    expect(preview.html).toContain('1 row would change something. Nothing is saved yet. 1 row can’t be used.')
    const agreedIn = (html: string) => /name="agreed" value="([^"]+)"/.exec(html)?.[1] ?? ''
    const saving = { act: 'save', agreed: agreedIn(preview.html) }
    // Another file than the one that was shown is shown first.
    const other = await unchanged(() => read(upload(FILE, text.replace('80', '81').replace('4', ''), saving)))
    expect(other.html).toContain('would do something else than what you saw')
    const saved = await read(upload(FILE, '', { ...saving, content: text }))
    expect(saved.html).toContain('1 row saved.')
    const { rows } = await pool.query('select rules from product_pricing')
    expect(rows).toEqual([{ rules: { price_usd: 80, stock: 4 } }])
    const large = `${text.replace('80', '82')}${'\n'.repeat(250_000)}`
    const shown = await read(upload(FILE, large))
    expect(shown.html).toContain('choose the file again')
    const again = await read(upload(FILE, large, { act: 'save', agreed: agreedIn(shown.html) }))
    expect(again.html).toContain('1 row saved.')
    expect((await read(upload(FILE, ''))).html).toContain('Choose a file, or paste its rows.')
  })

  test('limits that can no longer be read are asked for both, in words', async () => {
    await owner.post(PERCH, filled({ reserve_price_usd: '80' }))
    await pool.query(`update product_pricing set floors_box = 'cannot be opened'`)
    expect(await pageOf(PERCH)).toContain('Enter both limits again, or remove them.')
    const form = filled({ reserve_price_usd: '70' })
    const { status, html } = await unchanged(() => read(owner.post(PERCH, form)))
    expect(status).toBe(409)
    expect(errorOf(html, 'reserve_price_usd')).toContain('Enter both again, or tick the boxes')
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
    await owner.post(VOLUME, filled(discounts(['5', '4'])))
    await owner.post(PERCH, filled({ lead_time_days: '3', max_discount_pct: '15' }))
    for (const role of ['editor', 'viewer'] as const) {
      const member = browserOf(await addMember(world, acme, role))
      const [all, one] = [await pageOf(PAGE, member), await pageOf(PERCH, member)]
      expect(all).toContain('5 units')
      expect(all).toContain('An owner or admin of Acme can change your pricing.')
      expect(one).toContain('>3 business days<')
      expect(one).toContain('>15%<')
      expect(`${all}${one}`).not.toContain('method="post"')
      expect(one).not.toContain('reserve_price_usd')
      for (const [path, form] of [
        [VOLUME, discounts(['2', '50'])],
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
    const crossed = await unchanged(() => stranger.post(VOLUME, filled(discounts(['2', '9']))))
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
    expect(html).not.toMatch(/method="post"|Price by quantity/)
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
    const none = await pageOf(`${PAGE}?q=x%26y`)
    expect(none).toContain('No products match.')
    expect(none).toContain('value="x&amp;y"')
    const file = await owner.get(`${PAGE}?format=csv&q=perch`)
    expect(await file.text()).toBe(
      'Product,Price,Stock,Shipping,Delivery time,Delivers to,Quotes\r\nstools/perch,,,,,,Ready\r\n',
    )
    const empty = await createOrg(world, { name: 'Empty' })
    expect(await pageOf(PAGE, browserOf(empty.session))).toContain(
      'You have no verified claim to a product yet.',
    )
  })

  test('managed pricing is switched where the rules are, and one stays there', async () => {
    const form = formOf(await pageOf(PAGE), '/dashboard/agent/answering')
    const answer = await owner.post('/dashboard/agent/answering', form)
    expect(answer.headers.get('location')).toBe(`${PAGE}?done=managed`)
    const html = await pageOf(`${PAGE}?done=managed`)
    expect(html).toContain('Souk now answers buyers for you.')
    expect(html).toContain('<span class="state good">On</span>')
  })
})
