/** Suggestions while somebody types, over HTTP: what they hold, how they follow the catalog, and that nothing is kept of them. */
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { archiveProducts, deleteProducts } from '../../src/catalog/manage-products.service.ts'
import type { Suggestion } from '../../src/search/suggest.ts'
import { createDemoDatabase, createTestApp, testConfig } from '../harness.ts'
import { HOSTILE } from '../hostile-texts.ts'
import { addProduct } from '../products.ts'
import { watchRows } from '../written-rows.ts'
import { createDemoApp } from './search.world.ts'

type World = Pick<Awaited<ReturnType<typeof createTestApp>>, 'app'>

let world: Awaited<ReturnType<typeof createDemoApp>>
beforeAll(async () => {
  world = await createDemoApp()
})

const addressOf = (query: Record<string, string>) => `/api/suggest/?${new URLSearchParams(query)}`

async function suggest(query: Record<string, string>, { app }: World = world): Promise<Suggestion[]> {
  const response = await app.request(addressOf(query))
  const body = (await response.json()) as { suggestions: Suggestion[] }
  expect([response.status, Object.keys(body)]).toEqual([200, ['suggestions']])
  return body.suggestions
}

const textsOf = (suggestions: Suggestion[]) => suggestions.map(({ text }) => text)

describe('an answer', () => {
  test('starts with the category that is being typed, and has products of it', async () => {
    const found = await suggest({ q: 'esp' })
    expect(found).toHaveLength(10)
    expect(found[0]).toEqual({
      kind: 'category',
      text: 'Espresso machines',
      slug: 'espresso-machines',
      url: '/c/espresso-machines',
      products: 21,
      picture: '/pictures/espresso-machines/plain.svg',
      matched: [[0, 3]],
    })
    const machine = found.find(({ slug }) => slug === 'grindel-unison-54')
    expect(machine).toEqual({
      kind: 'product',
      text: 'Grindel Unison 54 Espresso Machine with Built-in Grinder',
      slug: 'grindel-unison-54',
      url: '/p/espresso-machines/grindel-unison-54',
      category: { slug: 'espresso-machines', label: 'Espresso machines' },
      price_range: '$649 – $699',
      picture: '/pictures/espresso-machines/pump/grindel.svg',
      matched: [[18, 21]],
    })
  })

  test('leads to addresses that are there', async () => {
    for (const q of ['esp', 'hush']) {
      for (const { url, picture } of await suggest({ q, limit: '4' }))
        for (const path of [url, ...(picture ? [picture] : [])])
          expect([path, (await world.app.request(path)).status]).toEqual([path, 200])
    }
  })

  test.each([
    ['two words', 'espresso mach', 'Espresso machines'],
    ['an accent and a capital', 'ÉSPRESSO', 'Espresso machines'],
    ['a typo', 'hedphones', 'Headphones'],
    ['a typo in an unfinished word', 'hedph', 'Headphones'],
    ['a brand', 'kestw', 'Kestwick'],
  ])('is found by %s', async (_, q, first) => {
    expect(textsOf(await suggest({ q }))[0]).toBe(first)
  })

  test('has at most as many as asked for, and only the kinds that are asked for', async () => {
    expect(await suggest({ q: 'esp', limit: '3' })).toHaveLength(3)
    const kinds = async (asked: string) =>
      new Set((await suggest({ q: 'k', kinds: asked })).map(({ kind }) => kind))
    expect(await kinds('categories')).toEqual(new Set(['category']))
    expect(await kinds('brands,products')).toEqual(new Set(['brand', 'product']))
  })

  test('is empty for nothing and for what is odd, and never an error', async () => {
    for (const path of ['/api/suggest', '/api/suggest/', '/api/suggest/?q', '/api/suggest/?q=%E0%A4%A'])
      expect((await world.app.request(path)).status).toBe(200)
    for (const q of ['', ' ', '\0', '***', 'x'.repeat(5_000), '%', '\ud800'])
      expect(await suggest({ q })).toEqual([])
    for (const { text } of HOSTILE) await suggest({ q: text('zqmark'), kinds: text('a'), limit: text('b') })
    expect(await suggest({ q: 'esp', kinds: 'nothing' })).toEqual([])
    for (const limit of ['0', '-1', '11', '1e9', 'many', ''])
      expect(await suggest({ q: 'esp', limit })).toHaveLength(10)
  })

  test('may be kept by the browser that asked, for a minute', async () => {
    const { headers } = await world.app.request(addressOf({ q: 'esp' }))
    expect(headers.get('cache-control')).toBe('private, max-age=60')
  })
})

