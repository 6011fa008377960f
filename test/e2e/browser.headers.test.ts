/**
 * What every answer tells browsers and caches, no matter who asked and what came of it: each route of the router, asked by
 * somebody and by nobody, its forms sent for good and from elsewhere, and every way to fail. The rules look at what an
 * answer is, not at which route gave it, so a new route is held to them as soon as it is mounted.
 */
import { describe, expect, test } from 'vitest'
import { AppError, type ErrorKind } from '../../src/lib/errors.ts'
import { createTestApp, testConfig } from '../harness.ts'
import type { Kind } from './authorization.policies.ts'
import { createBrowserWorld } from './browser.world.ts'

const world = await createBrowserWorld()
const READS = world.routes.filter((name) => name.startsWith('GET '))
const ACTIONS = world.routes.filter((name) => !name.startsWith('GET '))

const EVIL = { origin: 'http://evil.example' }

type Answer = { status: number; body: string; header: (name: string) => string; kept: RegExp; open: boolean }

/** What one person was given is kept by nobody else, nor is a refusal. */
const KEPT = /^(no-store|private, no-cache)$/
/** Suggestions are of the public catalog: a browser may keep what it was given while somebody types. */
const SUGGESTED = /^private, max-age=60$/
/** Probes have no cache before them, and no cache keeps what was posted and went well (RFC 9110 9.3.3). */
const UNSAID = /^(no-store)?$/

/** What pages of other sites may read: documents for machines, and guards that look at no cookie. */
const OPEN =
  /^(ALL \/(mcp|sse)\b|[A-Z]+ \/a2a\b|POST \/(catalog\/|api\/oauth\/|register\b)|GET \/(.*\.well-known\/|feeds\/|sitemap\.xml|llms|openapi\.json|robots\.txt|security\.txt|mcp\/server-card))/

function keptWhenGood(what: string): RegExp {
  if (what === 'GET /api/suggest') return SUGGESTED
  return /^GET \/(healthz|readyz)$/.test(what) || !what.startsWith('GET ') ? UNSAID : KEPT
}

async function readAnswer(given: Response | Promise<Response>, what = ''): Promise<Answer> {
  const answer = await given
  return {
    open: OPEN.test(what),
    kept: answer.ok ? keptWhenGood(what) : KEPT,
    status: answer.status,
    body: await answer.text(),
    header: (name) => answer.headers.get(name) ?? '',
  }
}

const isPage = ({ header }: Answer) => header('content-type').startsWith('text/html')
const isPublic = ({ header }: Answer) => /\bpublic\b|s-maxage/.test(header('cache-control'))

/** The policy of a page, by its directives; on the way to an agent the form may end there too. */
const PAGE_POLICY: Record<string, RegExp> = {
  'default-src': /^'none'$/,
  'script-src': /^'self'$/,
  'style-src': /^'self'$/,
  'img-src': /^'self' https: data:$/,
  'connect-src': /^'self'$/,
  'form-action': /^'self'( https:)?$/,
  'base-uri': /^'none'$/,
  'frame-ancestors': /^'none'$/,
}
/** Of what is no page: nothing in it runs, loads or sends anything, should a browser show it all the same. */
const FILE_POLICY: Record<string, RegExp> = {
  'default-src': /^'none'$/,
  'form-action': /^'none'$/,
  'base-uri': /^'none'$/,
  'frame-ancestors': /^'none'$/,
}

function policyFaults(policy: string, expected: Record<string, RegExp>): string[] {
  const given = policy.split('; ').map((directive): [string, string] => {
    const [name = '', ...sources] = directive.split(' ')
    return [name, sources.join(' ')]
  })
  const names = given.map(([name]) => name).sort()
  const wrong = given.filter(([name, sources]) => !expected[name]?.test(sources)).map(([name]) => name)
  const missing = Object.keys(expected).filter((name) => !names.includes(name))
  return [...wrong, ...missing].map((name) => `content-security-policy ${name}`)
}

const PAGE_HEADERS: Array<[string, RegExp]> = [
  ['x-frame-options', /^DENY$/],
  // Pages on the way to an agent stay known to the window that opened them.
  ['cross-origin-opener-policy', /^(same-origin|unsafe-none)$/],
  ['referrer-policy', /^(no-referrer|same-origin|strict-origin-when-cross-origin)$/],
  ['permissions-policy', /^camera=\(\), geolocation=\(\), microphone=\(\)$/],
]

function faultsOf(answer: Answer, { https = false } = {}): string[] {
  const { header } = answer
  const needed: Array<[string, RegExp]> = [
    ['x-content-type-options', /^nosniff$/],
    ['strict-transport-security', https ? /^max-age=31536000; includeSubDomains$/ : /^$/],
    ['cache-control', isPublic(answer) ? /^public, / : answer.kept],
    ['access-control-allow-credentials', /^$/],
    ['access-control-allow-origin', answer.open ? /^\*$/ : /^$/],
    ...(isPage(answer) ? PAGE_HEADERS : []),
    ...(answer.body === '' ? [] : [['content-type', /^[a-z]+\/[a-z0-9+.-]+(; charset=utf-8)?$/i] as const]),
  ].map(([name, pattern]) => [name as string, pattern as RegExp])
  return [
    ...needed.filter(([name, pattern]) => !pattern.test(header(name))).map(([name]) => name),
    ...policyFaults(header('content-security-policy'), isPage(answer) ? PAGE_POLICY : FILE_POLICY),
    ...(isPage(answer) && / (form)?target=/.test(answer.body) ? ['a window of its own'] : []),
    ...(isPublic(answer) && header('set-cookie') !== '' ? ['a cookie in what anybody may keep'] : []),
  ]
}

