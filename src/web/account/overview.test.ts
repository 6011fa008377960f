import { beforeAll, describe, expect, test } from 'vitest'
import { comparableHeaders, createBrowser, createMailbox, PASSWORD, signIn } from '../../../test/accounts.ts'
import { createTestApp } from '../../../test/harness.ts'
import { createOrg } from '../../../test/orgs.ts'
import { newId } from '../../lib/ids.ts'
import { agoWords } from '../components/moment.tsx'

let souk: Awaited<ReturnType<typeof createTestApp>>
let mailbox: ReturnType<typeof createMailbox>

beforeAll(async () => {
  souk = await createTestApp()
  mailbox = createMailbox(souk)
})

const words = (html: string) => html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')

async function allow(email: string, { name, lastUsed }: { name: string; lastUsed: string }) {
  const user = await souk.database.db
    .selectFrom('users')
    .select('id')
    .where('email_key', '=', email)
    .executeTakeFirstOrThrow()
  const grant = {
    id: newId(),
    user_id: user.id,
    client_id: `https://${newId()}.example/client.json`,
    client_name: name,
    client_host: 'agent.example',
    scope: 'mcp',
    redirect_uris: ['https://agent.example/cb'],
    created_at: new Date('2026-10-20T08:00:00Z'),
    last_used_at: new Date(lastUsed),
  }
  await souk.database.db.insertInto('oauth_grants').values(grant).execute()
  return grant
}

describe('the overview of an account', () => {
  test('every part that its navigation names is there, once', async () => {
    const { browser } = await signIn(souk)
    const page = await (await browser.get('/account')).text()
    const nav = /<nav class="account-nav"[\s\S]*?<\/nav>/.exec(page)?.[0] ?? ''
    const named = [...nav.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id)
    expect(named).toHaveLength(10)
    for (const id of named) expect(page.split(`id="${id}"`)).toHaveLength(2)
  })

  test('a connected agent is told with its host, when it was first allowed, and how long ago it was used', async () => {
    const { browser, email } = await signIn(souk)
    expect(await (await browser.get('/account')).text()).toContain('href="/connect">Connect an agent')
    souk.clock.set('2026-11-03T12:30:00Z')
    const grant = await allow(email, { name: 'Shop <b>Bot</b>', lastUsed: '2026-11-03T10:00:00Z' })
    const page = await (await browser.get('/account')).text()
    expect(page).toContain('<strong>Shop &lt;b&gt;Bot&lt;/b&gt;</strong> (agent.example)')
    expect(words(page)).toMatch(/Connected October 20, 2026 ?, last used 2 hours ago/)
    expect(page).toContain(
      '<time datetime="2026-11-03T10:00:00.000Z" title="November 3, 2026, 10:00 UTC">2 hours ago</time>',
    )
    const revoked = await browser.post('/account/grants/revoke', { grant_id: grant.id })
    const next = revoked.headers.get('location') ?? ''
    expect([revoked.status, next]).toEqual([303, '/account?done=disconnected#connected-apps'])
    const after = await (await browser.get(next)).text()
    expect(after).toContain('App disconnected.')
    expect(after).not.toContain('agent.example')
  })

  test('somebody who sells finds the way to their dashboard, and anybody else the way to start', async () => {
    const org = await createOrg(souk, { name: 'Ovenbird & Sons' })
    const owner = createBrowser(souk)
    owner.setCookie(org.session.cookie)
    const page = await (await owner.get('/account')).text()
    expect(page).toMatch(/You act for <strong>Ovenbird &amp; Sons · [\w.-]+, verified<\/strong>\./)
    expect(page).toContain('<a href="/dashboard">Open the dashboard</a>')
    const { browser } = await signIn(souk)
    const other = await (await browser.get('/account')).text()
    expect(other).toContain('<a href="/dashboard">Sell on Souk: register your organization</a>')
    expect(other).not.toContain('You act for')
  })

  test.each([
    [0, 'just now'],
    [59_000, 'just now'],
    [60_000, '1 minute ago'],
    [2 * 3_600_000 + 1, '2 hours ago'],
    [26 * 3_600_000, '1 day ago'],
    [29 * 86_400_000, '29 days ago'],
    [31 * 86_400_000, 'on October 1, 2026'],
    [-5_000, 'just now'],
  ])('%d ms back is %j', (ms, told) => {
    const now = new Date('2026-11-01T12:00:00Z')
    expect(agoWords(new Date(now.getTime() - ms), now)).toBe(told)
  })

  test('after an account is deleted, a page says farewell and leads on', async () => {
    const { browser } = await signIn(souk)
    const response = await browser.post('/account/delete', { password: PASSWORD, confirm: 'delete' })
    const page = await response.text()
    expect(page).toContain('<h1>Account deleted</h1>')
    expect(page).toContain('class="button" href="/"')
  })
})

