/** Products that the catalog connects with a verified domain: what is found, what does not count, and taking it back. */
import { beforeAll, expect, test } from 'vitest'
import { createBrowser } from '../accounts.ts'
import { call, createOrg, type TestOrg } from '../orgs.ts'
import { createLive, createOffersWorld, type World } from './offers.world.ts'
import { put } from './search.world.ts'

const FOUND = '/dashboard/products/found'
const link = (host: string) => ({ name: host, url: `https://${host}/buy` })

let souk: World
let ids: Record<string, string>
beforeAll(async () => {
  souk = await createOffersWorld()
  await put(
    souk.ctx,
    { slug: 'made', title: 'Made', brand: 'Alder', brand_domain: 'tea.alder.example' },
    { slug: 'sold', title: 'Sold', where_to_buy: [link('shop.alder.example'), link('mall.example')] },
    { slug: 'both', title: 'Both', brand: 'Alder', where_to_buy: [link('WWW.Alder.example')] },
    { slug: 'alike', title: 'Alike', where_to_buy: [link('evilalder.example'), link('mall.example')] },
    {
      slug: 'asked',
      title: 'Asked',
      where_to_buy: [{ name: 'x', url: 'https://mall.example/?to=https://alder.example/' }],
    },
    { slug: 'auction', title: 'Auction', where_to_buy: [link('www.ebay.com')] },
    { slug: 'hosted', title: 'Hosted', where_to_buy: [link('alder.myshopify.com')] },
    { slug: 'added', title: 'Added', where_to_buy: [link('birch.example')] },
    { slug: 'proposed', title: 'Proposed', where_to_buy: [link('birch.example')] },
    { slug: 'known', title: 'Known', where_to_buy: [link('birch.example')] },
  )
  await souk.catchUp()
  const rows = await souk.database.db.selectFrom('products').select(['id', 'slug']).execute()
  ids = Object.fromEntries(rows.map(({ id, slug }) => [slug, id]))
})

const browserOf = ({ session }: TestOrg) => {
  const browser = createBrowser(souk)
  browser.setCookie(session.cookie)
  return browser
}
const found = async (org: TestOrg) => {
  const html = await (await browserOf(org).get(FOUND)).text()
  return [...html.matchAll(/name="pick_([^"]+)"/g)].map(([, id]) =>
    Object.keys(ids).find((slug) => ids[slug] === id),
  )
}
const confirm = (org: TestOrg, slugs: string[]) =>
  browserOf(org).post(FOUND, {
    org_id: org.id,
    ...Object.fromEntries(slugs.map((slug) => [`pick_${ids[slug]}`, 'on'])),
  })
const claims = async (org: TestOrg) =>
  (
    await souk.database.pool.query<{ slug: string; type: string; status: string; batch: string }>(
      `select p.slug, r.relationship_type as type, r.status, r.batch_id as batch from product_relationships r
       join products p on p.id = r.product_id where r.org_id = $1 order by p.slug, type`,
      [org.id],
    )
  ).rows

