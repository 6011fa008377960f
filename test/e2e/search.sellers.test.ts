/** The filters `available` and `ships_to`, against a world with every kind of seller, on every face and on two nodes. */
import { beforeAll, describe, expect, test } from 'vitest'
import { createTestApp } from '../harness.ts'
import { call, createOrg, relate, type TestOrg } from '../orgs.ts'
import { addProducts } from '../products.ts'
import { run } from '../skills.world.ts'
import { type ToolPerson, withTools } from '../tools.world.ts'
import { ask, find, slugs } from './search.world.ts'

const SHOP = [{ name: 'Corner', url: 'https://corner.example/k', price: 60 }]
/** What there is, and who sells it. */
const KETTLES = {
  listed: { where_to_buy: SHOP },
  us: {},
  california: {},
  everywhere: {},
  agent: {},
  offered: {},
  nobody: {},
  pending: {},
  gone: { where_to_buy: SHOP, discontinued: true },
}
type Kettle = keyof typeof KETTLES
const NAMES = Object.keys(KETTLES) as Kettle[]

async function createWorld() {
  const souk = withTools(await createTestApp())
  const rows = NAMES.map((slug) => ({
    ...{ slug, category: 'kettles', title: `Steel kettle ${slug}`, price: 60 },
    ...KETTLES[slug],
  }))
  const ids = await addProducts(souk, rows)
  const idOf = (slug: Kettle) => ids[NAMES.indexOf(slug)] ?? ''
  await souk.searchRuntime.fill()
  const seller = async (slug: Kettle, status: 'verified' | 'pending' = 'verified') => {
    const org = await createOrg(souk, { name: `Seller of ${slug}` })
    await relate(souk, org, idOf(slug), { status })
    return org
  }
  const send = async (org: TestOrg, method: string, path: string, body: Record<string, unknown>) => {
    const answer = await call(souk, org.session, method, path, body)
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
    return answer.body
  }
  const manage = async (slug: Kettle, regions?: string[], status?: 'pending') => {
    const org = await seller(slug, status)
    await send(org, 'PATCH', '/api/org/agent-integration/', { is_managed: true })
    const rules = { product_slug: `kettles/${slug}`, delivery_regions: regions }
    if (regions) await send(org, 'PATCH', '/api/org/pricing/', rules)
    return org
  }
  const orgs = {
    us: await manage('us', ['United States']),
    california: await manage('california', ['California']),
    everywhere: await manage('everywhere'),
    agent: await seller('agent'),
    offered: await seller('offered'),
    pending: await manage('pending', undefined, 'pending'),
  }
  await souk.database.db
    .insertInto('agent_integrations')
    .values({ org_id: orgs.agent.id, agent_card_url: 'https://agent.example/card.json' })
    .execute()
  const offer = {
    product_slug: 'kettles/offered',
    ...{ headline: 'A deal', destination_url: 'https://shop.example/deal' },
  }
  const { offer_id } = await send(orgs.offered, 'POST', '/api/offers/create/', offer)
  await send(orgs.offered, 'PATCH', '/api/offers/update/', { offer_id, status: 'active' })
  await souk.catchUp()
  return { ...souk, idOf, orgs, send }
}

let souk: Awaited<ReturnType<typeof createWorld>>
let ada: ToolPerson
beforeAll(async () => {
  souk = await createWorld()
  ada = await souk.person()
})

const QUERY = 'steel kettle'
const sorted = (found: Array<{ slug: string }>) => slugs(found).sort()
const rest = (filters: Record<string, unknown>, app = souk.app) =>
  find(app, { query: QUERY, filters, limit: 50 })

const AVAILABLE = ['agent', 'california', 'everywhere', 'listed', 'offered', 'us']
const CASES: Array<[string, string, string[], number]> = [
  ['CA-US', 'California, United States', ['california', 'everywhere', 'us'], 3],
  ['New York', 'New York, United States', ['everywhere', 'us'], 3],
  ['US', 'United States', ['everywhere', 'us'], 4],
  ['Germany', 'Germany', ['everywhere'], 3],
]

