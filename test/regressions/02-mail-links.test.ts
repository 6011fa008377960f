/**
 * Links in mails are opened by scanners, previews and other people's browsers before their reader sees them. So opening
 * one shows a page and changes nothing, except in the browser that asked for the mail. A sign-up that somebody else's
 * browser confirms loses the password that was chosen for it.
 */
import { beforeAll, describe, expect, test } from 'vitest'
import { findSession } from '../../src/accounts/sessions.service.ts'
import { hashToken } from '../../src/lib/crypto.ts'
import { type Browser, createBrowser, createMailbox, PASSWORD, signIn } from '../accounts.ts'
import { hiddenFields, pkce, requestFor } from '../e2e/oauth.world.ts'
import { BASE_URL, createTestApp, testConfig } from '../harness.ts'

const BOSS = 'boss@operators.example'
const OWN = 'marble otter 19 lantern'
const REDIRECT = 'https://client.example/callback'
const NAVIGATION = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }

let souk: Awaited<ReturnType<typeof createTestApp>>
let mailbox: ReturnType<typeof createMailbox>
let people = 0

beforeAll(async () => {
  souk = await createTestApp({ config: testConfig({ SOUK_ADMIN_EMAILS: BOSS }) })
  mailbox = createMailbox(souk)
})

const newAddress = () => `linked-${++people}@people.example`
const tokenIn = (link: string) => new URL(link, BASE_URL).searchParams.get('token') ?? ''
const findUser = (email: string) =>
  souk.database.db.selectFrom('users').selectAll().where('email_key', '=', email).executeTakeFirstOrThrow()
const isSignedIn = async (browser: Browser) => (await browser.get('/account')).status === 200
const canSignIn = async (email: string, password: string) =>
  (await createBrowser(souk).post('/auth/signin', { email, password })).status === 303
const personOf = async (browser: Browser) =>
  (await findSession(souk.accounts, browser.cookie()?.split('=')[1] ?? ''))?.user

async function signUp(email: string, more: Record<string, string> = {}) {
  const browser = createBrowser(souk)
  await browser.post('/auth/signup', { email, password: PASSWORD, name: 'Eve', ...more })
  return { browser, link: await mailbox.link(email) }
}

/** Tables that hold what was read and asked, not what anybody has. */
const READING = ['product_reads', 'product_impressions', 'search_answers', 'search_queries', 'oauth_trace']

async function everyRow(): Promise<Record<string, string>> {
  const { pool } = souk.database
  const { rows: tables } = await pool.query<{ name: string }>(
    `select quote_ident(relname) as name from pg_class where relnamespace = 'public'::regnamespace
         and relkind in ('r', 'p') and not relispartition and relname <> all($1)`,
    [READING],
  )
  const sums = tables.map(
    ({
      name,
    }) => `select '${name}' as name, count(*) || ' ' || coalesce(sum(hashtextextended(t::text, 0)), 0) as rows
                   from ${name} t`,
  )
  const { rows } = await pool.query<{ name: string; rows: string }>(sums.join(' union all '))
  return Object.fromEntries(rows.map((row) => [row.name, row.rows]))
}

