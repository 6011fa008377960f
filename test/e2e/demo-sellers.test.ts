/** The sellers that come with the demo catalog: who they are, what they answer, and that they keep to the demo. */
import { afterAll, expect, test } from 'vitest'
import { isDemoLoaded, loadDemoCatalog } from '../../src/catalog/demo.service.ts'
import { answerOf, createDemoAgents } from '../../src/demo/agents.ts'
import { previewRemoval, removeDemo } from '../../src/demo/remove.service.ts'
import {
  areSellersLoaded,
  loadDemoSellers,
  makeDemoHistory,
  unloadDemoSellers,
} from '../../src/demo/sellers.service.ts'
import { agentHost, DEMO_SELLERS } from '../../src/demo/sellers.ts'
import { manualClock } from '../../src/lib/clock.ts'
import { createSecretBox } from '../../src/lib/crypto.ts'
import { createOutbound } from '../../src/lib/outbound.ts'
import { ORG_HOOKS } from '../../src/org-hooks.ts'
import { verifyOrg } from '../../src/orgs/admin.service.ts'
import { INTEGRATION_SECRETS } from '../../src/orgs/integration.service.ts'
import { OrgRules, ProductRules } from '../../src/pricing/pricing.schema.ts'
import { findQuotes } from '../../src/rfq/attempts.queries.ts'
import { waitForRfq } from '../../src/rfq/follow.ts'
import { findAsked } from '../../src/rfq/producers.service.ts'
import { rankQuotes } from '../../src/rfq/rank.ts'
import { RfqRequest } from '../../src/rfq/rfq.schema.ts'
import { submitRfq } from '../../src/rfq/rfq.service.ts'
import { createDemoDatabase, createTestApp, SILENT, testConfig } from '../harness.ts'
import { call, createOrg } from '../orgs.ts'
import { addProduct } from '../products.ts'
import { carryOutRequests, STRANGER } from './rfq.world.ts'

const database = await createDemoDatabase()
const { pool } = database
const clock = manualClock('2026-11-01T12:00:00Z')
const integrationSecrets = createSecretBox(
  'a secret for tests, of at least 32 characters',
  INTEGRATION_SECRETS.purpose,
)
const ctx = { db: database.db, clock, log: SILENT, integrationSecrets }
await loadDemoSellers(ctx)
await makeDemoHistory(ctx)
const agents = createDemoAgents(ctx)
await agents.follow()
afterAll(agents.stop)
const outbound = createOutbound({
  allow: [],
  inside: agents.inside,
  resolve: async (name) => {
    throw new Error(`no test asks the world for ${name}`)
  },
})
const world = await createTestApp({ database, outbound, demo: true, config: testConfig() })
carryOutRequests(world)

const query = async <T>(text: string, values: unknown[] = []): Promise<T[]> =>
  (await pool.query(text, values)).rows as T[]
const count = async (table: string, where = 'true') =>
  (await query<{ n: number }>(`select count(*)::int as n from ${table} where ${where}`))[0]?.n ?? 0

async function ask(slug: string, more: Record<string, unknown> = {}) {
  const request = RfqRequest.parse({ product_slug: slug, ...more })
  const task = await submitRfq(world.rfq, STRANGER, { request })
  return waitForRfq(world.rfq, { id: task.rfqId, userId: null, ms: 20_000 })
}

test('every product that is sold has two to six sellers, and two that always have it', async () => {
  const rows = await query<{ sellers: number; sure: number }>(
    `select count(distinct r.org_id)::int as sellers,
       count(*) filter (where o.org_type = 'distributor' and coalesce((y.rules ->> 'in_stock')::boolean, true))::int as sure
     from products p join product_relationships r on r.product_id = p.id and r.status = 'verified'
       join orgs o on o.id = r.org_id left join product_pricing y on y.org_id = o.id and y.product_id = p.id
     where not p.discontinued group by p.id`,
  )
  expect(rows).toHaveLength(await count('products', 'not discontinued'))
  expect(rows.filter(({ sellers, sure }) => sellers < 2 || sellers > 6 || sure < 2)).toEqual([])
  expect(await count('orgs', 'demo')).toBe(DEMO_SELLERS.length)
  expect(await count('offers')).toBeGreaterThan(30)
  expect(await makeDemoHistory(ctx)).toBe(false)
})

