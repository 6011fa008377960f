/** Reports of mistakes: who may send them, what is kept and for how long, and what operators do with them. */
import { beforeEach, expect, test } from 'vitest'
import { createBrowser, PASSWORD, signIn } from '../../../test/accounts.ts'
import { runAdmin } from '../../../test/admin-command.ts'
import { captureLog, createTestApp, testConfig } from '../../../test/harness.ts'
import { textOf } from '../../../test/html.ts'
import { addProduct } from '../../../test/products.ts'
import { mergeProducts } from '../../catalog/manage-products.service.ts'
import {
  createMistakeSweep,
  KEEP_CLOSED_DAYS,
  KEEP_OPEN_DAYS,
  OPEN_IN_ALL,
  OPEN_OF_PRODUCT,
} from '../../catalog/mistakes.service.ts'
import { newId } from '../../lib/ids.ts'
import { MERGE_HOOKS } from '../../org-hooks.ts'

const DAY_MS = 86_400_000
const LAMP = '/p/desk-lamps/lamp'
const souk = await createTestApp()
const { pool } = souk.database
const lampId = await addProduct(souk, { slug: 'lamp', category: 'desk-lamps', title: 'Lamp', brand: 'Glow' })
const stranger = createBrowser(souk)
const operator = await signIn(souk, { verified: true })
await pool.query('update users set is_admin = true where email = $1', [operator.email])

beforeEach(() => pool.query('delete from mistake_reports'))

const report = (fields: Record<string, string> = {}, by = stranger, at = LAMP) =>
  by.post(`${at}/mistakes`, { kind: 'price', text: 'It costs $40 now.', email: '', ...fields })
const kept = async () => (await pool.query('select * from mistake_reports order by created_at, id')).rows
const onlyId = async () => String((await kept())[0]?.id)
const sweep = () =>
  createMistakeSweep({ db: souk.database.db, clock: souk.clock }).run(
    {},
    { signal: new AbortController().signal, attempt: 1, jobId: newId(), log: captureLog().log },
  )

test('the form stands on the product page, the same for everybody, and a stranger’s report is kept and thanked for', async () => {
  const page = await (await stranger.get(LAMP)).text()
  expect(page).toContain('<summary>Report a mistake</summary>')
  expect(page).toContain(`action="${LAMP}/mistakes"`)
  expect(await (await operator.browser.get(LAMP)).text()).toBe(page)
  const sent = await report({
    text: ' It costs <b>$40</b>\u202e now.\r\n\r\n\r\nSee the shop. ',
    email: ' ann@people.example ',
  })
  expect([sent.status, sent.headers.get('location')]).toEqual([303, `${LAMP}/mistakes?done=sent`])
  expect(await kept()).toMatchObject([
    { kind: 'price', text: 'It costs $40 now.\n\nSee the shop.', email: 'ann@people.example', user_id: null },
  ])
  const thanks = textOf(await (await stranger.get(`${LAMP}/mistakes?done=sent`)).text())
  expect(thanks).toContain('Thank you')
  expect(thanks).toContain('Back to Lamp')
})

test('a refused report says why and keeps what was typed', async () => {
  const refused = async (fields: Record<string, string>) => {
    const answer = await report(fields)
    return { status: answer.status, page: await answer.text() }
  }
  const empty = await refused({ kind: 'spec', text: ' ', email: 'ann@people.example' })
  expect([empty.status, textOf(empty.page).includes('Say what is wrong.')]).toEqual([400, true])
  expect(empty.page).toMatch(/<option value="spec" selected/)
  expect(empty.page).toContain('value="ann@people.example"')
  const badMail = await refused({ text: 'It is <blue>', email: 'ann at people' })
  expect([badMail.status, textOf(badMail.page).includes('name@example.com')]).toEqual([400, true])
  expect(badMail.page).toContain('It is &lt;blue&gt;')
  expect((await refused({ text: 'x'.repeat(1_001) })).status).toBe(400)
  expect((await refused({ text: 'x '.repeat(100_000) })).status).toBe(413)
  expect((await refused({ kind: 'spam' })).status).toBe(400)
  expect(await kept()).toEqual([])
  // As a browser counts it: a line break is one character.
  expect((await report({ text: Array.from({ length: 500 }, () => 'x').join('\r\n') })).status).toBe(303)
})

