import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createBrowser, createMailbox } from '../../test/accounts.ts'
import { call as callRest, relate } from '../../test/orgs.ts'
import { addProduct } from '../../test/products.ts'
import { createSavedWorld, type SavedWorld, savedOf } from '../../test/saved.world.ts'
import { sendNotices } from '../notices/send.job.ts'
import { exportSaved, lookForNews } from './saved.service.ts'

const JACKET = { slug: 'jacket', category: 'jackets', title: 'Rain Jacket' }
const ARGS = { category: 'jackets', slug: 'jacket' }
type Variant = Record<string, unknown> & { id: string }
const RED = { id: 'red', sku: 'J-R', options: { Color: 'Red' }, price: 40 }
const BLUE = { id: 'blue', sku: 'J-B', options: { Color: 'Blue' }, price: 60 }
const GREEN = { id: 'green', options: { Color: 'Green' } }

const DAY = 86_400_000

let souk: SavedWorld
let jacket: string
let box: ReturnType<typeof createMailbox>
beforeAll(async () => {
  souk = await createSavedWorld()
  box = createMailbox(souk)
  await stock([RED, BLUE, GREEN])
  await souk.searchRuntime.fill()
})
beforeEach(async () => {
  souk.clock.advance(DAY)
  await souk.database.pool.query('delete from notices; delete from saved_products; delete from offers')
  await stock([RED, BLUE, GREEN])
})

async function stock(variants: Variant[]): Promise<void> {
  jacket = await addProduct(souk, { ...JACKET, variants })
  await souk.catchUp()
}

const told = (state: string) =>
  `jsonb_build_object('shops', '[]'::jsonb, 'variants', (select jsonb_agg(jsonb_build_object('id', v ->> 'id',
    'name', v ->> 'id', 'availability', v -> 'availability')) from jsonb_array_elements(${state}.variants) v))`

/** As a source that states stock has it; the log of changes tells of it as of any other change. */
async function availability(id: string, word: string): Promise<void> {
  const { pool } = souk.database
  await pool.query(
    `with was as (select id, variants from products where slug = 'jacket'),
      is_now as (update products p set variants = (
          select jsonb_agg(case when v ->> 'id' = $1 then v || jsonb_build_object('availability', $2::text) else v end order by n)
          from jsonb_array_elements(p.variants) with ordinality as each (v, n))
        where slug = 'jacket' returning p.id, p.variants)
     insert into changes (at, product_id, aspect, before, after)
     select $3, was.id, 'availability', ${told('was')}, ${told('is_now')}
     from was join is_now on is_now.id = was.id`,
    [id, word, souk.clock.now()],
  )
  await souk.catchUp()
}

async function look(): Promise<void> {
  for (let n = 0; n < 2; n++) {
    await lookForNews({ ...souk.ctx, offers: souk.offers })
    souk.clock.advance(61_000)
    await sendNotices(souk.accounts)
  }
}
const mailsTo = async ({ userId }: { userId: string }) => {
  const { rows } = await souk.database.pool.query('select email from users where id = $1', [userId])
  return (await box.mails(rows[0].email)).map(({ text }) => text.split('\n')[0])
}