test('their rules are as the service would store them', async () => {
  const rows = await query<{ pricing: unknown }>(
    'select i.pricing from agent_integrations i join orgs o on o.id = i.org_id where o.demo',
  )
  for (const { pricing } of rows) expect(OrgRules.parse(pricing)).toEqual(pricing)
  const rules = await query<{ rules: unknown }>('select rules from product_pricing')
  for (const one of rules) expect(ProductRules.parse(one.rules)).toEqual(one.rules)
})

test('prices are near what is listed', async () => {
  const rows = await query<{ ratio: number }>(
    `select (y.rules ->> 'price_usd')::numeric * 100 / avg((w ->> 'priceCents')::numeric) as ratio
     from product_pricing y join products p on p.id = y.product_id, jsonb_array_elements(p.where_to_buy) w
     where y.rules ? 'price_usd' and p.price_low_cents > 5000 group by y.org_id, p.id, y.rules
     union all select price_cents::numeric / list_price_cents from offers`,
  )
  const ratios = rows.map(({ ratio }) => Number(ratio))
  expect(Math.min(...ratios)).toBeGreaterThan(0.91)
  expect(Math.max(...ratios)).toBeLessThan(1.09)
})

test('a month of requests is there, ranked as the service ranks, and none is in the future', async () => {
  const requests = await count('rfqs')
  expect(requests).toBeGreaterThan(300)
  expect(requests).toBeLessThan(600)
  expect(await count('rfqs', `created_at > '2026-11-01T12:00:00Z' or created_at < '2026-10-01'`)).toBe(0)
  expect(await count('rfqs', 'chosen_quote_id is not null')).toBeGreaterThan(50)
  expect(await count('link_clicks')).toBeGreaterThan(100)
  expect(await count('link_clicks', `at > '2026-11-01T12:00:00Z'`)).toBe(0)
  const days = await query(`select distinct (created_at at time zone 'UTC')::date from rfqs`)
  expect(days.length).toBeGreaterThan(25)
  const ids = await query<{ id: string }>('select id from rfqs')
  for (const { id } of ids.slice(0, 40)) {
    const [rfq] = await query<{ quantity: number; at: Date }>(
      'select quantity, created_at as at from rfqs where id = $1',
      [id],
    )
    const stored = await query<{ id: string; rank: number; loss_reason: string | null; loss: unknown }>(
      'select id, rank, loss_reason, loss from rfq_quotes where rfq_id = $1 order by rank',
      [id],
    )
    const ranked = rankQuotes(await findQuotes(database.db, id), {
      quantity: rfq?.quantity ?? 1,
      deadline: null,
      now: rfq?.at ?? new Date(),
    })
    expect(
      ranked.map((quote) => ({
        id: quote.id,
        rank: quote.rank,
        loss_reason: quote.lossReason,
        loss: quote.loss,
      })),
    ).toEqual(stored)
  }
})

test('agents answer by the real protocol, and every quote is marked as demo', async () => {
  const [product] = await query<{ slug: string }>(
    `select c.slug || '/' || p.slug as slug from products p join categories c on c.id = p.category_id
     where not p.discontinued and p.where_to_buy::text like '%ninthstreet.example%'
       and p.where_to_buy::text like '%paperclipoffice.example%' limit 1`,
  )
  const task = await ask(product?.slug ?? '')
  expect(task.state).toBe('completed')
  const attempts = await query<{ kind: string; verdict: string; endpoint: string | null }>(
    'select kind, verdict, endpoint from rfq_attempts where rfq_id = $1',
    [task.rfqId],
  )
  const asked = attempts.filter(({ kind }) => kind === 'agent')
  expect(asked.map(({ endpoint }) => endpoint).sort()).toEqual([
    'https://agent.ninthstreet.example/message:send',
    'https://agent.paperclipoffice.example/message:send',
  ])
  for (const { verdict } of asked) expect(['quoted', 'out_of_stock', 'declined']).toContain(verdict)
  expect(task.quotes.length).toBeGreaterThanOrEqual(2)
  for (const { org } of task.quotes) expect(org).toMatchObject({ demo: true, verified: true })
})

