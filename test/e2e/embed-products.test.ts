/** Real database, real model. */
import { beforeAll, describe, expect, test } from 'vitest'
import { importCategories } from '../../src/catalog/categories.service.ts'
import { whatChanged } from '../../src/catalog/changes.service.ts'
import { importProducts } from '../../src/catalog/import.service.ts'
import { manualClock } from '../../src/lib/clock.ts'
import type { Embedder } from '../../src/search/embed/embedder.ts'
import { createEmbedJob, embedPiece } from '../../src/search/embed-products.ts'
import { embeddingStatus } from '../../src/search/facts.service.ts'
import { countEmbedding, findVectors } from '../../src/search/vectors.queries.ts'
import { captureLog, createTestDatabase, EMBEDDER as real, type TestDatabase } from '../harness.ts'

let embedded: string[] = []
const embedder: Embedder = {
  ...real,
  embedDocuments: (texts) => {
    embedded.push(...texts)
    return real.embedDocuments(texts)
  },
}
let database: TestDatabase
const clock = manualClock('2026-11-01T12:00:00Z')
const ctx = () => ({ db: database.db, clock, log: captureLog().log })

async function put(...rows: Array<Record<string, unknown>>): Promise<void> {
  clock.advance(1_000)
  const bytes = (async function* () {
    for (const row of rows) yield Buffer.from(`${JSON.stringify({ category: 'kettles', ...row })}\n`)
  })()
  await importProducts(ctx(), bytes, { format: 'jsonl', source: 'test', fingerprint: String(clock.now()) })
}
const run = async (with_: Embedder = embedder, lookingShare?: number) => {
  embedded = []
  await createEmbedJob(ctx(), () => with_, undefined, lookingShare).run(
    {},
    { signal: new AbortController().signal, attempt: 1, jobId: 'x', log: captureLog().log },
  )
}
/** Products without whole vectors, and without sentences. */
const pending = async (model = embedder.id) => {
  const { wholePending, sentencesPending } = await countEmbedding(database.db, model)
  return [wholePending, sentencesPending]
}
const idOf = async (slug: string) =>
  (await database.pool.query('select id from products where slug = $1', [slug])).rows[0].id as string

beforeAll(async () => {
  database = await createTestDatabase()
  await importCategories(ctx(), [{ slug: 'kettles', label: 'Kettles' }])
  await put(
    ...Array.from({ length: 40 }, (_, n) => ({ slug: `k-${n}`, title: `Kettle ${n}`, price: 10 + n })),
  )
})

