import { beforeAll, describe, expect, test } from 'vitest'
import { createBrowser, signIn } from '../../../test/accounts.ts'
import { createTestApp } from '../../../test/harness.ts'

let souk: Awaited<ReturnType<typeof createTestApp>>

beforeAll(async () => {
  souk = await createTestApp()
})

describe('coming back', () => {
  const HOSTILE = [
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    'https://evil.example',
    'javascript:alert(1)',
    'evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    '/ok\r\nX-Injected: 1',
    '/.//evil.example',
    '/..//evil.example',
    '/a\\..\\\\evil.example',
    '/%ff\u0000',
    '/auth/magic?token=theirs',
    '/AUTH/signin',
    '/%61uth/magic?token=theirs',
    '/go/0190a0a0-0000-7000-8000-000000000000',
    '/x/../%67o/0190a0a0-0000-7000-8000-000000000000?q=1',
    '',
    `/${'x'.repeat(8_000)}`,
  ]
  let person: Awaited<ReturnType<typeof signIn>>
  beforeAll(async () => {
    person = await signIn(souk)
  })

  test.each(HOSTILE.map((path) => [path.slice(0, 40), path]))('%j is never followed', async (_, returnTo) => {
    const { email, password } = person
    const fields = { email, password, return_to: returnTo }
    const response = await createBrowser(souk).post('/auth/signin', fields)
    expect([response.status, response.headers.get('location')]).toEqual([303, '/account'])
    expect(response.headers.get('x-injected')).toBeNull()
    const page = await createBrowser(souk).get(`/auth/signin?return_to=${encodeURIComponent(returnTo)}`)
    expect(await page.text()).not.toContain('name="return_to"')
  })

  test.each([
    '/',
    '/c/tents',
    '/goods',
    '/oauth/authorize/?client_id=a&state=b%2F%2Fc',
    '/account?done=name#x',
  ])('%j is followed, from the form as well as from the page that leads there', async (returnTo) => {
    const { browser, email, password } = await signIn(souk)
    const response = await createBrowser(souk).post('/auth/signin', {
      email,
      password,
      return_to: returnTo,
    })
    expect(response.headers.get('location')).toBe(returnTo)
    const page = await browser.get(`/auth/signin?return_to=${encodeURIComponent(returnTo)}`)
    expect([page.status, page.headers.get('location')]).toEqual([303, returnTo])
  })

  test('an agent’s request with a long state is brought through the sign-in whole', async () => {
    const returnTo = `/oauth/authorize/?client_id=a&state=${'s'.repeat(7_900)}`
    const { email, password } = person
    const response = await createBrowser(souk).post('/auth/signin', { email, password, return_to: returnTo })
    expect(response.headers.get('location')).toBe(returnTo)
  })

  const signInOnTheWayTo = (redirect: string) => {
    const returnTo = `/oauth/authorize/?redirect_uri=${encodeURIComponent(redirect)}`
    return createBrowser(souk).get(`/auth/signin?return_to=${encodeURIComponent(returnTo)}`)
  }

  test.each([
    ['https://agent.example/cb', `'self' https:`],
    ['http://127.0.0.1:4000/cb', `'self' http://127.0.0.1:4000 https:`],
    ['http://[::1]:4000/cb', `'self' http: https:`],
    ['cursor://anysphere/cb', `'self' cursor: https:`],
    ['javascript:alert(1)', `'self'`],
    ['http://10.0.0.1/cb', `'self'`],
    ['https://a;script-src *', `'self'`],
    ['https://a;script-src-elem/', `'self'`],
  ])('a form on the way to %s may end at %s', async (redirect, sources) => {
    const policy = (await signInOnTheWayTo(redirect)).headers.get('content-security-policy') ?? ''
    expect(/form-action ([^;]*)/.exec(policy)?.[1]).toBe(sources)
    expect(policy.split(';')).toHaveLength(8)
  })

  test('a window that an agent opened stays known to it on every page on the way, and on no other', async () => {
    const agents = encodeURIComponent('/oauth/authorize/?redirect_uri=https%3A%2F%2Fagent.example%2Fcb')
    for (const path of ['signin', 'signup', 'magic', 'reset', 'check-mail']) {
      const opener = async (returnTo: string) =>
        (await createBrowser(souk).get(`/auth/${path}?return_to=${returnTo}`)).headers.get(
          'cross-origin-opener-policy',
        )
      expect([path, await opener(agents)]).toEqual([path, 'unsafe-none'])
      expect([path, await opener('%2Fc%2Ftents')]).toEqual([path, 'same-origin'])
    }
  })

  test('every page before the sign-in keeps where the person was going', async () => {
    const query = `?return_to=${encodeURIComponent('/c/tents')}`
    for (const [path, ...ways] of [
      ['signin', 'signup', 'magic', 'reset'],
      ['signup', 'signin', 'magic'],
      ['magic', 'signin'],
      ['reset', 'signin'],
      ['check-mail', 'signin'],
    ]) {
      const page = await (await createBrowser(souk).get(`/auth/${path}${query}`)).text()
      for (const way of ways) expect(page).toContain(`href="/auth/${way}${query}"`)
    }
  })
})

describe('posts from another site', () => {
  const EVIL = { origin: 'https://evil.example' }
  test.each([
    ['another origin', EVIL],
    ['a sandboxed frame', { origin: 'null' }],
    ['nothing said about it', { origin: '' }],
    ['another site by the browser’s word', { 'sec-fetch-site': 'cross-site' }],
    ['a sibling subdomain', { 'sec-fetch-site': 'same-site' }],
  ])('with %s are refused, and nothing is done', async (_, given) => {
    const { browser, email, password } = await signIn(souk)
    const headers = Object.fromEntries(Object.entries(given).filter(([, value]) => value))
    const bare = async (path: string, fields: Record<string, string>) =>
      souk.app.request(path, {
        method: 'POST',
        body: new URLSearchParams(fields),
        headers: {
          origin: 'http://souk.test',
          ...('origin' in given && { origin: '' }),
          ...headers,
          cookie: browser.cookie() ?? '',
        },
      })
    for (const [path, fields] of [
      ['/auth/signin', { email, password }],
      ['/auth/signup', { email: 'csrf@example.com', password }],
      ['/auth/signout', {}],
      ['/auth/signout-everywhere', {}],
      ['/auth/magic', { email }],
      ['/auth/reset', { email }],
      ['/account/name', { name: 'Mallory' }],
      ['/account/delete', { password, confirm: 'delete' }],
    ] as const) {
      const response = await bare(path, fields)
      expect([path, response.status, response.headers.get('set-cookie')]).toEqual([path, 403, null])
    }
    const account = await browser.get('/account')
    expect(account.status).toBe(200)
    expect(await account.text()).not.toContain('Mallory')
  })

  test('the browser’s word for the same origin is enough, whatever name the server was reached by', async () => {
    const { email, password } = await signIn(souk)
    const headers = { 'sec-fetch-site': 'same-origin', origin: 'http://127.0.0.1:3000' }
    expect((await createBrowser(souk).post('/auth/signin', { email, password }, headers)).status).toBe(303)
  })

  test('a field given twice is refused', async () => {
    const response = await souk.app.request('/auth/signin', {
      method: 'POST',
      body: 'email=a%40example.com&email=b%40example.com&password=x',
      headers: {
        origin: 'http://souk.test',
        accept: 'application/json',
        'content-type': 'application/x-www-form-urlencoded',
      },
    })
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({ error: 'email: can be given only once', field: 'email' })
  })
})