test('a product that is not there takes no report, and another site sends none', async () => {
  expect((await report({}, stranger, '/p/desk-lamps/none')).status).toBe(404)
  expect((await report({}, stranger, '/p/kettles/lamp')).status).toBe(404)
  expect((await stranger.get('/p/desk-lamps/none/mistakes')).status).toBe(404)
  const body = new URLSearchParams({ kind: 'price', text: 'It costs more.' })
  const headers = { origin: 'https://evil.example' }
  const answer = await souk.app.request(`${LAMP}/mistakes`, { method: 'POST', headers, body })
  expect(answer.status).toBe(403)
  expect(await kept()).toEqual([])
})

test('the same report is kept once, however often the button is pressed', async () => {
  const answers = await Promise.all([report(), report(), report()])
  expect(answers.map(({ headers }) => headers.get('location')?.split('=')[1]).sort()).toEqual([
    'known',
    'known',
    'sent',
  ])
  expect(await kept()).toHaveLength(1)
})

test('no more are kept than a network may send, a product may have open and there may be in all', async () => {
  const limited = await createTestApp({
    database: souk.database,
    config: testConfig({ SOUK_LIMITS: 'mistakes=10/hour' }),
  })
  const [one, other] = ['192.0.2.1', '198.51.100.1'].map((ip) => createBrowser(limited, { ip }))
  const statuses = []
  for (let n = 0; n < 12; n++) statuses.push((await report({ text: `Wrong ${n}` }, one)).status)
  expect(statuses).toEqual([...Array(10).fill(303), 429, 429])
  const refused = await report({ text: 'Wrong again' }, one)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  const page = await refused.text()
  expect(textOf(page)).toContain('10 reports an hour were sent from this network; try again in')
  expect(page).toContain('Wrong again')
  expect((await report({ text: 'Wrong too' }, other)).status).toBe(303)

  // At the same moment, past the bound of a product.
  await Promise.all(Array.from({ length: 30 }, (_, n) => report({ text: `At once ${n}` })))
  expect(await kept()).toHaveLength(OPEN_OF_PRODUCT)
  const enough = await report({ text: 'One more' })
  expect(enough.headers.get('location')).toBe(`${LAMP}/mistakes?done=known`)
  expect(textOf(await (await stranger.get(`${LAMP}/mistakes?done=known`)).text())).toContain(
    'Others have reported mistakes in this product already',
  )

  const id = await addProduct(souk, { slug: 'full', category: 'desk-lamps', title: 'Full' })
  await pool.query(
    `insert into mistake_reports (id, product_id, kind, text)
     select gen_random_uuid(), $1, 'other', 'filler ' || n from generate_series(1, $2) n`,
    [id, OPEN_IN_ALL - OPEN_OF_PRODUCT],
  )
  await addProduct(souk, { slug: 'fresh', category: 'desk-lamps', title: 'Fresh' })
  const full = await report({ text: 'Wrong here' }, stranger, '/p/desk-lamps/fresh')
  expect(full.status).toBe(409)
  expect(await full.text()).toContain('Wrong here')
  // A closed one makes room.
  await pool.query(
    `update mistake_reports set closed_at = now(), outcome = 'rejected' where text = 'filler 1'`,
  )
  expect((await report({ text: 'Wrong here' }, stranger, '/p/desk-lamps/fresh')).status).toBe(303)
})

test('an operator sees, searches, filters and closes reports; the second to close one is refused', async () => {
  await report({ text: 'The tank holds < 1.5 l & leaks', email: 'a?cc=b@people.example' })
  await report({ kind: 'picture', text: 'It shows another lamp.' })
  const { browser } = operator
  const read = async (query = '') => (await browser.get(`/admin/reports${query}`)).text()
  const list = await read()
  expect(list).toContain('The tank holds &lt; 1.5 l &amp; leaks')
  expect(list).toContain('href="mailto:a%3Fcc%3Db@people.example"')
  expect(list).toContain(`href="${LAMP}"`)
  expect(textOf(await read('?q=tank'))).not.toContain('another lamp')
  expect(textOf(await read('?kind=picture'))).not.toContain('tank')
  expect(await read('?format=csv')).toContain('desk-lamps/lamp,Picture,It shows another lamp.')
  expect(textOf(await (await browser.get('/admin')).text())).toMatch(/Reported mistakes\s*2/)

  const id = await onlyId()
  const close = (fields: Record<string, string>, at = id) =>
    browser.post(`/admin/reports/${at}/close`, fields)
  const bad = await close({ outcome: 'perhaps', note: 'typed' })
  expect([bad.status, (await bad.text()).includes('typed')]).toEqual([400, true])
  const closed = await close({ outcome: 'fixed', note: 'It says 1.4 l now.' })
  expect(closed.headers.get('location')).toBe('/admin/reports?done=fixed')
  expect((await close({ outcome: 'rejected', note: '' })).status).toBe(409)
  expect((await close({ outcome: 'fixed' }, newId())).status).toBe(404)
  expect((await close({ outcome: 'fixed' }, 'no-id')).status).toBe(404)
  const operatorId = (await pool.query('select id from users where email = $1', [operator.email])).rows[0].id
  expect((await kept())[0]).toMatchObject({
    outcome: 'fixed',
    closed_by: operatorId,
    note: 'It says 1.4 l now.',
  })
  const { rows } = await pool.query(`select actor_id, detail from audit_log where action = 'mistake.closed'`)
  expect(rows).toEqual([
    {
      actor_id: operatorId,
      detail: { report_id: id, product_slug: 'desk-lamps/lamp', outcome: 'fixed' },
    },
  ])
  expect(textOf(await read())).not.toContain('tank')
  expect(textOf(await read('?status=fixed'))).toContain('It says 1.4 l now.')
  expect(textOf(await (await browser.get('/admin')).text())).toMatch(/Reported mistakes\s*1/)
})

