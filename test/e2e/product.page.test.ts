/** What a product's page shows beyond its own facts: what is like it, and what can be done with it. */
import { beforeAll, expect, test } from 'vitest'
import { createDemoDatabase, createTestApp } from '../harness.ts'
import { demoProducts, put } from './search.world.ts'

const PATH = '/p/air-fryers/ovenbird-crisp-3'
let souk: Awaited<ReturnType<typeof createTestApp>>

beforeAll(async () => {
  souk = await createTestApp({ database: await createDemoDatabase(), demo: true })
})

const read = async (path = PATH) => (await souk.app.request(path)).text()
const similarOf = (html: string) =>
  [...html.slice(html.indexOf('id="similar"')).matchAll(/class="card-title"><a href="([^"]+)"/g)].map(
    ([, path = '']) => path,
  )

// The first: it fills the index for those that follow.
test('while the index is loading the page is whole without neighbours, and has them soon after', async () => {
  expect(similarOf(await read())).toEqual([])
  await souk.searchRuntime.fill()
  await souk.catchUp()
  souk.clock.advance(10_000)
  expect(similarOf(await read())).toHaveLength(4)
})

test('it names what is nearest, never itself, and nothing that is no longer made', async () => {
  const { bySlug } = demoProducts()
  const similar = similarOf(await read())
  expect(similar).toHaveLength(4)
  expect(similar).not.toContain(PATH)
  for (const path of similar) {
    const product = bySlug.get(path.split('/').at(-1) ?? '')
    expect(product?.category.slug).toBe('air-fryers')
    expect(product?.discontinued).toBe(false)
  }
})

test('a change of a neighbour is on the page, and moves its date', async () => {
  const [neighbour = ''] = similarOf(await read())
  const slug = neighbour.split('/').at(-1) ?? ''
  const before = await souk.app.request(PATH)
  expect(await before.text()).not.toContain('$7,777')
  const title = demoProducts().bySlug.get(slug)?.title
  await put(souk.ctx, { category: 'air-fryers', slug, title, price: 7_777 })
  await souk.catchUp()
  const after = await souk.app.request(PATH)
  expect(await after.text()).toContain('$7,777')
  expect(Date.parse(after.headers.get('last-modified') ?? '')).toBeGreaterThan(
    Date.parse(before.headers.get('last-modified') ?? ''),
  )
})

test('it leads to asking for quotes, saving and comparing, and holds nothing of anyone who reads it', async () => {
  const html = await read()
  // It is discontinued, and nobody is asked about it.
  expect(html).not.toContain('href="#quotes"')
  expect(html).toContain('<a class="button" href="#where-to-buy">See 2 shops</a>')
  expect(html).toContain('so you can&#39;t request quotes')
  const sold = await read('/p/air-fryers/ovenbird-crisp-4')
  expect(sold).toContain('<a class="button" href="#quotes">Request quotes</a>')
  expect(sold).toMatch(/<form[^>]+method="post"[^>]+action="\/quotes"/)
  expect(html).toContain('<form id="save" method="post" action="/saved/add" hidden=""></form>')
  expect(html).toContain('form="save" name="p" value="air-fryers/ovenbird-crisp-3">')
  expect(html).toContain('href="/compare?p=air-fryers%2Fovenbird-crisp-3"')
  expect((await souk.app.request(PATH)).headers.get('set-cookie')).toBeNull()
})
