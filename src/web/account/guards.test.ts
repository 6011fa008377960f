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
    '',
    `/${'x'.repeat(5_000)}`,
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

  test.each(['/', '/c/tents', '/oauth/authorize/?client_id=a&state=b%2F%2Fc', '/account?done=name#x'])(
    '%j is followed, from the form as well as from the page that leads there',
    async (returnTo) => {
      const { browser, email, password } = await signIn(souk)
      const response = await createBrowser(souk).post('/auth/signin', {
        email,
        password,
        return_to: returnTo,
      })
      expect(response.headers.get('location')).toBe(returnTo)
      const page = await browser.get(`/auth/signin?return_to=${encodeURIComponent(returnTo)}`)
      expect([page.status, page.headers.get('location')]).toEqual([303, returnTo])
    },
  )

  test('a form on the way to an agent may end at the agent’s address, and at no other', async () => {
    const policy = async (redirect: string) => {
      const returnTo = `/oauth/authorize/?redirect_uri=${encodeURIComponent(redirect)}`
      const page = await createBrowser(souk).get(`/auth/signin?return_to=${encodeURIComponent(returnTo)}`)
      return /form-action ([^;]*)/.exec(page.headers.get('content-security-policy') ?? '')?.[1]
    }
    expect(await policy('http://127.0.0.1:4000/cb')).toBe(`'self' http://127.0.0.1:4000`)
    expect(await policy('cursor://anysphere/cb')).toBe(`'self' cursor:`)
    expect(await policy('javascript:alert(1)')).toBe(`'self'`)
    expect(await policy('https://a;script-src *')).toBe(`'self'`)
    expect(await policy('https://a;b/')).toBe(`'self' https:`)
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
    expect(await response.json()).toEqual({ error: 'email: must be given only once', field: 'email' })
  })
})
