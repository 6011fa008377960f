/**
 * Every link in every file by which we are found leads somewhere, with the demo catalog loaded. Files over the whole catalog
 * repeat the same few kinds of product links, so there a sample is asked, but in llms.txt, all of them.
 */
import { beforeAll, describe, expect, test } from 'vitest'
import { BASE_URL, createDemoDatabase, createTestApp } from '../harness.ts'
import { DOCUMENTS, type DocumentKind, linksIn, typedLinks, WITHOUT_LINKS } from './discovery.world.ts'

/** These take POST alone. Written without their trailing slash, which changes nothing. */
const POSTED = [
  '/mcp',
  '/sse',
  '/mcp/connector',
  '/mcp/shopping',
  '/mcp/selling',
  '/mcp/readonly',
  '/a2a',
  '/api/search',
  '/api/oauth/token',
  '/api/oauth/register',
  '/api/oauth/revoke',
  '/catalog/search',
  '/catalog/lookup',
  '/catalog/product',
]
/** Named by every product for its maker; others are asked who they are. */
const FOR_PRODUCERS = '/api/org/enrichment'
const TOOL_SERVER = [
  '/mcp',
  '/mcp/',
  '/sse',
  '/mcp/connector',
  '/mcp/shopping',
  '/mcp/selling',
  '/mcp/readonly',
]
/** Of a product: its page and other forms, offers and picture. */
const OF_PRODUCT = /^\/(?:p|offers|pictures)\//
const SAMPLE = 40

let souk: Awaited<ReturnType<typeof createTestApp>>

beforeAll(async () => {
  souk = await createTestApp({ database: await createDemoDatabase(), demo: true })
}, 60_000)

const get = (address: string) => souk.app.request(address, { headers: { accept: '*/*' } })

async function read(path: string): Promise<string> {
  const answer = await get(`${BASE_URL}${path}`)
  if (answer.status !== 200) throw new Error(`${path} answers ${answer.status}`)
  return answer.text()
}

/** What is wrong with where it leads; null when it is fine. */
async function complaint(link: string): Promise<string | null> {
  const answer = await get(link)
  await answer.body?.cancel()
  const path = new URL(link).pathname.replace(/(?<=.)\/$/, '')
  if (POSTED.includes(path)) {
    const takesPost = answer.status === 405 && /\bPOST\b/.test(answer.headers.get('allow') ?? '')
    return takesPost ? null : `${link} should take POST alone, but GET is answered ${answer.status}`
  }
  if (path === FOR_PRODUCERS || path.startsWith('/api/plans/'))
    return answer.status === 401 ? null : `${link} answers ${answer.status}`
  // Nobody comes here without parameters, and anyone who does is told so on a page.
  if (path === '/oauth/authorize') return answer.status === 400 ? null : `${link} answers ${answer.status}`
  return answer.status === 200 ? null : `${link} answers ${answer.status}`
}

async function complaints(links: string[]): Promise<string[]> {
  const all: string[] = []
  for (const link of links) {
    const one = await complaint(link)
    if (one !== null) all.push(one)
  }
  return all
}

function sampled(links: string[]): string[] {
  const ofProducts = links.filter((link) => OF_PRODUCT.test(new URL(link).pathname))
  const step = Math.max(1, Math.ceil(ofProducts.length / SAMPLE))
  const left = new Set(ofProducts.filter((_, at) => at % step !== 0))
  return links.filter((link) => !left.has(link))
}

describe('every link leads somewhere', () => {
  test.each(DOCUMENTS)(
    'in %s',
    async (path, kind) => {
      const links = linksIn(await read(path), kind, path)
      if (WITHOUT_LINKS.includes(path)) expect(links).toEqual([])
      else expect(links.length).toBeGreaterThan(0)
      expect(await complaints(path === '/llms.txt' ? links : sampled(links))).toEqual([])
    },
    60_000,
  )

  test.each(['p', 'c'])('in the head of a page below /%s', async (part) => {
    const all = linksIn(await read('/sitemap.xml'), 'sitemap', '/sitemap.xml')
    const address = all.find((link) => link.startsWith(`${BASE_URL}/${part}/`))
    if (!address) throw new Error(`the sitemap has no page below /${part}`)
    const { pathname } = new URL(address)
    const links = linksIn(await read(pathname), 'page', pathname)
    expect(links).toContain(address)
    expect(links).toContain(`${BASE_URL}/.well-known/ard.json`)
    expect(await complaints(links)).toEqual([])
  })
})

