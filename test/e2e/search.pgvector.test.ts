/**
 * Vectors in PostgreSQL with the real extension: the demo catalog's answers are those of vectors in memory, for a node that
 * holds the rest of the catalog and for one that holds none of it (SOUK_SEARCH=postgres).
 */
import { afterAll, describe, expect, test } from 'vitest'
import { readDemoSet } from '../../eval/judged.ts'
import { mean, score } from '../../eval/metrics.ts'
import { rateCategories } from '../../src/bundles/choose-categories.ts'
import { importCategories } from '../../src/catalog/categories.service.ts'
import { createChangeFollower } from '../../src/catalog/changes.follower.ts'
import { manualClock, systemClock } from '../../src/lib/clock.ts'
import type { CatalogIndex } from '../../src/search/catalog-index.ts'
import { createEmbedJob, embedPiece } from '../../src/search/embed-products.ts'
import { createFetchedCatalog } from '../../src/search/fetched/fetched-catalog.ts'
import { fillWords } from '../../src/search/fetched/words-writer.ts'
import { createIndexKeeper } from '../../src/search/index-keeper.ts'
import { loadLearned } from '../../src/search/rank/rank.ts'
import { createSearch, type Search, type SearchInput } from '../../src/search/search.service.ts'
import { vectorTable } from '../../src/search/vectors/pgvector-tables.queries.ts'
import { type StoredVectors, saveVectors } from '../../src/search/vectors.queries.ts'
import { captureLog, createTestApp, SILENT, testConfig } from '../harness.ts'
import { createVectorWorld } from '../pgvector.world.ts'
import { keptLog, NO_SALES, put, slugs } from './search.world.ts'

const { database, embedder, source, table, stored, products, queries, ...indexes } = await createVectorWorld()
const { inMemory, inDatabase, asLarge, hasty } = indexes

const searchIn = (
  index: () => CatalogIndex | null,
  { log = SILENT, open }: Partial<Pick<Parameters<typeof createSearch>[0], 'log' | 'open'>> = {},
) =>
  createSearch({
    index,
    open,
    embedder,
    learned: loadLearned(),
    sales: NO_SALES,
    queryLog: keptLog(),
    clock: systemClock,
    log,
  })
const memory = searchIn(() => inMemory)
const pgvector = searchIn(() => inDatabase)
const large = searchIn(() => asLarge)
const ask = (query: string, more: Partial<SearchInput> = {}): SearchInput => ({
  query,
  limit: 10,
  face: 'rest',
  ...more,
})
const shared = (a: string[], b: string[]) =>
  a.length === 0 ? Number(b.length === 0) : a.filter((one) => b.includes(one)).length / a.length
const rowCount = async () => (await database.pool.query(`select count(*) as n from ${table}`)).rows[0].n

// First, while all products are there.
test('a node without a catalog is within .01 nDCG of an index in memory, and finds similar products', async () => {
  await fillWords(database.db, products)
  const catalog = createFetchedCatalog(
    { db: database.db, log: SILENT },
    { reads: database.db, vectors: vectorTable(embedder), answerWithinMs: 60_000 },
  )
  await catalog.refresh()
  const fetched = searchIn(catalog.held, { open: catalog.open })
  const known = new Set(products.map(({ slug }) => slug))
  const judged = readDemoSet()
    .queries.filter(({ grades }) => [...grades.keys()].some((slug) => known.has(slug)))
    .filter((_, at) => at % 8 === 0)
  const answer = async (search: Search, text: string) => {
    const { results, mode } = await search.search(ask(text))
    expect(mode).toBe('semantic')
    return slugs(results)
  }
  const scored: Array<[own: number, other: number]> = []
  for (const { text, grades } of judged) {
    // A search does not wait long for the embedder, and remembers what it has made.
    await embedder.embedQuery(text)
    const [own, other] = [await answer(fetched, text), await answer(memory, text)]
    scored.push([score(own, grades).ndcg10, score(other, grades).ndcg10])
  }
  const [own, other] = [mean(scored.map(([a]) => a)), mean(scored.map(([, b]) => b))]
  process.stdout.write(
    `${judged.length} queries of ${products.length} products: nDCG@10 ${own.toFixed(4)}, in memory ${other.toFixed(4)}\n`,
  )
  expect(own).toBeGreaterThan(other - 0.01)
  const slug = products[0]?.slug ?? ''
  const like = async (search: Search) => slugs(await search.similar({ slug, limit: 3 }))
  expect(await like(fetched)).toEqual(await like(memory))
}, 300_000)