test('the commands list and close them too', async () => {
  await report({ text: 'It costs\n$40.' })
  const id = await onlyId()
  const admin = (...args: string[]) => runAdmin({ database: souk.database }, ...args)
  expect((await admin('reports')).out).toContain(`${id}\tprice\tdesk-lamps/lamp\t`)
  expect((await admin('close-report', id, 'rejected', '')).err).toContain(
    'desk-lamps/lamp is closed as rejected',
  )
  expect(await kept()).toMatchObject([{ outcome: 'rejected', note: null, closed_by: null }])
})

test('a person’s reports are in their export and history, and go with the account', async () => {
  const person = await signIn(souk, { verified: true })
  await report({ text: 'Mine', email: 'mine@people.example' }, person.browser)
  await report({ text: 'Not mine' })
  const exported = await (await person.browser.get('/account/export')).json()
  expect(exported).toMatchObject({
    mistake_reports: [
      {
        product_slug: 'desk-lamps/lamp',
        kind: 'price',
        text: 'Mine',
        email: 'mine@people.example',
        outcome: null,
      },
    ],
  })
  expect(JSON.stringify(exported)).not.toContain('Not mine')
  expect(textOf(await (await person.browser.get('/account/history')).text())).toContain(
    'Reported a mistake in desk-lamps/lamp',
  )
  const deleted = await person.browser.post('/account/delete', { confirm: 'delete', password: PASSWORD })
  expect(deleted.status).toBe(200)
  expect(await kept()).toMatchObject([{ text: 'Not mine' }])
})

test('reports go with their product, and move with it when it is merged', async () => {
  const twinId = await addProduct(souk, { slug: 'twin', category: 'desk-lamps', title: 'Twin' })
  await report({}, stranger, '/p/desk-lamps/twin')
  expect(await kept()).toMatchObject([{ product_id: twinId }])
  const by = { kind: 'operator', id: null } as const
  const ctx = { ...souk.ctx, mergeHooks: MERGE_HOOKS }
  await mergeProducts(ctx, { by, from: 'twin', into: 'lamp' })
  expect(await kept()).toMatchObject([{ product_id: lampId }])
  const goneId = await addProduct(souk, { slug: 'gone', category: 'desk-lamps', title: 'Gone' })
  await report({ text: 'Of the other' }, stranger, '/p/desk-lamps/gone')
  await pool.query('delete from products where id = $1', [goneId])
  expect(await kept()).toMatchObject([{ product_id: lampId }])
})

test('closed ones are deleted after 180 days, open ones after 400', async () => {
  await report({ text: 'Open' })
  await report({ text: 'Closed' })
  const at = souk.clock.now()
  await pool.query(`update mistake_reports set closed_at = $1, outcome = 'fixed' where text = 'Closed'`, [at])
  const left = async () => (await kept()).map(({ text }) => text)
  souk.clock.advance((KEEP_CLOSED_DAYS - 1) * DAY_MS)
  await sweep()
  expect(await left()).toEqual(['Open', 'Closed'])
  souk.clock.advance(2 * DAY_MS)
  await sweep()
  expect(await left()).toEqual(['Open'])
  souk.clock.advance((KEEP_OPEN_DAYS - KEEP_CLOSED_DAYS) * DAY_MS)
  await sweep()
  expect(await left()).toEqual([])
})
