/**
 * Actions on one account that meet: each ends in an answer and none in a deadlock, because all lock the person first. The
 * test holds the person until both actions wait, so they meet every time and not by luck.
 */
import { beforeAll, expect, test } from 'vitest'
import { type Browser, createBrowser, createMailbox, PASSWORD, signIn } from '../../test/accounts.ts'
import { createTestApp } from '../../test/harness.ts'
import { allow } from '../oauth/authorize.service.ts'
import { checkAuthorizeRequest } from '../oauth/checks/authorize.ts'
import { findSession } from './sessions.service.ts'

let souk: Awaited<ReturnType<typeof createTestApp>>
let mailbox: ReturnType<typeof createMailbox>
const CHOSEN = 'copper walrus 31 meadow'

beforeAll(async () => {
  souk = await createTestApp()
  mailbox = createMailbox(souk)
})

async function askLink(path: string, email: string, browser = createBrowser(souk)): Promise<string> {
  await browser.post(path, { email })
  return mailbox.link(email)
}

async function reset(email: string): Promise<() => Promise<Response>> {
  const token = new URL(await askLink('/auth/reset', email), 'http://x').searchParams.get('token') ?? ''
  return async () => createBrowser(souk).post('/auth/reset', { token, password: CHOSEN })
}

async function waiting(): Promise<number> {
  const { rows } = await souk.database.pool.query<{ n: string }>(
    `select count(*) as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return Number(rows[0]?.n)
}

/** Starts the actions in turn, each once the one before waits, then lets them go. */
async function meet(email: string, actions: Array<() => Promise<Response>>): Promise<number[]> {
  const holder = await souk.database.pool.connect()
  try {
    await holder.query('begin')
    await holder.query('select 1 from users where email = $1 for update', [email])
    const answers: Array<Promise<Response>> = []
    for (const act of actions) {
      answers.push(act())
      await expect.poll(waiting, { timeout: 10_000, interval: 10 }).toBe(answers.length)
    }
    await holder.query('commit')
    return (await Promise.all(answers)).map(({ status }) => status)
  } finally {
    holder.release()
  }
}

const change = (browser: Browser) => () =>
  browser.post('/account/password', { current: PASSWORD, password: CHOSEN })

test('two reset links of one person used at once: the first sets the password, the other is dead', async () => {
  const { email } = await signIn(souk)
  expect(await meet(email, [await reset(email), await reset(email)])).toEqual([303, 400])
})

test('a password changed while a sign-in link is followed: the link is dead', async () => {
  const { browser, email } = await signIn(souk)
  const asking = createBrowser(souk)
  const link = await askLink('/auth/magic', email, asking)
  expect(await meet(email, [change(browser), async () => asking.get(link)])).toEqual([303, 400])
})

test('signing out everywhere while a sign-in link is followed: the link is dead', async () => {
  const { browser, email } = await signIn(souk)
  const asking = createBrowser(souk)
  const link = await askLink('/auth/magic', email, asking)
  const everywhere = () => browser.post('/auth/signout-everywhere')
  expect(await meet(email, [everywhere, async () => asking.get(link)])).toEqual([303, 400])
})

test('signing out while the link one came in by is opened again: the link is dead', async () => {
  const email = 'came-by-link@example.com'
  const browser = createBrowser(souk)
  const link = await askLink('/auth/magic', email, browser)
  await browser.get(link)
  const out = () => browser.post('/auth/signout')
  const token = new URL(link, 'http://x').searchParams.get('token') ?? ''
  const again = () => createBrowser(souk).post('/auth/magic', { token })
  expect(await meet(email, [out, again])).toEqual([303, 400])
})

test.each<[string, (browser: Browser) => () => Promise<Response>]>([
  ['a new password', change],
  [
    'a deletion',
    (browser) => () => browser.post('/account/delete', { password: PASSWORD, confirm: 'delete' }),
  ],
])('%s asked for while its owner signs out everywhere: it is not done', async (_what, act) => {
  const { browser, email } = await signIn(souk)
  const thief = createBrowser(souk)
  thief.setCookie(browser.cookie())
  const everywhere = () => browser.post('/auth/signout-everywhere')
  expect(await meet(email, [everywhere, act(thief)])).toEqual([303, 401])
  const again = await createBrowser(souk).post('/auth/signin', { email, password: PASSWORD })
  expect(again.status).toBe(303)
})

test('a password changed while a reset link is used: the link is dead', async () => {
  const { browser, email } = await signIn(souk)
  expect(await meet(email, [change(browser), await reset(email)])).toEqual([303, 400])
})

const REDIRECT = 'https://client.example/cb'

async function agentRequest(): Promise<string> {
  const answer = await souk.app.request('/api/oauth/register', {
    method: 'POST',
    body: JSON.stringify({ redirect_uris: [REDIRECT] }),
  })
  const { client_id } = (await answer.json()) as { client_id: string }
  const pkce = { code_challenge: 'a'.repeat(43), code_challenge_method: 'S256' }
  return `/oauth/authorize/?${new URLSearchParams({ response_type: 'code', client_id, redirect_uri: REDIRECT, ...pkce })}`
}

async function liveGrants(email: string): Promise<number> {
  const { rows } = await souk.database.pool.query(
    'select 1 from oauth_grants g join users u on u.id = g.user_id where u.email = $1 and g.revoked_at is null',
    [email],
  )
  return rows.length
}

test.each(['reset first', 'allowed first'])(
  'a new password by mail while an app is being allowed (%s): no app stays connected',
  async (order) => {
    const { browser, email } = await signIn(souk)
    const request = await agentRequest()
    const press = () => browser.post(request, { decision: 'allow' })
    const actions = [await reset(email), press]
    const statuses = await meet(email, order === 'reset first' ? actions : actions.toReversed())
    expect(statuses).toEqual([303, 303])
    expect(await liveGrants(email)).toBe(0)
  },
)

test('an app allowed by a session that ended a moment before gets nothing', async () => {
  const { browser, email, cookie } = await signIn(souk)
  const params = new URL(await agentRequest(), 'http://x').searchParams
  const checked = await checkAuthorizeRequest(souk.oauth, params, null)
  const actor = await findSession(souk.accounts, cookie.split('=')[1] ?? '')
  if (checked.kind !== 'good' || !actor) throw new Error('nothing to decide on')
  await browser.post('/auth/signout-everywhere')
  const visit = { ip: null, userAgent: null, requestId: null }
  expect(await allow(souk.oauth, { request: checked.request, actor, orgId: null, visit })).toBeNull()
  expect(await liveGrants(email)).toBe(0)
})

test('an account deleted while a connected app comes again: both are answered', async () => {
  const { browser, email } = await signIn(souk)
  const request = await agentRequest()
  await browser.post(request, { decision: 'allow' })
  const again = createBrowser(souk)
  again.setCookie(browser.cookie())
  const remove = () => browser.post('/account/delete', { password: PASSWORD, confirm: 'delete' })
  expect(await meet(email, [remove, () => again.get(request)])).toEqual([200, 303])
})
