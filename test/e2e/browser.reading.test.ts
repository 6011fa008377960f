/**
 * What a browser keeps of the service and what others get to read there: the cookie of a session, which no script and no
 * other site sees; answers, which pages of other sites may read only where they are meant for everybody; and texts of
 * strangers in files of ours, which stay text however they are opened.
 */
import { getRequestListener } from '@hono/node-server'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createBrowser, PASSWORD } from '../accounts.ts'
import { BASE_URL, createTestApp, testConfig } from '../harness.ts'
import { serve } from '../loopback.ts'
import { addProduct } from '../products.ts'
import { createTestCa } from '../tls.ts'
import { submit } from '../tour.stop.ts'
import { createBrowserWorld, LURE, openSignedIn, requestOf } from './browser.world.ts'

const world = await createBrowserWorld()
const { elsewhere } = world
const subject = await world.subjectFor('owner', '', { fresh: false })

const SAFE_URL = 'https://safe.test'
const safe = await createTestApp({ config: testConfig({ SOUK_BASE_URL: SAFE_URL }) })
const safeServer = await serve(getRequestListener(safe.app.fetch), createTestCa().certFor(['safe.test']))
afterAll(safeServer.close)

const browser = world.useBrowser({ 'safe.test': safeServer.port })
let page: Page
beforeAll(async () => {
  page = await openSignedIn(browser, world)
  elsewhere.pages.set('/lure', LURE)
})
afterAll(() => page?.context().close())

describe('the cookie of a session', () => {
  const account = { email: 'kept@people.example', password: PASSWORD }
  beforeAll(async () => {
    for (const [souk, baseUrl] of [
      [world, BASE_URL],
      [safe, SAFE_URL],
    ] as const)
      await createBrowser(souk, { baseUrl }).post('/auth/signup', { ...account, name: 'Kept' })
  })

  async function signIn(at: Page, baseUrl: string) {
    await at.goto(`${baseUrl}/auth/signin`)
    await at.getByLabel('Email').fill(account.email)
    await at.getByLabel('Password').fill(account.password)
    await submit(at, '/auth/signin')
    expect(at.url()).toBe(`${baseUrl}/account`)
    const cookies = await at.context().cookies()
    // Beside the session: that somebody is signed in, and a mark of who was, for a form that is sent too late.
    expect(cookies.map(({ name }) => name.replace(/^__Host-/, '')).sort()).toEqual([
      'souk_account',
      'souk_session',
      'souk_signed_in',
    ])
    return cookies.find(({ name }) => name.endsWith('souk_session'))
  }

  test.each([
    ['plain http', BASE_URL, { name: 'souk_session', secure: false, domain: 'souk.test' }],
    ['https', SAFE_URL, { name: '__Host-souk_session', secure: true, domain: 'safe.test' }],
  ])(
    'over %s is for the service alone, new with every sign-in, and gone after the last',
    async (_, baseUrl, own) => {
      const { page: at } = await browser.open('about:blank', { ignoreHTTPSErrors: true })
      const first = await signIn(at, baseUrl)
      expect(first).toMatchObject({ ...own, path: '/', httpOnly: true, sameSite: 'Lax' })
      // Scripts may know that somebody is signed in, and no more.
      expect(await at.evaluate('document.cookie')).toMatch(/^(__Host-)?souk_signed_in=1$/)
      const again = `fetch('/auth/signin', { method: 'POST', body: new URLSearchParams(${JSON.stringify(account)}) })`
      await at.evaluate(again)
      const second = (await at.context().cookies()).find(({ name }) => name.endsWith('souk_session'))
      expect(second).toMatchObject({ ...own, path: '/', httpOnly: true, sameSite: 'Lax' })
      expect(second?.value).not.toBe(first?.value)
      const { app } = baseUrl === SAFE_URL ? safe : world
      const asFirst = await app.request(`${baseUrl}/account`, {
        headers: { cookie: `${own.name}=${first?.value}` },
      })
      expect([asFirst.status, asFirst.headers.get('location')]).toEqual([
        303,
        '/auth/signin?return_to=%2Faccount',
      ])
      await at.context().close()
    },
  )

  test('over https cannot be planted for more names or fewer paths than it has', async () => {
    const { page: at } = await browser.open('about:blank', { ignoreHTTPSErrors: true })
    await at.goto(`${SAFE_URL}/`)
    await at.evaluate(`document.cookie = '__Host-souk_session=planted; domain=safe.test; path=/; secure'`)
    await at.evaluate(`document.cookie = '__Host-souk_session=planted; path=/auth; secure'`)
    expect(await at.context().cookies()).toEqual([])
    await at.context().close()
  })
})

