/**
 * Where a browser ends up, and what it tells on the way. Nobody who follows an address of ours lands on another site,
 * but by the link of an offer, at the address its seller gave; and anyone who leaves takes no address along that lets in who
 * knows it. All names lead to a server of the test, so a browser that is lured away is seen arriving.
 */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BASE_URL } from '../harness.ts'
import { unescapeHtml } from '../html.ts'
import { call } from '../orgs.ts'
import { createBrowserWorld, openSignedIn, requestOf } from './browser.world.ts'

const world = await createBrowserWorld()
const browser = world.useBrowser()
const { elsewhere, local } = world
const subject = await world.subjectFor('owner', '', { fresh: false })
const LANDING = 'http://deals.example/landing?from=souk'

let page: Page
let go: string
beforeAll(async () => {
  page = await openSignedIn(browser, world)
  const { session } = subject.org
  const terms = { product_slug: subject.slug, headline: 'For leaving', destination_url: LANDING }
  const { offer_id } = (await call(world, session, 'POST', '/api/offers/create/', terms)).body
  await call(world, session, 'PATCH', '/api/offers/update/', { offer_id, status: 'active' })
  await world.catchUp()
  go = `/go/${offer_id}`
})
afterAll(() => page?.context().close())

/** Ways to write another site so that a check may take it for a path, or a browser may not. */
const HOSTILE = [
  'http://evil.example',
  'https://evil.example/',
  'http:evil.example',
  'https:/evil.example',
  'http:\\\\evil.example',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\/evil.example',
  '\\\\evil.example',
  '/\\/evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '/\r/evil.example',
  '\t//evil.example',
  ' //evil.example',
  '\u0000//evil.example',
  '/\u00a0/evil.example',
  '/\u3000/evil.example',
  '/\uff0fevil.example',
  '/.//evil.example',
  '/..//evil.example',
  '/./\\evil.example',
  '/x/../..//evil.example',
  '/%2f%2fevil.example',
  '%2f%2fevil.example',
  '/%252f%252fevil.example',
  '/%09/evil.example',
  '/%0d%0aLocation:%20http://evil.example',
  '/ok\r\nLocation: http://evil.example',
  '//souk.test@evil.example',
  'http://souk.test@evil.example/',
  'http://souk.test:80@evil.example/',
  'http://souk.test.evil.example/',
  '//evil.example#souk.test',
  '@evil.example',
  ':80@evil.example',
  'javascript:location="http://evil.example"',
  'JaVaScRiPt:location="//evil.example"//',
  'java\tscript:location="//evil.example"',
  'data:text/html,<script>location="http://evil.example"</script>',
  'blob:http://evil.example/x',
  'file:///etc/passwd',
  '/auth/signin?return_to=//evil.example',
  '/oauth/authorize/?redirect_uri=http://evil.example',
  `//evil.example/${'x'.repeat(9_000)}`,
]

/** Where the browser itself ends up when it follows each of these from a page of ours. */
async function followAll(requests: Array<{ url: string; return_to?: string }>): Promise<string[]> {
  await page.goto(`${BASE_URL}/connect`)
  const ends = await page.evaluate(`Promise.all(${JSON.stringify(requests)}.map(({ url, return_to }) =>
    fetch(url, return_to === undefined ? {} : { method: 'POST', body: new URLSearchParams({ return_to }) })
      .then((answer) => answer.url, (error) => 'lost on the way: ' + error)))`)
  return ends as string[]
}

const isOurs = (url: string) => URL.parse(url)?.origin === BASE_URL
const isSafe = (url: string) => isOurs(url) && !/^\/(\/|\\)/.test(new URL(url).pathname)

describe('an address that says where to go next', () => {
  test('leads who is signed in to pages of ours alone, by link and by form', async () => {
    const before = elsewhere.visits.length
    const links = HOSTILE.map((value) => `${BASE_URL}/auth/signin?return_to=${encodeURIComponent(value)}`)
    const linked = await followAll(links.map((url) => ({ url })))
    expect(linked.filter((url) => !isSafe(url))).toEqual([])
    const some = HOSTILE.filter((_, at) => at % 3 === 0)
    const forms = some.map((return_to) => ({ url: `${BASE_URL}/auth/verify`, return_to }))
    expect((await followAll(forms)).filter((url) => !isSafe(url))).toEqual([])
    expect(elsewhere.visits.length).toBe(before)
    const onward = { url: `${BASE_URL}/auth/verify`, return_to: '/c/shelves' }
    expect(await followAll([onward])).toEqual([`${BASE_URL}/c/shelves`])
  })

  test('leads anyone who opens it to pages of ours alone', async () => {
    const before = elsewhere.visits.length
    // Written as somebody may who does not escape.
    for (const value of HOSTILE.filter((_, at) => at % 5 === 0)) {
      await page.goto(`${BASE_URL}/auth/signin?return_to=${value}`, { waitUntil: 'commit' })
      expect([value, isOurs(page.url())]).toEqual([value, true])
    }
    expect(elsewhere.visits.length).toBe(before)
  })

  test.each(['signin', 'signup', 'magic', 'reset', 'check-mail'])(
    'leaves no way to another site on /auth/%s',
    async (name) => {
      for (const value of HOSTILE) {
        const answer = await world.app.request(`/auth/${name}?return_to=${encodeURIComponent(value)}`)
        const named = / (?:href|action|formaction|name="return_to" value)="([^"]*)"/g
        const ways = [...(await answer.text()).matchAll(named)].map(([, way = '']) => unescapeHtml(way))
        const away = ways.filter((way) => !isSafe(new URL(way, BASE_URL).href) && !way.startsWith('data:'))
        expect([value, answer.status, ways.length > 3, away]).toEqual([value, 200, true, []])
      }
    },
  )

  test('leads an app’s request nowhere that the app has not named before', async () => {
    const { path } = requestOf('GET /oauth/authorize', subject)
    for (const value of [...HOSTILE, '', 'https://client.example.evil.example/callback']) {
      const url = new URL(path, BASE_URL)
      url.searchParams.set('redirect_uri', value)
      // Nor may the error that it is told be taken there.
      for (const wrong of [{}, { response_type: 'token' }, { code_challenge: 'x' }]) {
        for (const [field, given] of Object.entries(wrong)) url.searchParams.set(field, given)
        const answer = await world.app.request(url.href, {
          headers: { ...world.victim.headers, accept: 'text/html' },
        })
        expect([value, answer.status, answer.headers.get('location')]).toEqual([value, 400, null])
        expect(await answer.text()).not.toMatch(/(href|action|content)="[^"]*evil\.example/)
      }
    }
  })
})

