/**
 * Lists with thousands of rows behind them: whatever a route or a tool is asked for, what it gives is a page. Every route
 * of the app is asked, so that a new list without a bound fails here.
 */
import { expect, test } from 'vitest'
import { z } from 'zod'
import { TOOLS } from '../../src/agents/mcp/registry.ts'
import { testConfig } from '../harness.ts'
import { createOrg } from '../orgs.ts'
import { addProduct } from '../products.ts'
import { createToolsWorld } from '../tools.world.ts'

const MANY = 2_000
/** A page of a list, with its frame; all rows of the shortest list here take half as much again. */
const ROOM = 100_000

const MADE_BEFORE = 'all products in one file, made before it is asked for'
/** What is larger, and why. */
const WHOLE: Record<string, string> = {
  '/llms.txt': MADE_BEFORE,
  '/llms-full.txt': MADE_BEFORE,
  '/feeds/products.jsonl': MADE_BEFORE,
  '/feeds/google.tsv': MADE_BEFORE,
  '/sitemap.xml': 'all pages, in parts of a fixed size',
  '/account/export': 'all that is kept about a person, once asked for',
  '/dashboard/history.csv': 'a whole history to take away, with a bound of its own',
  '/openapi.json': 'grows with the interface, not with rows',
  '/.well-known/mcp.json': 'grows with the interface, not with rows',
  '/docs': 'grows with the interface, not with rows',
  '/dashboard/pricing/table': 'a hundred rows of fields at most, a page at a time',
  '/api/offers/list': 'one short row for each verified product, as the interface has it',
}

const world = await createToolsWorld({ config: testConfig({ SOUK_ADMIN_EMAILS: 'owner-1@example.com' }) })
await addProduct(world, { slug: 'lamp', category: 'desk-lamps', title: 'Lamp', brand: 'Glow' })
const org = await createOrg(world)
const token = await world.tokenFor(org.ownerId)
const { pool } = world.database

await pool.query(
  `with made as (
    insert into products (id, slug, category_id, title)
    select gen_random_uuid(), 'many-' || n, (select id from categories limit 1), 'Many lamps ' || n
    from generate_series(1, $2::int) n returning id),
  related as (
    insert into product_relationships (id, org_id, product_id, relationship_type, status, verified_at)
    select gen_random_uuid(), $1, id, 'sells', 'verified', now() from made),
  offered as (
    insert into offers (id, org_id, product_id, headline, destination_url, status)
    select gen_random_uuid(), $1, id, 'Deal', 'https://shop.example/', 'expired' from made),
  proposed as (
    insert into enrichments (id, org_id, product_id, fields, images)
    select gen_random_uuid(), $1, id, '{}', '[]' from made),
  submitted as (
    insert into product_submissions (id, org_id, relationship_type, product, identity_key)
    select gen_random_uuid(), $1, 'sells', '{"title":"Lamp","category":"desk-lamps"}', id::text from made),
  asked as (
    insert into rfqs (id, context_id, product_id, quantity, face, user_id, state, finished_at)
    select gen_random_uuid(), gen_random_uuid(), id, 1, 'web', $3, 'completed', now() from made)
  insert into audit_log (id, actor_kind, actor_id, user_id, org_id, action, detail)
  select gen_random_uuid(), 'user', $3, $3, $1, 'offer.created', '{}' from made`,
  [org.id, MANY, org.ownerId],
)
await world.searchRuntime.fill()

const routes = [
  ...new Set(
    world.app.routes.flatMap(({ method, path }) => (method === 'GET' && !path.includes('*') ? [path] : [])),
  ),
]
const FORGED = 'limit=1000000&offset=99999999999999999999&page=1e99&before=forged&cursor=Zm9yZ2Vk&after=-1'

const addressOf = (route: string) =>
  route
    .replace(':category', 'desk-lamps')
    .replace(':slug', 'lamp')
    .replace(/:[a-z]+(?:\{[^}]*\})?/gi, 'x')

