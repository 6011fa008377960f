/**
 * The service behind a real port, with everybody and everything of the authorization matrix in it, and a stranger's
 * server that answers for every other name of the web. The browser is told that all names lead to one of the two, so a
 * test may lure it to any address and see where it really went; nothing leaves this machine. The service is reached as
 * `souk.test`, which browsers do not trust (they say `Origin` alone, as old ones do), and as 127.0.0.1, which they do
 * (they say `Sec-Fetch-Site`).
 */

import type { IncomingHttpHeaders } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import type { Page } from 'playwright-core'
import { afterAll, expect, vi } from 'vitest'
import { type TestBrowser, useBrowser } from '../browser.ts'
import { FAST_ROUTES } from '../fast-paths.ts'
import { BASE_URL } from '../harness.ts'
import { type Loopback, serve } from '../loopback.ts'
import { type Call, callOf } from './authorization.calls.ts'
import type { Kind } from './authorization.policies.ts'
import type { Subject } from './authorization.subjects.ts'
import { MIDDLEWARE } from './authorization.table.ts'
import { createMatrixWorld } from './authorization.world.ts'

export type Exchange = {
  method: string
  path: string
  headers: Record<string, string>
  status: number
  body: string
}

export type Visit = { host: string; method: string; url: string; headers: IncomingHttpHeaders }

export type BrowserWorld = Awaited<ReturnType<typeof createBrowserWorld>>

export async function createBrowserWorld() {
  const world = await createMatrixWorld()
  /** An owner who also runs the service: anyone who can make this person's browser do something can do anything. */
  const victim = world.callerOf('owner')
  await world.database.pool.query('update users set is_admin = true where id = $1', [victim.userId])
  const exchanges: Exchange[] = []
  const souk = await serve(getRequestListener(watched(world.app.fetch, exchanges)))
  const elsewhere = await serveStranger()
  afterAll(() => Promise.all([souk.close(), elsewhere.close()]))
  const names = [...world.app.routes, ...FAST_ROUTES].map(({ method, path }) => `${method} ${path}`)
  const isAnswered = (path = '') =>
    names.some((name) => !name.startsWith('ALL ') && name.endsWith(` ${path}`))

  /** Through the HTTP interface, filled in so that who may succeeds; as from a page of ours unless `headers` say more. */
  async function ask(name: string, kind: Kind, { fresh = false, headers = {} }: Asking = {}) {
    const of = await world.subjectFor(kind, name, { fresh })
    const [method = ''] = name.split(' ')
    const { path, body, type } = requestOf(name, of)
    const address = { incoming: { socket: { remoteAddress: '192.0.2.1' } } }
    const init = {
      method: method === 'ALL' ? 'POST' : method,
      headers: {
        accept: 'text/html',
        ...(method !== 'GET' && { origin: BASE_URL, 'content-type': type }),
        ...of.caller.headers,
        ...headers,
      },
      ...(method !== 'GET' && { body }),
    }
    return await world.app.request(new URL(path, BASE_URL).href, init, address)
  }

  /** What reached the service while this was done, but for what only reads or asks whether it may be sent. */
  async function arriving(count: number, work: () => Promise<unknown>): Promise<Exchange[]> {
    exchanges.length = 0
    await work()
    const sent = () => exchanges.filter(({ method }) => !['OPTIONS', 'GET'].includes(method))
    const options = { timeout: 10_000, interval: 10 }
    await vi.waitFor(() => expect(sent().length).toBeGreaterThanOrEqual(count), options)
    return sent()
  }

  return {
    ...world,
    victim,
    arriving,
    exchanges,
    elsewhere,
    ask,
    /** Each as `METHOD /path` of the router, once. */
    routes: [
      ...new Set(
        names.filter(
          (name) => !MIDDLEWARE.has(name) && !(name.startsWith('ALL ') && isAnswered(name.split(' ')[1])),
        ),
      ),
    ],
    /** Where the service is reached by a name that browsers trust. */
    local: `http://127.0.0.1:${souk.port}`,
    /** `more` are names that lead to ports of the test's own. */
    useBrowser: (more: Record<string, number> = {}) => useBrowser([leadingHere(souk, elsewhere, more)]),
  }
}

type Asking = { fresh?: boolean; headers?: Record<string, string> }