describe('answers are those of vectors in memory', () => {
  test.each([
    ['of all products', {}],
    ['of one category', { filters: { category: products[0]?.category.slug ?? '' } }],
    ['below a price', { filters: { maxPriceCents: 8_000 } }],
    ['on a page behind the candidates', { offset: products.length - 50, limit: 50 }],
  ])('%s', async (_, more) => {
    const alike = { pgvector: [] as number[], large: [] as number[] }
    for (const query of queries) {
      const expected = await memory.search(ask(query, more))
      expect(expected.mode).toBe('semantic')
      for (const [name, search] of [['pgvector', pgvector] as const, ['large', large] as const]) {
        const found = await search.search(ask(query, more))
        expect({ ...found, results: found.results.length }).toMatchObject({
          mode: 'semantic',
          matching: expected.matching,
          results: expected.results.length,
        })
        alike[name].push(shared(slugs(expected.results), slugs(found.results)))
        for (const { slug, similarity } of found.results) {
          const same = expected.results.find((one) => one.slug === slug)
          if (same) expect(Math.abs(same.similarity - similarity), `${query}: ${slug}`).toBeLessThan(0.002)
        }
      }
    }
    expect(mean(alike.pgvector)).toBeGreaterThanOrEqual(0.99)
    expect(mean(alike.large)).toBeGreaterThanOrEqual(0.99)
  })

  test('the index finds 99 of the nearest 100, and with a filter nothing that is not allowed', async () => {
    const allowed = Uint8Array.from(products, (_, at) => Number(at % 3 > 0))
    const recalls: number[] = []
    for (const query of queries) {
      const vector = await embedder.embedQuery(query)
      for (const reading of ['full', 'short'] as const)
        for (const mask of [undefined, allowed]) {
          const [right, found] = await Promise.all(
            [inMemory, asLarge].map(({ meaning }) => meaning.nearest(reading, vector, 100, mask)),
          )
          const slots = new Set(found?.slots)
          expect(slots.size).toBe(100)
          if (mask) expect([...slots].every((slot) => mask[slot] === 1)).toBe(true)
          recalls.push(Array.from(right?.slots ?? []).filter((slot) => slots.has(slot)).length / 100)
        }
    }
    expect(mean(recalls)).toBeGreaterThanOrEqual(0.99)
  })

  test('and the database really walks its index for that', async () => {
    const zeros = `[${new Array(embedder.dims).fill(0.05)}]`
    await database.pool.query('set enable_seqscan = off')
    const { rows } = await database.pool.query(
      `explain select row_no from ${table} order by full_vector <#> '${zeros}'::halfvec limit 100`,
    )
    await database.pool.query('reset enable_seqscan')
    expect(JSON.stringify(rows)).toContain(`Index Scan using ${table}_full_vector`)
  })

  test('similar products, with a price and without', async () => {
    for (const { slug } of products.filter((_, at) => at % 72 === 0))
      for (const input of [
        { slug, limit: 10 },
        { slug, limit: 10, maxPriceCents: 9_000 },
      ]) {
        const expected = slugs(await memory.similar(input))
        expect(shared(expected, slugs(await pgvector.similar(input)))).toBe(1)
        expect(shared(expected, slugs(await large.similar(input)))).toBeGreaterThanOrEqual(0.9)
      }
  })

  test('the categories of a bundle', async () => {
    for (const goal of ['a quiet home office', 'camping with children', 'a cosy kitchen for two']) {
      const expected = (await rateCategories(memory, goal)).slice(0, 5)
      const rated = (await rateCategories(pgvector, goal)).slice(0, 5)
      expect(rated.map(({ slug }) => slug)).toEqual(expected.map(({ slug }) => slug))
      for (const [at, { score }] of rated.entries()) expect(score).toBeCloseTo(expected[at]?.score ?? 0, 2)
    }
  })

  test('pages neither repeat nor skip, and no vector is in memory', async () => {
    const listed: string[] = []
    const { total } = await pgvector.search(ask('something nice'))
    expect(total).toBeGreaterThan(50)
    for (let offset = 0; offset < total; offset += 40)
      listed.push(...slugs((await pgvector.search(ask('something nice', { offset, limit: 40 }))).results))
    expect(listed).toHaveLength(total)
    expect(new Set(listed).size).toBe(total)
    expect(inMemory.bytes() - inDatabase.bytes()).toBeGreaterThan(products.length * embedder.dims * 4 * 2)
  })
})

