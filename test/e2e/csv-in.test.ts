/** Lists that come back as files: what a preview says is what is saved, row by row, all in one record, and nothing of others. */
import { expect, test } from 'vitest'
import { writeCsv } from '../../src/lib/csv.ts'
import { newId } from '../../src/lib/ids.ts'
import { createBrowser, signIn } from '../accounts.ts'
import { unescapeHtml } from '../html.ts'
import { addProduct } from '../products.ts'
import { watchRows } from '../written-rows.ts'
import { createOfferPagesWorld, LIST as OFFERS, wordsOf } from './dashboard.offers.world.ts'

const world = await createOfferPagesWorld()
const { shop, rival, people, database, create } = world
const { db, pool } = database
const { email, cookie } = await signIn(world, { email: 'op@example.com', verified: true })
await db.updateTable('users').set({ is_admin: true }).where('email_key', '=', email).execute()
const operator = createBrowser(world)
operator.setCookie(cookie)

const rows = await watchRows(pool)

/** What came of it, and which rows are not as they were; sessions tell when they were seen. */
async function watched(work: () => Promise<Sent>): Promise<Sent & { written: string[] }> {
  const before = await rows.now()
  const sent = await work()
  return { ...sent, written: await rows.since(before, '^(?!sessions )') }
}

type Sent = { status: number; html: string; words: string }

async function send(
  path: string,
  session: string,
  fields: Record<string, string>,
  file?: string,
): Promise<Sent> {
  const body = new FormData()
  for (const [name, value] of Object.entries(fields)) body.set(name, value)
  if (file !== undefined) body.set('file', new File([file], 'rows.csv'))
  const { baseUrl } = world.accounts.config
  const headers = { cookie: session, origin: baseUrl, accept: 'text/html' }
  const answer = await world.app.request(`${baseUrl}${path}`, { method: 'POST', body, headers })
  const html = await answer.text()
  return { status: answer.status, html, words: wordsOf(html) }
}

const asShop = (path: string, fields: Record<string, string>, file?: string) =>
  send(path, shop.session.cookie, { org_id: shop.id, ...fields }, file)
const asOperator = (path: string, fields: Record<string, string>, file?: string) =>
  send(path, cookie, fields, file)

/** What the form that a preview shows would send. */
function carried(html: string): Record<string, string> {
  const [, content = ''] = /<textarea[^>]*name="content"[^>]*>(.*?)<\/textarea>/s.exec(html) ?? []
  const [, agreed = ''] = /name="agreed" value="([^"]*)"/.exec(html) ?? []
  return { content: unescapeHtml(content), agreed }
}
const csvOf = async (path: string, browser = people.owner) => (await browser.get(`${path}?format=csv`)).text()
const lastActions = async (count: number) =>
  (
    await pool.query<{ action: string; detail: Record<string, unknown> }>(
      'select action, detail from audit_log order by id desc limit $1',
      [count],
    )
  ).rows

test('offers: a preview keeps nothing, names each wrong line, and saving does exactly what it said', async () => {
  const own = await create({ headline: 'Old headline', price_usd: '20' })
  const theirs = await create({ org_id: rival.id, headline: 'Theirs' }, people.rival)
  const file = [
    'offer_id,product_slug,headline,destination_url,price_usd,expires_at,status',
    `${own},,New headline,,18.50,2027-01-31,active`,
    ',kettles/whistler,Fresh,https://shop.example/w,$9,,draft',
    `${theirs},,Stolen,,1,,`,
    `${newId()},,Nobody,,1,,`,
    ',kettles/samovar,Not claimed,https://shop.example/s,1,,',
    `${own},,Wrong price,,a lot,,`,
    ',kettles/whistler,=1+1,not an address,1,,',
    '',
  ].join('\n')
  const before = await world.stored()
  const { status, words, html, written } = await watched(() => asShop(`${OFFERS}/import`, {}, file))
  expect([status, written]).toEqual([200, []])
  expect(await world.stored()).toEqual(before)
  expect(words).toContain('2 rows would change something. Nothing is saved yet. 5 rows can’t be used.')
  // Another organization's offer is as unknown as one that never was.
  expect(words).toContain('4 Stolen Offer id: your organization has no such offer')
  expect(words).toContain('5 Nobody Offer id: your organization has no such offer')
  expect(words).toMatch(/6 Not claimed Product slug: Kettle Shop has no verified relationship/)
  expect(words).toMatch(/7 Wrong price Price usd: /)
  expect(words).toMatch(/8 =1\+1 Destination url: /)

  const saved = await asShop(`${OFFERS}/import`, { ...carried(html), act: 'save' })
  expect(saved.words).toContain('2 rows saved. 5 rows can’t be used.')
  const after = await world.stored()
  expect(after.find(({ id }) => id === own)).toMatchObject({
    ...{ headline: 'New headline', price_cents: 1850, status: 'active' },
    expires_at: new Date('2027-01-31T00:00:00Z'),
  })
  expect(after.find(({ id }) => id === theirs)).toEqual(before.find(({ id }) => id === theirs))
  expect(after).toHaveLength(before.length + 1)
  const [whole, ...each] = await lastActions(3)
  expect(whole).toEqual({ action: 'offer.imported', detail: { created: 1, changed: 1 } })
  expect(each.map(({ action }) => action).sort()).toEqual(['offer.created', 'offer.edited'])
})

