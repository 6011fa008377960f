import { beforeAll, describe, expect, test } from 'vitest'
import { createBrowser, createMailbox, signIn } from '../../../test/accounts.ts'
import { createTestApp } from '../../../test/harness.ts'
import { createOrg } from '../../../test/orgs.ts'
import { createAccountSecrets } from '../../accounts/secrets.ts'
import { newId } from '../../lib/ids.ts'
import type { NoticeKind } from '../../notices/kinds.ts'
import {
  getNoticeSettings,
  notify,
  readUnsubscribeToken,
  unsubscribeToken,
} from '../../notices/notices.service.ts'
import { sendNotices } from '../../notices/send.job.ts'

let souk: Awaited<ReturnType<typeof createTestApp>>
beforeAll(async () => {
  souk = await createTestApp()
})

const idOf = async (email: string) =>
  (await souk.database.pool.query('select id from users where email = $1', [email])).rows[0].id as string
const history = async (userId: string) =>
  (
    await souk.database.pool.query(
      `select action from audit_log where user_id = $1 and action like 'notices.%' order by id`,
      [userId],
    )
  ).rows.map(({ action }) => action as string)
async function reader() {
  const { browser, email } = await signIn(souk, { verified: true })
  const userId = await idOf(email)
  return { browser, email, userId, settings: () => getNoticeSettings(souk.database.db, userId) }
}
const tokenFor = (userId: string, kinds: NoticeKind[] = ['price_reached']) =>
  unsubscribeToken(souk.accounts, { userId, kinds })
const pathFor = (token: string) => `/notices/unsubscribe?token=${token}`