test('an agent refuses who cannot prove to be the service', async () => {
  const url = `https://${agentHost({ domain: 'paperclipoffice.example' })}/message:send`
  const limits = { timeoutMs: 5_000, maxBytes: 10_000 }
  const forged = { url, method: 'POST', body: '{}', headers: { Authorization: 'Bearer guess' } } as const
  expect((await outbound.request({ ...forged, ...limits })).status).toBe(401)
  const card = await outbound.request({
    url: url.replace('/message:send', '/.well-known/agent-card.json'),
    ...limits,
  })
  expect(JSON.parse(card.body.toString())).toMatchObject({ skills: [{ id: 'respond-to-rfq' }] })
})

test('the same request gets the same answer; the slow one sometimes declines and never takes over 3 s', () => {
  const slow = DEMO_SELLERS.find(({ agent }) => agent?.pace === 'slow')
  if (!slow) throw new Error('there is one')
  const answers = Array.from({ length: 200 }, (_, at) => {
    const asked = { category: 'c', slug: `p-${at}`, quantity: 1, region: null, deadline: '' }
    const listed = { priceCents: 10_000, url: 'https://paperclipoffice.example/p' }
    const one = answerOf(slow, asked, listed, clock)
    expect(answerOf(slow, asked, listed, clock)).toEqual(one)
    return one
  })
  const declined = answers.filter(({ answer }) => answer.price_usd === 0).length
  expect(declined).toBeGreaterThan(20)
  expect(declined).toBeLessThan(80)
  expect(Math.max(...answers.map(({ afterMs }) => afterMs))).toBeLessThan(3_000)
})

test('nobody of the demo answers for a product that is not of the demo catalog', async () => {
  const [some] = await query<{ id: string; slug: string }>(
    `select p.id, c.slug || '/' || p.slug as slug from products p join categories c on c.id = p.category_id
     where not discontinued limit 1`,
  )
  const askedFor = async (productId: string) =>
    (await findAsked(world.rfq, { id: '01930000-0000-7000-8000-0000000000ff', productId, variant: null }))
      .asked.length
  expect(await askedFor(some?.id ?? '')).toBeGreaterThan(1)
  // A file of the operator's names it: it is theirs now.
  await pool.query(`insert into product_keys (source, key, product_id) values ('mine', 'id:1', $1)`, [
    some?.id,
  ])
  expect(await askedFor(some?.id ?? '')).toBe(0)
  await pool.query(`delete from product_keys where product_id = $1`, [some?.id])
  await pool.query(
    `update products set provenance = jsonb_set(provenance, '{title,source}', '"mine"') where id = $1`,
    [some?.id],
  )
  expect(await askedFor(some?.id ?? '')).toBe(0)
  await pool.query(
    `update products set provenance = jsonb_set(provenance, '{title,source}', '"Souk demo catalog"') where id = $1`,
    [some?.id],
  )
})

test('a real organization that proves the domain of a demo one takes its place', async () => {
  const real = await createOrg(world, { domain: 'quayside.example', verified: false })
  await verifyOrg({ db: database.db, clock, orgHooks: ORG_HOOKS }, real.id)
  expect(
    await query(`select demo, deactivated_at is null as active from orgs
    where domain = 'quayside.example' order by demo`),
  ).toEqual([
    { demo: false, active: true },
    { demo: true, active: false },
  ])
  await pool.query(`delete from settings where name = 'demo_sellers'`)
  await loadDemoSellers(ctx)
  expect(await count('orgs', `domain = 'quayside.example' and verification_status = 'verified'`)).toBe(1)
})

