/** That a listing shows what the catalog holds, after everything that can happen to it. */
import { beforeAll, expect, test } from 'vitest'
import { createLive, createOffersWorld, setStatus } from '../../../../test/e2e/offers.world.ts'
import {
  addProducts,
  changeProduct,
  createListingsWorld,
  expectedSlugs,
  LINES,
  type ListingsWorld,
  removeProduct,
  slugsIn,
  smallSplit,
} from '../../../../test/listings.world.ts'
import { importCategories } from '../../../catalog/categories.service.ts'
import type { Listing } from './listing.ts'

/** Counts what is made, to tell that only what changed is made again. */
const made: string[] = []
const COUNTED: Listing = {
  ...LINES,
  path: '/counted.txt',
  entry: (site, profile) => {
    made.push(profile.slug)
    return LINES.entry(site, profile)
  },
}

let world: ListingsWorld
beforeAll(async () => {
  world = await createListingsWorld({ listings: [COUNTED, LINES] })
  await addProducts(world, { category: 'lamps', count: 40 })
  await addProducts(world, { category: 'chairs', count: 30 })
})

async function expectTrue(): Promise<string> {
  const text = await world.text('/counted.txt')
  expect(slugsIn(text)).toEqual(await expectedSlugs(world))
  expect(text).toBe(await world.text('/lines.txt'))
  const again = await createListingsWorld({ database: world.database })
  const elsewhere = await again.get('/lines.txt')
  expect(elsewhere.headers.get('etag')).toBe((await world.get('/lines.txt')).headers.get('etag'))
  expect(await elsewhere.text()).toBe(text)
  return text
}