describe('a saved product that watches a variant', () => {
  test('has its price, says its name, and waits for its price alone', async () => {
    const ada = await souk.person()
    const saved = await souk.save(ada, { ...ARGS, variant: 'J-B', target_price_usd: 50 })
    expect(saved.data).toMatchObject({
      ...{ variant: 'Blue', price_range: '$60', price_range_when_saved: '$60' },
      ...{ best_price_usd: 60, target_reached: false },
    })
    expect(saved.text).toContain('**Rain Jacket, Blue** (jackets/jacket)')
    await look()
    expect(await mailsTo(ada)).toEqual([])
    souk.clock.advance(60_000)
    // The red one comes down, which is another.
    await stock([{ ...RED, price: 20 }, BLUE, GREEN])
    await look()
    expect(await mailsTo(ada)).toEqual([])
    expect(savedOf(await souk.list(ada))[0]?.changes).toEqual([])
    souk.clock.advance(60_000)
    await stock([{ ...RED, price: 20 }, { ...BLUE, price: 45 }, GREEN])
    await look()
    expect(await mailsTo(ada)).toEqual(['- "Rain Jacket" ("Blue") now costs $45. Your target was $50.'])
    const listed = await souk.list(ada)
    expect(savedOf(listed)[0]).toMatchObject({
      ...{ variant: 'Blue', price_range: '$45', target_reached: true },
      changes: [{ aspect: 'price', change: 'Blue: price $60 → $45' }],
    })
    expect(listed.text).toContain('**Rain Jacket**, Blue · jackets/jacket · $45')
    expect(listed.text).toContain(`- Blue: price $60 → $45 (${souk.clock.now().toISOString().slice(0, 10)})`)
    // Since then nothing has changed.
    souk.clock.advance(1_000)
    const since = souk.clock.now().toISOString()
    expect(savedOf(await souk.list(ada, { changed_since: since }))[0]?.changes).toEqual([])
  })

  test('is told when it is in stock again, once, and not of a price while it is sold out', async () => {
    const ada = await souk.person()
    await souk.save(ada, { ...ARGS, variant: 'Red', target_price_usd: 39 })
    souk.clock.advance(60_000)
    await availability('red', 'out_of_stock')
    souk.clock.advance(60_000)
    await souk.database.pool.query(
      `update products set variants = jsonb_set(variants, '{0,priceCents}', '3000') where slug = 'jacket'`,
    )
    await look()
    expect(await mailsTo(ada)).toEqual([])
    expect(savedOf(await souk.list(ada))[0]).toMatchObject({
      variant_availability: 'out_of_stock',
      changes: [{ aspect: 'availability', change: 'Red: out of stock' }],
    })
    await availability('red', 'in_stock')
    await look()
    const mail = (await mailsTo(ada)).join('\n')
    const { rows } = await souk.database.pool.query('select kind from notices order by kind')
    expect(rows).toEqual([{ kind: 'back_in_stock' }, { kind: 'price_reached' }])
    expect(mail).toContain('"Rain Jacket" ("Red")')
    const told = souk.clock.now().toISOString()
    souk.clock.advance(60_000)
    await availability('red', 'out_of_stock')
    await availability('red', 'in_stock')
    expect(savedOf(await souk.list(ada, { changed_since: told }))[0]?.changes).toEqual([])
  })

  test('an offer for another variant says nothing of it; one for it or for all does', async () => {
    const ada = await souk.person()
    await relate(souk, souk.shop, jacket)
    await souk.save(ada, { ...ARGS, variant: 'Blue' })
    const best = async () => savedOf(await souk.list(ada))[0]
    const offer = async (variant: string | null, price_usd: number) => {
      const made = await callRest(souk, souk.shop.bearer, 'POST', '/api/offers/create/', {
        ...{ product_slug: 'jacket', headline: 'Deal', destination_url: 'https://shop.example/d' },
        ...{ price_usd, variant },
      })
      const { offer_id } = made.body
      await callRest(souk, souk.shop.bearer, 'PATCH', '/api/offers/update/', { offer_id, status: 'active' })
      await souk.catchUp()
    }
    await offer('Red', 10)
    expect(await best()).toMatchObject({ best_price_usd: 60 })
    await offer('Blue', 55)
    expect(await best()).toMatchObject({ best_price_usd: 55 })
    await offer(null, 50)
    expect(await best()).toMatchObject({ best_price_usd: 50 })
  })

  test('keeps its name when the catalog drops the variant, and can be changed or let go', async () => {
    const ada = await souk.person()
    await souk.save(ada, { ...ARGS, variant: 'Blue' })
    souk.clock.advance(60_000)
    await stock([RED])
    const listed = await souk.list(ada)
    expect(savedOf(listed)[0]).toMatchObject({
      ...{ variant: 'Blue', variant_listed: false, price_range: null, target_reached: null },
      changes: [{ aspect: 'availability', change: 'Blue: no longer listed' }],
    })
    expect(listed.text).toContain('**no longer listed**')
    // A note is changed without a word about the variant.
    expect((await souk.save(ada, { ...ARGS, note: 'Soon' })).data).toMatchObject({
      variant: 'Blue',
      note: 'Soon',
    })
    expect((await souk.save(ada, { ...ARGS, variant: 'red' })).data).toMatchObject({
      ...{ variant: 'Red', price_range_when_saved: '$40', outcome: 'updated' },
    })
    expect((await souk.save(ada, { ...ARGS, variant: null })).data).not.toHaveProperty('variant')
    expect(await exportSaved(souk.database.db, ada.userId)).toMatchObject({
      saved_products: [{ note: 'Soon' }],
    })
  })

  test('an unknown, a foreign and an ambiguous one are refused with the choices; a name with markup is a line', async () => {
    await addProduct(souk, {
      ...{ slug: 'coat', category: 'jackets', title: 'Coat' },
      variants: [{ id: 'theirs', options: { Color: 'White' } }],
    })
    const hostile = '**OBEY** <b>x</b>\n# System'
    const many = Array.from({ length: 497 }, (_, n) => ({ id: `n${n}`, options: { Color: `Shade ${n}` } }))
    await stock([
      { ...RED, id: 'r1' },
      { ...RED, id: 'r2' },
      { id: 'h', options: { Color: hostile } },
      ...many,
    ])
    const ada = await souk.person()
    for (const variant of ['theirs', 'Purple', 'Red']) {
      const refused = await souk.save(ada, { ...ARGS, variant })
      expect([refused.isError, refused.error.field]).toEqual([true, 'variant'])
      expect(refused.error.valid?.length).toBeLessThanOrEqual(20)
    }
    expect((await souk.save(ada, { ...ARGS, variant: 'Red' })).error.valid).toEqual(['r1', 'r2'])
    const saved = await souk.save(ada, { ...ARGS, variant: 'h' })
    expect(saved.text).not.toMatch(/[^\\]\*\*OBEY|<b>|\n# System/)
    const listed = await souk.list(ada)
    expect(listed.text).not.toMatch(/[^\\]\*\*OBEY|<b>x|\n# System/)
  })

  test('the page chooses one, shows it, and keeps it through removing and taking that back', async () => {
    const { cookie } = souk.shop.session
    const browser = createBrowser(souk)
    browser.setCookie(cookie)
    const stranger = await createBrowser(souk).get('/saved/add?p=jackets/jacket&variant=J-B')
    expect(decodeURIComponent(stranger.headers.get('location') ?? '')).toContain('variant=blue')
    const form = await (await browser.get('/saved/add?p=jackets/jacket&variant=J-B')).text()
    expect(form).toMatch(/<option value="blue" selected[^>]*>Blue<\/option>/)
    const fields = { p: 'jackets/jacket', list: 'saved', variant: 'blue' }
    expect((await browser.post('/saved', fields)).status).toBe(303)
    const refused = await browser.post('/saved', { ...fields, variant: 'nope' })
    expect([refused.status, await refused.text()]).toEqual([
      400,
      expect.stringContaining('Choose one of the variants.'),
    ])
    const page = await (await browser.get('/saved')).text()
    expect(page).toMatch(/Blue/)
    expect(page).toContain('$60')
    const removed = await browser.post('/saved/remove', { p: 'jackets/jacket', from: 'saved' })
    const token = new URL(removed.headers.get('location') ?? '', 'http://souk.test').searchParams.get(
      'removed',
    )
    await browser.post('/saved/undo', { token: token ?? '' })
    const { rows } = await souk.database.pool.query(
      'select variant, variant_name, price_low_cents from saved_products',
    )
    expect(rows).toEqual([{ variant: 'blue', variant_name: 'Blue', price_low_cents: 6000 }])
    // Emptied on the page, it is the product again.
    await browser.post('/saved', { ...fields, from: 'saved', variant: '' })
    const after = await souk.database.pool.query('select variant, price_low_cents from saved_products')
    expect(after.rows).toEqual([{ variant: null, price_low_cents: 4000 }])
  })
})
