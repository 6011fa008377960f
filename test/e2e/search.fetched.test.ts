/**
 * SOUK_SEARCH=postgres on the embedded PostgreSQL, beside an index in memory over the same catalog: words alone, as there
 * are no vectors.
 */
import fs from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readDemoSet } from '../../eval/judged.ts'
import { mean, score } from '../../eval/metrics.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { isUuid } from '../../src/lib/ids.ts'
import { projectFile } from '../../src/lib/paths.ts'
import { categorySizes } from '../../src/search/category-sizes.ts'
import { createFetchedKeeper, type FetchedKeeper } from '../../src/search/fetched/fetched-keeper.ts'
import { readState } from '../../src/search/fetched/words-tables.queries.ts'
import type { SaleLookup } from '../../src/search/filters.ts'
import { loadLearned } from '../../src/search/rank/rank.ts'
import { createSearch, type Search, type SearchInput } from '../../src/search/search.service.ts'
import { suggest } from '../../src/search/suggest.ts'
import { createDemoDatabase, SILENT, type TestDatabase } from '../harness.ts'
import { demoIndex, keptLog, slugs } from './search.world.ts'

const sold = { quoted: new Set<string>(), delivered: new Set<string>(), onSale: new Set<string>() }
/** In either index products have ids of their own; both are here. */
const sales: SaleLookup = {
  isOnSale: (id) => sold.onSale.has(id),
  isSponsored: (id) => sold.onSale.has(id),
  bestCents: () => null,
  isQuoted: (id) => sold.quoted.has(id),
  shipsTo: () => (id) => (sold.delivered.has(id) ? 'yes' : sold.quoted.has(id) ? 'unknown' : 'no'),
  idsOf: (what) => sold[what === 'quoted' ? 'quoted' : 'onSale'].values().filter(isUuid),
  version: () => 0,
}

let database: TestDatabase
let keeper: FetchedKeeper
let fetched: Search
let inMemory: Search

beforeAll(async () => {
  database = await createDemoDatabase()
  keeper = createFetchedKeeper({ db: database.db, log: SILENT }, { reads: database.db, model: null })
  await keeper.fill()
  const deps = {
    ...{ embedder: null, learned: loadLearned(), sales, clock: systemClock, log: SILENT },
    queryLog: keptLog(),
  }
  const index = demoIndex()
  const { rows } = await database.pool.query<{ id: string; slug: string }>(
    'select id, slug from products order by slug',
  )
  const both = ({ id, slug }: { id: string; slug: string }) => [
    id,
    index.idAt(index.findBySlug(slug) ?? -1) ?? '',
  ]
  for (const id of rows.filter((_, at) => at % 3 === 0).flatMap(both)) sold.quoted.add(id)
  for (const id of rows.filter((_, at) => at % 6 === 0).flatMap(both)) sold.delivered.add(id)
  for (const id of rows.filter((_, at) => at % 5 === 0).flatMap(both)) sold.onSale.add(id)
  fetched = createSearch({ ...deps, index: keeper.current, open: keeper.open })
  inMemory = createSearch({ ...deps, index: () => index })
}, 120_000)
afterAll(() => keeper?.stop())

const ask = (search: Search, query: string, more: Partial<SearchInput> = {}) =>
  search.search({ query, limit: 10, face: 'rest', ...more })
const first = async (search: Search, query: string, more?: Partial<SearchInput>) =>
  slugs((await ask(search, query, more)).results)
/** As the log of changes tells of a product. */
const changed = (productId: string) =>
  keeper.apply([{ seq: 0, xid: '0', productId, categoryId: null, aspect: 'text' }])

describe('a category', () => {
  test.each([{}, { onSale: true }, { available: true, shipsTo: 'US-CA' }, { includeDiscontinued: true }])(
    'is listed with %o as from memory',
    async (more) => {
      const asked = { category: 'tents', sort: 'price_asc', limit: 40, ...more } as const
      const [own, other] = [await fetched.browse(asked), await inMemory.browse(asked)]
      expect(own.products.length).toBeGreaterThan(2)
      // Equal products stand in the order of their ids, which differ.
      expect(slugs(own.products).sort()).toEqual(slugs(other.products).sort())
      expect({ ...own, products: [] }).toEqual({ ...other, products: [] })
      expect(own.products[0]?.price_range).toEqual(other.products[0]?.price_range)
    },
  )

  test('is narrowed as from memory, with the same counts', async () => {
    const filters = { quoted: true, maxPriceCents: 50_000 }
    const asked = { category: 'tents', filters, sort: 'price_desc', limit: 5, offset: 0 } as const
    const [own, other] = [await fetched.shelf(asked), await inMemory.shelf(asked)]
    expect(own.total).toBeGreaterThan(2)
    expect({ ...own, productIds: [] }).toEqual({ ...other, productIds: [] })
  })

  test('has its number of products and its prices in the list of all', async () => {
    expect(await fetched.reading(categorySizes)).toEqual(await inMemory.reading(categorySizes))
  })
})

