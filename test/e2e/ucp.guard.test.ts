/** The guard of the UCP face: our profile and its links, and what is said to requests that cannot be handled. */
import { describe, expect, test } from 'vitest'
import { writeCursor } from '../../src/agents/ucp/search-catalog.ts'
import { createTestApp } from '../harness.ts'
import { addProduct } from '../products.ts'
import { ucpProblems } from '../ucp/schemas.ts'
import { ucp } from '../ucp/world.ts'

const souk = await createTestApp()
for (const slug of ['spout', 'whistle', 'drum'])
  await addProduct(souk, { slug, category: 'kettles', title: `The ${slug} kettle`, price: 60 })
await souk.searchRuntime.fill()
await souk.catchUp()

describe('the profile', () => {
  test('has the published form, lists what we do and nothing else, and every address in it is right', async () => {
    const response = await souk.app.request('/.well-known/ucp')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json')
    const profile = (await response.json()) as {
      ucp: {
        version: string
        services: Record<string, Array<{ transport: string; endpoint: string }>>
        capabilities: Record<string, Array<{ version: string; spec: string; schema: string }>>
      }
    }
    expect(ucpProblems('profile', profile)).toEqual([])
    const { services, capabilities } = profile.ucp
    expect(services).toMatchObject({
      'dev.ucp.shopping': [{ transport: 'rest', endpoint: 'http://souk.test' }],
    })
    expect(Object.keys(capabilities)).toEqual([
      'dev.ucp.shopping.catalog.search',
      'dev.ucp.shopping.catalog.lookup',
    ])
    const outside = JSON.stringify(profile).match(/https:[^"]+/g) ?? []
    expect(outside).toHaveLength(6)
    for (const url of outside)
      expect(url).toMatch(/^https:\/\/ucp\.dev\/2026-08-25\/(specification|schemas|services)\//)
    const endpoint = services['dev.ucp.shopping']?.[0]?.endpoint
    expect((await souk.app.request(`${endpoint}/`)).status).toBe(200)
    for (const [path, body] of [
      ['search', { query: 'kettle' }],
      ['lookup', { ids: ['spout'] }],
      ['product', { id: 'spout' }],
    ] as const)
      expect((await ucp(souk, path, body, { path: `${endpoint}/catalog/${path}` })).status).toBe(200)
  })

  test('may be kept by shared caches for minutes and is asked about by its tag; any site may read it', async () => {
    const first = await souk.app.request('/.well-known/ucp/', { headers: { origin: 'https://a.example' } })
    expect(first.headers.get('cache-control')).toBe('public, max-age=300')
    expect(first.headers.get('access-control-allow-origin')).toBe('*')
    const tag = first.headers.get('etag') ?? ''
    const again = await souk.app.request('/.well-known/ucp', { headers: { 'if-none-match': tag } })
    expect(again.status).toBe(304)
  })
})

test('each path answers with a slash at its end too, and to pages of any site', async () => {
  for (const [path, body] of [
    ['search', { query: 'kettle' }],
    ['lookup', { ids: ['spout'] }],
    ['product', { id: 'spout' }],
  ] as const) {
    const { status, headers } = await ucp(souk, path, body, { path: `/catalog/${path}/` })
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
    const preflight = await souk.app.request(`/catalog/${path}`, {
      method: 'OPTIONS',
      headers: { origin: 'https://a.example', 'access-control-request-method': 'POST' },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-headers')).toContain('UCP-Agent')
  }
})

describe('refused with 400', () => {
  test.each<[string, 'search' | 'lookup' | 'product', unknown, string]>([
    ['no JSON', 'search', '{"query":', 'not valid JSON'],
    ['nothing', 'search', '', 'empty'],
    ['a list', 'lookup', [], 'JSON object'],
    ['a search for nothing', 'search', {}, 'query'],
    ['a search for blanks', 'search', { query: ' \n ' }, 'query'],
    ['filters that filter nothing', 'search', { filters: { categories: [], price: {} } }, 'query'],
    ['filters that are unknown only', 'search', { filters: { brand: ['x'] } }, 'query'],
    ['a query that is no text', 'search', { query: 5 }, 'query'],
    ['a very long query', 'search', { query: 'x'.repeat(1_001) }, 'query'],
    ['a price with a point', 'search', { filters: { price: { max: 19.99 } } }, 'filters.price.max'],
    ['a price below nothing', 'search', { filters: { price: { min: -1 } } }, 'filters.price.min'],
    ['too many categories', 'search', { filters: { categories: Array(11).fill('x') } }, 'filters.categories'],
    ['a page of nothing', 'search', { query: 'x', pagination: { limit: 0 } }, 'pagination.limit'],
    [
      'a cursor of somebody else',
      'search',
      { query: 'x', pagination: { cursor: 'bm8' } },
      'pagination.cursor',
    ],
    ['no ids', 'lookup', {}, 'ids'],
    ['an empty list of ids', 'lookup', { ids: [] }, 'ids'],
    ['an empty id', 'lookup', { ids: [''] }, 'ids.0'],
    ['ids that are no text', 'lookup', { ids: [{ $ne: 1 }] }, 'ids.0'],
    ['no id', 'product', {}, 'id'],
    [
      'an option chosen twice',
      'product',
      { id: 'spout', selected: [1, 2].map((n) => ({ name: 'Size', label: String(n) })) },
      'selected',
    ],
  ])('%s', async (_, path, body, said) => {
    const answer = await ucp(souk, path, body)
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request'])
    expect(answer.body.content).toContain(said)
  })

  test('more than fifty ids at once, with the code that is published for it; fifty are answered', async () => {
    const ids = Array.from({ length: 51 }, (_, at) => `kettle-${at}`)
    const refused = await ucp(souk, 'lookup', { ids })
    expect([refused.status, refused.body.code]).toEqual([400, 'request_too_large'])
    const answered = await ucp(souk, 'lookup', { ids: ids.slice(1) })
    expect(answered.body.messages).toHaveLength(50)
  })

  test('a cursor with another question than its own', async () => {
    const first = await ucp(souk, 'search', { query: 'kettle', pagination: { limit: 1 } })
    const { cursor } = first.body.pagination
    const next = await ucp(souk, 'search', { query: 'kettle', pagination: { limit: 1, cursor } })
    expect(next.body.products[0]?.id).not.toBe(first.body.products[0]?.id)
    const other = await ucp(souk, 'search', { query: 'drum', pagination: { limit: 1, cursor } })
    expect([other.status, other.body.code]).toEqual([400, 'invalid_request'])
    const narrowed = { query: 'kettle', filters: { categories: ['kettles'] }, pagination: { cursor } }
    expect((await ucp(souk, 'search', narrowed)).status).toBe(400)
  })

  test('a cursor that is deeper than any that was given, however its depth is spread', async () => {
    const at = async (...offsets: number[]) => {
      const cursor = writeCursor(['kettle', null, null, null], offsets)
      return (await ucp(souk, 'search', { query: 'kettle', pagination: { cursor } })).status
    }
    expect(await at(10_000, 0)).toBe(200)
    expect(await at(10_001, 0)).toBe(400)
    expect(await at(0, 10_001)).toBe(400)
    expect(await at(6_000, 4_001)).toBe(400)
    expect(await at(99_999_999, 0)).toBe(400)
    expect(await at(1, 2, 3)).toBe(400)
  })
})

test('a body over 256 KB is refused with 413', async () => {
  const answer = await ucp(souk, 'lookup', { ids: ['spout'], padding: 'x'.repeat(256 * 1024) })
  expect([answer.status, answer.body.code]).toEqual([413, 'request_too_large'])
})

test('hostile words are questions like any other: answered, never obeyed, never a fault', async () => {
  const words = [
    `'; drop table products; --`,
    '../../etc/passwd',
    '%00%0a',
    'a\0b',
    '\ud800 lone',
    '<script>alert(1)</script>',
    '__proto__',
    '{{7*7}}',
    'kettles/spout:offer-zzz',
    'kettles/spout:listed:listed',
    'http://souk.test/p/kettles/spout/../../x',
    'http://souk.test.evil.example/p/kettles/spout',
    '🫖'.repeat(200),
  ]
  for (const word of words) {
    expect((await ucp(souk, 'search', { query: word })).status).toBe(200)
    const filters = { categories: [word.slice(0, 100)], [word]: { __proto__: null } }
    expect((await ucp(souk, 'search', { query: 'kettle', filters })).status).toBe(200)
    const { body } = await ucp(souk, 'lookup', { ids: [word, 'spout'] })
    expect(body.products.map(({ handle }) => handle)).toEqual(['spout'])
    expect(body.messages).toMatchObject([{ code: 'not_found' }])
    expect((await ucp(souk, 'product', { id: word })).body.messages).toMatchObject([{ code: 'not_found' }])
  }
  const { body } = await ucp(
    souk,
    'lookup',
    '{"ids":["spout"],"__proto__":{"x":1},"filters":{"__proto__":{"y":1}}}',
  )
  expect(body.products).toHaveLength(1)
})

test('while the index is loading a search is told to come back; a lookup is answered', async () => {
  const early = await createTestApp({ database: souk.database })
  const answer = await ucp(early, 'search', { query: 'kettle' })
  expect([answer.status, answer.body.code]).toEqual([503, 'unavailable'])
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await ucp(early, 'lookup', { ids: ['spout'] })).status).toBe(200)
})

test('a fault of ours is told without its reason, which is in the log', async () => {
  const broken = await createTestApp()
  await broken.database.pool.query('alter view shown_products rename to mislaid')
  const answer = await ucp(broken, 'lookup', { ids: ['spout'] })
  expect([answer.status, answer.body.code]).toEqual([500, 'internal_error'])
  expect(JSON.stringify(answer.body)).not.toContain('shown_products')
  expect(broken.logged.text()).toContain('relation \\"shown_products\\" does not exist')
})
