import { beforeAll, describe, expect, test } from 'vitest'
import { createBrowser, createMailbox, PASSWORD, signIn } from '../../../test/accounts.ts'
import { createTestApp, testConfig } from '../../../test/harness.ts'
import { findSession } from '../../accounts/sessions.service.ts'

let souk: Awaited<ReturnType<typeof createTestApp>>
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

beforeAll(async () => {
  souk = await createTestApp()
})

const isSignedIn = async (browser: ReturnType<typeof createBrowser>) =>
  (await browser.get('/account')).status === 200
const tokenOf = (cookie: string | null) => cookie?.split('=')[1] ?? ''
const anotherBrowser = async (email: string, headers = {}) => {
  const browser = createBrowser(souk, { ip: '198.51.100.7' })
  await browser.post('/auth/signin', { email, password: PASSWORD }, headers)
  return browser
}

describe('the account page', () => {
  test.each(['/account', '/account/password', '/account/history', '/account/delete', '/account/export'])(
    '%s asks a stranger to sign in and leads back',
    async (path) => {
      const response = await createBrowser(souk).get(path)
      expect(response.status).toBe(303)
      expect(response.headers.get('location')).toBe(`/auth/signin?return_to=${encodeURIComponent(path)}`)
      const json = await createBrowser(souk).get(path, { accept: 'application/json' })
      expect([json.status, await json.json()]).toEqual([
        401,
        { error: 'Please sign in.', code: 'unauthenticated' },
      ])
    },
  )

  test('only what was done is confirmed, whatever the address says', async () => {
    const { browser } = await signIn(souk)
    const status = async (done: string) =>
      /role="status"[^>]*>([^<]*)</.exec(await (await browser.get(`/account?done=${done}`)).text())?.[1]
    expect(await status('name')).toBe('Name saved.')
    for (const made of ['constructor', '__proto__', 'toString', 'other', ''])
      expect(await status(made)).toBeUndefined()
  })

  test('is never cached, framed or indexed', async () => {
    const { browser } = await signIn(souk)
    for (const path of ['/account', '/auth/signin', '/auth/signup', '/auth/magic', '/auth/reset']) {
      const response = await (path === '/account' ? browser : createBrowser(souk)).get(path)
      expect([path, response.status]).toEqual([path, 200])
      expect(response.headers.get('cache-control')).toBe('no-store')
      expect(response.headers.get('x-frame-options')).toBe('DENY')
      expect(await response.text()).toContain('<meta name="robots" content="noindex"/>')
    }
  })

  test('shows a name as text, whatever it holds', async () => {
    const { browser } = await signIn(souk)
    await browser.post('/account/name', { name: `"><b onclick=x>Eve</b> &amp; 'co'\r\nBcc: x` })
    const page = await (await browser.get('/account')).text()
    expect(page).not.toContain('<b onclick')
    expect(page).not.toContain('\r\nBcc')
    expect(page).toContain('Eve')
  })

  test('a name over its limit is refused next to the field, with what was typed kept', async () => {
    const { browser } = await signIn(souk)
    const response = await browser.post('/account/name', { name: 'n'.repeat(81) })
    expect(response.status).toBe(400)
    const page = await response.text()
    expect(page).toContain('id="field-name-error"')
    expect(page).toContain('n'.repeat(81))
  })

  test('holds the parts other features bring', async () => {
    const { browser } = await signIn(souk)
    expect(await (await browser.get('/account')).text()).toContain('Connected apps')
  })
})

