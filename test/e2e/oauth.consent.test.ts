/** The page that asks, attacked: a press on "Allow" counts only on the page that was shown, in the browser it was shown in. */
import { describe, expect, test } from 'vitest'
import { createBrowser, PASSWORD } from '../accounts.ts'
import { BASE_URL } from '../harness.ts'
import { type Changes, createOauthWorld, hiddenFields, pkce, requestFor, withChanges } from './oauth.world.ts'

const world = await createOauthWorld()
const person = await world.addPerson()
const { nothingIssued, auditOf } = world

describe('consent', () => {
  async function asked(changes: Changes = {}) {
    const owner = await world.addPerson()
    const clientId = await world.register()
    const params = withChanges(requestFor(clientId, pkce().challenge), changes)
    const page = await world.authorize(params, owner.cookie)
    const fields = hiddenFields(await page.text())
    fields.set('decision', 'allow')
    return { owner, clientId, params, page, fields }
  }

  test('the page cannot be framed, nor the error page', async () => {
    const { page } = await asked()
    const error = await world.authorize(new URLSearchParams({ client_id: 'x' }), person.cookie)
    for (const answer of [page, error]) {
      expect(answer.headers.get('content-security-policy')).toContain(`frame-ancestors 'none'`)
      expect(answer.headers.get('x-frame-options')).toBe('DENY')
    }
    expect(page.headers.get('content-security-policy')).toContain(`form-action 'self' https:;`)
    expect(page.headers.get('cross-origin-opener-policy')).toBe('unsafe-none')
    expect(page.headers.get('cache-control')).toBe('no-store')
  })

  test.each([
    ['another origin', { Origin: 'https://evil.example' }],
    ['no origin', {}],
    ['an opaque origin', { Origin: 'null' }],
    ['another site by its own word', { Origin: BASE_URL, 'Sec-Fetch-Site': 'cross-site' }],
    ['a sibling site', { Origin: BASE_URL, 'Sec-Fetch-Site': 'same-site' }],
  ])('a decision sent from %s is refused (CSRF)', async (_what, headers) => {
    const { owner, fields } = await asked()
    const answer = await nothingIssued(() => world.decide(fields, owner.cookie, { ...headers }))
    expect(answer.status).toBe(403)
  })

  test('a decision from a browser without the token of the page is refused', async () => {
    const { owner, fields } = await asked()
    fields.delete('form_token')
    const browser = { Origin: BASE_URL, 'Sec-Fetch-Site': 'same-origin' }
    expect((await nothingIssued(() => world.decide(fields, owner.cookie, browser))).status).toBe(403)
  })

  test('a decision with the token of another session is refused', async () => {
    const { fields } = await asked()
    const other = await world.addPerson()
    expect((await nothingIssued(() => world.decide(fields, other.cookie))).status).toBe(403)
  })

  test.each(['state', 'code_challenge', 'scope', 'resource'])(
    'a decision whose %s was swapped is refused',
    async (name) => {
      const { owner, fields } = await asked()
      const swapped: Record<string, string> = {
        state: 'other',
        code_challenge: pkce().challenge,
        scope: 'mcp offline_access',
        resource: `${BASE_URL}/mcp/`,
      }
      fields.set(name, swapped[name] ?? '')
      expect((await nothingIssued(() => world.decide(fields, owner.cookie))).status).toBe(403)
    },
  )

  test('a decision for another client with the token of this one is refused', async () => {
    const { owner, fields } = await asked()
    fields.set('client_id', await world.register())
    expect((await nothingIssued(() => world.decide(fields, owner.cookie))).status).toBe(403)
  })

  test('a decision on a page that is half an hour old is refused', async () => {
    const { owner, fields } = await asked()
    world.clock.advance(30 * 60_000 + 1)
    expect((await nothingIssued(() => world.decide(fields, owner.cookie))).status).toBe(403)
  })

  test('a decision that is neither is refused', async () => {
    const { owner, fields } = await asked()
    fields.set('decision', 'maybe')
    expect((await nothingIssued(() => world.decide(fields, owner.cookie))).status).toBe(400)
  })

  test('denied: the client is told, the person sees it in the history, and the next request asks again', async () => {
    const { owner, fields, params } = await asked()
    fields.set('decision', 'deny')
    const answer = await nothingIssued(() => world.decide(fields, owner.cookie))
    const { searchParams } = new URL(answer.headers.get('location') ?? '')
    expect(searchParams.get('error')).toBe('access_denied')
    expect(searchParams.get('iss')).toBe(BASE_URL)
    expect(await auditOf(owner.id)).toEqual(['grant.denied'])
    expect((await world.authorize(params, owner.cookie)).status).toBe(200)
  })

  test('a script, which has no page, posts the decision to the address of the request', async () => {
    const { owner, params } = await asked()
    const post = (headers: Record<string, string>) =>
      world.postForm(`/oauth/authorize/?${params}`, new URLSearchParams({ decision: 'allow' }), {
        ...headers,
        cookie: owner.cookie,
      })
    await nothingIssued(async () => {
      expect((await post({})).status).toBe(403)
      expect((await post({ Origin: 'https://evil.example' })).status).toBe(403)
      expect((await post({ Origin: BASE_URL, 'Sec-Fetch-Site': 'same-origin' })).status).toBe(403)
    })
    const answer = await post({ Origin: BASE_URL })
    expect(new URL(answer.headers.get('location') ?? '').searchParams.has('code')).toBe(true)
  })

  test('a request cannot bring its own decision', async () => {
    const { owner, fields } = await asked({ decision: 'allow', form_token: 'x' })
    expect([fields.getAll('decision'), fields.getAll('form_token').length]).toEqual([['allow'], 1])
    fields.set('decision', 'deny')
    const answer = await nothingIssued(() => world.decide(fields, owner.cookie))
    expect(new URL(answer.headers.get('location') ?? '').searchParams.get('error')).toBe('access_denied')
    fields.append('decision', 'allow')
    expect((await nothingIssued(() => world.decide(fields, owner.cookie))).status).toBe(400)
  })

  test('a page of its own leaves no cookie behind, however many are opened', async () => {
    // But for the mark that somebody is signed in, which is the same on every page.
    const set = (await asked()).page.headers.getSetCookie()
    expect(set.filter((cookie) => !/^souk_(?:signed_in|account)=/.test(cookie))).toEqual([])
  })
})

describe('signing in on the way', () => {
  const fields = { email: 'victim@people.example', password: PASSWORD }

  test('a sign-in posted by another site signs nobody in (login CSRF)', async () => {
    const browser = createBrowser(world)
    await browser.post('/auth/signup', { ...fields, name: '' })
    const answer = await browser.post('/auth/signin', fields, { origin: 'https://evil.example' })
    expect([answer.status, browser.cookie()]).toEqual([403, null])
    await browser.post('/auth/signin', fields)
    expect(browser.cookie()).not.toBeNull()
  })

  test('a session planted before the sign-in is worth nothing after it (fixation)', async () => {
    const planted = (await world.addPerson()).cookie
    const victim = createBrowser(world)
    await victim.post('/auth/signup', { ...fields, name: '' })
    victim.setCookie(planted)
    await victim.post('/auth/signin', fields)
    expect(victim.cookie()).not.toBe(planted)
    const params = new URLSearchParams(requestFor(await world.register(), pkce().challenge))
    const page = await victim.get(`/oauth/authorize/?${params}`)
    expect(await page.text()).toContain('victim@people.example')
    const attacker = await nothingIssued(() => world.authorize(params, planted))
    expect(attacker.headers.get('location')).toMatch(/^\/auth\/signin\?/)
  })
})