describe('available', () => {
  test('keeps what a shop lists, an offer promotes or a seller quotes, and nothing discontinued', async () => {
    expect(sorted((await rest({})).results)).toEqual([...NAMES].sort())
    expect(sorted((await rest({ available: true })).results)).toEqual(AVAILABLE)
    expect(sorted((await rest({ available: false })).results)).toEqual([...NAMES].sort())
  })

  test('is the same on every face', async () => {
    const args = { query: QUERY, available: true, include_discontinued: true, limit: 50 }
    const tool = await souk.call(ada, 'search_products', args)
    expect(sorted(tool.data.results as never)).toEqual(AVAILABLE)
    const listed = await souk.call(ada, 'list_category_products', { category: 'kettles', available: true })
    expect(sorted(listed.data.products as never)).toEqual(AVAILABLE)
    expect(listed.text).toContain('listed or quoted by a seller')
    const skill = await run(souk, 'product-recommendation', args)
    expect(sorted(skill.data.results as never)).toEqual(AVAILABLE)
    const browsed = await run(souk, 'category-browse', { category: 'kettles', available: true })
    expect(sorted(browsed.data.products as never)).toEqual(AVAILABLE)
    const html = await (await souk.app.request('/search?q=steel+kettle&available=1')).text()
    expect(html).toContain('6 products')
    expect(html).toMatch(/name="available" value="1" checked/)
    expect(html).toContain('Available<svg')
  })
})

describe('ships_to', () => {
  test.each(CASES)('%s keeps what is known to be delivered there', async (region, name, found, open) => {
    // A discontinued product that a shop lists counts among those of which nobody says it.
    const answer = await rest({ ships_to: region })
    expect(sorted(answer.results)).toEqual(found)
    expect(answer).toMatchObject({ ships_to: { not_stated: open + 1 } })
    const both = await rest({ ships_to: region, available: true })
    expect(sorted(both.results)).toEqual(found)
    expect(both).toMatchObject({ ships_to: { not_stated: open } })

    const told = [`delivers to ${name}.`, `For ${open} other products that match`]
    const args = { query: QUERY, ships_to: region, limit: 50 }
    const tool = await souk.call(ada, 'search_products', args)
    const skill = await run(souk, 'product-recommendation', args)
    const listed = await souk.call(ada, 'list_category_products', { category: 'kettles', ships_to: region })
    const browsed = await run(souk, 'category-browse', { category: 'kettles', ships_to: region })
    for (const { text, data } of [tool, skill, listed, browsed]) {
      expect(sorted((data.results ?? data.products) as never)).toEqual(found)
      expect(data.ships_to).toMatchObject({ not_stated: open })
      for (const words of told) expect(text).toContain(words)
    }
    const html = await (
      await souk.app.request(`/search?q=steel+kettle&available=1&ships_to=${encodeURIComponent(region)}`)
    ).text()
    expect(html).toContain(`Ships to ${name}`)
    for (const words of told) expect(html).toContain(words)
    for (const slug of NAMES) expect(html.includes(`/p/kettles/${slug}"`)).toBe(found.includes(slug))
  })

  test('with a text of two meanings is asked about, and with none is refused', async () => {
    const ambiguous = await ask(souk.app, { query: QUERY, filters: { ships_to: 'CA' } })
    expect(ambiguous).toMatchObject({
      status: 400,
      body: { field: 'filters.ships_to', valid: ['CA-US', 'Canada'] },
    })
    expect(await ask(souk.app, { query: QUERY, filters: { ships_to: 'Atlantis' } })).toMatchObject({
      status: 400,
      body: { field: 'filters.ships_to' },
    })
    const tool = await souk.call(ada, 'search_products', { query: QUERY, ships_to: 'CA' })
    expect(tool).toMatchObject({ isError: true, error: { field: 'ships_to', valid: ['CA-US', 'Canada'] } })
    expect(tool.text).toContain('CA-US (California, United States) or Canada')
    await expect(run(souk, 'product-recommendation', { query: QUERY, ships_to: 'CA' })).rejects.toMatchObject(
      {
        kind: 'invalid',
        valid: ['CA-US', 'Canada'],
      },
    )
    const page = await souk.app.request('/search?q=steel+kettle&ships_to=CA')
    const html = await page.text()
    expect(html).toContain('“CA” can mean California, United States or Canada. Choose one.')
    expect(html).toMatch(/<select[^>]*name="ships_to".*?value="CA-US".*?value="Canada"/)
  })

  test('that nobody serves says so, and how many nobody speaks of', async () => {
    const { us, california, everywhere } = souk.orgs
    for (const org of [us, california, everywhere])
      await souk.send(org, 'PATCH', '/api/org/agent-integration/', { is_managed: false })
    await souk.catchUp()
    const tool = await souk.call(ada, 'search_products', { query: QUERY, ships_to: 'Germany' })
    expect(tool.data).toMatchObject({ results: [], ships_to: { region: 'Germany', not_stated: 3 } })
    expect(tool.text).toContain('No seller of a match states that it delivers to Germany.')
    for (const org of [us, california, everywhere])
      await souk.send(org, 'PATCH', '/api/org/agent-integration/', { is_managed: true })
    await souk.catchUp()
    expect(sorted((await rest({ ships_to: 'Germany' })).results)).toEqual(['everywhere'])
  })
})

