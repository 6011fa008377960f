import { beforeAll, describe, expect, test } from 'vitest'
import { comparableHeaders, createBrowser, createMailbox, PASSWORD, signIn } from '../../../test/accounts.ts'
import { createTestApp } from '../../../test/harness.ts'
import { newId } from '../../lib/ids.ts'

let souk: Awaited<ReturnType<typeof createTestApp>>
let mailbox: ReturnType<typeof createMailbox>
const MINUTE = 60_000
const NEW_PASSWORD = 'marble otter 19 lantern'

beforeAll(async () => {
  souk = await createTestApp()
  mailbox = createMailbox(souk)
})

const findUser = (email: string) =>
  souk.database.db.selectFrom('users').selectAll().where('email_key', '=', email).executeTakeFirst()
const isSignedIn = async (browser: ReturnType<typeof createBrowser>) =>
  (await browser.get('/account')).status === 200
const cookieOf = (cookie: string) => {
  const browser = createBrowser(souk)
  browser.setCookie(cookie)
  return browser
}

async function askMagic(email: string, { returnTo = '', browser = createBrowser(souk) } = {}) {
  await browser.post('/auth/magic', { email, return_to: returnTo })
  return mailbox.link(email)
}

async function askReset(email: string) {
  await createBrowser(souk).post('/auth/reset', { email })
  const link = await mailbox.link(email)
  return { link, token: new URL(link, 'http://x').searchParams.get('token') ?? '' }
}

