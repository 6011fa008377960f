/** The pages of saved products: how one is saved, and what the list tells. */
import { describe, expect, test } from 'vitest'
import { MAX_SAVED } from '../../src/saved/saved.schema.ts'
import { createBrowser } from '../accounts.ts'
import { call } from '../orgs.ts'
import { addProduct } from '../products.ts'
import { createSavedPages, DOME, entryOf, follow, KETTLE, titles, to, words } from '../saved.pages.ts'
import { WHISTLER } from '../saved.world.ts'
import { GOOSENECK, HOSTILE } from '../skills.world.ts'

const { souk, person, day } = await createSavedPages()

describe('somebody who is not signed in', () => {
  test('sees at /saved what saving is for, with ways in that lead back', async () => {
    const response = await createBrowser(souk).get('/saved')
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store'])
    const page = await response.text()
    expect(page).toContain('href="/auth/signin?return_to=%2Fsaved"')
    expect(page).toContain('href="/auth/signup?return_to=%2Fsaved"')
  })

  test('is asked to sign in before saving, and comes back to the product', async () => {
    const back = `/auth/signin?return_to=${encodeURIComponent('/saved/add?p=kettles%2Fgooseneck')}`
    expect(to(await createBrowser(souk).get(`/saved/add?p=${KETTLE}`))).toEqual([303, back])
    expect(to(await createBrowser(souk).post('/saved', { p: KETTLE }))).toEqual([303, back])
    for (const path of ['/saved/remove', '/saved/undo'])
      expect(to(await createBrowser(souk).post(path, { p: KETTLE, from: 'saved' }))).toEqual([
        303,
        '/auth/signin?return_to=%2Fsaved',
      ])
  })
})

