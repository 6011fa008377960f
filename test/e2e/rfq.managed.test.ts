/** Producers without a server: the service answers requests for them, and they are ranked beside agents. */
import { expect, test } from 'vitest'
import { call, relate } from '../orgs.ts'
import { type Body, createManagedWorld, FLOORS, PRICING, SIMULATE } from './rfq.managed.world.ts'

const world = await createManagedWorld()
const { robot, product, managed, send, offer, prices, simulate, quotesFor: ask } = world

const AT_SHOP = { name: 'Own', url: 'https://www.own.example/stool', price: 70 }
const OWN = { domain: 'own.example' }
test.each([
  ['its live offer, the cheapest', [{ price_usd: 66 }, { price_usd: 65 }], 65, 'https://deal.example/now'],
  ['its shop, when no offer names a price', [{}], 70, AT_SHOP.url],
  ['its shop, when the offer is to come', [{ price_usd: 65, starts_at: '2027-01-01' }], 70, AT_SHOP.url],
  ['its shop, when the offer is over', [{ price_usd: 65, expires_at: '2026-10-01' }], 70, AT_SHOP.url],
  ['its shop, when there is no offer', [], 70, AT_SHOP.url],
])('the price starts from %s, and the link leads there', async (_, offers, price, address) => {
  const rival = { name: 'Rival', url: 'https://notown.example/stool', price: 1 }
  const unpriced = { name: 'Own', url: 'https://own.example/about-stool' }
  const stool = await product({ where_to_buy: [rival, unpriced, AT_SHOP] })
  const org = await managed(stool, null, OWN)
  for (const terms of offers) {
    const days = Object.entries(terms).map(([name, value]) => [
      name,
      typeof value === 'string' ? `${value}T00:00:00Z` : value,
    ])
    await offer(org, stool, Object.fromEntries(days))
  }
  await offer(org, stool, { price_usd: 2 }, 'paused')
  await offer(org, stool, { price_usd: 3 }, 'draft')
  const [quote] = (await ask(stool)).quotes
  expect(quote).toMatchObject({ price_usd: price, list_price_usd: 100, in_stock: true })
  expect(quote?.claim_url).toMatch(/^http:\/\/souk\.test\/go\/[0-9a-f-]{36}$/)
  const followed = await world.app.request(quote?.claim_url ?? '')
  expect([followed.status, followed.headers.get('location')]).toEqual([302, address])
  const { rows } = await world.database.pool.query('select org_id from link_clicks where link_id = $1', [
    quote?.claim_url.slice(-36),
  ])
  expect(rows).toEqual([{ org_id: org.id }])
  await world.database.db.deleteFrom('orgs').where('id', '=', org.id).execute()
})

test('a quote does not outlive the offer whose price it starts from', async () => {
  const stool = await product()
  const org = await managed(stool)
  const expires_at = new Date(world.clock.now().getTime() + 3_600_000).toISOString()
  await offer(org, stool, { price_usd: 65, expires_at })
  const [quote] = (await ask(stool)).quotes
  expect(quote).toMatchObject({ price_usd: 65, offer_expires_at: expires_at })
})

test('without offer or shop of its own it starts from the list price and leads to its website', async () => {
  const stool = await product({ where_to_buy: [AT_SHOP] })
  const org = await managed(stool)
  await send(org, 'PATCH', '/api/org/', { website_url: 'https://website.example/' })
  const [quote] = (await ask(stool)).quotes
  expect(quote?.price_usd).toBe(100)
  const followed = await world.app.request(quote?.claim_url ?? '')
  expect(followed.headers.get('location')).toBe('https://website.example/')
})

test('a domain that is not proved lends neither its shop’s price nor its address', async () => {
  const stool = await product({ where_to_buy: [AT_SHOP] })
  const org = await managed(stool, null, { ...OWN, name: 'Pretender', verified: false })
  const task = await ask(stool)
  expect(task.quotes).toEqual([])
  expect((await world.verdicts(task.rfqId)).Pretender).toMatchObject({ verdict: 'declined' })
  await send(org, 'PATCH', '/api/org/', { website_url: 'https://website.example/' })
  expect(await prices(stool)).toEqual([100])
})

