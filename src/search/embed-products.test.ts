/** Real database, real model. */
import { beforeAll, describe, expect, test } from 'vitest'
import { captureLog, createTestDatabase, EMBEDDER as real, type TestDatabase } from '../../test/harness.ts'
import { importCategories } from '../catalog/categories.service.ts'
import { importProducts } from '../catalog/import.service.ts'
import { whatChanged } from '../catalog/what-changed.service.ts'
import { manualClock } from '../lib/clock.ts'
import type { Embedder } from './embed/embedder.ts'
import { createEmbedJob, embedPiece } from './embed-products.ts'
import { countStale, findVectors } from './vectors.queries.ts'

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
const run = async (with_: Embedder = embedder) => {
  embedded = []
  await createEmbedJob(ctx(), () => with_).run(
    {},
    { signal: new AbortController().signal, attempt: 1, jobId: 'x', log: captureLog().log },
  )
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
    expect(await countStale(database.db, embedder.id)).toBe(0)
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
    expect(await countStale(database.db, embedder.id)).toBe(0)
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
      { model: 'another-model', n: 32 },
    ])
    await run(other)
    expect(await models()).toEqual([{ model: 'another-model', n: 40 }])
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
    expect(await countStale(database.db, 'another-model')).toBe(0)
  })
})