test('an address with another site’s name in its path is an address of ours, whatever page it meets', async () => {
  const TAILS = [
    '//evil.example',
    '/\\evil.example',
    '/%2f%2fevil.example',
    '//evil.example/..',
    '/%5c%5cevil.example',
  ]
  const HEADS = [
    '',
    '/account',
    '/dashboard',
    '/dashboard/history',
    '/admin',
    '/c',
    '/p/shelves',
    '/docs',
    '/auth/verify',
  ]
  const before = elsewhere.visits.length
  const urls = HEADS.flatMap((head) => TAILS.map((tail) => ({ url: `${BASE_URL}${head}${tail}` })))
  expect((await followAll(urls)).filter((url) => !isOurs(url))).toEqual([])
  const past = [
    '/search?q=shelf&page=99',
    '/compare?add=//evil.example',
    '/saved?page=99&list=//evil.example',
  ]
  expect(
    (await followAll(past.map((path) => ({ url: BASE_URL + path })))).filter((url) => !isSafe(url)),
  ).toEqual([])
  expect(elsewhere.visits.length).toBe(before)
})

describe('following an offer', () => {
  test('ends at its own address, which learns the site that sent the shopper and no more', async () => {
    await page.goto(`${BASE_URL}/p/${subject.slug}?ref=secret`)
    await Promise.all([page.waitForURL(LANDING), page.locator(`a[href$="${go}"]`).first().click()])
    const visit = elsewhere.visits.at(-1)
    expect([visit?.host, visit?.url]).toEqual(['deals.example', '/landing?from=souk'])
    expect(visit?.headers).toMatchObject({ referer: `${BASE_URL}/` })
    expect(visit?.headers).not.toHaveProperty('cookie')
    expect(await page.evaluate('window.opener')).toBeNull()
  })

  test('ahead of a click is no click', async () => {
    const clicks = async () => (await world.database.pool.query('select count(*) from link_clicks')).rows
    const before = await clicks()
    elsewhere.pages.set('/ahead', `<!doctype html><link rel="prefetch" href="${local}${go}">`)
    world.exchanges.length = 0
    await page.goto(`http://localhost:${elsewhere.port}/ahead`)
    await expect
      .poll(() => world.exchanges.find(({ path }) => path === go)?.headers)
      .toMatchObject({
        'sec-purpose': 'prefetch',
      })
    expect(await clicks()).toEqual(before)
    await page.goto(local + go)
    expect(await clicks()).not.toEqual(before)
  })
})

describe('who leaves a page', () => {
  const onTheWay = `/auth/reset?token=souk_reset_secret`
  const PAGES: Array<[string, string, string | undefined]> = [
    ['a link to a new password', onTheWay, undefined],
    ['an invitation', requestOf('GET /org/join', subject).path, undefined],
    [
      'quotes that are there for who knows their address',
      requestOf('GET /quotes/:id', subject).path,
      undefined,
    ],
    ['an app’s request', requestOf('GET /oauth/authorize', subject).path, undefined],
    ['the account', '/account', undefined],
    ['a search', '/search?q=for+my+illness', undefined],
    ['a product', requestOf('GET /p/:category/:slug', subject).path, `${BASE_URL}/`],
  ]

  test.each(PAGES)('of %s tells no other site its address', async (_what, path, told) => {
    await page.goto(BASE_URL + path)
    const there = 'http://deals.example/left'
    await Promise.all([page.waitForURL(there), page.evaluate(`location.assign('${there}')`)])
    const { headers } = elsewhere.visits.findLast(({ url }) => url === '/left') ?? {}
    expect([path, headers?.referer]).toEqual([path, told])
  })

  test('is known to no window of another site, but on the way to the agent that opened it', async () => {
    await page.goto(`http://localhost:${elsewhere.port}/any`)
    const openerAt = async (path: string) => {
      const [popup] = await Promise.all([
        page.context().waitForEvent('page'),
        page.evaluate(`void window.open('${local}${path}')`),
      ])
      await popup.waitForLoadState('load')
      const known = await popup.evaluate('window.opener !== null')
      await popup.close()
      return known
    }
    expect(await openerAt('/account')).toBe(false)
    expect(await openerAt('/')).toBe(false)
    expect(await openerAt(requestOf('GET /oauth/authorize', subject).path)).toBe(true)
  })
})