describe('sessions', () => {
  test('are listed with device and last use; any can be ended, and only one’s own', async () => {
    const { browser, email } = await signIn(souk)
    const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
    const other = await anotherBrowser(email, { 'user-agent': agent })
    const page = await (await browser.get('/account')).text()
    expect(page).toContain('Firefox on Linux')
    expect(page).toContain('from 198.51.100.7')
    const id = /name="session_id" value="([^"]+)"/.exec(page)?.[1] ?? ''
    const stranger = await signIn(souk)
    for (const sessionId of [id, 'not-an-id', ''])
      expect((await stranger.browser.post('/account/sessions/end', { session_id: sessionId })).status).toBe(
        404,
      )
    expect(await isSignedIn(other)).toBe(true)
    expect((await browser.post('/account/sessions/end', { session_id: id })).status).toBe(303)
    expect(await isSignedIn(other)).toBe(false)
    expect(await isSignedIn(browser)).toBe(true)
  })

  test('signing out ends the session itself, not only the cookie', async () => {
    const { browser, cookie } = await signIn(souk)
    const copy = createBrowser(souk)
    copy.setCookie(cookie)
    expect((await browser.post('/auth/signout')).status).toBe(303)
    expect(browser.cookie()).toBeNull()
    expect(await isSignedIn(copy)).toBe(false)
  })

  test('signing out can lead back through the sign-in page, for another account', async () => {
    const { browser } = await signIn(souk)
    const response = await browser.post('/auth/signout', { return_to: '/oauth/authorize/?a=1' })
    expect(response.headers.get('location')).toBe('/auth/signin?return_to=%2Foauth%2Fauthorize%2F%3Fa%3D1')
  })

  test('signing out everywhere ends all of them, and the sign-in links that wait in the mailbox', async () => {
    const { browser, email } = await signIn(souk)
    const other = await anotherBrowser(email)
    await createBrowser(souk).post('/auth/magic', { email })
    const mailbox = createMailbox(souk)
    const magic = await mailbox.link(email)
    const verify = (await mailbox.mails(email))[0]?.text.match(/\/auth\/verify\S+/)?.[0] ?? ''
    await browser.post('/auth/signout-everywhere')
    expect([await isSignedIn(browser), await isSignedIn(other)]).toEqual([false, false])
    for (const link of [magic, verify]) expect((await createBrowser(souk).get(link)).status).toBe(400)
  })

  test('live 30 days from their last use, written at most once an hour', async () => {
    const { browser, cookie } = await signIn(souk)
    const row = async () =>
      souk.database.db
        .selectFrom('sessions')
        .selectAll()
        .where('user_id', '=', (await findSession(souk.accounts, tokenOf(cookie)))?.user.id ?? '')
        .executeTakeFirstOrThrow()
    const first = await row()
    souk.clock.advance(59 * MINUTE)
    await browser.get('/account')
    expect(await row()).toEqual(first)
    souk.clock.advance(29 * DAY)
    expect(await isSignedIn(browser)).toBe(true)
    souk.clock.advance(29 * DAY)
    expect(await isSignedIn(browser)).toBe(true)
    souk.clock.advance(30 * DAY)
    expect(await isSignedIn(browser)).toBe(false)
  })
})

describe('the password', () => {
  const CHOSEN = 'copper walrus 31 meadow'

  test('is changed by whoever knows it, which signs out everybody else', async () => {
    const { browser, email, cookie } = await signIn(souk)
    const other = await anotherBrowser(email)
    const wrong = await browser.post('/account/password', { current: 'not it at all', password: CHOSEN })
    expect(wrong.status).toBe(400)
    expect(await wrong.text()).toContain('id="field-current-error"')
    const right = await browser.post('/account/password', { current: PASSWORD, password: CHOSEN })
    expect([right.status, right.headers.get('location')]).toEqual([303, '/account?done=password'])
    expect(browser.cookie()).not.toBe(cookie)
    expect([await isSignedIn(browser), await isSignedIn(other)]).toEqual([true, false])
    const signin = await createBrowser(souk).post('/auth/signin', { email, password: CHOSEN })
    expect(signin.status).toBe(303)
  })

  test('is first set only moments after signing in, when there was none', async () => {
    const browser = createBrowser(souk)
    await browser.post('/auth/magic', { email: 'first@example.com' })
    await browser.get(await createMailbox(souk).link('first@example.com'))
    souk.clock.advance(16 * MINUTE)
    const late = await browser.post('/account/password', { password: CHOSEN })
    expect(late.status).toBe(403)
    expect(await late.text()).toContain('Sign in again')
    await browser.post('/auth/magic', { email: 'first@example.com' })
    await browser.get(await createMailbox(souk).link('first@example.com'))
    expect((await browser.post('/account/password', { password: CHOSEN })).status).toBe(303)
  })

  test('guesses at it from inside count like guesses at the sign-in page', async () => {
    const { browser } = await signIn(souk)
    const guess = () => browser.post('/account/password', { current: 'a wrong guess', password: CHOSEN })
    for (let count = 0; count < 10; count++) expect((await guess()).status).toBe(400)
    const blocked = await guess()
    expect([blocked.status, blocked.headers.get('retry-after')]).toEqual([429, '15'])
  })
})