describe('a sign-in link', () => {
  test('makes a confirmed account on first use, not before, and leads where the person was going', async () => {
    const browser = createBrowser(souk)
    const link = await askMagic('magic@example.com', { returnTo: '/c/tents', browser })
    expect(await findUser('magic@example.com')).toBeUndefined()
    const response = await browser.get(link)
    expect([response.status, response.headers.get('location')]).toEqual([303, '/c/tents'])
    expect((await findUser('magic@example.com'))?.email_verified_at).not.toBeNull()
    expect(await isSignedIn(browser)).toBe(true)
  })

  test('is asked for with the same answer whether or not the address has an account', async () => {
    const { email } = await signIn(souk)
    const ask = async (address: string) => {
      const response = await createBrowser(souk).post('/auth/magic', { email: address })
      const headers = comparableHeaders(response)
      return { status: response.status, headers, body: await response.text() }
    }
    expect(await ask('never-seen@example.com')).toEqual(await ask(email))
  })

  test('may be opened again for ten minutes where it was asked for, and then no more', async () => {
    const browser = createBrowser(souk)
    const link = await askMagic('scanned@example.com', { browser })
    expect((await browser.get(link)).status).toBe(303)
    souk.clock.advance(9 * MINUTE)
    expect((await browser.get(link)).status).toBe(303)
    souk.clock.advance(MINUTE)
    const late = createBrowser(souk)
    const response = await late.get(link)
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('no longer works')
    expect(late.cookie()).toBeNull()
  })

  test('opened twice at once makes one account', async () => {
    const browser = createBrowser(souk)
    const link = await askMagic('double@example.com', { browser })
    const answers = await Promise.all([browser.get(link), browser.get(link)])
    expect(answers.map(({ status }) => status)).toEqual([303, 303])
  })

  test('runs out after 15 minutes', async () => {
    const link = await askMagic('slow@example.com')
    souk.clock.advance(15 * MINUTE)
    expect((await createBrowser(souk).get(link)).status).toBe(400)
    expect(await findUser('slow@example.com')).toBeUndefined()
  })

  test.each([
    ['a prefetch', { 'sec-purpose': 'prefetch;prerender' }],
    ['an older prefetch', { purpose: 'prefetch' }],
    [
      'an image in a page',
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
    ],
    [
      'a link on another site, which may be a stranger’s own',
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
    ],
    [
      'a link on a page of ours, which may be an offer that leads where its seller says',
      { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
    ],
    ['a frame', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' }],
  ])('is not followed by %s, which sees a button instead', async (_, headers) => {
    const link = await askMagic('looked-at@example.com')
    const browser = createBrowser(souk)
    const response = await browser.get(link, headers)
    expect([response.status, browser.cookie()]).toEqual([200, null])
    expect(await response.text()).toContain('Continue as looked-at@example.com')
  })

  test.each([
    ['a mail or the address bar', { 'sec-fetch-site': 'none' }],
    [
      'the outbox',
      { 'sec-fetch-site': 'same-origin', referer: 'http://souk.test/dev/outbox/20260101-a.eml' },
    ],
  ])('is followed by the browser that asked for it when it comes from %s', async (_, from) => {
    const browser = createBrowser(souk)
    const headers = { ...from, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
    const link = await askMagic('followed@example.com', { browser })
    expect((await browser.get(link, headers)).status).toBe(303)
    expect(browser.cookie()).not.toBeNull()
  })

  test('HEAD follows nothing', async () => {
    const link = await askMagic('head@example.com')
    const response = await souk.app.request(link, { method: 'HEAD' })
    expect([response.status, response.headers.get('set-cookie')]).toEqual([200, null])
    expect(await findUser('head@example.com')).toBeUndefined()
  })

  test('asks before it signs somebody over to another account', async () => {
    const { browser, cookie } = await signIn(souk)
    const link = await askMagic('strangers@example.com')
    const asked = await browser.get(link)
    expect([asked.status, browser.cookie()]).toEqual([200, cookie])
    const token = new URL(link, 'http://x').searchParams.get('token') ?? ''
    expect((await browser.post('/auth/magic', { token })).status).toBe(303)
    expect(await (await browser.get('/account')).text()).toContain('strangers@example.com')
    expect(await isSignedIn(cookieOf(cookie))).toBe(false)
  })

  test('takes an address over from a stranger who signed up with it: their password and sessions are gone', async () => {
    const stranger = await signIn(souk, { email: 'victim@example.com' })
    const owner = createBrowser(souk)
    await owner.get(await askMagic('victim@example.com', { browser: owner }))
    expect(await isSignedIn(owner)).toBe(true)
    expect(await isSignedIn(stranger.browser)).toBe(false)
    const again = await createBrowser(souk).post('/auth/signin', {
      email: stranger.email,
      password: PASSWORD,
    })
    expect(again.status).toBe(401)
  })

  test('keeps the password of a person who is signed in while confirming by it', async () => {
    const { browser, email, password } = await signIn(souk)
    await browser.get(await askMagic(email))
    expect((await createBrowser(souk).post('/auth/signin', { email, password })).status).toBe(303)
  })

  test('a hash in the table opens nothing', async () => {
    await askMagic('hashed@example.com')
    const { rows } = await souk.database.pool.query('select token_hash from mail_tokens')
    for (const { token_hash } of rows)
      expect((await createBrowser(souk).get(`/auth/magic?token=${token_hash}`)).status).toBe(400)
  })
})

describe('a confirmation link', () => {
  test('works for a day, and when opened once more later says that all is well', async () => {
    const here = createBrowser(souk)
    await here.post('/auth/signup', { email: 'confirm@example.com', password: PASSWORD })
    const link = await mailbox.link('confirm@example.com')
    souk.clock.advance(23 * 60 * MINUTE)
    expect((await here.get(link)).status).toBe(303)
    souk.clock.advance(11 * MINUTE)
    const browser = createBrowser(souk)
    const again = await browser.get(link)
    expect(again.status).toBe(200)
    expect(await again.text()).toContain('Your email is confirmed')
    expect(browser.cookie()).toBeNull()
  })

  test('is sent again to whoever asks from their account', async () => {
    const { browser, email } = await signIn(souk)
    const before = (await mailbox.mails(email)).length
    expect((await browser.post('/auth/verify')).headers.get('location')).toBe('/auth/check-mail')
    expect(await mailbox.mails(email)).toHaveLength(before + 1)
    await browser.get(await mailbox.link(email))
    expect((await findUser(email))?.email_verified_at).not.toBeNull()
  })

  test('cannot be used as a sign-in or reset link', async () => {
    await createBrowser(souk).post('/auth/signup', { email: 'purpose@example.com', password: PASSWORD })
    const token =
      new URL(await mailbox.link('purpose@example.com'), 'http://x').searchParams.get('token') ?? ''
    expect((await createBrowser(souk).get(`/auth/magic?token=${token}`)).status).toBe(400)
    const reset = await createBrowser(souk).post('/auth/reset', { token, password: NEW_PASSWORD })
    expect(reset.status).toBe(400)
  })
})

describe('a new password by mail', () => {
  test('is set by the link, signs in here, signs out everywhere else, and is told by mail', async () => {
    const { browser: elsewhere, email } = await signIn(souk)
    const { link, token } = await askReset(email)
    const browser = createBrowser(souk)
    const page = await browser.get(link)
    expect(page.headers.get('referrer-policy')).toBe('same-origin')
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(await page.text()).toContain('autocomplete="new-password"')
    const set = await browser.post('/auth/reset', { token, password: NEW_PASSWORD })
    expect([set.status, set.headers.get('location')]).toEqual([303, '/account'])
    expect(await isSignedIn(browser)).toBe(true)
    expect(await isSignedIn(elsewhere)).toBe(false)
    expect((await findUser(email))?.email_verified_at).not.toBeNull()
    expect((await mailbox.mails(email)).at(-1)?.subject).toBe('Souk: Your password was changed')
    const old = await createBrowser(souk).post('/auth/signin', { email, password: PASSWORD })
    expect(old.status).toBe(401)
  })

  test('is asked for with the same answer for an unknown address, which gets a mail that says so', async () => {
    const { email } = await signIn(souk)
    const ask = async (address: string) => {
      const response = await createBrowser(souk).post('/auth/reset', { email: address })
      const headers = comparableHeaders(response)
      return { status: response.status, headers, body: await response.text() }
    }
    expect(await ask('unknown@example.com')).toEqual(await ask(email))
    expect((await mailbox.mails('unknown@example.com'))[0]?.subject).toContain('No account')
  })

  test('of two uses of one link at once, one wins', async () => {
    for (let round = 0; round < 5; round++) {
      const { email } = await signIn(souk)
      const { token } = await askReset(email)
      const passwords = [`${NEW_PASSWORD} a${round}`, `${NEW_PASSWORD} b${round}`]
      const answers = await Promise.all(
        passwords.map((password) => createBrowser(souk).post('/auth/reset', { token, password })),
      )
      expect(answers.map(({ status }) => status).sort()).toEqual([303, 400])
      const winner = passwords[answers.findIndex(({ status }) => status === 303)] ?? ''
      expect((await createBrowser(souk).post('/auth/signin', { email, password: winner })).status).toBe(303)
    }
  })

  test('leads back where the person was going when the password was forgotten', async () => {
    const { email } = await signIn(souk)
    await createBrowser(souk).post('/auth/reset', { email, return_to: '/oauth/authorize/?client_id=a' })
    const token = new URL(await mailbox.link(email), 'http://x').searchParams.get('token') ?? ''
    const answer = await createBrowser(souk).post('/auth/reset', { token, password: NEW_PASSWORD })
    expect(answer.headers.get('location')).toBe('/oauth/authorize/?client_id=a')
  })

  test('a weak password does not use the link up', async () => {
    const { email } = await signIn(souk)
    const { token } = await askReset(email)
    const browser = createBrowser(souk)
    expect((await browser.post('/auth/reset', { token, password: 'password1234' })).status).toBe(400)
    expect((await browser.post('/auth/reset', { token, password: NEW_PASSWORD })).status).toBe(303)
  })

  test('kills every other link that waits in a mailbox', async () => {
    const { email } = await signIn(souk)
    const verify = await mailbox.link(email)
    const magic = await askMagic(email)
    const first = await askReset(email)
    const second = await askReset(email)
    await createBrowser(souk).post('/auth/reset', { token: second.token, password: NEW_PASSWORD })
    expect((await createBrowser(souk).get(first.link)).status).toBe(400)
    expect((await createBrowser(souk).get(magic)).status).toBe(400)
    expect((await createBrowser(souk).get(verify)).status).toBe(400)
  })

  test('runs out after an hour', async () => {
    const { email } = await signIn(souk)
    const { link } = await askReset(email)
    souk.clock.advance(60 * MINUTE)
    expect((await createBrowser(souk).get(link)).status).toBe(400)
  })

  test('ends what acts for the person: the apps they connected', async () => {
    const { email } = await signIn(souk)
    const user = await findUser(email)
    const grant = {
      id: newId(),
      user_id: user?.id ?? '',
      client_id: 'https://agent.example/client.json',
      client_name: 'Agent',
      client_host: 'agent.example',
      scope: 'mcp',
      redirect_uris: ['https://agent.example/cb'],
    }
    await souk.database.db.insertInto('oauth_grants').values(grant).execute()
    const { token } = await askReset(email)
    await createBrowser(souk).post('/auth/reset', { token, password: NEW_PASSWORD })
    const after = await souk.database.db
      .selectFrom('oauth_grants')
      .select('revoked_at')
      .where('id', '=', grant.id)
      .executeTakeFirstOrThrow()
    expect(after.revoked_at).not.toBeNull()
  })
})
