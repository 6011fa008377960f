/**
 * A stranger's page in the browser of somebody who is signed in, owns an organization and runs the service. Every form
 * and route that changes something is sent from there, in each of the ways a page has, from origins that carry the
 * cookie along and from origins that do not: all is refused, and not a row changes. What only reads may be asked by
 * anybody's page, so what it writes all the same is listed here, with its reason.
 */
import type { Frame, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { BASE_URL } from '../harness.ts'
import { callOf } from './authorization.calls.ts'
import {
  createBrowserWorld,
  type Exchange,
  fieldsOf,
  LURE,
  openSignedIn,
  requestOf,
} from './browser.world.ts'

const world = await createBrowserWorld()
const browser = world.useBrowser()
const { arriving, elsewhere, local } = world

let page: Page
beforeAll(async () => {
  page = await openSignedIn(browser, world)
})
afterAll(() => page?.context().close())

/** They look at no cookie: who sends them is nobody, or the person of the token in their own header. */
const TAKES_ANYBODY = [
  'ALL /metrics',
  'ALL /mcp',
  'ALL /sse',
  'ALL /mcp/connector',
  'ALL /mcp/shopping',
  'ALL /mcp/selling',
  'ALL /mcp/readonly',
  'POST /a2a',
  'POST /catalog/search',
  'POST /catalog/lookup',
  'POST /catalog/product',
  'POST /api/oauth/token',
  'POST /api/oauth/revoke',
  'POST /api/oauth/register',
  'POST /register',
  'POST /api/search/click',
  // Looks at the cookie for a set of products, when the page is ours; tried below.
  'POST /api/search',
]
/** The HTTP+JSON binding of A2A, as its JSON-RPC. */
const isA2a = (name: string) => / \/a2a\//.test(name)
const ACTIONS = world.routes.filter(
  (name) => !name.startsWith('GET ') && !TAKES_ANYBODY.includes(name) && !isA2a(name),
)

elsewhere.pages.set('/lure', LURE)
elsewhere.pages.set(
  '/sandbox',
  `<!doctype html><iframe sandbox="allow-scripts allow-forms" src="/lure"></iframe>`,
)

type Attacker = { what: string; from: string; to: string; sends: boolean; sandboxed?: true }

const ATTACKERS: Attacker[] = [
  { what: 'another site', from: 'http://evil.example', to: BASE_URL, sends: false },
  { what: 'a name below the service’s own', from: 'http://shop.souk.test', to: BASE_URL, sends: true },
  {
    what: 'a sandboxed frame there',
    from: 'http://shop.souk.test',
    to: BASE_URL,
    sends: false,
    sandboxed: true,
  },
  {
    what: 'another name of this machine',
    from: `http://localhost:${elsewhere.port}`,
    to: local,
    sends: false,
  },
  {
    what: 'another port of this machine',
    from: `http://127.0.0.1:${elsewhere.port}`,
    to: local,
    sends: true,
  },
]

async function standAt({ from, sandboxed }: Attacker): Promise<Frame> {
  await page.goto(`${from}/${sandboxed ? 'sandbox' : 'lure'}`)
  const frame = page.frames().at(-1)
  if (!frame) throw new Error('no page was opened')
  return frame
}

const told = ({ method, path, status, body }: Exchange) => ({
  act: `${method} ${path}`,
  status,
  why: /another site|sign in/i.exec(body)?.[0] ?? body.slice(0, 200),
})
const byAction = (one: { act: string }, other: { act: string }) => (one.act < other.act ? -1 : 1)
const allOf = (exchanged: Exchange[], of: (one: Exchange) => unknown) => [...new Set(exchanged.map(of))]

/** With what would be done if a page of ours sent it. */
const subject = await world.subjectFor('owner', '', { fresh: false })
/** Mail programs send it without an origin (RFC 8058), so the token in its address is what lets it in. */
const BY_TOKEN = 'POST /notices/unsubscribe'
const FORMS = ACTIONS.filter((name) => !name.includes(' /api/') && name !== BY_TOKEN).map((name) => ({
  ...requestOf(name, subject),
  fields: fieldsOf(name.split(' ')[1] ?? '', callOf(name, subject), subject),
}))
/** Sent as by a button; a script sends the others with the same headers. */
const PRESSED = ['/account/name', '/oauth/authorize']
/** JSON may be sent unasked as long as it says it is plain text. */
const CALLS = ACTIONS.filter((name) => name.startsWith('POST /api/')).map((name) => ({
  ...requestOf(name, subject),
  type: 'text/plain',
}))

describe.each(ATTACKERS)('from $what ($from)', (attacker) => {
  const { from, to, sends, sandboxed } = attacker
  let before: string
  let frame: Frame
  beforeAll(async () => {
    before = await world.moment()
    frame = await standAt(attacker)
  })
  afterAll(async () => expect(await world.changes(before)).toEqual([]))

  const sendAll = (posts: object[], credentials: string) =>
    arriving(posts.length, () =>
      frame.evaluate(`sendAll('${to}', ${JSON.stringify(posts)}, '${credentials}')`),
    )

  test('no form of the service is taken', async () => {
    expect(FORMS.length).toBeGreaterThan(60)
    const sent = await sendAll(FORMS, 'include')
    expect(sent.map(told).toSorted(byAction)).toEqual(
      FORMS.map(({ path }) => refused(`POST ${path.split('?')[0]}`)).toSorted(byAction),
    )
    expect(allOf(sent, ({ headers }) => 'cookie' in headers)).toEqual([sends])
    // Over plain http, browsers say to nobody but their own machine where they themselves know a form to come from.
    expect(allOf(sent, ({ headers }) => 'sec-fetch-site' in headers)).toEqual([to === local])
    expect(allOf(sent, ({ headers }) => headers.origin)).toEqual([sandboxed ? 'null' : from])
  })

  test('no route of the API takes what a page may send unasked, with the cookie or without', async () => {
    expect(CALLS.length).toBeGreaterThan(12)
    for (const credentials of ['include', 'omit']) {
      const isSent = sends && credentials === 'include'
      const sent = await sendAll(CALLS, credentials)
      // A request of nobody needs no session, so it is refused for the site alone.
      const refusal = (path: string) =>
        isSent || path.startsWith('/api/rfq/')
          ? { status: 403, why: 'another site' }
          : { status: 401, why: 'sign in' }
      expect(sent.map(told).toSorted(byAction)).toEqual(
        CALLS.map(({ path }) => ({ act: `POST ${path}`, ...refusal(path) })).toSorted(byAction),
      )
      expect(allOf(sent, ({ headers }) => 'cookie' in headers)).toEqual([isSent])
    }
  })

  test('what a page must ask for first is not allowed: it never arrives', async () => {
    const names = ACTIONS.filter((name) => /^(PATCH|DELETE) /.test(name))
    expect(names.length).toBeGreaterThan(8)
    const arrived = await arriving(0, async () => {
      for (const name of names) {
        const [method = '', path = ''] = name.split(' ')
        const init = JSON.stringify({ method, credentials: 'include', body: '{}' })
        expect([name, await frame.evaluate(`read('${to}${path}', ${init})`)]).toEqual([name, 'TypeError'])
      }
    })
    expect(arrived).toEqual([])
  })

  test('a form that is pressed there is refused like the others', async () => {
    for (const { path, fields } of FORMS.filter((form) => PRESSED.includes(form.path))) {
      const at = await standAt(attacker)
      const [sent] = await arriving(1, () =>
        Promise.all([
          page.waitForEvent('framenavigated', (one) => one === at),
          at.evaluate(`submit('${to}${path}', ${JSON.stringify(fields)})`),
        ]),
      )
      await page.waitForLoadState('load')
      expect(sent && told(sent)).toEqual(refused(`POST ${path}`))
      expect(sent && 'cookie' in sent.headers).toBe(sends)
    }
  })
})

const FRAMED = ['/oauth/authorize', '/account', '/dashboard', '/admin', '/quotes/:id', '/', '/account/delete']

test.each(ATTACKERS.filter(({ what }) => /^another (site|port)/.test(what)))(
  'no page of the service stands in a frame of $from, nor the answer to a form',
  async (attacker) => {
    const main = await standAt(attacker)
    const urls = FRAMED.map((path) => attacker.to + requestOf(`GET ${path}`, subject).path)
    await main.evaluate(`Promise.all(${JSON.stringify(urls)}.map(frame))`)
    await main.evaluate(`frame('about:blank', 'posted')`)
    await arriving(1, () => main.evaluate(`submit('${attacker.to}/account/name', { name: 'X' }, 'posted')`))
    await vi.waitFor(() =>
      expect(
        page
          .frames()
          .slice(1)
          .map((one) => one.url()),
      ).toEqual([...urls, 'posted'].map(() => 'chrome-error://chromewebdata/')),
    )
  },
)

const refused = (act: string) => ({ act, status: 403, why: 'another site' })

test('a page of ours sends the same and is heard', async () => {
  for (const base of [BASE_URL, local]) {
    await page.goto(`${base}/account`)
    const [sent] = await arriving(1, () =>
      page.evaluate(
        `fetch('/account/name', { method: 'POST', body: new URLSearchParams({ name: 'Ada of ${base}' }) })`,
      ),
    )
    expect(sent).toMatchObject({ method: 'POST', path: '/account/name', status: 303 })
    await page.reload()
    expect(await page.content()).toContain(`Ada of ${base}`)
  }
})

test('a search that another site sends is nobody’s: no set is planned for who is signed in', async () => {
  const spent = async () => (await world.database.pool.query('select * from bundle_days')).rows
  const before = await spent()
  const body = JSON.stringify({ query: 'shelves and shelves under $500', bundle: true })
  const asked = JSON.stringify([{ path: '/api/search/', type: 'text/plain', body }])
  for (const attacker of ATTACKERS) {
    const frame = await standAt(attacker)
    const [sent] = await arriving(1, () => frame.evaluate(`sendAll('${attacker.to}', ${asked}, 'include')`))
    expect(sent).toMatchObject({ path: '/api/search/', status: 200 })
  }
  expect(await spent()).toEqual(before)
  await page.goto(`${BASE_URL}/search`)
  await page.evaluate(`fetch('/api/search/', { method: 'POST', body: ${JSON.stringify(body)} })`)
  expect(await spent()).not.toEqual(before)
})

/** Each a GET that leaves something behind, and why it may. */
const WRITES: Record<string, string> = {
  'GET /go/:id': 'the click is what the link is for; nobody is named in it',
  'GET /account/export': 'the person’s history says that their data was taken away',
  ...Object.fromEntries(
    world.routes
      .filter((name) => name.startsWith('GET /admin/organizations/:org_id/view'))
      .map((name) => [name, 'the seller’s history says that the operator looked']),
  ),
}

test('what is read changes nothing but what is listed, though a stranger’s page may have asked for it', async () => {
  const reads = world.routes.filter((name) => name.startsWith('GET '))
  const changedBy = async (names: string[]) => {
    const before = await world.moment()
    for (const name of names)
      await (await world.ask(name, 'owner', { headers: { 'sec-fetch-site': 'cross-site' } })).text()
    return [...new Set((await world.changes(before)).map((row) => row.split(' ')[1]))]
  }
  expect(await changedBy(reads.filter((name) => !(name in WRITES)))).toEqual([])
  for (const name of Object.keys(WRITES))
    expect([name, await changedBy([name])]).toEqual([name, [expect.any(String)]])
})
