/** Three kettles, two organizations related to them, and what anybody can see of their offers, for tests of offers. */
import { expect } from 'vitest'
import { importCategories } from '../../src/catalog/categories.service.ts'
import { all, run } from '../../src/db/rows.ts'
import { createTestApp, type TestDatabase } from '../harness.ts'
import { type Credential, call, createOrg, type JsonAnswer, relate, type TestOrg } from '../orgs.ts'
import { find, put } from './search.world.ts'

export type World = Awaited<ReturnType<typeof createOffersWorld>>
export type Row = Record<string, unknown> & { id: string; status: string; product_slug: string }

export const KETTLES = ['gooseneck', 'whistler', 'samovar'] as const
export const DEAL = { headline: 'A fifth off', destination_url: 'https://shop.example/deal?ref=1' }

/** `searchable`: with a filled index, so that searches are answered. */
export async function createOffersWorld(options: { searchable?: boolean; database?: TestDatabase } = {}) {
  const souk = await createTestApp(options.database ? { database: options.database } : {})
  const { ctx } = souk
  await importCategories(ctx, [{ slug: 'kettles', label: 'Kettles' }])
  await put(
    ctx,
    {
      slug: 'gooseneck',
      title: 'Gooseneck kettle',
      price: 60,
      brand: 'Spout',
      brand_domain: 'spout.example',
    },
    { slug: 'whistler', title: 'Whistling kettle', price: 30 },
    { slug: 'samovar', title: 'Samovar kettle', price: 150 },
  )
  const rows = await souk.database.db.selectFrom('products').select(['id', 'slug']).execute()
  const products = Object.fromEntries(rows.map(({ id, slug }) => [slug, id])) as Record<
    (typeof KETTLES)[number],
    string
  >
  const shop = await createOrg(souk, { name: 'Kettle Shop' })
  const rival = await createOrg(souk, { name: 'Rival' })
  for (const org of [shop, rival])
    for (const slug of ['gooseneck', 'whistler'] as const) await relate(souk, org, products[slug])
  if (options.searchable) await souk.searchRuntime.fill()
  await souk.catchUp()
  return { ...souk, products, shop, rival }
}

/** As if nothing had been offered yet, at the hour the world was made. */
export async function clear(souk: World): Promise<void> {
  const { db } = souk.database
  souk.clock.set('2026-11-01T12:00:01Z')
  await db.deleteFrom('offers').execute()
  await souk.database.pool.query('delete from link_clicks')
  await db
    .updateTable('orgs')
    .set({ name: 'Kettle Shop', deactivated_at: null })
    .where('id', '=', souk.shop.id)
    .execute()
  await run(db)`
    insert into changes (product_id, aspect)
    select id, 'offers' from unnest(${Object.values(souk.products)}::uuid[]) as told (id)`
  await souk.catchUp()
  await run(db)`delete from changes where aspect = 'offers'`
  await souk.offers.fill()
}

export async function createDraft(
  souk: World,
  org: TestOrg,
  body: Record<string, unknown> = {},
): Promise<string> {
  const answer = await call(souk, org.bearer, 'POST', '/api/offers/create/', {
    product_slug: 'kettles/gooseneck',
    ...DEAL,
    ...body,
  })
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body.offer_id as string
}

export async function setStatus(souk: World, org: TestOrg, id: string, status: string): Promise<void> {
  const answer = await call(souk, org.bearer, 'PATCH', '/api/offers/update/', { offer_id: id, status })
  expect(answer).toMatchObject({ status: 200, body: { ok: true } })
}

export async function edit(
  souk: World,
  org: TestOrg,
  id: string,
  body: Record<string, unknown>,
): Promise<void> {
  const answer = await call(souk, org.bearer, 'PATCH', '/api/offers/edit/', { offer_id: id, ...body })
  expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 200, body: { ok: true } })
}