describe('a confirmation link opened outside the browser that signed up', () => {
  test('confirms nothing, signs nobody in and stays good: its page has one button', async () => {
    const email = newAddress()
    const { link } = await signUp(email)
    const before = await everyRow()
    const scanner = createBrowser(souk)
    const page = await scanner.get(link)
    expect([page.status, page.headers.get('set-cookie')]).toEqual([200, null])
    const html = await page.text()
    const main = html.slice(html.indexOf('<main'), html.indexOf('</main'))
    expect(main.match(/<button/g)).toHaveLength(1)
    expect(main).toContain('action="/auth/verify"')
    expect(main).toContain(`name="token" value="${tokenIn(link)}"`)
    expect(await everyRow()).toEqual(before)
    expect((await findUser(email)).email_verified_at).toBeNull()
  })

  test('by its button confirms, drops the password of the sign-up, ends its sessions and apps, and asks for a new one', async () => {
    const email = newAddress()
    const { browser: stranger, link } = await signUp(email, { return_to: '/c/tents' })
    await stranger.post('/auth/signin', { email, password: PASSWORD })
    const registered = await souk.app.request('/api/oauth/register/', {
      method: 'POST',
      body: JSON.stringify({ redirect_uris: [REDIRECT] }),
    })
    const { client_id } = (await registered.json()) as { client_id: string }
    const asked = new URLSearchParams({ ...requestFor(client_id, pkce().challenge), redirect_uri: REDIRECT })
    const consent = hiddenFields(await (await stranger.get(`/oauth/authorize/?${asked}`)).text())
    const allowed = await stranger.post('/oauth/authorize/', {
      ...Object.fromEntries(consent),
      decision: 'allow',
    })
    expect(allowed.headers.get('location')).toContain('code=')

    const owner = createBrowser(souk)
    const confirmed = await owner.post('/auth/verify', { token: tokenIn(link) })
    expect(confirmed.status).toBe(303)
    expect((await findUser(email)).email_verified_at).not.toBeNull()
    expect([await isSignedIn(owner), await isSignedIn(stranger)]).toEqual([true, false])
    expect(await canSignIn(email, PASSWORD)).toBe(false)
    const { rows } = await souk.database.pool.query(
      `select 1 from oauth_grants g join users u on u.id = g.user_id where u.email = $1 and g.revoked_at is null`,
      [email],
    )
    expect(rows).toEqual([])

    const next = confirmed.headers.get('location') ?? ''
    const page = await (await owner.get(next)).text()
    expect(page).toContain('autocomplete="new-password"')
    expect(page).toContain('name="return_to" value="/c/tents"')
    const chosen = await owner.post('/account/password', { password: OWN, return_to: '/c/tents' })
    expect([chosen.status, chosen.headers.get('location')]).toEqual([303, '/c/tents'])
    expect([await canSignIn(email, OWN), await canSignIn(email, PASSWORD)]).toEqual([true, false])
  })

  test('makes no operator of anyone who signed up with an operator’s address', async () => {
    const { browser: stranger, link } = await signUp(BOSS)
    await stranger.post('/auth/signin', { email: BOSS, password: PASSWORD })
    await createBrowser(souk).get(link)
    expect((await personOf(stranger))?.isAdmin).toBe(false)
    const boss = createBrowser(souk)
    await boss.post('/auth/verify', { token: tokenIn(link) })
    expect(await personOf(stranger)).toBeUndefined()
    expect(await canSignIn(BOSS, PASSWORD)).toBe(false)
    expect((await personOf(boss))?.isAdmin).toBe(true)
  })

  test('is as harmless when the stranger has it sent again, signed in or by the address', async () => {
    const email = newAddress()
    const { browser: stranger } = await signUp(email)
    await stranger.post('/auth/signin', { email, password: PASSWORD })
    for (const named of [false, true]) {
      await stranger.post('/auth/verify', named ? { email } : {})
      const link = await mailbox.link(email)
      await createBrowser(souk).get(link)
      expect((await findUser(email)).email_verified_at).toBeNull()
    }
    await createBrowser(souk).post('/auth/verify', { token: tokenIn(await mailbox.link(email)) })
    expect([await isSignedIn(stranger), await canSignIn(email, PASSWORD)]).toEqual([false, false])
  })

  test('that its owner has sent again leaves them no password of a stranger, in any browser', async () => {
    const email = newAddress()
    const { browser: stranger } = await signUp(email)
    await stranger.post('/auth/signin', { email, password: PASSWORD })
    const owner = createBrowser(souk)
    await owner.post('/auth/verify', { email })
    const link = await mailbox.link(email)
    const page = await owner.get(link)
    if (page.status === 200) await owner.post('/auth/verify', { token: tokenIn(link) })
    expect([await isSignedIn(owner), await isSignedIn(stranger)]).toEqual([true, false])
    expect(await canSignIn(email, PASSWORD)).toBe(false)
  })

  test('whose button is pressed twice at once is confirmed once, and both are asked for a password', async () => {
    const email = newAddress()
    const { link } = await signUp(email)
    const presses = [createBrowser(souk), createBrowser(souk)]
    const answers = await Promise.all(
      presses.map((one) => one.post('/auth/verify', { token: tokenIn(link) })),
    )
    expect(answers.map(({ status }) => status)).toEqual([303, 303])
    for (const answer of answers) expect(answer.headers.get('location')).toContain('/account/password')
    const { rows } = await souk.database.pool.query(
      `select 1 from audit_log a join users u on u.id = a.user_id
       where u.email = $1 and a.action in ('email.verified', 'password.dropped')`,
      [email],
    )
    expect(rows).toHaveLength(2)
  })

  test('opens nothing once the new password is set, and the old one never works again when none is', async () => {
    const email = newAddress()
    const { link } = await signUp(email)
    const owner = createBrowser(souk)
    await owner.post('/auth/verify', { token: tokenIn(link) })
    // They leave without choosing one.
    await owner.post('/auth/signout')
    expect(await canSignIn(email, PASSWORD)).toBe(false)
    expect((await createBrowser(souk).post('/auth/verify', { token: tokenIn(link) })).status).toBe(200)
    await owner.post('/auth/magic', { email })
    expect((await owner.get(await mailbox.link(email))).status).toBe(303)
    expect((await owner.post('/account/password', { password: OWN })).status).toBe(303)
    const late = await createBrowser(souk).post('/auth/verify', { token: tokenIn(link) })
    expect(late.headers.get('set-cookie')).toBeNull()
  })

  test('is not pressed by another site', async () => {
    const { link } = await signUp(newAddress())
    const before = await everyRow()
    for (const [name, value] of [
      ['origin', 'https://evil.example'],
      ['sec-fetch-site', 'cross-site'],
    ] as const) {
      const from = { [name]: value }
      const answer = await createBrowser(souk).post('/auth/verify', { token: tokenIn(link) }, from)
      expect(answer.status).toBe(403)
    }
    expect(await everyRow()).toEqual(before)
  })
})