test('every product is there exactly once, by category and slug, with what opens and closes the file', async () => {
  const text = await expectTrue()
  expect(text.startsWith('70 products, 2 categories\n# Chairs: 30\nchairs-1 | Title 1 | Chairs | \n')).toBe(
    true,
  )
  expect(text.match(/^# .*/gm)).toEqual(['# Chairs: 30', '# Lamps: 40'])
  expect(text.endsWith('\nthe end\n')).toBe(true)
})

test('a file that nothing happened to is not made again', async () => {
  await world.text('/counted.txt')
  made.length = 0
  await world.text('/counted.txt')
  expect(made).toEqual([])
})

test('a change of one product makes one segment again', async () => {
  await world.text('/counted.txt')
  made.length = 0
  await changeProduct(world, 'lamps-7', { title: 'Brighter' })
  expect(await expectTrue()).toContain('lamps-7 | Brighter | Lamps')
  expect(made).toContain('lamps-7')
  expect(made.length).toBeLessThan(30)
})

test('a new product appears, and is counted', async () => {
  await addProducts(world, { category: 'chairs', prefix: 'armchair', count: 1 })
  const text = await expectTrue()
  expect(text).toContain('armchair-1 | ')
  expect(text).toContain('71 products')
})

test('a product that moves to another category leaves the one it was in', async () => {
  await changeProduct(world, 'chairs-12', { category: 'lamps' })
  expect(await expectTrue()).toContain('chairs-12 | Title 12 | Lamps')
})

test('the counts are right even where nothing has been made yet', async () => {
  const cold = await createListingsWorld({ mostMissing: 0 })
  await addProducts(cold, { category: 'lamps', count: 10 })
  await addProducts(cold, { category: 'chairs', count: 10 })
  const begun = await cold.get('/lines.txt')
  await begun.body?.cancel()
  await changeProduct(cold, 'lamps-3', { category: 'chairs' })
  await (await cold.get('/lines.txt')).text()
  const text = await cold.text('/lines.txt')
  expect(text.match(/^# .*/gm)).toEqual(['# Chairs: 11', '# Lamps: 9'])
  expect(slugsIn(text)).toEqual(await expectedSlugs(cold))
})

test('the counts stay right for a product that came and moved on before anybody looked where it was', async () => {
  const seen = await createListingsWorld({ listings: [LINES, smallSplit(1_000)], mostMissing: 0 })
  await addProducts(seen, { category: 'lamps', count: 10 })
  await addProducts(seen, { category: 'chairs', count: 10 })
  await seen.text('/map.txt')
  await addProducts(seen, { category: 'lamps', prefix: 'passing', count: 1 })
  await seen.catchUp()
  expect((await seen.app.request('/lines.txt', { method: 'HEAD' })).status).toBe(200)
  await changeProduct(seen, 'passing-1', { category: 'chairs' })
  for (const path of ['/map.txt', '/lines.txt'])
    expect((await seen.text(path)).match(/^(\d+ products|# .*)/gm)).toEqual([
      '21 products',
      '# Chairs: 11',
      '# Lamps: 10',
    ])
})

test('a product with a new slug is under that one only', async () => {
  await changeProduct(world, 'lamps-20', { slug: 'aaa-lamp' })
  expect(await expectTrue()).not.toContain('lamps-20 |')
})

test('removed products go, whichever of them their segment began with', async () => {
  for (let n = 1; n <= 12; n++) {
    await removeProduct(world, `lamps-${n}`)
    if (n % 4 === 0) await expectTrue()
  }
})

test('a new name of a category reaches its section and its products', async () => {
  await importCategories(world.ctx, [{ slug: 'chairs', label: 'Seats' }])
  const text = await expectTrue()
  expect(text).toContain('# Seats: 30\n')
  expect(text).not.toContain('Chairs')
})

test('a category without products has no section; with its first product it has one', async () => {
  await importCategories(world.ctx, [{ slug: 'tables', label: 'Tables' }])
  expect(await expectTrue()).not.toContain('# Tables')
  await addProducts(world, { category: 'tables', count: 1 })
  expect(await expectTrue()).toContain('# Tables: 1\ntables-1 | ')
})

test('more changes than are worth looking at one by one are all shown', async () => {
  const large = await createListingsWorld({ segmentSize: 256 })
  await addProducts(large, { category: 'bulk', count: 20 })
  await large.text('/lines.txt')
  await addProducts(large, { category: 'bulk', prefix: 'more', count: 6_000 })
  expect(slugsIn(await large.text('/lines.txt'))).toEqual(await expectedSlugs(large))
  await large.database.pool.query(
    `with gone as (delete from products where slug like 'more-%' returning id, category_id)
     insert into changes (product_id, category_id, aspect) select id, category_id, 'removed' from gone`,
  )
  expect(slugsIn(await large.text('/lines.txt'))).toEqual(await expectedSlugs(large))
})

test('what could not be looked up because the database failed is looked up by the next', async () => {
  await changeProduct(world, 'lamps-30', { title: 'Patient' })
  await world.catchUp()
  await world.database.pool.query('alter table categories rename to elsewhere')
  expect((await world.app.request('/counted.txt')).status).toBe(500)
  await world.database.pool.query('alter table elsewhere rename to categories')
  expect(await expectTrue()).toContain('lamps-30 | Patient')
})

test('a change of offers makes a segment again, and nothing is counted or cut for it', async () => {
  await world.text('/counted.txt')
  made.length = 0
  const { pool } = world.database
  const tell = (aspect: string) =>
    pool.query(
      `insert into changes (product_id, category_id, aspect)
       select id, category_id, $1 from products where slug = 'lamps-30'`,
      [aspect],
    )
  // Without it no category can be cut.
  await pool.query('alter function slug_spot rename to elsewhere')
  await tell('offers')
  expect((await world.get('/counted.txt')).status).toBe(200)
  expect(made).toContain('lamps-30')
  await tell('text')
  expect((await world.get('/counted.txt')).status).toBe(500)
  await pool.query('alter function elsewhere rename to slug_spot')
  await expectTrue()
})

test('offers are shown from their start to their end, paused ones not, by events and by the clock alone', async () => {
  const souk = await createOffersWorld()
  const shown = await createListingsWorld({ database: souk.database, shared: souk })
  const line = async () =>
    (await shown.text('/lines.txt')).split('\n').find((text) => text.startsWith('gooseneck'))
  const lineOf = (offers: string) => `gooseneck | Gooseneck kettle | Kettles | ${offers}`
  expect(await line()).toBe(lineOf(''))
  const offer = await createLive(souk, souk.shop, { headline: 'Open end' })
  expect(await line()).toBe(lineOf('Open end'))
  await setStatus(souk, souk.shop, offer, 'paused')
  expect(await line()).toBe(lineOf(''))
  await createLive(souk, souk.shop, {
    headline: 'Ten days',
    starts_at: '2026-11-10T00:00:00Z',
    expires_at: '2026-11-20T00:00:00Z',
  })
  expect(await line()).toBe(lineOf(''))
  souk.clock.set('2026-11-10T00:00:00Z')
  expect(await line()).toBe(lineOf('Ten days'))
  souk.clock.set('2026-11-19T23:59:59Z')
  expect(await line()).toBe(lineOf('Ten days'))
  souk.clock.set('2026-11-20T00:00:00Z')
  expect(await line()).toBe(lineOf(''))
})