describe('one’s data', () => {
  test('the export holds everything that is kept, and no secret', async () => {
    const { browser, email, cookie } = await signIn(souk, { verified: true })
    const response = await browser.get('/account/export')
    expect(response.headers.get('content-disposition')).toContain('attachment')
    expect(response.headers.get('cache-control')).toBe('no-store')
    const text = await response.text()
    const data = JSON.parse(text)
    expect(data.account).toMatchObject({ email, name: 'Ada', has_password: true, account_type: 'consumer' })
    expect(data.sessions).toHaveLength(1)
    expect(data.connected_apps).toEqual([])
    expect(data.history.map(({ action }: { action: string }) => action)).toEqual(
      expect.arrayContaining(['account.created', 'email.verified', 'signin', 'data.exported']),
    )
    expect(text).not.toMatch(/argon2|token_hash/)
    expect(text).not.toContain(tokenOf(cookie))
  })

  test('the security history shows what was done, with failures, and nobody else’s', async () => {
    const { browser, email } = await signIn(souk)
    const stranger = createBrowser(souk, { ip: '203.0.113.9' })
    await stranger.post('/auth/signin', { email, password: 'a wrong guess' })
    const page = await (await browser.get('/account/history')).text()
    expect(page).toContain('Sign-in failed: wrong password')
    expect(page).toContain('from 203.0.113.9')
    const other = await signIn(souk)
    expect(await (await other.browser.get('/account/history')).text()).not.toContain('203.0.113.9')
  })
})

describe('deleting the account', () => {
  test('asks for the password and the word, and says what happens to organizations', async () => {
    const { browser } = await signIn(souk)
    expect(await (await browser.get('/account/delete')).text()).toContain('You don&#39;t own an organization')
    for (const [fields, field] of [
      [{ password: PASSWORD, confirm: 'no' }, 'confirm'],
      [{ password: 'not my password', confirm: 'delete' }, 'password'],
    ] as const) {
      const response = await browser.post('/account/delete', fields)
      expect(response.status).toBe(400)
      expect(await response.text()).toContain(`id="field-${field}-error"`)
    }
    expect(await isSignedIn(browser)).toBe(true)
    const owned = { id: 'x', name: 'Ovenbird & Sons', fate: 'it is closed and its offers end.' }
    const hooks = { ...souk.accounts.hooks, ownedOrganizations: async () => [owned] }
    const { app } = await createTestApp({ database: souk.database, accounts: { ...souk.accounts, hooks } })
    const owner = createBrowser({ app })
    owner.setCookie(browser.cookie())
    const page = await (await owner.get('/account/delete')).text()
    expect(page).toContain('<strong>Ovenbird &amp; Sons</strong>: it is closed and its offers end.')
  })

  test('ends every session at once, removes the person, and leaves a log without a name', async () => {
    const { browser, email, cookie } = await signIn(souk, { name: 'Unusual Name' })
    const other = await anotherBrowser(email)
    const id = (await findSession(souk.accounts, tokenOf(cookie)))?.user.id ?? ''
    const response = await browser.post('/account/delete', { password: PASSWORD, confirm: ' Delete ' })
    expect(response.status).toBe(200)
    expect([await isSignedIn(browser), await isSignedIn(other)]).toEqual([false, false])
    expect(await findSession(souk.accounts, tokenOf(cookie))).toBeNull()
    const { rows } = await souk.database.pool.query(
      'select a::text as row from audit_log a where user_id = $1',
      [id],
    )
    expect(rows.some(({ row }) => row.includes('account.deleted'))).toBe(true)
    expect(rows.some(({ row }) => row.includes(email) || row.includes('Unusual'))).toBe(false)
    const again = await createBrowser(souk).post('/auth/signin', { email, password: PASSWORD })
    expect(again.status).toBe(401)
    expect((await signIn(souk, { email })).cookie).not.toBe('')
  })
})

describe('operators', () => {
  test('an address of SOUK_ADMIN_EMAILS counts only once it is confirmed', async () => {
    const config = testConfig({ SOUK_ADMIN_EMAILS: 'Boss@example.com' })
    const { accounts } = await createTestApp({ database: souk.database, config })
    const unconfirmed = await signIn(souk, { email: 'boss@example.com' })
    expect((await findSession(accounts, tokenOf(unconfirmed.cookie)))?.user.isAdmin).toBe(false)
    await unconfirmed.browser.post('/auth/verify')
    await unconfirmed.browser.get(await createMailbox(souk).link('boss@example.com'))
    expect((await findSession(accounts, tokenOf(unconfirmed.browser.cookie())))?.user.isAdmin).toBe(true)
  })
})