test('offers: the list’s own file brought back changes nothing, whatever its texts begin with', async () => {
  await create({ headline: '=SUM(A1)', detail: "'+quoted", promo_code: '-10', price_usd: '5' })
  const file = await csvOf(OFFERS)
  expect(file).toContain(",'=SUM(A1),")
  expect(file).toContain(",''+quoted,")
  const { words } = await asShop(`${OFFERS}/import`, {}, file)
  expect(words).toContain('0 rows would change something.')
  expect(words).not.toContain('can’t be used')
  expect(words).not.toContain('We didn’t use')
})

test('what would do something else than was shown is shown anew, and nothing is saved', async () => {
  const id = await create({ headline: 'Racing', price_usd: '20' })
  const file = `offer_id,price_usd\n${id},15\n`
  const shown = await asShop(`${OFFERS}/import`, { content: file })
  // Somebody else sets that price meanwhile.
  await pool.query('update offers set price_cents = 1500 where id = $1', [id])
  const late = await asShop(`${OFFERS}/import`, { ...carried(shown.html), act: 'save' })
  expect(late.words).toContain('Nothing was saved, because it would do something else than what you saw.')
  expect((await lastActions(1))[0]?.action).not.toBe('offer.imported')
  // With rows that were changed in the form, the mark of the old ones counts for nothing.
  const other = carried(shown.html)
  const typed = await asShop(`${OFFERS}/import`, {
    ...other,
    content: `${other.content}${id},14\n`,
    act: 'save',
  })
  expect(typed.words).toContain('Nothing was saved')
})

test('a file is bounded, and a form of another organization or role brings none', async () => {
  const many = `offer_id,headline\n${`${newId()},x\n`.repeat(1_001)}`
  expect((await asShop(`${OFFERS}/import`, { content: many })).words).toContain('over 1,000 rows; split it')
  const large = 'x'.repeat(2 * 1024 * 1024 + 1)
  const refused = await asShop(`${OFFERS}/import`, { content: 'kept' }, large)
  expect([refused.status, refused.words.includes('larger than 2 MB')]).toEqual([413, true])
  expect((await asShop(`${OFFERS}/import`, { content: 'headline\nx\n' })).words).toContain(
    'No column says which offer a row is',
  )
  // What was pasted stands in the form again.
  expect((await asShop(`${OFFERS}/import`, { content: 'headline\nx\n' })).html).toMatch(
    />headline\r?\nx\r?\n<\/textarea>/,
  )
  expect((await asShop(`${OFFERS}/import`, {})).words).toContain('Choose a file, or paste its rows.')
  const crossed = await asShop(`${OFFERS}/import`, { org_id: rival.id, content: many })
  expect(crossed.status).toBe(409)
  expect((await people.viewer.get(`${OFFERS}/import`)).status).toBe(403)
})

test('prices of the selected offers change together, by a share, or not at all', async () => {
  const [one, two, none] = [
    await create({ headline: 'One', price_usd: '10' }),
    await create({ headline: 'Two', price_usd: '33.33' }),
    await create({ headline: 'None', price_usd: '' }),
  ]
  const picks = Object.fromEntries([one, two, none].map((id) => [`pick_${id}`, 'on']))
  const changed = await people.owner.post(`${OFFERS}/prices`, {
    org_id: shop.id,
    ...picks,
    change_pct: '-10',
  })
  expect(changed.headers.get('location')).toBe(`${OFFERS}?done=priced&changed=2`)
  const priceOf = async (id: string) => (await world.stored()).find((row) => row.id === id)?.price_cents
  expect(await Promise.all([one, two, none].map(priceOf))).toEqual([900, 3000, null])
  const theirs = await create({ org_id: rival.id, headline: 'Rivals', price_usd: '10' }, people.rival)
  const mixed = { org_id: shop.id, [`pick_${one}`]: 'on', [`pick_${theirs}`]: 'on', change_pct: '50' }
  expect((await people.owner.post(`${OFFERS}/prices`, mixed)).status).toBe(404)
  expect(await Promise.all([one, theirs].map(priceOf))).toEqual([900, 1000])
  const empty = await people.owner.post(`${OFFERS}/prices`, { org_id: shop.id, ...picks, change_pct: '' })
  expect([empty.status, await empty.text()]).toEqual([
    400,
    expect.stringContaining('Enter a number from -99'),
  ])
})

