/** The limits that an operator can set with SOUK_LIMITS, each met over HTTP. */
import { expect, test } from 'vitest'
import { toInput } from '../../src/search/search.input.ts'
import { SearchRequest } from '../../src/search/search.schema.ts'
import { readAddress } from '../../src/web/search/address.ts'
import { askedSearch } from '../../src/web/search/find-results.ts'
import { createBrowser, PASSWORD } from '../accounts.ts'
import { createDemoDatabase, createTestApp, testConfig } from '../harness.ts'
import { textOf } from '../html.ts'
import { createOrg } from '../orgs.ts'
import { addProduct } from '../products.ts'
import { createToolsWorld } from '../tools.world.ts'
import { ask, untilRemembered } from './search.world.ts'

const limited = (limits: string, more: Record<string, string> = {}) =>
  testConfig({ SOUK_LIMITS: limits, ...more })

test('searches that must be worked out are counted by network, over REST, page and UCP; remembered ones are free', async () => {
  const config = limited('search=3/minute', { SOUK_TRUST_PROXY: '1' })
  const souk = await createTestApp({ config, database: await createDemoDatabase(), demo: true })
  await souk.searchRuntime.fill()
  const headers = { 'x-forwarded-for': '192.0.2.7' }
  const search = (query: string, from = headers) => ask(souk.app, { query }, { headers: from })

  const known = 'a lamp for reading'
  const page = (q: string) =>
    souk.app.request(`/search?${new URLSearchParams({ q })}`, {
      headers: { ...headers, accept: 'text/html' },
    })
  await untilRemembered(souk, toInput(SearchRequest.parse({ query: known })))
  await untilRemembered(souk, askedSearch(readAddress(new URLSearchParams({ q: known })).address))

  const first = await search('quiet kettle')
  expect([first.status, first.headers.get('ratelimit-policy')]).toEqual([200, '"search";q=3;w=60'])
  expect(first.headers.get('ratelimit')).toBe('"search";r=2;t=20')
  expect((await page('standing desk')).status).toBe(200)
  expect((await search('a tent for two')).headers.get('ratelimit')).toBe('"search";r=0;t=60')

  const refused = await search('warm gloves')
  expect([refused.status, refused.body]).toEqual([
    429,
    {
      error: '3 searches a minute were made from this network; try again in 20 seconds',
      max: 3,
      code: 'rate_limited',
    },
  ])
  expect(refused.headers.get('retry-after')).toBe('20')
  expect(refused.headers.get('ratelimit')).toBe('"search";r=0;t=60')
  const shown = await page('warm gloves')
  expect([shown.status, shown.headers.get('retry-after')]).toEqual([429, '20'])
  expect(textOf(await shown.text())).toContain('3 searches a minute were made from this network')

  const byUcp = await souk.app.request('/catalog/search', {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ query: 'warm gloves' }),
  })
  expect([byUcp.status, byUcp.headers.get('retry-after')]).toEqual([429, '20'])

  const remembered = await search(known)
  expect([remembered.status, remembered.headers.get('ratelimit')]).toEqual([200, null])
  expect((await page(known)).status).toBe(200)
  expect((await search('warm gloves', { 'x-forwarded-for': '192.0.2.8' })).status).toBe(200)
  souk.clock.advance(20_000)
  expect((await search('wool socks')).status).toBe(200)
})

test('sign-ups are counted by network when their password is good, on all nodes together', async () => {
  const config = limited('signup=2/hour')
  const first = await createTestApp({ config })
  const second = await createTestApp({ config, database: first.database })
  const signUp = (souk: typeof first, name: string, password = PASSWORD) =>
    createBrowser(souk, { ip: '2001:db8::1' }).post('/auth/signup', {
      email: `${name}@example.com`,
      password,
    })
  expect((await signUp(first, 'short', 'short')).status).toBe(400)
  expect((await signUp(first, 'one')).status).toBe(303)
  expect((await signUp(second, 'two')).status).toBe(303)
  const refused = await signUp(first, 'three')
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '3600'])
  expect(textOf(await refused.text())).toContain('2 accounts an hour were requested from this network')
  expect(await first.database.db.selectFrom('users').select('email').execute()).toHaveLength(2)
})

test('requests for quote are counted by account, over page and tools; what is refused leaves nothing', async () => {
  const world = await createToolsWorld({ config: limited('rfq=2/hour') })
  await addProduct(world, { slug: 'lamp', category: 'desk-lamps', title: 'Lamp', brand: 'Glow' })
  const [one, other] = [await createOrg(world), await createOrg(world)]
  const askOnPage = (who: typeof one, quantity: number) => {
    const browser = createBrowser(world)
    browser.setCookie(who.session.cookie)
    return browser.post('/quotes', { product_slug: 'desk-lamps/lamp', quantity: String(quantity) })
  }
  // The second press is the first one again.
  for (const quantity of [1, 1, 2]) expect((await askOnPage(one, quantity)).status).toBe(303)
  const refused = await askOnPage(one, 3)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '3600'])
  const words = '2 requests for quote an hour were sent for this account; try again in 60 minutes'
  expect(textOf(await refused.text())).toContain(words)
  const asked = { query: 'lamp', product_slug: 'desk-lamps/lamp' }
  const byTool = await world.call({ token: await world.tokenFor(one.ownerId) }, 'find_retailers', asked)
  expect([byTool.isError, byTool.text]).toEqual([true, expect.stringContaining(words)])
  expect(await world.database.db.selectFrom('rfqs').select('id').execute()).toHaveLength(2)
  expect((await askOnPage(other, 3)).status).toBe(303)
  world.clock.advance(3_600_000)
  expect((await askOnPage(one, 3)).status).toBe(303)
})

test('files that an organization brings are counted; a call that is repeated is not', async () => {
  const world = await createToolsWorld({ config: limited('import=2/hour') })
  await addProduct(world, { slug: 'kettle', category: 'kettles', title: 'Kettle', brand: 'Spout' })
  const producer = await world.person({ producer: { name: 'Feed Shop' } })
  const bring = (name: string, key: string) =>
    world.call(producer, 'import_products', {
      source: 'jsonl',
      content: JSON.stringify({ category: 'kettles', title: `${name} Kettle`, brand: 'Feedling' }),
      dry_run: false,
      idempotency_key: key,
    })
  expect((await bring('First', 'a')).isError).toBeFalsy()
  expect((await bring('First', 'a')).isError).toBeFalsy()
  expect((await bring('Second', 'b')).isError).toBeFalsy()
  const refused = await bring('Third', 'c')
  expect(refused.isError).toBe(true)
  expect(refused.text).toContain('2 files an hour were imported for this organization')
  expect((await bring('First', 'a')).isError).toBeFalsy()
})