test('tiers of the organization apply from their quantity on, held above the floors by whole percents', async () => {
  const stool = await product()
  const org = await managed(stool)
  for (const [quantity, price] of [
    [9, 100],
    [10, 90],
    [99, 90],
    [100, 50],
  ])
    expect(await prices(stool, { quantity })).toEqual([price])
  const set = (rules: Body) => send(org, 'PATCH', PRICING, { product_slug: stool.slug, ...rules })
  await set({ reserve_price_usd: 60 })
  expect(await prices(stool, { quantity: 100 })).toEqual([61])
  await set({ min_margin_pct: 25 })
  expect(await prices(stool, { quantity: 100 })).toEqual([81])
  await set({ reserve_price_usd: 74.99 })
  expect(await prices(stool, { quantity: 100 })).toEqual([100])
  await set({ reserve_price_usd: 75, confirm: true })
  expect(await prices(stool)).toEqual([])
})

test('managed producers and agents are ranked together, out of stock last; who does not deliver there declines', async () => {
  const stool = await product()
  await relate(world, robot.org, stool.id)
  const at = (name: string, rules: Body) => managed(stool, rules, { name })
  await at('Cheap', { shipping_cost_usd: 0, max_discount_pct: 10, lead_time_days: 9 })
  await at('Dear', { shipping_cost_usd: 6, max_discount_pct: 0 })
  await at('Empty', { shipping_cost_usd: 0, in_stock: false })
  await at('Elsewhere', { delivery_regions: ['Germany', 'NY-US'] })
  const task = await ask(stool, { quantity: 10, delivery_region: 'CA-US' })
  expect(task.quotes.map(({ org, price_usd, in_stock }) => [org.name, price_usd, in_stock])).toEqual([
    ['Cheap', 90, true],
    ['robot', 95, true],
    ['Dear', 100, true],
    ['Empty', 90, false],
  ])
  expect(await world.verdicts(task.rfqId)).toMatchObject({
    Elsewhere: { verdict: 'not_delivered', reason: 'Not delivered to this region.' },
    Empty: { verdict: 'out_of_stock' },
  })
})

test('a card does not matter while rules answer, and who is deactivated or not verified to sell it is not asked', async () => {
  const stool = await product()
  const of = (name: string) => managed(stool, null, { name })
  const [, gone] = [await of('Asked'), await of('Gone')]
  const waiting = await managed(await product(), null, { name: 'Waiting' })
  await relate(world, waiting, stool.id, { status: 'pending' })
  await world.database.pool.query('update orgs set deactivated_at = now() where id = $1', [gone.id])
  await relate(world, robot.org, stool.id)
  await send(robot.org, 'PATCH', '/api/org/agent-integration/', { is_managed: true })
  const before = robot.received.length
  const task = await ask(stool)
  await send(robot.org, 'PATCH', '/api/org/agent-integration/', { is_managed: false })
  expect(Object.keys(await world.verdicts(task.rfqId)).sort()).toEqual(['Asked', 'robot'])
  expect(task.quotes.map(({ price_usd }) => price_usd)).toEqual([100, 100])
  expect(robot.received).toHaveLength(before)
  expect(await call(world, gone.session, 'POST', SIMULATE, { product_slug: stool.slug })).toMatchObject({
    status: 403,
    body: { code: 'org_deactivated' },
  })
})

test('floors that can no longer be opened stop their own producer’s quotes, nobody else’s, until both are set again', async () => {
  const stool = await product()
  const org = await managed(stool, FLOORS, { name: 'Locked out' })
  await managed(stool, null, { name: 'Other' })
  const { pool } = world.database
  await pool.query(`update product_pricing set floors_box = 'v1.00000000.AAAA' where org_id = $1`, [org.id])
  const task = await ask(stool)
  expect([task.state, task.quotes.map(({ org }) => org.name)]).toEqual(['completed', ['Other']])
  expect((await world.verdicts(task.rfqId))['Locked out']).toMatchObject({ verdict: 'declined' })
  expect(await simulate(org, stool)).toMatchObject({
    would: 'decline',
    reason: expect.stringContaining('limits'),
  })
  const set = (rules: Body) =>
    call(world, org.session, 'PATCH', PRICING, { product_slug: stool.slug, ...rules })
  expect((await set({ reserve_price_usd: 130 })).status).toBe(409)
  expect((await set({ lead_time_days: 2 })).status).toBe(200)
  expect(await prices(stool)).toEqual([100])
  expect((await set({ reserve_price_usd: 60, min_margin_pct: null })).status).toBe(200)
  expect(await prices(stool, { quantity: 100 })).toEqual([50, 61])
})