describe('saving', () => {
  test('takes list, note and a price as people type it, and leads to the entry', async () => {
    const ada = await person()
    const form = await ada.page(`/saved/add?p=${KETTLE}`)
    expect(form).toContain('Spout Gooseneck Kettle')
    expect(form).toMatch(/name="list"[^>]*value="saved"/)
    const fields = { list: 'Gift ideas', note: 'For Grace.\r\nWrap it.', target_price: ' $1,299.50 ' }
    const response = await ada.save(fields)
    const [status, location] = to(response)
    expect([status, location]).toEqual([
      303,
      expect.stringMatching(/^\/saved\?list=Gift\+ideas&done=added#entry-[\w-]{36}$/),
    ])
    expect(await ada.rows()).toMatchObject([
      { list: 'Gift ideas', note: 'For Grace.\nWrap it.', target_price_cents: 129950 },
    ])
    const page = await follow(ada.browser, response)
    expect(page).toContain(`id="${location.split('#')[1]}"`)
    expect(page).toMatch(/role="status">Saved\.</)
    expect(words(entryOf(page, 'Spout Gooseneck Kettle'))).toContain('For Grace. Wrap it.')
  })

  test('without anything filled in goes to the first list', async () => {
    const ada = await person()
    await ada.save({ list: ' ', note: '', target_price: '' })
    expect(await ada.rows()).toMatchObject([{ list: 'saved', note: null, target_price_cents: null }])
  })

  test.each([
    ['target_price', 'cheap'],
    ['target_price', '49,50'],
    ['target_price', '-5'],
    ['target_price', '0'],
    ['target_price', '1.999'],
    ['target_price', '10000001'],
    ['note', 'n'.repeat(501)],
    ['list', 'l'.repeat(41)],
  ])('with the %s %j is refused beside the field, and all that was typed is kept', async (field, value) => {
    const ada = await person()
    const typed = { list: 'my list', note: 'my note', target_price: '45', [field]: value }
    const response = await ada.save(typed)
    expect(response.status).toBe(400)
    const page = await response.text()
    expect(page).toContain(`id="field-${field}-error"`)
    expect(page).toMatch(new RegExp(`id="field-${field}"[^>]*aria-invalid="true"`))
    for (const kept of Object.values(typed)) expect(page).toContain(kept)
    expect(await ada.rows()).toEqual([])
  })

  test('an unknown product is a page that says so, with 404', async () => {
    const ada = await person()
    for (const named of ['kettles/no-such', 'tents/gooseneck', 'gooseneck', '../x', '']) {
      const asked = await ada.browser.get(`/saved/add?p=${encodeURIComponent(named)}`)
      expect([named, asked.status]).toEqual([named, 404])
      expect(await asked.text()).toContain('find this product')
      expect((await ada.save({ p: named })).status).toBe(404)
    }
  })

  test('what is saved already is shown and changed, emptied where it was emptied', async () => {
    const ada = await person()
    day('2026-11-01')
    await ada.save({ list: 'kitchen', note: 'old words', target_price: '50' })
    const form = await ada.page(`/saved/add?p=${KETTLE}`)
    expect(words(form)).toContain('You saved it on November 1, 2026 to the list “kitchen”, at $55 – $60.')
    expect(form).toContain('old words')
    expect(form).toContain('name="from" value="kitchen"')
    const changed = await ada.save({ from: 'kitchen', list: 'kitchen', note: '', target_price: '48' })
    expect(to(changed)[1]).toMatch(/^\/saved\?done=changed#entry-/)
    expect(await ada.rows()).toMatchObject([{ list: 'kitchen', note: null, target_price_cents: 4800 }])
  })

  test('one product stands on several lists, and is moved to none where it stands already', async () => {
    const ada = await person()
    await ada.save({ list: 'one' })
    expect(await ada.page(`/saved/add?p=${KETTLE}&another=1`)).toContain('already on “one”.')
    await ada.save({ list: 'two', note: 'second' })
    const refused = await ada.save({ from: 'two', list: 'ONE', note: 'second' })
    expect(refused.status).toBe(409)
    const page = await refused.text()
    expect(page).toContain('id="field-list-error"')
    expect(page).toContain('already on that list.')
    expect((await ada.rows()).map(({ list }) => list)).toEqual(['one', 'two'])
  })

  test('an entry that moves keeps the day and the price it was saved at', async () => {
    const ada = await person()
    day('2026-11-01')
    await ada.save({ list: 'kitchen' })
    day('2026-11-02')
    const moved = await ada.save({ from: 'kitchen', list: 'cabin', back: 'list=kitchen&page=1' })
    expect(to(moved)[1]).toMatch(/^\/saved\?list=cabin&done=changed#entry-/)
    const rows = await ada.rows()
    expect(rows).toMatchObject([{ list: 'cabin', low: 5500 }])
    expect(rows[0]?.created_at.toISOString()).toBe('2026-11-01T12:00:00.000Z')
  })

  test('the limits are told in the words of the page', async () => {
    const ada = await person()
    const { pool } = souk.database
    await pool.query(
      `insert into products (id, slug, category_id, title)
       select gen_random_uuid(), 'bulk-' || n, (select id from categories where slug = 'tents'), 'Bulk ' || n
       from generate_series(1, $1::int) n`,
      [MAX_SAVED],
    )
    await pool.query(
      `insert into saved_products (id, user_id, product_id, list)
       select gen_random_uuid(), u.id, p.id, 'list ' || (substr(p.slug, 6)::int % 20)
       from users u, products p where u.email = $1 and p.slug like 'bulk-%'`,
      [ada.email],
    )
    const full = await ada.save({ note: 'one more' })
    expect(full.status).toBe(409)
    const page = await full.text()
    expect(page).toContain('saved 500 products, which is the limit.')
    expect(page).toContain('one more')
    expect(page).not.toContain('remove_saved_product')
    await ada.browser.post('/saved/remove', { p: 'tents/bulk-1', from: 'list 1' })
    const lists = await (await ada.save({ list: 'a 21st' })).text()
    expect(lists).toContain('You have 20 lists, which is the limit.')
    expect(lists).toContain('id="field-list-error"')
    const last = await ada.browser.get('/saved?page=999')
    expect(to(last)).toEqual([303, '/saved?page=25'])
    expect(titles(await ada.page('/saved?page=25'))).toHaveLength(19)
    expect(await ada.page('/saved?list=list+2')).toContain('href="/saved?list=list+2&amp;page=2"')
    await pool.query(`delete from products where slug like 'bulk-%'`)
  })
})

describe('the list', () => {
  test('tells what each costs now against then, what changed and when, and targets that are reached', async () => {
    day('2026-11-02')
    const ada = await person()
    await ada.save({ list: 'kitchen', target_price: '46', note: 'wait for it' })
    await ada.save({ p: 'kettles/whistler', target_price: '20' })
    await ada.save({ p: DOME })
    day('2026-11-04')
    await addProduct(souk, { ...GOOSENECK, price: 50 })
    await addProduct(souk, { ...WHISTLER, price: 35, discontinued: true })
    day('2026-11-06')
    const offer = await call(souk, souk.shop.bearer, 'POST', '/api/offers/create/', {
      product_slug: 'gooseneck',
      headline: 'A deal',
      destination_url: 'https://shop.example/deal',
      price_usd: 45,
      list_price_usd: 60,
    })
    const active = { offer_id: offer.body.offer_id, status: 'active' }
    await call(souk, souk.shop.bearer, 'PATCH', '/api/offers/update/', active)
    await souk.catchUp()
    const page = await ada.page()
    const kettle = words(entryOf(page, 'Spout Gooseneck Kettle'))
    expect(kettle).toContain('On sale')
    expect(kettle).toContain('▼ Listed price down $5 from $55 – $60 when you saved it')
    expect(kettle).toMatch(/\$45.*with an offer/s)
    expect(kettle).toContain('Your target of $46 is reached: now $45.')
    expect(kettle).toContain('wait for it')
    expect(kettle).toContain('Price $55 – $60 → $50, November 4, 2026')
    expect(kettle).toContain('Promoted offers 0 → 1, best price now $45, November 6, 2026')
    expect(kettle).toContain('Saved November 2, 2026 at $55 – $60, on the list “kitchen”')
    const whistler = words(entryOf(page, 'Whistling Stove Kettle'))
    expect(whistler).toContain('▲ Up $5 from $30 when you saved it')
    expect(whistler).toContain('Discontinued')
    expect(whistler).toContain('Your target is $20: $15 to go.')
    expect(whistler).not.toContain('On sale')
    expect(words(entryOf(page, 'Dome Tent for Two'))).toContain('No changes since you saved it.')

    expect(titles(await ada.page('/saved?list=KITCHEN'))).toEqual(['Spout Gooseneck Kettle'])
    expect(titles(await ada.page('/saved?changed=1'))).not.toContain('Dome Tent for Two')
    day('2026-11-12')
    expect(titles(await ada.page('/saved?changed=1&since=7'))).toEqual(['Spout Gooseneck Kettle'])
    expect(titles(await ada.page('/saved?changed=1&since=30'))).toHaveLength(2)
    const account = words(await ada.page('/account'))
    expect(account).toContain('3 products saved, 1 changed in the last 7 days.')
    day('2026-11-20')
    const none = words(await ada.page('/saved?changed=1&since=7'))
    expect(none).toContain('Nothing has changed')
    expect(none).toContain('Show everything you saved')
  })

  test('names the lists with their counts, offers a box to compare each, and says when nothing is there', async () => {
    const ada = await person()
    const empty = await ada.page()
    expect(empty).toContain('Nothing saved yet')
    expect(empty).toContain('href="/#categories"')
    await ada.save({ list: 'kitchen' })
    await ada.save({ p: DOME, list: 'camp & fire' })
    const page = await ada.page()
    expect(words(page)).toMatch(/All 2 camp &amp; fire 1 kitchen 1/)
    expect(page).toContain('href="/saved?list=camp+%26+fire"')
    expect(page).toContain('<form id="compare" class="line saved-compare" action="/compare">')
    for (const named of [KETTLE, DOME])
      expect(page).toContain(`<input type="checkbox" name="p" value="${named}" form="compare"/>`)
    expect(await ada.page('/saved?list=nowhere')).toContain('Nothing saved on the list “nowhere”')
  })

  test('whatever the address holds, it is read as one of the views there are', async () => {
    const ada = await person()
    await ada.save()
    for (const query of [
      'page=0',
      'page=-1',
      'page=1e9',
      'since=yesterday',
      'done=constructor',
      'removed=x',
      '',
    ]) {
      const page = await ada.page(`/saved?${query}`)
      expect(titles(page)).toHaveLength(1)
      expect(page).not.toContain('role="status"')
    }
  })

  test.each(HOSTILE.map((text) => [text.slice(0, 40), text]))(
    'a hostile note stays text: %j',
    async (_, text) => {
      const ada = await person()
      await ada.save({
        note: `</textarea><img src=x onerror=alert(1)>"' ${text}`.slice(0, 480),
        list: text.slice(0, 35),
      })
      const page = await ada.page()
      expect(page).not.toMatch(/<img src=x|<script>alert|onerror=alert\(1\)>/i)
      expect(page.match(/<\/textarea>/g)).toHaveLength(page.match(/<textarea/g)?.length ?? 0)
    },
  )
})