test('every route answers with a page, whatever page is asked for', async () => {
  const sizes: Record<string, number> = {}
  for (const route of routes) {
    const pages = WHOLE[route] === MADE_BEFORE ? [''] : ['', `?${FORGED}`]
    for (const query of pages) {
      const answer = await world.app.request(`http://souk.test${addressOf(route)}${query}`, {
        headers: { cookie: org.session.cookie, accept: route.startsWith('/api') ? '*/*' : 'text/html' },
      })
      const { length } = await answer.text()
      expect({ route, query, status: answer.status }).toMatchObject({
        status: expect.toSatisfy((status: number) => status < 500),
      })
      sizes[route] = Math.max(sizes[route] ?? 0, length)
    }
  }
  const large = Object.keys(sizes).filter((route) => (sizes[route] ?? 0) > ROOM)
  expect(large.sort()).toEqual(Object.keys(WHOLE).sort())
  expect((sizes['/api/offers/list'] ?? 0) / MANY).toBeLessThan(100)
})

test('a page of what an organization claimed is told with how many there are', async () => {
  const page = async (query: string) => {
    const answer = await world.app.request(`http://souk.test/api/org/products/${query}`, {
      headers: { cookie: org.session.cookie },
    })
    return {
      status: answer.status,
      body: (await answer.json()) as { products: Array<{ relationship_id: string }>; total: number },
    }
  }
  const first = await page('')
  expect([first.body.products.length, first.body.total]).toEqual([50, MANY])
  const [rest, past] = [await page('?limit=100&offset=1950'), await page('?offset=1000000')]
  expect([rest.body.products.length, past.body.products.length, past.body.total]).toEqual([50, 0, MANY])
  for (const query of ['?limit=101', '?limit=0', '?limit=x', '?offset=-1', '?offset=1000001'])
    expect((await page(query)).status, query).toBe(400)
})

const bounds = (name: string) => {
  const tool = TOOLS.find((one) => one.name === name)
  const { properties = {} } = z.toJSONSchema(tool?.input ?? z.object(), {
    io: 'input',
    unrepresentable: 'any',
  })
  return properties as Record<string, { minimum?: number; maximum?: number } | undefined>
}
/** What each needs beside its page; a list that is not named here fails below. */
const PAGED: Record<string, Record<string, unknown>> = {
  search_products: { query: 'lamp' },
  find_retailers: { query: 'lamp', product_slug: 'desk-lamps/lamp' },
  list_category_products: { category: 'desk-lamps' },
  find_similar: { category: 'desk-lamps', slug: 'lamp' },
  list_saved_products: {},
  list_my_products: {},
  get_catalog_issues: {},
  list_offers: {},
  list_rfqs: {},
  get_performance: { group_by: 'product' },
}

const NOTHING = { data: {}, isError: false }

test('every tool that gives a list is known', () => {
  const listing = TOOLS.filter(
    ({ name }) =>
      /^list_/.test(name) ||
      Object.keys(bounds(name)).some((key) => /^(limit|offset|cursor|max_results)$/.test(key)),
  )
  // All categories and a whole team are lists without pages: an operator makes the first, the second ends at its limit.
  const whole = ['list_categories', 'list_team_members']
  expect(listing.map(({ name }) => name).sort()).toEqual([...Object.keys(PAGED), ...whole].sort())
})

test.each(Object.entries(PAGED))('%s gives a page at most, and refuses to give more', async (name, args) => {
  for (const key of ['limit', 'max_results', 'offset']) {
    const { maximum, minimum } = bounds(name)[key] ?? {}
    if (maximum === undefined || minimum === undefined) continue
    const asked = (value: number) => world.call({ token }, name, { ...args, [key]: value })
    // Nobody answers requests for quote in this world, and waiting for them would take its time.
    const { data, isError } = name === 'find_retailers' ? NOTHING : await asked(maximum)
    expect(isError).toBe(false)
    for (const list of Object.values(data))
      if (Array.isArray(list)) expect(list.length).toBeLessThanOrEqual(50)
    for (const beyond of [maximum + 1, minimum - 1, 1e300])
      expect((await asked(beyond)).error, `${key} ${beyond}`).toMatchObject({ kind: 'invalid', field: key })
  }
})
