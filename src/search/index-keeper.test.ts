/** Real database, real model, real change log: what is committed can be found. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  captureLog,
  createTestDatabase,
  EMBEDDER as embedder,
  type TestDatabase,
} from '../../test/harness.ts'
import { importCategories } from '../catalog/categories.service.ts'
import { type ChangeFollower, createChangeFollower } from '../catalog/changes.follower.ts'
import { importProducts } from '../catalog/import.service.ts'
import { setRates } from '../catalog/rates.service.ts'
import { manualClock } from '../lib/clock.ts'
import { embedPiece } from './embed-products.ts'
import { createIndexKeeper, type IndexKeeper } from './index-keeper.ts'
import { toQueryTerms } from './lexical/query-terms.ts'
import { understand } from './understand/understand.ts'

const clock = manualClock('2026-11-01T12:00:00Z')
let database: TestDatabase
let keeper: IndexKeeper
let follower: ChangeFollower
const ctx = () => ({ db: database.db, clock, log: captureLog().log })

async function put(...rows: Array<Record<string, unknown>>): Promise<void> {
  clock.advance(1_000)
  const bytes = (async function* () {
    for (const row of rows) yield Buffer.from(`${JSON.stringify({ category: 'kettles', ...row })}\n`)
  })()
  await importProducts(ctx(), bytes, { format: 'jsonl', source: 'test', fingerprint: String(clock.now()) })
  await follower.catchUp()
}

function index() {
  const current = keeper.current()
  if (!current) throw new Error('the index is not filled')
  return current
}

function byWords(query: string): string[] {
  const { words, at } = index()
  return [...words.search(toQueryTerms(query, words), 10).slots].map((slot) => at(slot)?.slug ?? 'gone')
}

async function byMeaning(query: string): Promise<string[]> {
  const { meaning, at } = index()
  const { slots } = await meaning.nearest('full', await embedder.embedQuery(query), 10)
  return [...slots].filter((slot) => at(slot)?.embedded).map((slot) => at(slot)?.slug ?? 'gone')
}

beforeAll(async () => {
  database = await createTestDatabase()
  keeper = createIndexKeeper(ctx(), embedder)
  follower = createChangeFollower({
    db: database.db,
    log: captureLog().log,
    apply: keeper.apply,
    pollMs: 60_000,
  })
  await importCategories(ctx(), [{ slug: 'kettles', label: 'Kettles' }])
  await follower.start()
  await keeper.fill()
})
afterAll(async () => {
  follower.stop()
})

test('a rate that the operator gives is applied to queries at once', async () => {
  const budget = () => understand('kettle under 100 euros', index().vocabulary()).budget
  expect(budget()).toBeNull()
  await setRates(ctx(), { by: { kind: 'operator', id: null }, rates: { EUR: 1.08 } })
  await follower.catchUp()
  expect(budget()).toMatchObject({ maxCents: 10_800 })
})

describe('the index of a node', () => {
  test('an empty catalog is an empty index, ready for use', () => {
    expect(index().size).toBe(0)
    expect(byWords('kettle')).toEqual([])
  })

  test('a product is found by its words as soon as it is committed, by its meaning as soon as it is embedded', async () => {
    await put(
      { slug: 'gooseneck', title: 'Gooseneck pour-over kettle' },
      { slug: 'samovar', title: 'Copper samovar' },
    )
    expect(byWords('gooseneck')).toEqual(['gooseneck'])
    expect(await byMeaning('careful coffee brewing by hand')).toEqual([])
    const { rows } = await database.pool.query(`select state from jobs where kind = 'embed-products'`)
    expect(rows).toEqual([{ state: 'waiting' }])
    await embedPiece(ctx(), embedder)
    await follower.catchUp()
    expect((await byMeaning('careful coffee brewing by hand'))[0]).toBe('gooseneck')
    expect(index().size).toBe(2)
  })

  test('vectors join a product where it stands, its sentences too', async () => {
    const about = 'It keeps tea warm for a whole evening. The tap does not drip on the tablecloth.'
    await put({ slug: 'samovar', title: 'Copper samovar', description: about })
    const { slots } = index()
    const tap = async () => {
      const query = { vector: await embedder.embedQuery('a tap that does not drip'), plainVector: null }
      const slot = index().findBySlug('samovar') ?? -1
      const { slots, cosines } = await index().meaning.gather(query, 0, [slot], undefined)
      return cosines.passages.description[slots.indexOf(slot)]
    }
    await embedPiece(ctx(), embedder)
    await follower.catchUp()
    expect(await tap()).toBeNaN()
    await embedPiece(ctx(), embedder)
    await follower.catchUp()
    expect(await tap()).toBeGreaterThan(0.5)
    expect(index().slots).toBe(slots)
    expect([index().size, index().embedded]).toEqual([2, 2])
  })

  test('a changed product is found by its new words and not by its old ones', async () => {
    await put({ slug: 'samovar', title: 'Silver teapot' })
    expect(byWords('samovar copper')).toEqual([])
    expect(byWords('silver')).toEqual(['samovar'])
    expect(index().size).toBe(2)
    expect(index().slotOf('nobody')).toBeUndefined()
    expect(index().at(index().findBySlug('samovar') ?? -1)?.title).toBe('Silver teapot')
  })

  test('brands, models and categories are known as long as a product has them', async () => {
    const known = () => {
      const { brands, models, categories } = index().vocabulary()
      return [brands.get('tulaworks'), models.get('sm5'), categories.map(({ slug }) => slug)]
    }
    const before = known()
    await importCategories(ctx(), [{ slug: 'urns', label: 'Urns' }])
    await put({ slug: 'urn', title: 'Tea urn', category: 'urns', brand: 'Tula Works', model: 'SM-5' })
    expect(known()).toEqual(['Tula Works', 'sm-5', ['kettles', 'urns']])
    await database.pool.query(
      `with gone as (delete from products where slug = 'urn' returning id, category_id)
       insert into changes (product_id, category_id, aspect) select id, category_id, 'removed' from gone`,
    )
    await follower.catchUp()
    expect(known()).toEqual(before)
    expect(before).toEqual([undefined, undefined, ['kettles']])
  })

  test('a removed product is gone from words and meaning', async () => {
    await database.pool.query(
      `with gone as (delete from products where slug = 'gooseneck' returning id, category_id)
       insert into changes (product_id, category_id, aspect) select id, category_id, 'removed' from gone`,
    )
    await follower.catchUp()
    expect(byWords('gooseneck kettle')).not.toContain('gooseneck')
    expect(await byMeaning('careful coffee brewing by hand')).not.toContain('gooseneck')
    expect(index().size).toBe(1)
  })

  test("a category's new label is found on its products", async () => {
    clock.advance(1_000)
    await importCategories(ctx(), [{ slug: 'kettles', label: 'Water boilers' }])
    await follower.catchUp()
    expect(byWords('boilers')).toEqual(['samovar'])
  })

  test('filled again from the database, it finds the same', async () => {
    await put({ slug: 'whistler', title: 'Whistling stove kettle' })
    const other = createIndexKeeper(ctx(), embedder)
    await other.fill()
    expect(other.current()?.size).toBe(index().size)
    const { words, at } = other.current() ?? index()
    expect(
      [...words.search(toQueryTerms('whistling', words), 10).slots].map((slot) => at(slot)?.slug),
    ).toEqual(['whistler'])
  })

  test('stopped while it is filled, it gives up and never serves half a catalog', async () => {
    const other = createIndexKeeper(ctx(), embedder)
    const filling = other.fill()
    await other.stop()
    await expect(filling).rejects.toThrow('closed while loading')
    expect(other.current()).toBeNull()
  })
})