describe('a change', () => {
  test('of a seller counts on every node, whatever was changed', async () => {
    const other = await createTestApp({ database: souk.database })
    await other.searchRuntime.fill()
    const shipped = async () => {
      await Promise.all([souk.catchUp(), other.catchUp()])
      const found = await Promise.all([
        rest({ ships_to: 'CA-US', available: true }),
        rest({ ships_to: 'CA-US', available: true }, other.app),
      ])
      expect(sorted(found[1].results)).toEqual(sorted(found[0].results))
      return sorted(found[0].results)
    }
    const { us, california, everywhere, pending } = souk.orgs
    const { pool } = souk.database
    const all = ['california', 'everywhere', 'us']
    expect(await shipped()).toEqual(all)

    await souk.send(us, 'PATCH', '/api/org/agent-integration/', { is_managed: false })
    expect(await shipped()).toEqual(['california', 'everywhere'])
    await souk.send(us, 'PATCH', '/api/org/agent-integration/', { is_managed: true })
    expect(await shipped()).toEqual(all)

    const rules = { product_slug: 'kettles/california', delivery_regions: ['Oregon'] }
    await souk.send(california, 'PATCH', '/api/org/pricing/', rules)
    expect(await shipped()).toEqual(['everywhere', 'us'])
    await souk.send(california, 'PATCH', '/api/org/pricing/', { ...rules, delivery_regions: null })
    expect(await shipped()).toEqual(all)

    await pool.query('update orgs set deactivated_at = now() where id = $1', [everywhere.id])
    expect(await shipped()).toEqual(['california', 'us'])
    await pool.query('update orgs set deactivated_at = null where id = $1', [everywhere.id])
    expect(await shipped()).toEqual(all)

    await pool.query(
      `update product_relationships set status = 'verified', verified_at = now(), verified_via = 'operator' where org_id = $1`,
      [pending.id],
    )
    expect(await shipped()).toEqual(['california', 'everywhere', 'pending', 'us'])
    await pool.query('delete from orgs where id = $1', [pending.id])
    expect(await shipped()).toEqual(all)

    await pool.query('update product_relationships set product_id = $1 where org_id = $2', [
      souk.idOf('nobody'),
      us.id,
    ])
    expect(await shipped()).toEqual(['california', 'everywhere', 'nobody'])
    await pool.query('update product_relationships set product_id = $1 where org_id = $2', [
      souk.idOf('us'),
      us.id,
    ])
    expect(await shipped()).toEqual(all)

    const started = await createTestApp({ database: souk.database })
    await started.searchRuntime.fill()
    expect(sorted((await rest({ ships_to: 'CA-US' }, started.app)).results)).toEqual(all)
  })

  test('of an agent’s health writes nothing, and a change of sellers is no news for buyers', async () => {
    const { pool } = souk.database
    const count = async () => (await pool.query('select count(*)::int as n from changes')).rows[0].n
    const before = await count()
    await pool.query("update agent_integrations set status = 'active', failures_in_a_row = 2")
    await pool.query('update product_pricing set rules = rules || \'{"lead_time_days": 4}\'')
    expect(await count()).toBe(before)
    const { data } = await run(souk, 'what-changed', { category: 'kettles', since: '2020-01-01' })
    expect(JSON.stringify(data)).not.toContain('sellers')
  })
})

test('a seller’s default regions count where a product has none of its own, and their change shows', async () => {
  const { orgs, send } = souk
  const ships = async () => sorted((await rest({ ships_to: 'Germany' })).results)
  expect(await ships()).toContain('everywhere')
  await send(orgs.everywhere, 'PATCH', '/api/org/pricing/', { delivery_regions: ['Ontario'] })
  await souk.catchUp()
  expect(await ships()).not.toContain('everywhere')
  await send(orgs.everywhere, 'PATCH', '/api/org/pricing/', { delivery_regions: null })
  await souk.catchUp()
  expect(await ships()).toContain('everywhere')
})
