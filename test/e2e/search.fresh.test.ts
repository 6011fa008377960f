/** Two nodes on one database: what either commits, both find; and an index that is rebuilt meanwhile loses nothing. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { importCategories } from '../../src/catalog/categories.service.ts'
import { createChangeFollower } from '../../src/catalog/changes.follower.ts'
import type { Job } from '../../src/jobs/runner.ts'
import { createEmbedJob } from '../../src/search/embed-products.ts'
import { createIndexKeeper } from '../../src/search/index-keeper.ts'
import { loadLearned } from '../../src/search/rank/rank.ts'
import { createSearch } from '../../src/search/search.service.ts'
import {
  captureLog,
  createTestApp,
  createTestDatabase,
  EMBEDDER as embedder,
  type TestDatabase,
} from '../harness.ts'
import { find, keptLog, NO_SALES, put, slugs } from './search.world.ts'

type Node = Awaited<ReturnType<typeof createTestApp>>

const run = (job: Job | undefined) =>
  job?.run({}, { signal: new AbortController().signal, attempt: 1, jobId: 'x', log: captureLog().log })

describe('two nodes on one database', () => {
  let database: TestDatabase
  let nodes: Node[]
  let writer: Node['ctx']
  beforeAll(async () => {
    database = await createTestDatabase()
    nodes = [await createTestApp({ database }), await createTestApp({ database })]
    writer = (nodes[0] as Node).ctx
    await importCategories(writer, [
      { slug: 'kettles', label: 'Kettles' },
      { slug: 'tents', label: 'Tents' },
    ])
    await put(
      writer,
      { slug: 'gooseneck', title: 'Gooseneck pour-over kettle', price: 60 },
      { slug: 'whistler', title: 'Whistling stove kettle', price: 30 },
      { slug: 'dome', title: 'Dome tent', category: 'tents', price: 200 },
    )
    for (const { searchRuntime, catchUp } of nodes) {
      await searchRuntime.fill()
      await catchUp()
    }
  })

  /** What each node answers after it has caught up. Products that share no word with the query may follow. */
  async function onBoth(query: string, filters: Record<string, unknown> = {}) {
    const answers: Array<Awaited<ReturnType<typeof find>>> = []
    for (const { app, catchUp } of nodes) {
      await catchUp()
      answers.push(await find(app, { query, filters, include: ['explain'] }))
    }
    const [one, other] = answers.map(({ results }) => results)
    expect(one).toEqual(other)
    return one ?? []
  }
  const spoken = (results: Array<{ slug: string; explain?: { because: Array<{ feature: string }> } }>) =>
    slugs(results.filter(({ explain }) => explain?.because.some(({ feature }) => feature === 'words')))

  test('a new product is found by its words on both', async () => {
    expect(spoken(await onBoth('samovar'))).toEqual([])
    await put(writer, { slug: 'samovar', title: 'Copper samovar', price: 150 })
    expect(spoken(await onBoth('samovar'))).toEqual(['samovar'])
  })

  test('a new price counts for filters on both, also for an answer that was remembered', async () => {
    expect(slugs(await onBoth('kettle', { max_price: 40 }))).toEqual(['whistler'])
    await put(writer, { slug: 'whistler', title: 'Whistling stove kettle', price: 45 })
    await put(writer, { slug: 'gooseneck', title: 'Gooseneck pour-over kettle', price: 39.99 })
    const found = await onBoth('kettle', { max_price: 40 })
    expect(found).toMatchObject([{ slug: 'gooseneck', price_range: '$39.99' }])
    expect(found).toHaveLength(1)
  })

  test('a new title is found and the old one is not', async () => {
    await put(writer, { slug: 'dome', title: 'Geodesic shelter', category: 'tents' })
    expect(spoken(await onBoth('dome'))).toEqual([])
    expect(spoken(await onBoth('geodesic'))).toEqual(['dome'])
  })

  test("a new label of a category is among its products' words", async () => {
    expect(spoken(await onBoth('canvas houses'))).toEqual([])
    writer.clock.advance(1_000)
    await importCategories(writer, [{ slug: 'tents', label: 'Yurts & canvas houses' }])
    for (const query of ['canvas houses', 'house', 'house of canvas', 'yurt'])
      expect(spoken(await onBoth(query)), query).toEqual(['dome'])
  })

  test('a removed product is gone, and its category can still be asked for', async () => {
    await database.pool.query(
      `with gone as (delete from products where slug = 'dome' returning id, category_id)
       insert into changes (product_id, category_id, aspect) select id, category_id, 'removed' from gone`,
    )
    expect(slugs(await onBoth('geodesic'))).not.toContain('dome')
    expect(await onBoth('geodesic', { category: 'tents' })).toEqual([])
  })

  test('vectors follow on both when either node has embedded', async () => {
    const meaning = async () =>
      (await onBoth('gooseneck kettle for careful coffee')).map(({ slug, similarity }) => ({
        slug,
        similarity,
      }))
    for (const { similarity } of await meaning()) expect(similarity).toBe(0)
    const [first] = nodes
    const told = async () =>
      first && (await find(first.app, { query: 'kettle', include: ['explain'] })).explain
    expect(await told()).toMatchObject({ embedded: 0, note: expect.stringContaining('0 % of the catalog') })
    await run(nodes[1]?.searchRuntime.jobs.find(({ kind }) => kind === 'embed-products'))
    const found = await meaning()
    expect(found[0]?.slug).toBe('gooseneck')
    for (const { similarity } of found) expect(similarity).toBeGreaterThan(0)
    expect(await told()).toMatchObject({ embedded: 1 })
    expect((await told())?.note).toBeUndefined()
  })

  test('a change of model embeds everything again, and no node compares vectors of two models', async () => {
    const embedded: string[] = []
    const turned = (vector: Float32Array) => vector.map((value) => -value)
    const other = {
      ...embedder,
      id: 'the-other-model',
      embedQuery: async (text: string) => turned(await embedder.embedQuery(text)),
      embedDocuments: async (texts: string[]) => {
        embedded.push(...texts)
        return (await embedder.embedDocuments(texts)).map(turned)
      },
    }
    const ctx = { db: database.db, log: captureLog().log }
    const keeper = createIndexKeeper(ctx, other)
    const follower = createChangeFollower({ ...ctx, apply: keeper.apply, pollMs: 60_000 })
    await follower.start()
    afterAll(() => follower.stop())
    await keeper.fill()
    const products = () =>
      [keeper.current()?.findBySlug('gooseneck')].map((slot) => keeper.current()?.at(slot ?? -1))
    expect(products()[0]?.embedded, 'the vectors of the model before are not taken').toBe(false)
    await run(createEmbedJob(ctx, () => other))
    await follower.catchUp()
    const { rows } = await database.pool.query('select model, count(*) as n from product_vectors group by 1')
    expect(rows).toEqual([{ model: 'the-other-model', n: keeper.current()?.size }])
    expect(embedded.length).toBeGreaterThanOrEqual(2 * (keeper.current()?.size ?? 0))
    expect(products()[0]?.embedded).toBe(true)
    const asked = await other.embedQuery('gooseneck kettle')
    const own = Uint32Array.of(keeper.current()?.findBySlug('gooseneck') ?? 0)
    expect((await keeper.current()?.meaning.cosines(asked, own))?.full[0]).toBeGreaterThan(0.4)
    // The nodes of the old model have none left to compare: none is of its own, and the new ones it never loads.
    for (const { similarity } of await onBoth('careful coffee brewing')) expect(similarity).toBe(0)
  })
})

