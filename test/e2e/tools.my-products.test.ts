/** list_my_products on a real database: what is read, whose it is, filters and pages. */
import { beforeAll, describe, expect, test } from 'vitest'
import { createSecretBox } from '../../src/lib/crypto.ts'
import { PRICING_FLOORS } from '../../src/pricing/pricing.service.ts'
import { listMyProducts, type MyProductsQuery } from '../../src/producers/my-products.service.ts'
import { relate } from '../orgs.ts'
import { createIssuesWorld, type IssuesWorld, type Row, rulesOf } from './issues.world.ts'

let souk: IssuesWorld
beforeAll(async () => {
  souk = await createIssuesWorld()
})

const slugs = async (args: Row = {}) => (await souk.mine(args)).products.map((one) => one.product_slug)

describe('list_my_products', () => {
  test('shows each product once with its claims, profile, own offers, issues and readiness; last claimed first', async () => {
    const { products, data, text } = await souk.mine()
    expect(data).toMatchObject({ total: 3, next_offset: null, submissions_pending: 1 })
    expect(products).toMatchObject([
      {
        product_slug: 'tents/dome',
        title: 'Dome Tent 100% dry',
        relationships: [{ relationship_type: 'sells', status: 'pending' }],
        discontinued: true,
        offers: { draft: 0, active: 0, paused: 0, expired: 0 },
        worst_severity: 'error',
        rfq: 'claim_not_verified',
      },
      {
        product_slug: 'kettles/bare',
        profile_status: 'base',
        worst_severity: 'error',
        rfq: 'no_quote_possible',
      },
      {
        product_slug: 'kettles/whole',
        relationships: [
          { relationship_type: 'sells', status: 'verified' },
          { relationship_type: 'manufactured_by', status: 'pending' },
        ],
        offers: { draft: 1, active: 1, paused: 0, expired: 2 },
        rfq: 'ready',
      },
    ])
    expect(text).toMatch(/1 to 3 of 3\.[\s\S]*Waiting for review: 1 proposed product\./)
    expect(text).toContain('offers: 1 draft, 1 active, 2 expired')
    expect(text).toContain('get_catalog_issues')
  })

  test('its counts of issues are those that get_catalog_issues tells', async () => {
    for (const one of (await souk.mine()).products) {
      const { data, issues } = await souk.found({ product_slug: one.product_slug })
      expect([one.issues, one.worst_severity]).toEqual([data.total, issues[0]?.severity ?? null])
    }
  })

  test.each<[Row, string[]]>([
    [{ relationship_type: 'manufactured_by' }, ['kettles/whole']],
    [{ verification_status: 'verified' }, ['kettles/bare', 'kettles/whole']],
    [{ verification_status: 'pending' }, ['tents/dome', 'kettles/whole']],
    [{ relationship_type: 'manufactured_by', verification_status: 'verified' }, []],
    [{ query: 'SPOUT whole' }, ['kettles/whole']],
    [{ query: 'tents/' }, ['tents/dome']],
    [{ query: 'kettle' }, ['kettles/bare', 'kettles/whole']],
    [{ query: '100%' }, ['tents/dome']],
    [{ query: '%' }, ['tents/dome']],
    [{ query: '_' }, []],
    [{ query: '\\' }, []],
    [{ query: "'; drop table products; --" }, []],
    [{ query: '\u0000' }, ['tents/dome', 'kettles/bare', 'kettles/whole']],
    [{ has_issues: true }, ['tents/dome', 'kettles/bare', 'kettles/whole']],
    [{ has_issues: false }, []],
    [{ has_issues: 'true', query: 'bare' }, ['kettles/bare']],
  ])('%j finds %j', async (args, expected) => {
    expect(await slugs(args)).toEqual(expected)
  })

  test('pages fit together, with and without has_issues, and beyond the end there is nothing', async () => {
    for (const more of [{}, { has_issues: true }]) {
      const seen: unknown[] = []
      let offset: unknown = 0
      while (typeof offset === 'number') {
        const { products, data } = await souk.mine({ limit: 1, offset, ...more })
        expect(data.total).toBe(3)
        seen.push(...products.map((one) => one.product_slug))
        offset = data.next_offset
      }
      expect(seen).toEqual(['tents/dome', 'kettles/bare', 'kettles/whole'])
      const beyond = await souk.mine({ offset: 7, ...more })
      expect(beyond.data).toMatchObject({ products: [], total: 3, next_offset: null })
      expect(beyond.text).toContain('there are 3 in all')
    }
  })

  test('a product without issues is found by has_issues false', async () => {
    const good = await souk.owner()
    await souk.integrate(good, 'managed')
    await relate(souk, good.org, souk.ids.whole)
    await relate(souk, good.org, souk.ids.bare)
    await souk.offer(good, souk.ids.whole, { status: 'active', price_cents: 5_500 })
    expect((await souk.mine({ has_issues: false }, good)).products).toMatchObject([
      { product_slug: 'kettles/whole', issues: 0, worst_severity: null, rfq: 'ready' },
    ])
    expect((await souk.mine({ has_issues: true }, good)).products).toMatchObject([
      { product_slug: 'kettles/bare' },
    ])
  })

  test('rules that keep a product from being quoted as it should show in its readiness and its issues', async () => {
    const person = await souk.owner()
    await souk.integrate(person, 'managed')
    const { whole, bare } = souk.ids
    for (const id of [whole, bare]) {
      await relate(souk, person.org, id)
      await souk.offer(person, id, { status: 'active', price_cents: 5_500 })
    }
    const keep = (id: string, rules: Row, floorsBox: string | null) =>
      souk.database.pool.query(
        `insert into product_pricing (org_id, product_id, rules, floors_box) values ($1, $2, $3, $4)
         on conflict (org_id, product_id) do update set rules = excluded.rules, floors_box = excluded.floors_box`,
        [person.org.id, id, JSON.stringify(rules), floorsBox],
      )
    const readiness = async () =>
      Object.fromEntries((await souk.mine({}, person)).products.map((one) => [one.product_slug, one.rfq]))
    expect(await readiness()).toEqual({ 'kettles/whole': 'ready', 'kettles/bare': 'ready' })
    await keep(whole, { in_stock: false }, null)
    await keep(bare, {}, createSecretBox('a secret that is gone', PRICING_FLOORS.purpose).seal('{}'))
    expect(await readiness()).toEqual({
      'kettles/whole': 'out_of_stock',
      'kettles/bare': 'no_quote_possible',
    })
    const { issues } = await souk.found({ limit: 50 }, person)
    expect(issues[0]).toMatchObject({
      rule: 'limits_lost',
      severity: 'critical',
      product_slug: 'kettles/bare',
      fix: expect.stringContaining('set_pricing_rules with both'),
    })
    expect(rulesOf(issues)).toContainEqual(['kettles/whole', 'quoted_out_of_stock'])
    expect(rulesOf(issues)).not.toContainEqual(['kettles/bare', 'no_quote_possible'])
    const again = { product_slug: 'bare', reserve_price_usd: 40, min_margin_pct: null }
    await souk.call(person, 'set_pricing_rules', again)
    expect((await readiness())['kettles/bare']).toBe('ready')
  })

  test('only the floors of products that managed pricing answers for are opened', async () => {
    const person = await souk.owner()
    await souk.integrate(person, 'managed')
    await relate(souk, person.org, souk.ids.whole)
    await relate(souk, person.org, souk.ids.bare)
    await relate(souk, person.org, souk.ids.tent, { status: 'pending' })
    await souk.database.pool.query(
      `insert into product_pricing (org_id, product_id, floors_box) select $1, id, slug from products
       where id = any($2)`,
      [person.org.id, Object.values(souk.ids)],
    )
    const opened: string[] = []
    const pricingSecrets = {
      ...souk.rfq.pricingSecrets,
      open: (box: string) => {
        opened.push(box)
        return '{}'
      },
    }
    const caller = { kind: 'link_token', tokenId: person.org.tokenId, orgId: person.org.id } as const
    const look = (change: Partial<MyProductsQuery>) => {
      const every = { relationshipType: null, verificationStatus: null, query: null, hasIssues: null }
      const query = { ...every, limit: 50, offset: 0, ...change }
      return listMyProducts({ ...souk.rfq, pricingSecrets }, { caller }, query)
    }
    await look({ query: 'whole' })
    expect(opened.splice(0)).toEqual(['whole'])
    await look({})
    expect(opened.splice(0).sort()).toEqual(['bare', 'whole'])
    await souk.database.pool.query('update agent_integrations set is_managed = false where org_id = $1', [
      person.org.id,
    ])
    await look({})
    expect(opened).toEqual([])
  })

  test('another organization sees nothing of it', async () => {
    const { data, text } = await souk.mine({}, souk.rival)
    expect(data).toEqual({
      products: [],
      total: 0,
      next_offset: null,
      submissions_pending: 1,
      submissions_rejected: 0,
    })
    expect(text).toContain('claim_product')
  })

  test('a viewer and the people of a deactivated organization may look, a consumer may not', async () => {
    const viewer = await souk.person({ in: souk.shop.org, role: 'viewer' })
    expect((await souk.mine({}, viewer)).data.total).toBe(3)
    expect((await souk.found({}, viewer)).isError).toBe(false)
    const gone = await souk.owner({ deactivated: true })
    await relate(souk, gone.org, souk.ids.whole)
    expect((await souk.mine({}, gone)).products).toMatchObject([{ rfq: 'organization_deactivated' }])
    expect((await souk.found({ severity: 'critical' }, gone)).issues).toMatchObject([
      { rule: 'organization_deactivated' },
    ])
    const nobody = await souk.person()
    for (const name of ['list_my_products', 'get_catalog_issues'])
      expect((await souk.call(nobody, name)).error).toMatchObject({ code: 'not_a_producer' })
  })

  test.each([
    ['limit', 51, 'list_my_products'],
    ['limit', 0, 'list_my_products'],
    ['offset', 10_001, 'list_my_products'],
    ['offset', -1, 'get_catalog_issues'],
    ['limit', 51, 'get_catalog_issues'],
    ['query', 'x'.repeat(201), 'list_my_products'],
    ['relationship_type', 'owns', 'list_my_products'],
    ['verification_status', 'rejected', 'list_my_products'],
    ['has_issues', 'maybe', 'list_my_products'],
    ['severity', 'fatal', 'get_catalog_issues'],
    ['product_slug', 'a/b/c', 'get_catalog_issues'],
  ])('%s %j is refused', async (field, value, tool) => {
    expect((await souk.call(souk.shop, tool, { [field]: value })).error).toMatchObject({
      kind: 'invalid',
      field,
    })
  })
})