describe('the browser that signed up', () => {
  test.each([
    ['a script that keeps cookies', {}],
    ['a person who follows the link in their mail program', { 'sec-fetch-site': 'none', ...NAVIGATION }],
    ['a person who reads mail on a page', { 'sec-fetch-site': 'cross-site', ...NAVIGATION }],
  ])('confirms by opening the link, and keeps the password: %s', async (_, headers) => {
    const email = newAddress()
    const { browser, link } = await signUp(email)
    const followed = await browser.get(link, headers)
    expect([followed.status, followed.headers.get('location')]).toEqual([303, '/account?done=verified'])
    expect((await findUser(email)).email_verified_at).not.toBeNull()
    expect([await isSignedIn(browser), await canSignIn(email, PASSWORD)]).toEqual([true, true])
  })

  test('is known by a cookie that no script and no other site can read, and the table has only its hash', async () => {
    const answer = await createBrowser(souk).post('/auth/signup', { email: newAddress(), password: PASSWORD })
    const line = answer.headers.get('set-cookie') ?? ''
    expect(line).toMatch(/^souk_browser=souk_browser_[\w-]{43}; /)
    for (const part of ['HttpOnly', 'SameSite=Lax', 'Path=/']) expect(line).toContain(part)
    const value = line.slice('souk_browser='.length, line.indexOf(';'))
    const { rows } = await souk.database.pool.query('select t::text as row from mail_tokens t')
    expect(rows.some(({ row }) => row.includes(value))).toBe(false)
    expect(rows.some(({ row }) => row.includes(hashToken(value)))).toBe(true)
    const secure = await createTestApp({ config: testConfig({ SOUK_BASE_URL: 'https://souk.test' }) })
    const over = await createBrowser(secure, { baseUrl: 'https://souk.test' }).post('/auth/signup', {
      email: newAddress(),
      password: PASSWORD,
    })
    expect(over.headers.get('set-cookie')).toMatch(/^__Host-souk_browser=.*Path=\/.*Secure/)
  })

  test('keeps the password by the mail it has sent again, and by a first mail that comes late', async () => {
    for (const which of ['first', 'second']) {
      const email = newAddress()
      const { browser, link } = await signUp(email)
      await browser.post('/auth/verify', { email })
      await browser.get(which === 'first' ? link : await mailbox.link(email))
      expect([await isSignedIn(browser), await canSignIn(email, PASSWORD)]).toEqual([true, true])
    }
  })

  test('is not believed for another account’s link, nor with a cookie that somebody made up', async () => {
    const email = newAddress()
    const { link } = await signUp(email)
    const { browser: other } = await signUp(newAddress())
    expect((await other.get(link)).status).toBe(200)
    for (const cookie of [
      'souk_browser=',
      `souk_browser=souk_browser_${'x'.repeat(43)}`,
      'souk_browser=null',
    ])
      expect((await createBrowser(souk).get(link, { cookie })).status).toBe(200)
    expect((await findUser(email)).email_verified_at).toBeNull()
  })

  test('confirms as well where somebody signed in with the password of the sign-up', async () => {
    const { browser, email } = await signIn(souk, { email: newAddress() })
    const elsewhere = createBrowser(souk)
    elsewhere.setCookie(browser.cookie())
    expect((await elsewhere.get(await mailbox.link(email))).status).toBe(303)
    expect(await canSignIn(email, PASSWORD)).toBe(true)
  })
})