describe('rows are kept in step', () => {
  const [first, second, third] = products
  if (!first || !second || !third) throw new Error('the demo catalog is empty')
  const idsOf = (...of: Array<{ id: string }>) => of.map(({ id }) => id)

  test('missing and outdated ones are copied again, by one of two who come at once, and keep their number', async () => {
    const [before, all] = [await source.find(idsOf(first, second)), await rowCount()]
    const other = stored.find(({ productId }) => productId === second.id)
    const changed = { ...other, productId: first.id, textHash: Buffer.alloc(16, 7) } as StoredVectors
    await saveVectors(database.db, embedder.id, [changed])
    await database.pool.query(`delete from ${table} where product_id = $1`, [third.id])
    const [one, two] = await Promise.all([1, 2].map(() => source.find(idsOf(first, second, third))))
    expect(one).toEqual(two)
    expect(one?.get(first.id)).toEqual(before.get(first.id))
    expect(one?.get(third.id)).toBeDefined()
    expect(await rowCount()).toBe(all)
    const like = await database.pool.query(
      `select a.full_vector = b.full_vector as same from ${table} a, ${table} b
       where a.product_id = $1 and b.product_id = $2`,
      [first.id, second.id],
    )
    expect(like.rows).toEqual([{ same: true }])
  })

  test('sentences that come after the whole vectors are copied when they come', async () => {
    const complete = stored.find(({ productId }) => productId === second.id)
    if (!complete) throw new Error('a demo product has no vectors')
    const sentences = async () => {
      const [row] = (await source.find(idsOf(second))).values()
      const { rows } = await database.pool.query(
        `select cardinality(passage_kinds) as n from ${table} where row_no = $1`,
        [row && 'row' in row ? row.row : 0],
      )
      return rows[0]?.n
    }
    const whole = { ...complete, textHash: Buffer.alloc(16, 9), sentencesPending: true }
    await saveVectors(database.db, embedder.id, [whole])
    expect(await sentences()).toBe(0)
    await saveVectors(database.db, embedder.id, [complete])
    expect(await sentences()).toBe(complete.passages.kinds.length)
    expect(complete.passages.kinds.length).toBeGreaterThan(0)
  })

  test('a removed product takes its row with it, and a node that has not heard yet answers all the same', async () => {
    const all = await rowCount()
    await database.pool.query('delete from products where id = $1', [third.id])
    expect(await rowCount()).toBe(all - 1)
    const { mode, results } = await pgvector.search(ask(third.category.label))
    expect(mode).toBe('semantic')
    expect(results.length).toBeGreaterThan(0)
  })

  test('what a node embeds is found by its meaning, and what it removes no longer', async () => {
    const ctx = { db: database.db, clock: manualClock('2027-01-01T00:00:00Z'), log: SILENT }
    const keeper = createIndexKeeper(ctx, embedder, undefined, source)
    const follower = createChangeFollower({ ...ctx, apply: keeper.apply, pollMs: 60_000 })
    afterAll(() => follower.stop())
    await importCategories(ctx, [{ slug: 'kettles', label: 'Kettles' }])
    await follower.start()
    await keeper.fill()
    const own = searchIn(() => keeper.current() ?? inDatabase)
    await put(ctx, { slug: 'zz-samovar', title: 'Copper samovar for tea ceremonies' })
    await follower.catchUp()
    const state = () => keeper.current()?.at(keeper.current()?.findBySlug('zz-samovar') ?? -1)?.embedded
    expect(state()).toBe(false)
    // The other products' profiles here are bare, so that they are not looked at again.
    await database.pool.query(`update product_vectors set source_updated_at = '2030-01-01'`)
    expect(await embedPiece(ctx, embedder)).toBe(1)
    await follower.catchUp()
    expect(state()).toBe(true)
    const brewing = ask('vessel of copper to brew tea in the old russian way')
    expect(slugs((await own.search(brewing)).results)[0]).toBe('zz-samovar')
    await database.pool.query(
      `with gone as (delete from products where slug = 'zz-samovar' returning id, category_id)
       insert into changes (product_id, category_id, aspect) select id, category_id, 'removed' from gone`,
    )
    await follower.catchUp()
    expect(slugs((await own.search(brewing)).results)).not.toContain('zz-samovar')
  })
})

test('a database that hangs leaves words, says so, and meaning comes back with it', async () => {
  const logged = captureLog()
  const search = searchIn(() => hasty, { log: logged.log })
  const [query = ''] = queries
  const release = database.hang()
  const { mode, results } = await search.search(ask(query))
  expect(mode).toBe('keyword')
  expect(results.length).toBeGreaterThan(0)
  expect(logged.text()).toContain('no vectors: answering by keywords')
  await expect(search.similar({ slug: products[1]?.slug ?? '', limit: 5 })).rejects.toMatchObject({
    kind: 'unavailable',
    code: 'search_unavailable',
  })
  expect((await rateCategories(search, 'a quiet home office')).length).toBeGreaterThan(0)
  release()
  const again = async () => (await search.search(ask(query))).mode
  await expect.poll(again, { timeout: 30_000 }).toBe('semantic')
})

test('when another model has taken over, the table of this one goes', async () => {
  const other = { ...embedder, id: 'another-model', embedDocuments: async () => [] }
  await database.pool.query('delete from products')
  const job = createEmbedJob({ db: database.db, log: SILENT }, () => other)
  await job.run({}, { signal: new AbortController().signal, attempt: 1, jobId: 'x', log: SILENT })
  const { rows } = await database.pool.query('select to_regclass($1) as table', [table])
  expect(rows).toEqual([{ table: null }])
})

test('without the extension the start fails with one line that says what to do', async () => {
  await expect(createTestApp({ config: testConfig({ SOUK_VECTORS: 'pgvector' }) })).rejects.toThrow(
    /^SOUK_VECTORS=pgvector, but the database server has no extension "vector": install pgvector 0\.8 .* or set SOUK_VECTORS=memory \(the embedded PostgreSQL has no pgvector\)$/,
  )
})