test.each(TOOL_SERVER)('who comes to %s without a token is led to a document that is there', async (path) => {
  const answer = await souk.app.request(`${BASE_URL}${path}`, { method: 'POST', body: '{}' })
  expect(answer.status).toBe(401)
  const named = /resource_metadata="([^"]+)"/.exec(answer.headers.get('www-authenticate') ?? '')?.[1]
  expect(named).toBe(`${BASE_URL}/.well-known/oauth-protected-resource${path}`)
  expect(await complaint(named ?? '')).toBeNull()
})

test('what ard.json says of a file is how it is sent', async () => {
  const { entries } = JSON.parse(await read('/.well-known/ard.json')) as {
    entries: Array<{ type: string; url: string }>
  }
  // Names for what the content is, in use before their registration; both are sent as the JSON that they are.
  const asJson = ['application/a2a-agent-card+json', 'application/vnd.oai.openapi+json']
  for (const { type, url } of entries) {
    const answer = await get(url)
    await answer.body?.cancel()
    const sent = answer.headers.get('content-type')?.split(';')[0]
    expect(sent, url).toBe(asJson.includes(type) ? 'application/json' : type)
  }
})

test('what the first page says of a file is how it is sent', async () => {
  const links = typedLinks(await read('/'))
  expect(links.map(({ address }) => address)).toContain(`${BASE_URL}/llms.txt`)
  for (const { address, type } of links) {
    const answer = await get(address)
    await answer.body?.cancel()
    expect(answer.headers.get('content-type')?.split(';')[0], address).toBe(type)
  }
})

describe('the search for links itself', () => {
  const B_IS_C = { parameters: [{ name: 'b', in: 'path', example: 'c' }] }
  const cases: Array<[DocumentKind, string, string[]]> = [
    ['text', `see [a](${BASE_URL}/a), ${BASE_URL}/b. And \`${BASE_URL}/c\``, ['/a', '/b', '/c']],
    ['text', `${BASE_URL}/p/{category}/{slug}, ${BASE_URL}/p/<slug> and ${BASE_URL}`, ['']],
    ['text', `${BASE_URL}.evil.example/a ${BASE_URL}:81/a https://other.example/a`, []],
    ['json', JSON.stringify({ a: [`${BASE_URL}/a`, { b: `${BASE_URL}/b?c=d#e` }] }), ['/a', '/b?c=d']],
    ['openapi', JSON.stringify({ url: `${BASE_URL}/a`, examples: { b: `${BASE_URL}/b` } }), ['/a', '/b']],
    ['openapi', JSON.stringify({ a: '/a', b: [{ example: { c: '/c', d: '//d', e: '/e f' } }] }), ['/c']],
    ['openapi', JSON.stringify({ examples: [`${BASE_URL}/go/1`, '/go/2', '/gone'] }), ['/gone']],
    [
      'openapi',
      JSON.stringify({ paths: { '/a/{b}.md': { get: B_IS_C }, '/{b}': { post: B_IS_C } } }),
      ['/a/c.md'],
    ],
    ['openapi', JSON.stringify({ paths: { '/a/{b}/{d}': { get: B_IS_C } } }), ['/a/c/{d}']],
    ['lines of json', `{"a":"${BASE_URL}/a"}\n{"a":"${BASE_URL}/b"}\n`, ['/a', '/b']],
    ['sitemap', `<urlset><url><loc>${BASE_URL}/a?b&amp;c</loc></url></urlset>`, ['/a?b&c']],
    [
      'page',
      '<link rel="x" href="/a"><link rel="icon" href="data:,"><script src="b"></script><a href="/c">',
      ['/a', '/b'],
    ],
  ]

  test.each(cases)('finds them in %s: %s', (kind, text, paths) => {
    expect(linksIn(text, kind, '/')).toEqual(paths.map((path) => BASE_URL + path))
  })
})
