import { beforeAll, describe, expect, test } from 'vitest'
import { comparableHeaders, createBrowser, createMailbox, PASSWORD, signIn } from '../../../test/accounts.ts'
import { createTestApp, testConfig } from '../../../test/harness.ts'
import { hashPassword } from '../../accounts/passwords.ts'
import { hashToken } from '../../lib/crypto.ts'

let souk: Awaited<ReturnType<typeof createTestApp>>
let mailbox: ReturnType<typeof createMailbox>

beforeAll(async () => {
  souk = await createTestApp()
  mailbox = createMailbox(souk)
})

const userByEmail = (email: string) =>
  souk.database.db.selectFrom('users').selectAll().where('email_key', '=', email).executeTakeFirstOrThrow()

const signUp = (email: string, more: Record<string, string> = {}) =>
  createBrowser(souk).post('/auth/signup', { email, password: PASSWORD, name: 'Ada', ...more })

async function face(response: Response) {
  return { status: response.status, headers: comparableHeaders(response), body: await response.text() }
}

describe('signing up', () => {
  test('asks to check the mail, signs nobody in, and the link in the mail confirms and signs in', async () => {
    const browser = createBrowser(souk)
    const fields = { email: 'ada@example.com', password: PASSWORD, name: 'Ada', return_to: '/c/tents?x=1' }
    const response = await browser.post('/auth/signup', fields)
    const next = '/auth/check-mail?return_to=%2Fc%2Ftents%3Fx%3D1'
    expect([response.status, response.headers.get('location')]).toEqual([303, next])
    expect(browser.cookie()).toBeNull()
    expect((await userByEmail('ada@example.com')).email_verified_at).toBeNull()
    const followed = await browser.get(await mailbox.link('ada@example.com'))
    expect([followed.status, followed.headers.get('location')]).toEqual([303, '/c/tents?x=1'])
    expect((await userByEmail('ada@example.com')).email_verified_at).not.toBeNull()
    expect(await (await browser.get('/account')).text()).toContain('ada@example.com')
  })

  test('works at once for a script that then signs in, before the address is confirmed', async () => {
    await signUp('script@example.com')
    const browser = createBrowser(souk)
    const fields = { email: 'Script@Example.com ', password: PASSWORD, return_to: '/account/history' }
    const response = await browser.post('/auth/signin', fields)
    expect([response.status, response.headers.get('location')]).toEqual([303, '/account/history'])
    expect(await (await browser.get('/account')).text()).toContain('confirmed yet')
  })

  test('works for a script that keeps cookies, confirms by the link first and then signs in with the password', async () => {
    const script = createBrowser(souk)
    const email = 'careful@example.com'
    await script.post('/auth/signup', { email, password: PASSWORD, name: 'Ada' })
    expect((await script.get(await mailbox.link(email))).status).toBe(303)
    const browser = createBrowser(souk)
    await browser.post('/auth/signin', { email, password: PASSWORD })
    const page = await browser.get('/account')
    expect([page.status, (await page.text()).includes('confirmed yet')]).toEqual([200, false])
  })

  test('answers the same for a taken address, keeps its password, and tells the owner by mail', async () => {
    const fresh = await face(await signUp('fresh@example.com'))
    const before = await userByEmail('fresh@example.com')
    const taken = await face(
      await signUp('fresh@example.com', { password: 'another good one 42', name: 'Eve' }),
    )
    expect(taken).toEqual(fresh)
    expect(await userByEmail('fresh@example.com')).toEqual(before)
    expect((await mailbox.mails('fresh@example.com')).map(({ subject }) => subject)).toEqual([
      'Souk: Confirm your email',
      'Souk: You already have an account',
    ])
  })

  test('two sign-ups at once for one address make one account', async () => {
    const answers = await Promise.all([signUp('twin@example.com'), signUp('TWIN@example.com')])
    expect(answers.map(({ status }) => status)).toEqual([303, 303])
    const { rows } = await souk.database.pool.query(
      `select 1 from users where email_key = 'twin@example.com'`,
    )
    expect(rows).toHaveLength(1)
  })

  test.each([
    ['short', 'short-9!', 'Use at least 10 characters'],
    ['over 128 characters', 'long words '.repeat(12), 'at most 128'],
    ['common', 'Password123!', 'most common passwords'],
    ['a run', 'abcdefghijkl', 'Sequences like'],
    ['a repetition', 'xaxaxaxaxaxa', 'repeats itself'],
    ['the person’s own name', 'Grace.Hopper1', 'your own name or email'],
  ])('refuses a password that is %s, and says why', async (_, password, why) => {
    const fields = { email: 'grace.hopper@example.com', password, name: 'Grace' }
    const response = await createBrowser(souk).post('/auth/signup', fields)
    expect(response.status).toBe(400)
    const page = await response.text()
    expect(page).toContain(why)
    expect(page).toContain('value="grace.hopper@example.com"')
    expect(page).not.toContain(password)
    expect(page).toMatch(
      /<input id="field-password"[^>]*aria-invalid="true"[^>]*aria-describedby="[^"]*field-password-error/,
    )
  })

  test.each([
    '',
    'nobody',
    'a@b@c',
    'a b@example.com',
    'a@example.com\r\nBcc: eve@example.com',
    'ä@example.com',
    '.a@example.com',
  ])('refuses %j as an address, next to the field', async (email) => {
    const response = await signUp(email)
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('id="field-email-error"')
  })

  test('an error is an envelope for a caller that asks for JSON', async () => {
    const json = { accept: 'application/json' }
    const fields = { email: 'json@example.com', password: 'Password123!' }
    const response = await createBrowser(souk).post('/auth/signup', fields, json)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      field: 'password',
      error: expect.stringContaining('most common'),
    })
  })
})