async function faultsAmong(what: string, given: Promise<Response>) {
  const answer = await readAnswer(given, what)
  const faults = faultsOf(answer)
  return faults.length === 0 ? [] : [{ what: `${what} ${answer.status}`, faults }]
}

describe('anyone who asks', () => {
  test.each<Kind>(['nobody', 'owner'])(
    '%s is answered with these headers by all that is read',
    async (kind) => {
      const found = []
      for (const name of READS)
        found.push(...(await faultsAmong(name, world.ask(name, kind, { headers: EVIL }))))
      expect(found).toEqual([])
    },
  )

  test('what anybody may keep is the same for everybody, and says what it hangs on', async () => {
    const kept: string[] = []
    for (const name of READS) {
      const forNobody = await readAnswer(world.ask(name, 'nobody'))
      if (!isPublic(forNobody)) continue
      kept.push(name)
      const forOwner = await readAnswer(world.ask(name, 'owner'))
      expect({ name, ...forOwner, header: null }).toEqual({ name, ...forNobody, header: null })
      const packed = await world.ask(name, 'nobody', { headers: { 'accept-encoding': 'br' } })
      if (packed.headers.has('content-encoding'))
        expect(packed.headers.get('vary')).toContain('Accept-Encoding')
      const other = await readAnswer(world.ask(name, 'nobody', { headers: { accept: 'text/markdown' } }))
      if (other.header('content-type') !== forNobody.header('content-type'))
        expect([name, forNobody.header('vary')]).toEqual([name, expect.stringMatching(/\bAccept\b(?!-)/)])
    }
    expect(kept.length).toBeGreaterThan(30)
    const PERSONAL = /^GET \/(account|auth|dashboard|admin|quotes|saved|search|bundle|api|org|go|oauth)\b/
    expect(kept.filter((name) => PERSONAL.test(name))).toEqual([])
  })
})

describe('whatever is done', () => {
  test('forms sent from elsewhere, by nobody and for good are answered with these headers', async () => {
    const found = []
    for (const name of ACTIONS) {
      found.push(
        ...(await faultsAmong(`${name} from elsewhere`, world.ask(name, 'owner', { headers: EVIL }))),
      )
      found.push(...(await faultsAmong(`${name} by nobody`, world.ask(name, 'nobody'))))
      found.push(...(await faultsAmong(`${name} for good`, world.ask(name, 'owner', { fresh: true }))))
    }
    expect(found).toEqual([])
  })
})

describe('whatever goes wrong', () => {
  const KINDS: ErrorKind[] = ['invalid', 'forbidden', 'not_found', 'conflict', 'too_large', 'rate_limited']
  const FAULTS: ErrorKind[] = ['upstream', 'unavailable', 'internal']

  test.each(['http', 'https'])(
    'over %s, a refusal is as guarded as an answer, in every form',
    async (scheme) => {
      const baseUrl = `${scheme}://souk.test`
      const { app } = await createTestApp({
        config: testConfig({ SOUK_BASE_URL: baseUrl }),
        notReady: async () => 'not yet',
        mount(faces) {
          for (const path of ['/fails/:kind', '/api/fails/:kind'])
            faces.get(path, (c) => {
              const kind = [...KINDS, ...FAULTS].find((one) => one === c.req.param('kind'))
              throw kind ? new AppError(kind, 'on purpose', { retryAfterSeconds: 7 }) : new Error('a fault')
            })
        },
      })
      const paths = [...KINDS, ...FAULTS, 'else'].flatMap((kind) => [`/fails/${kind}`, `/api/fails/${kind}`])
      // Nothing can be searched yet: these are the real ones.
      paths.push(
        '/readyz',
        '/search?q=kettle',
        '/nowhere',
        '/nowhere.json',
        '/api/nowhere',
        '/p/a/b',
        '/p/a/b.md',
      )
      const statuses = new Set<number>()
      for (const path of paths)
        for (const [method, accept] of [
          ['GET', 'text/html'],
          ['GET', '*/*'],
          ['PUT', 'text/html'],
          ['OPTIONS', '*/*'],
        ] as const) {
          const answer = await readAnswer(app.request(baseUrl + path, { method, headers: { accept } }))
          statuses.add(answer.status)
          const faults = faultsOf(answer, { https: scheme === 'https' })
          expect({ path, method, accept, faults }).toEqual({ path, method, accept, faults: [] })
        }
      expect([...statuses].sort()).toEqual([204, 400, 403, 404, 405, 409, 413, 429, 500, 502, 503])
    },
  )
})

describe('an address that lets in anyone who knows it', () => {
  test.each([
    ['the link to a new password', '/auth/reset?token=souk_reset_gone'],
    ['a sign-in link', '/auth/magic?token=souk_magic_gone'],
    ['a confirmation', '/auth/verify?token=souk_verify_gone'],
    ['the end of notices', '/notices/unsubscribe?token=gone'],
    ['an app’s request', '/oauth/authorize/?client_id=nobody&state=secret'],
  ])('%s is told to no other site, dead or alive', async (_what, path) => {
    const answer = await world.app.request(path, { headers: { accept: 'text/html' } })
    expect(answer.headers.get('referrer-policy')).toBe('same-origin')
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })

  test.each([
    ['GET /quotes/:id', 'no-referrer'],
    ['GET /org/join', 'same-origin'],
    ['GET /oauth/authorize', 'same-origin'],
    ['GET /saved', 'same-origin'],
  ])('%s neither', async (name, policy) => {
    const answer = await world.ask(name, 'owner')
    expect([answer.status, answer.headers.get('referrer-policy')]).toEqual([200, policy])
  })
})