describe('an index that is rebuilt', () => {
  async function keptWorld(count: number, spareSlots: number) {
    const database = await createTestDatabase()
    const { ctx, logged } = await createTestApp({ database })
    const keeper = createIndexKeeper(ctx, embedder, spareSlots)
    const follower = createChangeFollower({ ...ctx, apply: keeper.apply, pollMs: 60_000 })
    await importCategories(ctx, [{ slug: 'kettles', label: 'Kettles' }])
    await put(ctx, ...Array.from({ length: count }, (_, n) => ({ slug: `k-${n}`, title: `Kettle ${n}` })))
    await follower.start()
    afterAll(() => follower.stop())
    await keeper.fill()
    const rebuilt = () => logged.lines().filter(({ msg }) => msg === 'search index loaded').length - 1
    return { database, ctx, keeper, follower, rebuilt }
  }

  test('under changes all the while loses none of them', async () => {
    const { database, ctx, keeper, follower, rebuilt } = await keptWorld(60, 10)
    const following: Array<Promise<void>> = []
    for (let round = 0; round < 60; round++) {
      const some = [0, 7, 19].map((step) => (round * 13 + step) % 60)
      await put(ctx, ...some.map((n) => ({ slug: `k-${n}`, title: `Kettle ${n} of round ${round}` })))
      if (round % 5 === 0) await put(ctx, { slug: `new-${round}`, title: `New kettle ${round}` })
      if (round % 10 === 9)
        await database.pool.query(
          `with gone as (delete from products where slug = $1 returning id, category_id)
           insert into changes (product_id, category_id, aspect) select id, category_id, 'removed' from gone`,
          [`new-${round - 4}`],
        )
      following.push(follower.catchUp())
    }
    await Promise.all(following)
    await follower.catchUp()
    await keeper.settled()
    expect(rebuilt()).toBeGreaterThan(1)
    const index = keeper.current()
    const held = Array.from({ length: index?.slots ?? 0 }, (_, slot) => index?.at(slot)).filter(
      (one) => one != null,
    )
    const { rows } = await database.pool.query('select slug, title from products order by slug')
    expect(
      held.map(({ slug, title }) => ({ slug, title })).sort((a, b) => (a.slug < b.slug ? -1 : 1)),
    ).toEqual(rows)
    expect(index?.slots).toBeLessThan(60 * 4)
  })

  test('never brings back an answer that was remembered before', async () => {
    const { ctx, keeper, follower, rebuilt } = await keptWorld(4, -4)
    const search = createSearch({
      ...ctx,
      index: keeper.current,
      embedder,
      learned: loadLearned(),
      sales: NO_SALES,
      queryLog: keptLog(),
    })
    const titles = async () =>
      (await search.search({ query: 'kettle', limit: 10, face: 'rest' })).results
        .map(({ title }) => title)
        .sort()
    expect(await titles()).toEqual(['Kettle 0', 'Kettle 1', 'Kettle 2', 'Kettle 3'])
    await put(ctx, { slug: 'k-1', title: 'Kettle renamed' })
    await follower.catchUp()
    await keeper.settled()
    expect(rebuilt()).toBe(1)
    expect(await titles()).toEqual(['Kettle 0', 'Kettle 2', 'Kettle 3', 'Kettle renamed'])
  })
})