describe('signing in with a password', () => {
  test('a wrong password and an unknown address get the same answer', async () => {
    await signUp('known@example.com')
    const attempt = async (email: string) =>
      face(await createBrowser(souk).post('/auth/signin', { email, password: 'not the password' }))
    const known = await attempt('known@example.com')
    const unknown = await attempt('nobody@example.com')
    expect(known.status).toBe(401)
    expect({ ...unknown, body: unknown.body.replaceAll('nobody@', 'known@') }).toEqual(known)
  })

  test('starts a new session and ends the one the browser came with', async () => {
    const { browser, email, password, cookie } = await signIn(souk)
    await browser.post('/auth/signin', { email, password })
    expect(browser.cookie()).not.toBe(cookie)
    const old = createBrowser(souk)
    old.setCookie(cookie)
    expect((await old.get('/account')).status).toBe(303)
    expect((await browser.get('/account')).status).toBe(200)
  })

  test('a cookie chosen by somebody else never becomes a session', async () => {
    const { email, password } = await signIn(souk)
    const browser = createBrowser(souk)
    browser.setCookie('souk_session=souk_session_planted')
    await browser.post('/auth/signin', { email, password })
    expect(browser.cookie()).not.toContain('planted')
    const stranger = createBrowser(souk)
    stranger.setCookie('souk_session=souk_session_planted')
    expect((await stranger.get('/account')).status).toBe(303)
  })

  test('keeps no token in the database, and sets a cookie that scripts and other sites cannot use', async () => {
    const { email, password } = await signIn(souk)
    const response = await createBrowser(souk).post('/auth/signin', { email, password })
    const line = response.headers.get('set-cookie') ?? ''
    expect(line).toMatch(/^souk_session=souk_session_[\w-]{43}; /)
    for (const part of ['HttpOnly', 'SameSite=Lax', 'Path=/']) expect(line).toContain(part)
    expect(line).not.toMatch(/Secure|Domain/)
    const token = line.slice('souk_session='.length, line.indexOf(';'))
    const { rows } = await souk.database.pool.query('select s::text as row from sessions s')
    expect(rows.some(({ row }) => row.includes(token))).toBe(false)
    expect(rows.some(({ row }) => row.includes(hashToken(token)))).toBe(true)
  })

  test('over https the cookie is bound to the host and to TLS', async () => {
    const secure = await createTestApp({ config: testConfig({ SOUK_BASE_URL: 'https://souk.test' }) })
    const { cookie, browser, email, password } = await signIn(secure)
    expect(cookie).toMatch(/^__Host-souk_session=/)
    const response = await browser.post('/auth/signin', { email, password })
    expect(response.headers.get('set-cookie')).toMatch(/Path=\/.*Secure/)
    browser.setCookie(cookie.replace('__Host-', ''))
    expect((await browser.get('/account')).status).toBe(303)
  })

  test('a hash made with older parameters still signs in, and is made anew', async () => {
    const { email, password } = await signIn(souk)
    const old = await hashPassword(password, { memory: 128, passes: 1 })
    await souk.database.db
      .updateTable('users')
      .set({ password_hash: old })
      .where('email', '=', email)
      .execute()
    const again = async () => (await createBrowser(souk).post('/auth/signin', { email, password })).status
    expect(await again()).toBe(303)
    expect((await userByEmail(email)).password_hash).toMatch(/^\$argon2id\$v=19\$m=64,t=1,p=1\$/)
    expect(await again()).toBe(303)
  })

  test('the password is in no log and no page', async () => {
    const password = 'planted-secret-password-81'
    const { browser } = await signIn(souk, { password })
    await browser.post('/auth/signin', { email: 'x@example.com', password })
    expect(souk.logged.text()).not.toContain(password)
  })
})