describe('/account/notices', () => {
  const CHOSEN = {
    buyers_price_reached: 'on',
    digest: 'daily',
    quiet_from: '22:00',
    quiet_to: '07:00',
    time_zone: 'Europe/Berlin',
  }

  test('saves each kind, how often, quiet hours and the time zone, and shows them again', async () => {
    const { browser, userId, settings } = await reader()
    expect(await (await browser.get('/account')).text()).toContain('href="/account/notices"')
    const saved = await browser.post('/account/notices', CHOSEN)
    expect([saved.status, saved.headers.get('location')]).toEqual([303, '/account/notices?done=saved'])
    expect(await settings()).toMatchObject({
      ...{ digest: 'daily', quiet: { from: 1320, to: 420 }, timeZone: 'Europe/Berlin' },
      kinds: { price_reached: true, quotes_ready: false, first_request: true },
    })
    const page = await (await browser.get('/account/notices')).text()
    expect(page).toMatch(/name="buyers_price_reached" checked/)
    expect(page).not.toMatch(/name="buyers_quotes_ready" checked/)
    expect(page).toMatch(/<option value="22:00" selected/)
    expect(page).toMatch(/<option value="Europe\/Berlin" selected/)
    expect(page).not.toContain('sellers_first_request')
    expect(await history(userId)).toEqual(['notices.changed'])
  })

  test('shows the kinds of sellers to those who belong to an organization', async () => {
    const org = await createOrg(souk)
    const browser = createBrowser(souk)
    browser.setCookie(org.session.cookie)
    expect(await (await browser.get('/account/notices')).text()).toMatch(/sellers_first_request" checked/)
    await browser.post('/account/notices', { ...CHOSEN, sellers_quote_chosen: 'on' })
    const { kinds } = await getNoticeSettings(souk.database.db, org.ownerId)
    expect(kinds).toMatchObject({ quote_chosen: true, first_request: false, loss_streak: false })
  })

  test.each([
    ['half of quiet hours', { quiet_to: '' }, 'or neither'],
    ['quiet hours that never end', { quiet_to: '22:00' }, 'or neither'],
    ['no hour', { quiet_from: '25:00' }, 'Choose an hour.'],
    ['no time zone', { time_zone: 'Mars/Olympus' }, 'Choose a time zone.'],
    ['no way of sending', { digest: 'hourly' }, 'Choose how often.'],
  ])('refuses %s, and keeps what was typed', async (_, wrong, message) => {
    const { browser, settings } = await reader()
    const before = await settings()
    const refused = await browser.post('/account/notices', { ...CHOSEN, ...wrong })
    const page = await refused.text()
    expect([refused.status, page.includes(message)]).toEqual([400, true])
    expect(page).toMatch(/name="buyers_price_reached" checked/)
    expect(await settings()).toEqual(before)
  })

  test('is for who is signed in, from a page of ours', async () => {
    const away = await createBrowser(souk).get('/account/notices')
    expect([away.status, away.headers.get('location')]).toEqual([
      303,
      '/auth/signin?return_to=%2Faccount%2Fnotices',
    ])
    const { browser, settings } = await reader()
    const crossed = await browser.post('/account/notices', CHOSEN, { origin: 'https://evil.example' })
    expect([crossed.status, (await settings()).digest]).toEqual([403, 'instant'])
  })

  test('is part of "export my data"', async () => {
    const { browser } = await reader()
    await browser.post('/account/notices', CHOSEN)
    expect(await (await browser.get('/account/export')).json()).toMatchObject({
      notice_settings: { digest: 'daily', quiet_from: '22:00', time_zone: 'Europe/Berlin' },
      notices: [],
    })
  })
})

describe('/notices/unsubscribe', () => {
  /** As a mail reader's server does it: no cookie, no Origin, nothing of a browser. */
  const oneClick = (path: string, init: RequestInit = {}) =>
    souk.app.request(`http://souk.test${path}`, {
      method: 'POST',
      body: 'List-Unsubscribe=One-Click',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      ...init,
    })

  test('a bare post to the address in the mail’s header stops that kind alone', async () => {
    const { userId, email, settings } = await reader()
    await notify(souk.database.db, {
      ...{ kind: 'price_reached', userIds: [userId], key: 'k', at: souk.clock.now() },
      payload: { product_title: 'K', product_path: '/p/k/k', price_cents: 1, target_cents: 2 },
    })
    souk.clock.advance(60_000)
    await sendNotices(souk.accounts)
    const address = new URL((await createMailbox(souk).mails(email)).at(-1)?.unsubscribe ?? '')
    const answer = await oneClick(address.pathname + address.search)
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([200, null])
    expect((await settings()).kinds).toMatchObject({ price_reached: false, quotes_ready: true })
    expect((await oneClick(address.pathname + address.search)).status).toBe(200)
    expect(await history(userId)).toEqual(['notices.unsubscribed'])
  })

  test.each([
    ['a form of parts', { body: formData(), headers: {} }],
    ['no body', { body: null, headers: {} }],
    ['another origin', { headers: { origin: 'https://mail.example', 'sec-fetch-site': 'cross-site' } }],
    ['a body of no form', { body: '{"x":1}', headers: { 'content-type': 'application/json' } }],
  ])('a post with %s does too', async (_, init) => {
    const { userId, settings } = await reader()
    expect((await oneClick(pathFor(tokenFor(userId)), init)).status).toBe(200)
    expect((await settings()).kinds.price_reached).toBe(false)
  })

  test('opening it changes nothing and shows a button; the page can turn it on again', async () => {
    const { userId, settings } = await reader()
    const path = pathFor(tokenFor(userId, ['price_reached', 'quotes_ready']))
    const browser = createBrowser(souk)
    for (const method of ['GET', 'HEAD']) await souk.app.request(`http://souk.test${path}`, { method })
    const page = await browser.get(path)
    expect([page.headers.get('referrer-policy'), page.headers.get('cache-control')]).toEqual([
      'same-origin',
      'no-store',
    ])
    expect(await page.text()).toContain('Stop these emails')
    expect((await settings()).kinds).toMatchObject({ price_reached: true, quotes_ready: true })
    const stopped = await browser.post(path)
    expect(await stopped.text()).toContain('Send them again')
    expect((await settings()).kinds).toMatchObject({ price_reached: false, quotes_ready: false })
    await browser.post(path, { again: 'on' })
    expect((await settings()).kinds).toMatchObject({ price_reached: true, quotes_ready: true })
    expect(await history(userId)).toEqual(['notices.unsubscribed', 'notices.resubscribed'])
  })

  test('nobody is made to get mail again from elsewhere', async () => {
    const { userId, settings } = await reader()
    const path = pathFor(tokenFor(userId))
    await oneClick(path)
    expect((await oneClick(path, { body: 'again=on' })).status).toBe(403)
    expect((await settings()).kinds.price_reached).toBe(false)
  })

  test('a token that was changed, or is another’s, does nothing', async () => {
    const [ada, eve] = [await reader(), await reader()]
    const token = tokenFor(eve.userId)
    const [, kinds, signature] = token.split('.')
    for (const forged of [
      `${ada.userId}.${kinds}.${signature}`,
      `${eve.userId}.quotes_ready.${signature}`,
      `${token}x`,
      `${token}.x`,
      token.slice(0, -1),
      '',
      '..',
      `${eve.userId}.${kinds}.`,
    ]) {
      expect((await oneClick(pathFor(encodeURIComponent(forged)))).status).toBe(404)
      expect((await createBrowser(souk).get(pathFor(encodeURIComponent(forged)))).status).toBe(404)
    }
    for (const person of [ada, eve]) expect((await person.settings()).kinds.price_reached).toBe(true)
  })

  test('a token of an account that is gone does nothing, quietly', async () => {
    const path = pathFor(tokenFor(newId()))
    expect((await oneClick(path)).status).toBe(200)
    expect(
      (
        await souk.database.pool.query(
          'select 1 from notice_settings s left join users u on u.id = s.user_id where u.id is null',
        )
      ).rows,
    ).toEqual([])
  })

  test('a link still works when the secret was changed and the old one is kept', () => {
    const [old, both] = ['old secret', 'new secret, old secret'].map((secret) => ({
      secrets: createAccountSecrets(secret),
    }))
    if (!old || !both) throw new Error('no secrets')
    const token = unsubscribeToken(old, { userId: newId(), kinds: ['price_reached'] })
    expect(readUnsubscribeToken(both, token)).toMatchObject({ kinds: ['price_reached'] })
    expect(readUnsubscribeToken({ secrets: createAccountSecrets('new secret') }, token)).toBeNull()
  })
})

function formData(): FormData {
  const form = new FormData()
  form.set('List-Unsubscribe', 'One-Click')
  return form
}