export async function createLive(
  souk: World,
  org: TestOrg,
  body: Record<string, unknown> = {},
): Promise<string> {
  const id = await createDraft(souk, org, body)
  await setStatus(souk, org, id, 'active')
  return id
}

export async function list(souk: World, org: TestOrg): Promise<Row[]> {
  const answer = await call(souk, org.bearer, 'GET', '/api/offers/list/')
  expect(answer.status).toBe(200)
  return answer.body.offers as Row[]
}

export async function rowOf(souk: World, org: TestOrg, id: string): Promise<Row> {
  const row = (await list(souk, org)).find((one) => one.id === id)
  if (!row) throw new Error(`no offer ${id} in the list`)
  return row
}

export const both = (org: TestOrg): Array<[string, Credential]> => [
  ['session', org.session],
  ['bearer', org.bearer],
]

export async function get(
  souk: World,
  path: string,
  headers: Record<string, string> = {},
): Promise<JsonAnswer> {
  return call(souk, null, 'GET', path, undefined, headers)
}

export type Seen = {
  sponsored: boolean
  onSale: boolean
  endpoint: boolean
  markdown: boolean
  page: boolean
  category: boolean
  categoryMarkdown: boolean
  json: string[]
  go: boolean
}

/** What the public sees of the gooseneck's offers, everywhere it could. `id` is followed; it counts a click if live. */
export async function seen(souk: World, id: string): Promise<Seen> {
  const query = { query: 'gooseneck kettle' }
  const { results } = await find(souk.app, query)
  const sale = await find(souk.app, { ...query, filters: { on_sale: true } })
  const jsonLd = await get(souk, '/p/kettles/gooseneck.json')
  const markdown = await get(souk, '/p/kettles/gooseneck.md')
  const page = await get(souk, '/p/kettles/gooseneck', { accept: 'text/html' })
  const category = await get(souk, '/c/kettles', { accept: 'text/html' })
  const categoryMarkdown = await get(souk, '/c/kettles.md')
  const offers = await get(souk, '/offers/gooseneck.json')
  const go = await get(souk, `/go/${id}`)
  const has = (answer: JsonAnswer, text: string) => String(answer.body.text).includes(text)
  return {
    sponsored: results.find(({ slug }) => slug === 'gooseneck')?.is_sponsored ?? false,
    onSale: sale.results.some(({ slug }) => slug === 'gooseneck'),
    endpoint: jsonLd.body.offersEndpoint === 'http://souk.test/offers/gooseneck.json',
    markdown: has(markdown, `/go/${id}`),
    page: has(page, `href="/go/${id}" rel="sponsored nofollow noopener"`),
    category: has(category, '>On sale</p>'),
    categoryMarkdown: has(categoryMarkdown, `/go/${id}`),
    json: (offers.body.offers as Array<{ id: string }>).map((offer) => offer.id),
    go: go.headers.get('location') === DEAL.destination_url,
  }
}

export const NOTHING: Seen = {
  sponsored: false,
  onSale: false,
  endpoint: false,
  markdown: false,
  page: false,
  category: false,
  categoryMarkdown: false,
  json: [],
  go: false,
}

export const everything = (id: string): Seen => ({
  sponsored: true,
  onSale: true,
  endpoint: true,
  markdown: true,
  page: true,
  category: true,
  categoryMarkdown: true,
  json: [id],
  go: true,
})

export async function audits(
  souk: Pick<World, 'database'>,
  org: Pick<TestOrg, 'id'>,
): Promise<Array<{ action: string; detail: unknown }>> {
  return souk.database.db
    .selectFrom('audit_log')
    .select(['action', 'detail'])
    .where('org_id', '=', org.id)
    .orderBy('id')
    .execute()
}

export async function offerChanges(souk: World): Promise<Array<{ before: unknown; after: unknown }>> {
  return all<{ before: unknown; after: unknown }>(souk.database.db)`
    select product_id, category_id, before, after from changes where aspect = 'offers' order by seq`
}