describe('a page of another site', () => {
  /** What its script gets to know of each, sent with cookies and without. */
  async function readFrom(from: string, paths: string[]): Promise<unknown> {
    await page.goto(`${from}/lure`)
    return page.evaluate(`Promise.all(${JSON.stringify(paths)}.flatMap((path) =>
      ['omit', 'include'].map((credentials) => read('${BASE_URL}' + path, { credentials }))))`)
  }
  const BOTH_REFUSED = ['TypeError', 'TypeError']

  test.each(['http://evil.example', 'http://shop.souk.test'])(
    '(%s) reads nothing of anybody',
    async (from) => {
      const PRIVATE = [
        '/account',
        '/account/export',
        '/dashboard',
        '/admin/health.json',
        '/api/org/',
        '/quotes',
      ]
      const shown = [
        `/p/${subject.slug}.json`,
        '/search?q=shelf',
        requestOf('GET /oauth/authorize', subject).path,
      ]
      const paths = [...PRIVATE, ...shown]
      expect(await readFrom(from, paths)).toEqual(paths.flatMap(() => BOTH_REFUSED))
    },
  )

  test('reads documents for everybody, as nobody', async () => {
    const paths = ['/.well-known/agent-card.json', '/openapi.json', '/llms.txt']
    expect(await readFrom('http://shop.souk.test', paths)).toEqual(paths.flatMap(() => [200, 'TypeError']))
  })

  test('runs no answer of ours as a script or a style of its own', async () => {
    await page.goto('http://shop.souk.test/lure')
    const paths = [
      '/account/export',
      '/api/org/',
      '/dashboard/history.csv',
      `/p/${subject.slug}.json`,
      '/llms.txt',
      '/account',
    ]
    const runs =
      await page.evaluate(`Promise.all(${JSON.stringify(paths)}.map((path) => new Promise((done) => {
      const script = document.createElement('script')
      Object.assign(script, { src: '${BASE_URL}' + path, onload: () => done(path + ' ran'), onerror: () => done(null) })
      document.body.append(script)
    })))`)
    expect(runs).toEqual(paths.map(() => null))
  })
})

describe('a stranger’s text in a file of ours', () => {
  const SCRIPT = `<html><script>window.ran = true</script><svg onload="window.ran=true"/></html>`
  const FILES = [
    '/p/traps/trap.json',
    '/p/traps/trap.md',
    '/c/traps.md',
    '/offers/trap.json',
    '/llms.txt',
    '/llms-full.txt',
  ]
  const LISTS = ['/feeds/products.jsonl', '/feeds/google.tsv', '/sitemap.xml']
  const NAMED = [
    '/pictures/traps/plain.svg',
    `/pictures/traps/${encodeURIComponent(SCRIPT)}.svg`,
    '/p/traps/trap',
    '/c/traps',
  ]
  const SAID = [`/nowhere/${encodeURIComponent(SCRIPT)}`, `/nowhere.json?x=${encodeURIComponent(SCRIPT)}`]

  beforeAll(async () => {
    const id = await addProduct(world, { category: 'traps', slug: 'trap', title: 'Plain', list_price: 9 })
    // Behind the import's back, which takes markup out of what it reads.
    const { pool } = world.database
    await pool.query('update products set title = $2, verdict = $2, description = $2 where id = $1', [
      id,
      SCRIPT,
    ])
    await pool.query(
      `insert into changes (product_id, category_id, aspect) select id, category_id, 'text' from products where id = $1`,
      [id],
    )
    await world.catchUp()
  })

  test('stays text in whatever is opened, and nothing asks for more', async () => {
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    for (const path of [...FILES, ...LISTS, ...NAMED, ...SAID]) {
      const download = page.waitForEvent('download', { timeout: 1_000 }).catch(() => null)
      const answer = await page.goto(BASE_URL + path).catch(() => null)
      if (answer === null) expect([path, await download]).toEqual([path, expect.anything()])
      else expect([path, await page.evaluate('window.ran')]).toEqual([path, undefined])
    }
    expect(asked.filter((url) => !url.startsWith(`${BASE_URL}/`) && !url.startsWith('data:'))).toEqual([])
  })

  test('is shown as what it is: only pages are HTML', async () => {
    for (const path of [...FILES, ...LISTS, ...NAMED.slice(0, 2)]) {
      const answer = await world.app.request(path, { headers: { accept: 'text/html' } })
      expect([path, answer.status, answer.headers.get('content-type')]).toEqual([
        path,
        200,
        expect.not.stringMatching(/html|javascript/),
      ])
    }
  })

  test('is taken away as a file where a person asks for one', async () => {
    for (const name of world.routes.filter((one) => /^GET .*(\.csv|\/account\/export)$/.test(one))) {
      const answer = await world.ask(name, 'owner')
      const kept = answer.headers.get('content-disposition')
      expect([name, answer.status, kept]).toEqual([
        name,
        200,
        expect.stringMatching(/^attachment; filename="[\w.-]+"$/),
      ])
    }
  })
})