describe('a search', () => {
  test('is within .01 nDCG of an index in memory on the judged queries, and mostly the same', async () => {
    const queries = readDemoSet().queries.filter((_, at) => at % 8 === 0)
    const scored: Array<[own: number, other: number]> = []
    let same = 0
    for (const { text, grades } of queries) {
      const [own, other] = [await first(fetched, text), await first(inMemory, text)]
      if (own.join() === other.join()) same++
      scored.push([score(own, grades).ndcg10, score(other, grades).ndcg10])
    }
    expect(mean(scored.map(([own]) => own))).toBeGreaterThan(mean(scored.map(([, other]) => other)) - 0.01)
    expect(same / queries.length).toBeGreaterThan(0.9)
  }, 240_000)

  test.each<[string, Partial<SearchInput>]>([
    ['tent', { filters: { minPriceCents: 10_000, maxPriceCents: 30_000 } }],
    ['quiet', { filters: { minRating: 4.5, excludeDiscontinued: true } }],
    ['laptop backpack', { sort: 'price_asc' }],
    ['quiet headphones', { filters: { onSale: true } }],
    ['desk', { filters: { available: true } }],
    ['tent', { filters: { quoted: true, maxPriceCents: 40_000 } }],
    ['office chair', { filters: { shipsTo: 'US-CA' } }],
    ['wirless headfones', {}],
  ])('for %s with %o finds what memory finds, and counts and explains alike', async (query, more) => {
    const asked = { ...more, facets: true, explain: true }
    const [own, other] = [await ask(fetched, query, asked), await ask(inMemory, query, asked)]
    expect(slugs(own.results)).toEqual(slugs(other.results))
    expect(own.results.map(({ reason }) => reason)).toEqual(other.results.map(({ reason }) => reason))
    expect(own.facets).toEqual(other.facets)
    expect(own.matching).toBe(other.matching)
    expect(own.explain?.understood).toEqual(other.explain?.understood)
  })

  test('finds a product by its new words when the change has been applied, and not when it is gone', async () => {
    const { rows } = await database.pool.query('select id, slug from products order by slug limit 1')
    const { id, slug } = rows[0]
    await database.pool.query(`update products set title = 'Zwelfquist ' || title where id = $1`, [id])
    await database.pool.query(`insert into changes (product_id, aspect) values ($1, 'text')`, [id])
    expect(await first(fetched, 'zwelfquist')).toEqual([])
    await changed(id)
    expect(await first(fetched, 'zwelfquist')).toEqual([slug])
    const before = await readState(database.db)
    await database.pool.query('delete from products where id = $1', [id])
    await database.pool.query(`insert into changes (product_id, aspect) values ($1, 'removed')`, [id])
    await changed(id)
    expect(await first(fetched, 'zwelfquist')).toEqual([])
    expect((await readState(database.db))?.products).toBe((before?.products ?? 0) - 1)
    const { rows: counts } = await database.pool.query(
      `select products from search_counts where kind = 't' and key like 'zwelfq%'`,
    )
    expect(counts).toEqual([{ products: 0 }])
  })
})

test('what passes over the whole catalog is refused, with the setting that is to blame', () => {
  const index = fetched.index()
  const refusal = /SOUK_SEARCH=postgres/
  expect(() => suggest(index, { q: 'te', limit: 5, kinds: ['products'] })).toThrow(refusal)
  expect(() => index.findBySlug('nothing-is-called-so')).toThrow(refusal)
  expect(index.categories().length).toBeGreaterThan(10)
})

test('rows that came from a backup are not believed, and filled anew', async () => {
  const before = await readState(database.db)
  await database.pool.query(`update search_words_state set xid = '1'`)
  expect(await readState(database.db)).toBeNull()
  const other = createFetchedKeeper({ db: database.db, log: SILENT }, { reads: database.db, model: null })
  await other.fill()
  await other.stop()
  expect((await readState(database.db))?.products).toBe(before?.products)
}, 120_000)

test('its tables can be distributed: no reference to another, and each unique key holds the column they are cut by', () => {
  const migration = fs.readFileSync(projectFile('src', 'db', 'migrations', '0053_search_words.sql'), 'utf8')
  const queries = fs.readFileSync(projectFile('src', 'search', 'fetched', 'words-tables.queries.ts'), 'utf8')
  const tables = [...migration.replaceAll(/--.*/g, '').matchAll(/create table (\w+) \(([\s\S]*?)\n\);/g)]
  const cutBy = new Map([
    ['search_words', 'product_id'],
    ['search_products', 'product_id'],
    ['search_counts', 'key'],
  ])
  // One row, on the server that has the log of changes.
  expect(tables.map(([, name]) => name).filter((name) => !cutBy.has(name ?? ''))).toEqual([
    'search_words_state',
  ])
  for (const [, name = '', columns = ''] of tables) {
    expect(columns).not.toMatch(/references|unique|identity|serial/)
    const column = cutBy.get(name)
    if (column === undefined) continue
    const keys = [...columns.matchAll(/(\w+) \w+ primary key|primary key \(([^)]*)\)/g)]
    expect(keys).toHaveLength(1)
    expect((keys[0]?.[1] ?? keys[0]?.[2] ?? '').split(', ')).toContain(column)
    const target = new RegExp(`insert into ${name}[\\s\\S]*?on conflict \\(([^)]*)\\)`).exec(queries)
    expect(target?.[1]?.split(', ')).toContain(column)
    // No statement moves a row to another shard.
    expect(queries).not.toMatch(new RegExp(`update ${name} [\\s\\S]*?set ${column} =`))
  }
  expect(`${migration}${queries}`).not.toMatch(/create unique index/)
})