describe('the mail of a sign-up', () => {
  test('is sent again where they signed up to who gives the address, keeps the password, and leads where they were going', async () => {
    const email = 'resend@example.com'
    const browser = createBrowser(souk)
    await browser.post('/auth/signup', { email, password: PASSWORD, return_to: '/c/tents' })
    const page = await (await browser.get('/auth/check-mail?return_to=%2Fc%2Ftents')).text()
    expect(page).toContain('action="/auth/verify"')
    expect(page).toContain('name="return_to" value="/c/tents"')
    const again = await browser.post('/auth/verify', { email, return_to: '/c/tents' })
    expect([again.status, again.headers.get('location')]).toEqual([
      303,
      '/auth/check-mail?return_to=%2Fc%2Ftents',
    ])
    expect((await mailbox.mails(email)).map(({ subject }) => subject)).toEqual([
      'Souk: Confirm your email',
      'Souk: Confirm your email',
    ])
    const followed = await browser.get(await mailbox.link(email))
    expect(followed.headers.get('location')).toBe('/c/tents')
    expect((await createBrowser(souk).post('/auth/signin', { email, password: PASSWORD })).status).toBe(303)
  })

  test('is asked for with the same answer whatever is known of the address, and one mail each', async () => {
    const { email: known } = await signIn(souk, { verified: true })
    const { email: waiting } = await signIn(souk)
    const addresses = [known, waiting, 'nobody-at-all@example.com']
    const before = await Promise.all(addresses.map(async (to) => (await mailbox.mails(to)).length))
    const answers = []
    for (const email of addresses) {
      const response = await createBrowser(souk).post('/auth/verify', { email })
      const headers = comparableHeaders(response)
      answers.push({ status: response.status, headers, body: await response.text() })
    }
    expect(answers[1]).toEqual(answers[0])
    expect(answers[2]).toEqual(answers[0])
    const after = () => Promise.all(addresses.map(async (to) => (await mailbox.mails(to)).length))
    await expect.poll(after, { timeout: 10_000 }).toEqual(before.map((count) => count + 1))
  })

  test('is a sign-in link, which drops the password, once somebody else has come with that address', async () => {
    const [stranger, owner] = [createBrowser(souk), createBrowser(souk)]
    const email = 'taken@example.com'
    await stranger.post('/auth/signup', { email, password: PASSWORD })
    await owner.post('/auth/signup', { email, password: 'copper walrus 31 meadow' })
    await owner.post('/auth/verify', { email })
    expect((await mailbox.mails(email)).map(({ subject }) => subject)).toEqual([
      'Souk: Confirm your email',
      'Souk: You already have an account',
      'Souk: Your sign-in link',
    ])
    expect((await owner.get(await mailbox.link(email))).status).toBe(303)
    expect((await stranger.post('/auth/signin', { email, password: PASSWORD })).status).toBe(401)
  })

  test('leads who is signed in where they were going, and sends nothing once there is nothing to confirm', async () => {
    const { browser, email } = await signIn(souk)
    const again = await browser.post('/auth/verify', { return_to: '/c/tents' })
    expect(again.headers.get('location')).toBe('/auth/check-mail?return_to=%2Fc%2Ftents')
    const followed = await browser.get(await mailbox.link(email))
    expect(followed.headers.get('location')).toBe('/c/tents')
    const sent = (await mailbox.mails(email)).length
    expect((await browser.post('/auth/verify')).headers.get('location')).toBe('/account')
    expect(await mailbox.mails(email)).toHaveLength(sent)
  })

  test('an address that is none is refused beside its field', async () => {
    const response = await createBrowser(souk).post('/auth/verify', { email: 'not an address' })
    expect(response.status).toBe(400)
    const page = await response.text()
    expect(page).toContain('id="field-email-error"')
    expect(page).toContain('value="not an address"')
  })

  test('need not be asked for by address by who is signed in', async () => {
    const { browser } = await signIn(souk)
    const page = await (await browser.get('/auth/check-mail')).text()
    expect(page).toContain('action="/auth/verify"')
    expect(page).not.toContain('id="field-email"')
  })

  test('once followed tells that all is well, and where to go on', async () => {
    const email = 'welcome@example.com'
    const browser = createBrowser(souk)
    await browser.post('/auth/signup', { email, password: PASSWORD })
    const followed = await browser.get(await mailbox.link(email))
    expect([followed.status, followed.headers.get('location')]).toEqual([303, '/account?done=verified'])
    const status = /role="status"[\s\S]*?<\/div>/.exec(
      await (await browser.get('/account?done=verified')).text(),
    )?.[0]
    expect(status).toContain('Your email is confirmed')
    expect(status).toContain('href="/saved"')
    expect(status).toContain('href="/connect"')
  })
})