/** All names of the web lead here: those that are the service's own to it, all others to the stranger. */
function leadingHere(souk: Loopback, stranger: Loopback, more: Record<string, number>): string {
  const rules = [
    ...Object.entries(more).map(([name, port]) => `MAP ${name} 127.0.0.1:${port}`),
    `MAP ${new URL(BASE_URL).hostname} 127.0.0.1:${souk.port}`,
    `MAP * 127.0.0.1:${stranger.port}`,
    'EXCLUDE 127.0.0.1',
    'EXCLUDE localhost',
  ]
  return `--host-resolver-rules=${rules.join(', ')}`
}

type Fetch = BrowserWorld['app']['fetch']

function watched(fetch: Fetch, exchanges: Exchange[]): (request: Request, env: unknown) => Promise<Response> {
  return async (request, env) => {
    const answer = await fetch(request, env as Parameters<Fetch>[1])
    const { method, url } = request
    const { status } = answer
    const body = status < 400 ? '' : await answer.clone().text()
    const headers = Object.fromEntries(request.headers)
    exchanges.push({ method, path: new URL(url).pathname, headers, status, body })
    return answer
  }
}

async function serveStranger() {
  const pages = new Map<string, string>()
  const visits: Visit[] = []
  const server = await serve((request, response) => {
    const { url = '', method = '', headers } = request
    visits.push({ host: headers.host ?? '', method, url, headers })
    const page = pages.get(url) ?? '<!doctype html><title>elsewhere</title>'
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(page)
  })
  return { ...server, pages, visits }
}

/** What the route of that name is sent. */
export function requestOf(name: string, of: Subject): { path: string; body: string; type: string } {
  const [, pattern = ''] = name.split(' ')
  const call = callOf(name, of)
  const json = { body: JSON.stringify(call.body ?? {}), type: 'application/json' }
  const form = { body: String(new URLSearchParams(fieldsOf(pattern, call, of))), type: FORM }
  return { path: pathOf(pattern, call), ...(call.body || isApi(pattern) ? json : form) }
}

const FORM = 'application/x-www-form-urlencoded'
const isApi = (pattern: string) => pattern.startsWith('/api/') && !pattern.startsWith('/api/oauth/')

/** A form of the dashboard names the organization it was shown for. */
export function fieldsOf(pattern: string, { fields }: Call, { org }: Subject): Record<string, string> {
  return { ...(pattern.startsWith('/dashboard/') && { org_id: org.id }), ...fields }
}

function pathOf(pattern: string, { at = [], query }: Call): string {
  const values = [...at]
  const path = pattern.replaceAll(/:\w+(\{[^/]*\})?|\*/g, () => values.shift() ?? 'any')
  return query ? `${path}?${query}` : path
}

/** One page for a whole file, with somebody signed in at both names of the service. */
export async function openSignedIn(
  browser: TestBrowser,
  { local, victim }: Pick<BrowserWorld, 'local' | 'victim'>,
): Promise<Page> {
  const { page } = await browser.open('about:blank')
  const [name = '', value = ''] = (victim.headers.cookie ?? '').split('=')
  const limits = { httpOnly: true, secure: false, sameSite: 'Lax' as const }
  await page.context().addCookies([BASE_URL, local].map((url) => ({ name, value, url, ...limits })))
  return page
}

/** What a page may do to another site: send a form, into itself or a frame, and say by script what a form says. */
export const LURE = `<!doctype html><title>lure</title><script>
    function submit(url, fields, target = '_self') {
      const form = document.createElement('form')
      form.setAttribute('action', url)
      form.setAttribute('method', 'post')
      form.setAttribute('target', target)
      for (const [name, value] of Object.entries(fields)) {
        const input = form.appendChild(document.createElement('input'))
        input.setAttribute('name', name)
        input.value = value
      }
      document.body.append(form)
      HTMLFormElement.prototype.submit.call(form)
    }
    const send = (base, credentials) => ({ path, type, body }) =>
      fetch(base + path, { method: 'POST', mode: 'no-cors', credentials, headers: { 'Content-Type': type }, body })
    const sendAll = (base, posts, credentials) => Promise.all(posts.map(send(base, credentials)))
    async function read(url, init) {
      try { return (await fetch(url, init)).status } catch (error) { return error.name }
    }
    const frame = (url, name) => new Promise((done) => {
      const one = document.createElement('iframe')
      Object.assign(one, { name, src: url, onload: done })
      document.body.append(one)
    })
  </script><body></body>`