describe('embedding products', () => {
  test('gives every product its two vectors and tells every node, without telling shoppers of a change', async () => {
    await run()
    expect(await pending()).toEqual([0, 0])
    expect(embedded).toHaveLength(80)
    const id = await idOf('k-7')
    const vectors = (await findVectors(database.db, embedder.id, [id])).get(id)
    expect(vectors?.full).toHaveLength(384)
    expect(Math.hypot(...(vectors?.short ?? []))).toBeCloseTo(1, 4)
    const { rowCount } = await database.pool.query(`select 1 from changes where aspect = 'embedded'`)
    expect(rowCount).toBe(40)
    expect(
      (await whatChanged(ctx(), { products: ['k-7'], since: new Date(0) })).map((change) => change.aspect),
    ).toEqual(['created'])
  })

  test('a new price makes nothing be embedded again, a new title does, and only that product', async () => {
    await put({ slug: 'k-1', title: 'Kettle 1', price: 99 })
    await run()
    expect(embedded).toEqual([])
    await put({ slug: 'k-2', title: 'Samovar of copper' })
    await run()
    expect(embedded).toHaveLength(2)
    expect(embedded[1]).toContain('Samovar')
    expect(await pending()).toEqual([0, 0])
  })

  test('a product that was changed by hand, at a time finer than a millisecond, is embedded once and not for ever', async () => {
    await database.pool.query(
      `update products set title = 'Kettle by hand', updated_at = timestamptz '2026-11-02 12:00:00.000456Z' where slug = 'k-4'`,
    )
    expect(await embedPiece(ctx(), embedder)).toBe(1)
    expect(await embedPiece(ctx(), embedder)).toBe(0)
  })

  test('another model embeds everything anew, and the vectors of the old one are gone only when it is done', async () => {
    const other: Embedder = { ...embedder, id: 'another-model' }
    expect(await embedPiece(ctx(), other)).toBeGreaterThan(0)
    const models = async () =>
      (await database.pool.query('select model, count(*) as n from product_vectors group by 1 order by 1'))
        .rows
    expect(await models()).toEqual([
      { model: embedder.id, n: 40 },
      { model: 'another-model', n: 40 },
    ])
    await run(other)
    expect(await models()).toEqual([{ model: 'another-model', n: 40 }])
  })

  test('every product is embedded as a whole before any sentence, and its sentences join it later', async () => {
    const about = 'It pours in a thin and steady stream. The handle stays cool on a gas flame.'
    await put(
      ...['a', 'b'].map((name) => ({ slug: `s-${name}`, title: `Kettle ${name}`, description: about })),
    )
    const one = { ...embedder, id: 'another-model' }
    const vectorsOf = async (slug: string) => {
      const id = await idOf(slug)
      return (await findVectors(database.db, one.id, [id])).get(id)
    }
    embedded = []
    expect(await embedPiece(ctx(), one)).toBe(2)
    expect(embedded).toHaveLength(4)
    expect(await pending(one.id)).toEqual([0, 2])
    const whole = await vectorsOf('s-a')
    expect(whole?.passages.kinds).toHaveLength(0)

    // A new price in between says nothing new.
    await put({ slug: 's-a', title: 'Kettle a', description: about, price: 30 })
    embedded = []
    expect(await embedPiece(ctx(), one)).toBe(1)
    expect(embedded).toEqual([])
    expect(await pending(one.id)).toEqual([0, 2])

    expect(await embedPiece(ctx(), one)).toBe(2)
    expect(new Set(embedded)).toEqual(new Set(about.match(/[^.]+\./g)?.map((sentence) => sentence.trim())))
    expect(await pending(one.id)).toEqual([0, 0])
    const complete = await vectorsOf('s-a')
    expect(complete?.passages.kinds).toHaveLength(2)
    expect(complete?.full).toEqual(whole?.full)
    // By it an older node, and a copy for pgvector, know that there is more now.
    expect(complete?.textHash).not.toEqual(whole?.textHash)
    expect(await embedPiece(ctx(), one)).toBe(0)
  })

  test('products that come while sentences are made go first', async () => {
    const one = { ...embedder, id: 'another-model' }
    const about = (n: number) => `Number ${n} whistles a low note when the water boils over.`
    const many = Array.from({ length: 130 }, (_, n) => ({
      slug: `m-${n}`,
      title: 'Whistler',
      description: about(n),
    }))
    await put(...many)
    const order: string[] = []
    const noting: Embedder = {
      ...one,
      embedDocuments: async (texts) => {
        order.push(...texts)
        if (texts.includes(about(0))) await put({ slug: 'late', title: 'Latecomer' })
        return texts.map(() => new Float32Array(embedder.dims))
      },
    }
    await run(noting, Number.POSITIVE_INFINITY)
    const late = order.findIndex((text) => text.startsWith('Latecomer'))
    const sentences = order.flatMap((text, at) => (text.startsWith('Number') ? [at] : []))
    expect(sentences).toHaveLength(130)
    expect(sentences.filter((at) => at > late)).toHaveLength(2)
    expect(await pending(one.id)).toEqual([0, 0])
  })

  test('how far it is, at what pace, and how long it will take can be asked', async () => {
    expect(await embeddingStatus(ctx(), null)).toMatchObject({
      stage: 'whole',
      products: 173,
      wholePending: 173,
    })
    const other = { url: 'http://127.0.0.1:1/v1/embeddings', model: 'another-model' }
    expect(await embeddingStatus(ctx(), other)).toMatchObject({ model: null, wholePending: 173 })
    await database.pool.query(`update product_vectors set model = 'another-model@127.0.0.1:1/384'`)
    await database.pool.query(`delete from changes where aspect = 'embedded'`)
    await database.pool.query(`update product_vectors set passages = '' where product_id = any($1)`, [
      [await idOf('s-a'), await idOf('s-b')],
    ])
    expect(await embeddingStatus(ctx(), other)).toMatchObject({
      model: 'another-model@127.0.0.1:1/384',
      stage: 'sentences',
      wholePending: 0,
      sentencesPending: 2,
      perSecond: null,
      secondsLeft: null,
    })
    await database.pool.query(
      `insert into changes (product_id, category_id, aspect, at)
       select p.id, p.category_id, 'embedded', now() - seconds * interval '1 second'
       from products p, (values (20), (10)) as piece (seconds) where slug like 'k-1%'`,
    )
    const { perSecond, secondsLeft } = await embeddingStatus(ctx(), other)
    expect(perSecond).toBeCloseTo(1.1, 5)
    expect(secondsLeft).toBeCloseTo(2 / 1.1, 5)
  })

  test('a product removed meanwhile is no obstacle', async () => {
    await put({ slug: 'k-3', title: 'Renamed' })
    const slow: Embedder = {
      ...embedder,
      id: 'another-model',
      embedDocuments: async (texts) => {
        await database.pool.query(`delete from products where slug = 'k-3'`)
        return real.embedDocuments(texts)
      },
    }
    await run(slow)
    expect(await pending('another-model')).toEqual([0, 0])
  })
})