test('turned off they are asked no more, and turned on again they are back', async () => {
  const active = await count('orgs', 'demo and deactivated_at is null')
  const before = agents.inside()
  expect(before).toHaveLength(2)
  await agents.follow()
  expect(agents.inside()).toBe(before)
  expect(await unloadDemoSellers(ctx)).toBe(true)
  await agents.follow()
  expect(agents.inside()).toEqual([])
  await expect(fetch(`http://127.0.0.1:${before[0]?.port}/`)).rejects.toThrow('fetch failed')
  expect(await areSellersLoaded(ctx)).toBe(false)
  expect(await count('orgs', 'demo and deactivated_at is null')).toBe(0)
  expect(await unloadDemoSellers(ctx)).toBe(false)
  const claims = await count('product_relationships')
  expect(await loadDemoSellers(ctx)).toBe(true)
  expect(await loadDemoSellers(ctx)).toBe(false)
  expect(await count('orgs', 'demo and deactivated_at is null')).toBe(active)
  expect(await count('product_relationships')).toBe(claims)
  await agents.follow()
  expect(agents.inside().map(({ host }) => host)).toEqual(before.map(({ host }) => host))
})

test('a demo organization cannot claim a product that is not of the demo catalog', async () => {
  await addProduct(world, { slug: 'real-lamp', category: 'desk-lamps', title: 'A real lamp' })
  const org = await createOrg(world, { domain: null })
  await pool.query('update orgs set demo = true where id = $1', [org.id])
  const claim = (product_slug: string) =>
    call(world, org.bearer, 'POST', '/api/org/products/claim/', { product_slug, relationship_type: 'sells' })
  expect(await claim('desk-lamps/real-lamp')).toMatchObject({ status: 403, body: { field: 'product_slug' } })
  const [demo] = await query<{ slug: string }>(
    `select c.slug || '/' || p.slug as slug from demo_products d join products p on p.id = d.id
     join categories c on c.id = p.category_id limit 1`,
  )
  expect(await claim(demo?.slug ?? '')).toMatchObject({ status: 201 })
})

test('removing the demo leaves what is real, and it does not come back', async () => {
  const real = await createOrg(world, { domain: 'real.example' })
  const [kept, claimed, requested] = await query<{ id: string; slug: string }>(
    `select p.id, c.slug || '/' || p.slug as slug from demo_products d join products p on p.id = d.id
     join categories c on c.id = p.category_id where not discontinued order by p.slug limit 3`,
  )
  if (!kept || !claimed || !requested) throw new Error('there are many')
  await pool.query(
    `insert into saved_products (id, user_id, product_id, list) values (gen_random_uuid(), $1, $2, 'a')`,
    [real.ownerId, kept.id],
  )
  await call(world, real.bearer, 'POST', '/api/org/products/claim/', {
    product_slug: claimed.slug,
    relationship_type: 'sells',
  })
  const request = RfqRequest.parse({ product_slug: requested.slug })
  const asker = { ...STRANGER, userId: real.ownerId }
  const { rfqId: id } = await submitRfq(world.rfq, asker, { request })
  await waitForRfq(world.rfq, { id, userId: real.ownerId, ms: 20_000 })
  const quotes = await count('rfq_quotes', `rfq_id = '${id}'`)
  expect(quotes).toBeGreaterThan(1)

  const { products, sellers, sellersKept } = await previewRemoval(ctx)
  expect(await count('orgs', 'demo')).toBe(sellers + sellersKept)
  const removed = await removeDemo(ctx, { kind: 'operator', id: null })
  expect(removed).toMatchObject({ products, sellers, sellersKept })
  expect(removed.kept.map(({ slug }) => slug).sort()).toEqual(
    [kept, claimed, requested].map(({ slug }) => slug.split('/')[1]).sort(),
  )
  expect(await count('rfq_quotes', `rfq_id = '${id}'`)).toBe(quotes)
  expect(await count('orgs', 'demo and deactivated_at is null')).toBe(0)
  expect(await count('orgs', 'not demo')).toBe(2)
  expect(await count('products', `slug = 'real-lamp'`)).toBe(1)
  expect(await count('offers')).toBe(0)
  expect(await count('rfqs')).toBe(1)
  expect(await count('link_clicks')).toBe(0)
  expect(await count('users', 'demo')).toBe(0)
  expect(await count('categories', `slug = 'desk-lamps'`)).toBe(1)
  expect(await isDemoLoaded(ctx)).toBe(false)
  expect(await loadDemoCatalog(ctx)).toBe(0)
  expect(await loadDemoSellers(ctx)).toBe(false)
  expect(await removeDemo(ctx, { kind: 'operator', id: null })).toMatchObject({ products: 0, sellers: 0 })
})