test('brand and shop links at the verified domain are found, and nothing that only looks like it', async () => {
  const org = await createOrg(souk, { domain: 'alder.example' })
  expect(await found(org)).toEqual(['both', 'made', 'sold'])
  const done = await confirm(org, ['both', 'made', 'alike', 'asked'])
  expect([done.status, done.headers.get('location')]).toEqual([303, `${FOUND}?done=claimed`])
  expect((await claims(org)).map(({ slug, type, status }) => [slug, type, status])).toEqual([
    ['both', 'manufactured_by', 'verified'],
    ['both', 'sells', 'verified'],
    ['made', 'manufactured_by', 'verified'],
  ])
  expect(await found(org)).toEqual(['sold'])

  // What one confirmation made goes together, with what hangs on it; another organization has no such claims.
  const offer = await createLive(souk, org, { product_slug: 'kettles/both' })
  const [{ batch } = { batch: '' }] = await claims(org)
  const undo = (by: TestOrg) =>
    browserOf(by).post('/dashboard/products/found-undo', { org_id: by.id, batch_id: batch })
  expect((await undo(souk.rival)).status).toBe(404)
  expect(await claims(org)).toHaveLength(3)
  expect((await undo(org)).headers.get('location')).toBe(`${FOUND}?done=undone`)
  expect(await claims(org)).toEqual([])
  expect((await undo(org)).status).toBe(404)
  const { rows } = await souk.database.pool.query('select status from offers where id = $1', [offer])
  expect(rows).toEqual([{ status: 'paused' }])
  const { rows: told } = await souk.database.pool.query(
    `select action, count(*)::int as n from audit_log where org_id = $1 and action like 'relationship.%' group by action order by action`,
    [org.id],
  )
  expect(told).toEqual([
    { action: 'relationship.claimed', n: 3 },
    { action: 'relationship.withdrawn', n: 3 },
  ])
  expect(await found(org)).toEqual(['both', 'made', 'sold'])
})

test('two confirmations at once claim once', async () => {
  const org = await createOrg(souk, { domain: 'mall.example' })
  const both = await Promise.all([
    confirm(org, ['sold', 'alike', 'asked']),
    confirm(org, ['sold', 'alike', 'asked']),
  ])
  expect(both.map(({ status }) => status).toSorted()).toEqual([303, 409])
  expect(await claims(org)).toHaveLength(3)
})

test.each([
  ['of an unverified domain', 'shop.alder.example', false],
  ['of a marketplace', 'ebay.com', true],
  ['of a platform that gives shops their names', 'myshopify.com', true],
  ['of a public suffix', 'com', true],
])('nothing is found for the owner %s', async (_, domain, verified) => {
  const org = await createOrg(souk, { domain, verified })
  expect(await found(org)).toEqual([])
  expect((await confirm(org, ['auction', 'hosted', 'sold'])).status).toBe(409)
  expect(await claims(org)).toEqual([])
  const claim = {
    product_slug: `kettles/${domain === 'ebay.com' ? 'auction' : 'hosted'}`,
    relationship_type: 'sells',
  }
  const single = await call(souk, org.bearer, 'POST', '/api/org/products/claim/', claim)
  expect(single.body.status).toBe('pending')
})

test('a shop with a name of its own at a platform is one owner', async () => {
  const org = await createOrg(souk, { domain: 'alder.myshopify.com' })
  expect(await found(org)).toEqual(['hosted'])
})

test('links that the claimant added do not count, nor those of another organization of the same people', async () => {
  const org = await createOrg(souk, { domain: 'birch.example' })
  expect(await found(org)).toEqual(['added', 'known', 'proposed'])
  const other = await createOrg(souk)
  const { pool } = souk.database
  await pool.query(
    `insert into enrichments (id, org_id, product_id, fields, images, status)
     values (gen_random_uuid(), $1, $2, $3, '[]', 'approved')`,
    [org.id, ids.added, JSON.stringify({ where_to_buy: [{ name: 'b', url: 'https://birch.example/buy' }] })],
  )
  await pool.query(
    `insert into product_submissions (id, org_id, relationship_type, product, identity_key, status, product_id)
     values (gen_random_uuid(), $1, 'sells', '{}', 'proposed', 'approved', $2)`,
    [other.id, ids.proposed],
  )
  expect(await found(org)).toEqual(['known', 'proposed'])
  await pool.query(`insert into org_members (org_id, user_id, role) values ($1, $2, 'viewer')`, [
    org.id,
    other.ownerId,
  ])
  expect(await found(org)).toEqual(['known'])
  expect((await confirm(org, ['added', 'proposed'])).status).toBe(409)
})

test('a list of which nothing is selected is refused, and says so', async () => {
  const org = await createOrg(souk, { domain: 'alder.example', verified: false })
  const answer = await confirm(org, [])
  expect(answer.status).toBe(400)
  expect(await answer.text()).toContain('Select at least one product.')
})
