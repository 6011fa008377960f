/** The button that saves in one click: what it saves, for whom, and what it never does. */
import { expect, test } from 'vitest'
import { MAX_SAVED } from '../../src/saved/saved.schema.ts'
import { createBrowser, PASSWORD } from '../accounts.ts'
import { createSavedPages, follow, KETTLE, to, words } from '../saved.pages.ts'

const { souk, person } = await createSavedPages()
const JSON_ONLY = { accept: 'application/json' }
const press = (browser: ReturnType<typeof createBrowser>, headers = {}) =>
  browser.post('/saved/add', { p: KETTLE }, headers)

test('saves to the first list, leads to the entry, and can be undone', async () => {
  const ada = await person()
  const saving = await press(ada.browser)
  expect(to(saving)).toEqual([
    303,
    expect.stringMatching(/^\/saved\?list=saved&added=kettles%2Fgooseneck#entry-/),
  ])
  expect(await ada.rows()).toMatchObject([{ list: 'saved', note: null, target_price_cents: null }])
  const page = await follow(ada.browser, saving)
  expect(words(page)).toContain('Saved Spout Gooseneck Kettle to the list “saved”.')
  expect(page).toMatch(/action="\/saved\/remove".*?value="kettles\/gooseneck".*?>Undo/s)
  await ada.browser.post('/saved/remove', { p: KETTLE, from: 'saved' })
  expect(await ada.rows()).toEqual([])
})

test('twice, or of what is on another list, changes nothing and says so', async () => {
  const ada = await person()
  await ada.save({ list: 'kitchen', note: 'mine', target_price: '40' })
  const count = () => souk.database.pool.query('select count(*) from audit_log').then(({ rows }) => rows)
  const [before, recorded] = [await ada.rows(), await count()]
  const again = await press(ada.browser)
  expect(to(again)[1]).toMatch(/^\/saved\?list=kitchen&done=already#entry-/)
  expect([await ada.rows(), await count()]).toEqual([before, recorded])
})

test('twice at the same time saves one', async () => {
  const ada = await person()
  await Promise.all([press(ada.browser), press(ada.browser), press(ada.browser)])
  expect(await ada.rows()).toHaveLength(1)
})

test('a script is answered with where to edit it, and with 401 when nobody is signed in', async () => {
  const ada = await person()
  const answer = await press(ada.browser, JSON_ONLY)
  expect([answer.status, await answer.json()]).toEqual([
    200,
    { list: 'saved', edit: '/saved/add?p=kettles%2Fgooseneck&list=saved' },
  ])
  expect((await press(createBrowser(souk), JSON_ONLY)).status).toBe(401)
})

test('from another site saves nothing', async () => {
  const ada = await person()
  for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }])
    expect((await press(ada.browser, headers)).status).toBe(403)
  expect(await ada.rows()).toEqual([])
})

test('a stranger signs in and finds it saved; a link alone saves nothing', async () => {
  const ada = await person()
  await ada.browser.post('/auth/signout')
  const add = `/saved/add?p=${encodeURIComponent(KETTLE)}`
  const away = await press(ada.browser)
  expect(to(away)).toEqual([303, `/auth/signin?return_to=${encodeURIComponent(add)}`])
  const entered = await ada.browser.post('/auth/signin', {
    ...{ email: ada.email, password: PASSWORD, return_to: add },
  })
  expect(to(entered)).toEqual([303, add])
  expect(to(await ada.browser.get(add))[1]).toMatch(/^\/saved\?list=saved&added=/)
  expect(await ada.rows()).toHaveLength(1)
  await ada.browser.post('/saved/remove', { p: KETTLE, from: 'saved' })
  expect((await ada.browser.get(add)).status).toBe(200)
  expect(await ada.rows()).toEqual([])
})

test('past the limit it says so, beside the form and to the script', async () => {
  const ada = await person()
  const { pool } = souk.database
  await pool.query(
    `insert into products (id, slug, category_id, title)
     select gen_random_uuid(), 'many-' || n, (select id from categories where slug = 'tents'), 'Many ' || n
     from generate_series(1, $1::int) n`,
    [MAX_SAVED],
  )
  await pool.query(
    `insert into saved_products (id, user_id, product_id, list)
     select gen_random_uuid(), u.id, p.id, 'all' from users u, products p
     where u.email = $1 and p.slug like 'many-%'`,
    [ada.email],
  )
  const full = 'saved 500 products, which is the limit.'
  const [page, answer] = [await press(ada.browser), await press(ada.browser, JSON_ONLY)]
  expect([page.status, answer.status]).toEqual([409, 409])
  expect(await page.text()).toContain(full)
  expect(((await answer.json()) as { error: string }).error).toContain(full)
})

test('an unknown product is 404', async () => {
  const { browser } = await person()
  expect((await browser.post('/saved/add', { p: 'kettles/no-such' })).status).toBe(404)
})