test('what is typed is in no log, no table and no search', async () => {
  const rows = await watchRows(world.database.pool)
  // What others searched for is written a moment later.
  const isWriting = async () => {
    const seen = await rows.now()
    await sleep(400)
    return (await rows.since(seen)).length > 0
  }
  await expect.poll(isWriting).toBe(false)
  const before = await rows.now()
  for (const q of ['qzxtyped', 'espresso qzxtyped', 'x'.repeat(300).concat('qzxtyped')]) await suggest({ q })
  await world.app.request('/api/suggest/?q=qzxtyped', { method: 'POST' })
  const lines = world.logged.lines().filter(({ path }) => String(path).startsWith('/api/suggest'))
  expect(lines.length).toBeGreaterThanOrEqual(4)
  expect(world.logged.text()).not.toContain('qzx')
  expect(await rows.since(before)).toEqual([])
})

test('it follows imports, edits, archiving and deletion, on every node', async () => {
  const first = await createTestApp()
  const second = await createTestApp({ database: first.database })
  const nodes = [first, second]
  for (const { searchRuntime } of nodes) await searchRuntime.fill()
  const on = async (q: string) => {
    for (const { catchUp } of nodes) await catchUp()
    const [one, two] = await Promise.all(nodes.map((node) => suggest({ q }, node)))
    expect(two).toEqual(one)
    return (one ?? []).map(({ kind, text }) => `${kind} ${text}`)
  }
  const row = { slug: 'jug', category: 'kettles', brand: 'Zorvex', review_count: 900, rating: 5 }
  await addProduct(first, { ...row, title: 'Gooseneck' })
  await addProduct(first, { slug: 'pot', category: 'kettles', title: 'Goose pot', review_count: 3 })
  expect(await on('kett')).toEqual(['category kettles'])
  expect(await on('goos')).toEqual(['product Gooseneck', 'product Goose pot'])
  expect(await on('zorv')).toEqual(['brand Zorvex', 'product Gooseneck'])

  first.clock.advance(1_000)
  await addProduct(first, { ...row, title: 'Swan jug' })
  expect(await on('gooseneck')).toEqual([])
  expect(await on('swan')).toEqual(['product Swan jug'])

  const by = { kind: 'operator', id: null } as const
  const { ctx } = first
  await archiveProducts(ctx, { by, selection: { slugs: ['jug'] } })
  await addProduct(first, { slug: 'swan', category: 'kettles', title: 'Swan flask' })
  expect(await on('swan')).toEqual(['product Swan flask', 'product Swan jug'])

  expect(await on('sw')).toEqual(['product Swan flask', 'product Swan jug'])

  await deleteProducts(ctx, { by, selection: { slugs: ['jug'] } })
  expect(await on('sw')).toEqual(['product Swan flask'])
  expect(await on('swan')).toEqual(['product Swan flask'])
  expect(await on('zorv')).toEqual([])
})

test('they are counted by network, apart from searches; while the index is loading they are unavailable and not kept', async () => {
  const config = testConfig({ SOUK_LIMITS: 'suggest=2/minute', SOUK_TRUST_PROXY: '1' })
  const souk = await createTestApp({ config, database: await createDemoDatabase() })
  const ask = (ip: string) => souk.app.request('/api/suggest/?q=esp', { headers: { 'x-forwarded-for': ip } })
  const loading = await ask('192.0.2.6')
  expect([loading.status, loading.headers.get('cache-control')]).toEqual([503, 'no-store'])
  await souk.searchRuntime.fill()
  const answer = await ask('192.0.2.7')
  expect(answer.headers.get('ratelimit-policy')).toBe('"suggest";q=2;w=60')
  expect((await ask('192.0.2.7')).status).toBe(200)
  const refused = await ask('192.0.2.7')
  expect([refused.status, refused.headers.get('retry-after'), refused.headers.get('cache-control')]).toEqual([
    429,
    '30',
    'no-store',
  ])
  expect(await refused.json()).toEqual({
    error: '2 requests for suggestions a minute were made from this network; try again in 30 seconds',
    max: 2,
    code: 'rate_limited',
  })
  expect((await ask('192.0.2.8')).status).toBe(200)
})