describe('a sign-in link', () => {
  test('opened in another browser makes no account and signs nobody in; its button does', async () => {
    const email = newAddress()
    await createBrowser(souk).post('/auth/magic', { email })
    const link = await mailbox.link(email)
    const before = await everyRow()
    const elsewhere = createBrowser(souk)
    const page = await elsewhere.get(link)
    expect([page.status, elsewhere.cookie()]).toEqual([200, null])
    expect(await everyRow()).toEqual(before)
    expect((await elsewhere.post('/auth/magic', { token: tokenIn(link) })).status).toBe(303)
    expect(await isSignedIn(elsewhere)).toBe(true)
  })

  test('that takes an address over from a stranger asks for a password, in the browser that asked too', async () => {
    const email = newAddress()
    const { browser: stranger } = await signUp(email)
    await stranger.post('/auth/signin', { email, password: PASSWORD })
    const owner = createBrowser(souk)
    await owner.post('/auth/signup', { email, password: OWN, name: '' })
    const followed = await owner.get(await mailbox.link(email))
    expect(followed.headers.get('location')).toContain('/account/password')
    expect([await isSignedIn(owner), await isSignedIn(stranger)]).toEqual([true, false])
    expect(await canSignIn(email, PASSWORD)).toBe(false)
  })
})

test('no GET, HEAD or prefetch of any route with a token from a mail changes anything without the right cookie', async () => {
  const invited = newAddress()
  const { browser: owner } = await signIn(souk, { email: newAddress(), verified: true })
  const post = (path: string, body: unknown, method = 'POST') =>
    souk.app.request(`${BASE_URL}${path}`, {
      method,
      body: JSON.stringify(body),
      headers: { origin: BASE_URL, cookie: owner.cookie() ?? '', 'content-type': 'application/json' },
    })
  const org = { name: 'Kettle House', org_type: 'retailer', domain: 'kettles.example' }
  expect((await post('/api/org/register/', org)).status).toBe(201)
  expect((await post('/api/org/team/', { email: invited, role: 'admin' }, 'PATCH')).status).toBe(200)
  const invitation = await mailbox.link(invited)
  const { link: verify } = await signUp(newAddress())
  const known = await signIn(souk, { email: newAddress(), verified: true })
  await createBrowser(souk).post('/auth/magic', { email: known.email })
  const magic = await mailbox.link(known.email)
  await createBrowser(souk).post('/auth/reset', { email: known.email })
  const reset = await mailbox.link(known.email)
  const stranger = await signIn(souk, { email: newAddress(), verified: true })
  // The newest page of a signed-in person notes when it was last used.
  await stranger.browser.get('/account')

  const paths = souk.app.routes
    .filter(({ method, path }) => method === 'GET' && !path.includes(':') && !path.includes('*'))
    // What the person who is signed in asks for themselves is in their history.
    .map(({ path }) => path)
    .filter((path) => path !== '/account/export')
  expect(paths).toEqual(expect.arrayContaining(['/auth/verify', '/auth/magic', '/auth/reset', '/org/join']))
  const callers: Array<[string, Record<string, string>]> = [
    ['GET', {}],
    ['HEAD', {}],
    ['GET', { 'sec-purpose': 'prefetch;prerender' }],
    ['GET', { 'sec-fetch-site': 'none', ...NAVIGATION }],
    ['GET', { cookie: stranger.cookie }],
  ]
  const tokens = [verify, magic, reset, invitation].map(tokenIn)
  expect(tokens.every((token) => token.length > 20)).toBe(true)
  // What a first reader makes, such as the keys that sign, is made.
  for (const path of new Set(paths)) await (await souk.app.request(`${BASE_URL}${path}`)).body?.cancel()
  const before = await everyRow()
  for (const path of new Set(paths))
    for (const token of tokens)
      for (const [method, headers] of callers) {
        const query = new URLSearchParams({ token, decision: 'allow' })
        const answer = await souk.app.request(`${BASE_URL}${path}?${query}`, {
          method,
          headers: { accept: 'text/html', ...headers },
        })
        await answer.body?.cancel()
        // The marks of who is signed in, or was, sign nobody in, and do nothing on the server.
        const set = answer.headers
          .getSetCookie()
          .filter((cookie) => !/^souk_(?:signed_in|account)=/.test(cookie))
        expect([path, set]).toEqual([path, []])
      }
  expect(await everyRow()).toEqual(before)
  // They were good all the time.
  for (const [path, token] of [
    ['/auth/verify', tokens[0]],
    ['/auth/magic', tokens[1]],
  ] as const)
    expect((await createBrowser(souk).post(path, { token: token ?? '' })).status).toBe(303)
}, 90_000)
