/** The operator's queues: what is looked at is what is decided, the public follows at once, nobody else has these pages. */
import { expect, test } from 'vitest'
import { SubmitProduct } from '../../src/catalog/submissions.schema.ts'
import { submitProduct } from '../../src/catalog/submissions.service.ts'
import { findLinkToken } from '../../src/orgs/link-tokens.service.ts'
import { createBrowser } from '../accounts.ts'
import { textOf } from '../html.ts'
import { call, createOrg } from '../orgs.ts'
import { createEnrichmentWorld, createReviewTools } from './enrichment.world.ts'

const world = await createEnrichmentWorld()
await world.searchRuntime.fill()
const { pending, stored } = createReviewTools(() => world)
const browserOf = (credential: { cookie: string }) => {
  const browser = createBrowser(world)
  browser.setCookie(credential.cookie)
  return browser
}
const operator = browserOf(world.operator)

/** What a form of the page is sent with, the ticked boxes included. */
async function formOf(path: string, action: string): Promise<Record<string, string>> {
  const html = await (await operator.get(path)).text()
  const [, form = ''] = html.split(`action="${action}"`)
  const inputs = (form.split('</form>')[0] ?? '').matchAll(/<input[^>]*>/g)
  return Object.fromEntries(
    [...inputs].flatMap(([tag]) => {
      const name = /name="([^"]*)"/.exec(tag)?.[1]
      if (name === undefined || (tag.includes('checkbox') && !tag.includes('checked'))) return []
      return [[name, tag.includes('checkbox') ? 'on' : (/value="([^"]*)"/.exec(tag)?.[1] ?? '')]]
    }),
  )
}

async function proposal(
  fields: Record<string, unknown> = { title: 'Acme Kettle Quiet', specs: { Watts: '1800' } },
) {
  const product = await world.addProduct()
  const org = await world.addProducer(product.id)
  const id = await pending(org, product.slug, { fields, images: [{ url: 'https://img.example/a.png' }] })
  return { product, org, id, page: `/admin/enrichments/${id}` }
}

async function claim() {
  const product = await world.addProduct()
  const org = await createOrg(world, { verified: false })
  const evidence = 'https://shop.example/kettle'
  const body = { product_slug: product.slug, relationship_type: 'sells', evidence_url: evidence }
  const { body: made } = await call(world, org.session, 'POST', '/api/org/products/claim/', body)
  const id = String(made.relationship_id ?? made.id)
  return { product, org, id, evidence, page: `/admin/claims/${id}` }
}

const statusOf = async (id: string) =>
  (await world.database.pool.query('select status from product_relationships where id = $1', [id])).rows[0]
    ?.status

test('a proposal stands beside what is there, its words marked, and is shown to the public once approved', async () => {
  const { product, id, page } = await proposal()
  const html = await (await operator.get(page)).text()
  expect(html).toContain('<ins>Quiet</ins>')
  expect(html).toContain('Watts: <del>2200</del>')
  expect(html).toContain('src="https://img.example/a.png"')
  expect(textOf(html)).toContain('Source: feed')
  const form = await formOf(page, `${page}/approve`)
  const answer = await operator.post(`${page}/approve`, form)
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/admin/enrichments?done=approved'])
  expect((await stored(id)).status).toBe('approved')
  const shown = await (await createBrowser(world).get(`/p/kettles/${product.slug}`)).text()
  expect(shown).toContain('Acme Kettle Quiet')
})

test('what is not ticked is rejected with the note, and the action is the person’s who did it', async () => {
  const { id, org, page } = await proposal()
  const { part_title: _, ...form } = await formOf(page, `${page}/approve`)
  await operator.post(`${page}/approve`, { ...form, note: 'The title is not yours to change' })
  const kept = await stored(id)
  expect([kept.status, Object.keys(kept.fields as object)]).toEqual(['approved', ['specs']])
  const { rows } = await world.database.pool.query(
    `select actor_kind, actor_id is not null as named from audit_log where org_id = $1 and action = 'enrichment.approved'`,
    [org.id],
  )
  expect(rows).toEqual([{ actor_kind: 'user', named: true }])
})

test('nothing is approved beside a product that has changed since it was looked at', async () => {
  const { product, id, page } = await proposal()
  const form = await formOf(page, `${page}/approve`)
  world.clock.advance(1_000)
  await world.importRow({ slug: product.slug, category: 'kettles', title: 'Renamed Kettle' })
  const answer = await operator.post(`${page}/approve`, form)
  expect(answer.status).toBe(409)
  expect(textOf(await answer.text())).toContain('The product has changed since you opened it')
  expect((await stored(id)).status).toBe('pending')
  await operator.post(`${page}/reject`, { note: 'No' })
  expect((await stored(id)).status).toBe('rejected')
})

test('approving nothing is refused and loses nothing', async () => {
  const { id, page } = await proposal()
  const { seen = '' } = await formOf(page, `${page}/approve`)
  const answer = await operator.post(`${page}/approve`, { seen, note: 'my note' })
  expect(answer.status).toBe(400)
  expect(await answer.text()).toContain('my note')
  expect((await stored(id)).status).toBe('pending')
})

test('a claim is verified with the evidence that was looked at, and with no other', async () => {
  const { id, evidence, page } = await claim()
  expect(await (await operator.get('/admin/claims')).text()).toContain(`href="${evidence}"`)
  const stale = await operator.post(`${page}/verify`, { evidence_url: 'https://elsewhere.example/' })
  expect([stale.status, await statusOf(id)]).toEqual([409, 'pending'])
  const answer = await operator.post(`${page}/verify`, { evidence_url: evidence })
  expect([answer.status, await statusOf(id)]).toEqual([303, 'verified'])
  expect((await operator.post(`${page}/refuse`, { evidence_url: evidence, note: 'late' })).status).toBe(409)
})

