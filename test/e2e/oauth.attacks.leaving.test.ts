/**
 * The authorization endpoint as an open redirector: anybody can register an address and send people there through us, by
 * a request that is refused. Nobody leaves for a site they have not allowed without being told where it leads.
 */
import { describe, expect, test } from 'vitest'
import { createBrowser, createMailbox, PASSWORD, signIn } from '../accounts.ts'
import { BASE_URL } from '../harness.ts'
import { unescapeHtml } from '../html.ts'
import { type Changes, createOauthWorld, hiddenFields, pkce, requestFor, withChanges } from './oauth.world.ts'

const world = await createOauthWorld()
const mailbox = createMailbox(world)
const PHISHING = 'https://evil.example/sign-in'
const clientId = await world.register([PHISHING], 'Souk support')
const request = (changes: Changes) => withChanges(requestFor(clientId, pkce().challenge, PHISHING), changes)

/** Where the page's one button leads, and that nothing leads there by itself. */
async function wayBack(answer: Response): Promise<URL> {
  expect([answer.status, answer.headers.get('location')]).toEqual([400, null])
  expect(answer.headers.get('referrer-policy')).toBe('same-origin')
  const html = await answer.text()
  expect(html).not.toMatch(/http-equiv="refresh"/i)
  expect(html).toContain('Go back to evil.example')
  const href = /href="(https:\/\/evil\.example[^"]*)"/.exec(html)?.[1] ?? ''
  return new URL(unescapeHtml(href))
}

describe('a refusal to a site that the person has not allowed is a page that names the site', () => {
  test.each<[string, Changes, string]>([
    ['a wrong scope', { scope: 'admin' }, 'invalid_scope'],
    ['no PKCE', { code_challenge: null }, 'invalid_request'],
    ['another response type', { response_type: 'token' }, 'unsupported_response_type'],
  ])('%s, signed in or not', async (_what, changes, error) => {
    const { cookie } = await world.addPerson()
    for (const whose of [undefined, cookie]) {
      const { searchParams } = await wayBack(await world.authorize(request(changes), whose))
      expect(Object.fromEntries(searchParams)).toMatchObject({ error, state: 'st4te', iss: BASE_URL })
    }
  })

  test('asking silently is no way around it', async () => {
    const { cookie } = await world.addPerson()
    const errors = []
    for (const whose of [undefined, cookie]) {
      const back = await wayBack(await world.authorize(request({ prompt: 'none' }), whose))
      errors.push(back.searchParams.get('error'))
    }
    expect(errors).toEqual(['login_required', 'consent_required'])
  })

  test('nor is a sign-in, or a link in a genuine mail, that leads there', async () => {
    const { email, browser } = await signIn(world, { verified: true })
    const returnTo = `/oauth/authorize/?${request({ scope: 'admin' })}`
    const typed = createBrowser(world)
    const signedIn = await typed.post('/auth/signin', { email, password: PASSWORD, return_to: returnTo })
    expect(signedIn.headers.get('location')).toBe(returnTo)
    await wayBack(await typed.get(returnTo))
    await browser.post('/auth/magic', { email, return_to: returnTo })
    const mailed = createBrowser(world)
    const token = new URL(await mailbox.link(email), BASE_URL).searchParams.get('token') ?? ''
    const followed = await mailed.post('/auth/magic', { token })
    expect(followed.headers.get('location')).toBe(returnTo)
    await wayBack(await mailed.get(returnTo))
  })

  test('nor is a consent page whose request was spoiled afterwards', async () => {
    const { cookie } = await world.addPerson()
    const fields = hiddenFields(await (await world.authorize(request({}), cookie)).text())
    fields.set('decision', 'allow')
    fields.set('scope', 'admin')
    await wayBack(await world.nothingIssued(() => world.decide(fields, cookie)))
  })
})

test('who has allowed the client at that address is taken there at once, and nobody else is', async () => {
  const [owner, other] = [await world.addPerson(), await world.addPerson()]
  const { challenge } = pkce()
  await world.obtainCode({ clientId, cookie: owner.cookie, challenge, redirectUri: PHISHING })
  const refused = request({ scope: 'admin' })
  const answer = await world.authorize(refused, owner.cookie)
  expect([answer.status, answer.headers.get('location')]).toEqual([303, expect.stringContaining(PHISHING)])
  await wayBack(await world.authorize(refused, other.cookie))
  const { rows } = await world.database.pool.query('select id from oauth_grants where user_id = $1', [
    owner.id,
  ])
  const disconnect = new URLSearchParams({ grant_id: rows[0]?.id })
  const ended = await world.postForm('/account/grants/revoke', disconnect, {
    Origin: BASE_URL,
    cookie: owner.cookie,
  })
  expect(ended.status).toBe(303)
  await wayBack(await world.authorize(refused, owner.cookie))
})

test.each(['http://127.0.0.1:4000/cb', 'http://localhost/cb'])(
  'an app that listens on the person’s own device (%s) is told at once',
  async (redirectUri) => {
    const own = await world.register([redirectUri])
    const params = withChanges(requestFor(own, pkce().challenge, redirectUri), { scope: 'admin' })
    const answer = await world.authorize(params)
    expect(answer.status).toBe(303)
    expect(answer.headers.get('location')).toMatch(/[?&]error=invalid_scope&/)
  },
)