test('claims: a file claims what it names, and is withdrawn as a whole', async () => {
  const path = '/dashboard/products/claims-import'
  await addProduct(world, { category: 'kettles', slug: 'unclaimed', title: 'Unclaimed' })
  const file = [
    'product_slug,relationship_type,evidence_url',
    'kettles/unclaimed,sells; manufactured_by,https://shop.example/unclaimed',
    'kettles/gooseneck,sells,',
    'kettles/nothing,sells,',
    'kettles/samovar,likes,',
  ].join('\n')
  const { html, words, written } = await watched(() => asShop(path, { content: file }))
  expect(written).toEqual([])
  expect(words).toContain(
    '1 row would change something. Nothing is saved yet. 1 row already had these values. 2 rows',
  )
  expect(words).toContain('4 kettles/nothing Product slug: there is no such product')
  expect(words).toMatch(/5 kettles\/samovar Relationship type: must be one of/)
  const saved = await asShop(path, { ...carried(html), act: 'save' })
  expect(saved.words).toContain('1 row saved.')
  const [whole] = await lastActions(1)
  expect(whole).toMatchObject({ action: 'relationship.imported', detail: { products: 1, claims: 2 } })
  const undone = await people.owner.post('/dashboard/products/found-undo', {
    org_id: shop.id,
    batch_id: String(whole?.detail.batch),
  })
  expect(undone.status).toBe(303)
  const left = await pool.query(
    `select 1 from product_relationships r join products p on p.id = r.product_id where p.slug = 'unclaimed'`,
  )
  expect(left.rows).toEqual([])
  // The list's own file says what is there already.
  const own = await asShop(path, {}, await csvOf('/dashboard/products'))
  expect(own.words).toContain(
    '0 rows would change something. Nothing is saved yet. 2 rows already had these values.',
  )
})

test('brands: a file renames, gives domains and makes brands, and is undone as a whole', async () => {
  const path = '/admin/brands/import'
  const { rows: known } = await pool.query<{ id: string }>(`select id from brands where name = 'Spout'`)
  const id = known[0]?.id ?? ''
  const brand = async () => (await pool.query('select name, domain from brands order by name')).rows
  const before = await brand()
  const file = writeCsv([
    ['id', 'name', 'domain'],
    [id, 'Spouts', 'spouts.example'],
    ['', 'Fresh brand', 'fresh.example'],
    [newId(), 'Nobody', ''],
    ['', 'Broken', 'no domain'],
  ])
  const shown = await asOperator(path, {}, file)
  expect(await brand()).toEqual(before)
  expect(shown.words).toContain('2 rows would change something. Nothing is saved yet. 2 rows can’t be used.')
  expect(shown.words).toContain('4 Nobody There is no such brand')
  const saved = await asOperator(path, { ...carried(shown.html), act: 'save' })
  expect(saved.words).toContain('2 rows saved.')
  expect(await brand()).toEqual([
    { name: 'Fresh brand', domain: 'fresh.example' },
    { name: 'Spouts', domain: 'spouts.example' },
  ])
  const [whole, row] = await lastActions(3)
  expect(whole).toMatchObject({ action: 'brand.imported', detail: { created: 1, changed: 1 } })
  const undone = await operator.post(`/admin/undo/${row?.detail.batch}`)
  expect(undone.headers.get('location')).toContain('changed=2&kept=0')
  expect(await brand()).toEqual(before)
  const own = await asOperator(path, {}, await csvOf('/admin/brands', operator))
  expect(own.words).toContain('0 rows would change something. Nothing is saved yet. 1 row already')
})

test('categories: a file edits, hides and makes them, and is undone as a whole', async () => {
  const path = '/admin/categories/import'
  const all = async () =>
    (
      await pool.query(
        'select slug, label, description, path, hidden_at is null as shown from categories order by slug',
      )
    ).rows
  const before = await all()
  const file = [
    'slug,label,description,path,status',
    'kettles,Kettles and pots,For water,Home > Kitchen,hidden',
    'teapots,Teapots,,Home > Kitchen,',
    'Not A Slug,Broken,,,',
    'cups,,,,',
    'kettles,,,,gone',
  ].join('\n')
  const shown = await asOperator(path, { content: file })
  expect(await all()).toEqual(before)
  expect(shown.words).toContain('2 rows would change something. Nothing is saved yet. 3 rows can’t be used.')
  expect(shown.words).toMatch(/5 cups Label: is required/)
  const saved = await asOperator(path, { ...carried(shown.html), act: 'save' })
  expect(saved.words).toContain('2 rows saved.')
  expect(await all()).toEqual([
    {
      ...{ slug: 'kettles', label: 'Kettles and pots', description: 'For water', path: ['Home', 'Kitchen'] },
      shown: false,
    },
    { slug: 'teapots', label: 'Teapots', description: '', path: ['Home', 'Kitchen'], shown: true },
  ])
  const [whole, row] = await lastActions(4)
  expect(whole).toMatchObject({ action: 'category.imported', detail: { created: 1, changed: 1 } })
  await operator.post(`/admin/undo/${row?.detail.batch}`)
  expect(await all()).toEqual(before)
  const own = await asOperator(path, {}, await csvOf('/admin/categories', operator))
  expect(own.words).toContain('0 rows would change something. Nothing is saved yet. 1 row already')
})