test('queues are searched by product and organization, and taken away as CSV', async () => {
  const { product, org, id } = await claim()
  const { id: other } = await claim()
  const { rows } = await world.database.pool.query('select name from orgs where id = $1', [org.id])
  for (const text of [product.slug, '%00', '_', 'nothing like this'])
    expect((await operator.get(`/admin/claims?q=${text}`)).status).toBe(200)
  await world.database.pool.query(`update orgs set name = 'Quill & Co' where id = $1`, [org.id])
  const found = await (await operator.get('/admin/claims?q=QUILL')).text()
  expect([found.includes(`/admin/claims/${id}/`), found.includes(`/admin/claims/${other}/`)]).toEqual([
    true,
    false,
  ])
  const file = await operator.get('/admin/claims?q=quill&format=csv')
  expect(file.headers.get('content-disposition')).toContain('souk-claims.csv')
  expect(await file.text()).toMatch(
    /^\uFEFF?Organization,Claim,Evidence,Product,Since\r\nQuill & Co,Sells [^\r]*shop\.example/,
  )
  await world.database.pool.query('update orgs set name = $2 where id = $1', [org.id, rows[0]?.name])
  const { page } = await proposal()
  expect(await (await operator.get('/admin/enrichments?q=acme')).text()).toContain(`href="${page}"`)
  expect(await (await operator.get('/admin/enrichments?q=acme&status=rejected')).text()).not.toContain(page)
  for (const queue of ['submissions', 'renames', 'imports'])
    expect(textOf(await (await operator.get(`/admin/${queue}?q=zzz`)).text())).toContain('match.')
})

test('a refused claim goes, and its organization reads why', async () => {
  const { id, org, evidence, page } = await claim()
  expect((await operator.post(`${page}/refuse`, { evidence_url: evidence, note: ' ' })).status).toBe(400)
  await operator.post(`${page}/refuse`, { evidence_url: evidence, note: 'The page does not sell it' })
  expect(await statusOf(id)).toBeUndefined()
  const { body } = await call(world, org.session, 'GET', '/api/org/audit/')
  expect(JSON.stringify(body)).toContain('The page does not sell it')
})

test('a new product is approved in the version that was looked at, beside what is nearest in the catalog', async () => {
  const near = await world.addProduct({ title: 'Zephyr Gooseneck Kettle', brand: 'Zephyr' })
  await world.catchUp()
  const org = await createOrg(world, { name: 'Zephyr', orgType: 'manufacturer' })
  const caller = await findLinkToken(world.ctx, org.bearer.bearer)
  if (!caller) throw new Error('no token')
  const act = { caller, visit: { ip: null, userAgent: null, requestId: null } }
  const stated = { category: 'kettles', title: 'Zephyr Gooseneck Kettle Pro', brand: 'Zephyr', price_usd: 80 }
  const { id } = await submitProduct(world.ctx, act, SubmitProduct.parse(stated))
  const page = `/admin/submissions/${id}`
  const html = await (await operator.get(page)).text()
  expect(html).toContain(`/p/kettles/${near.slug}`)
  expect(textOf(html)).toContain('Price $80')
  await submitProduct(world.ctx, act, SubmitProduct.parse({ ...stated, price_usd: 90 }))
  expect((await operator.post(`${page}/approve`, { version: '1' })).status).toBe(409)
  expect((await operator.post(`${page}/reject`, { version: '2', note: '' })).status).toBe(400)
  const answer = await operator.post(`${page}/approve`, await formOf(page, `${page}/approve`))
  expect(answer.headers.get('location')).toBe('/admin/submissions?done=approved')
  const shown = await createBrowser(world).get('/p/kettles/zephyr-gooseneck-kettle-pro')
  expect(await shown.text()).toContain('$90')
})

test('the overview and the ways say how much waits', async () => {
  const before = textOf(await (await operator.get('/admin')).text())
  await claim()
  const after = textOf(await (await operator.get('/admin')).text())
  const waiting = (text: string) => Number(/Claims (\d+) waiting/.exec(text)?.[1] ?? 0)
  expect(waiting(after)).toBe(waiting(before) + 1)
})

test('for everybody else none of it is there', async () => {
  const { page, id } = await proposal()
  const producer = browserOf((await createOrg(world)).session)
  const paths = world.app.routes.filter(({ path }) => path.startsWith('/admin'))
  expect(paths.length).toBeGreaterThan(8)
  for (const { method, path } of paths) {
    const asked = path.replace(/:\w+/, id)
    const isRead = method === 'GET'
    expect((await (isRead ? producer.get(asked) : producer.post(asked))).status).toBe(404)
    const stranger = createBrowser(world)
    const answer = await (isRead ? stranger.get(asked) : stranger.post(asked))
    // An operator whose session ended comes back to the form, whatever it was; who is none finds nothing there.
    const led = isRead ? [404, null] : [303, expect.stringMatching(/^\/auth\/signin\?return_to=%2Fadmin/)]
    expect([path, answer.status, answer.headers.get('location')]).toEqual([path, ...led])
  }
  expect((await producer.post(`${page}/approve`)).status).toBe(404)
  expect((await stored(id)).status).toBe('pending')
})
