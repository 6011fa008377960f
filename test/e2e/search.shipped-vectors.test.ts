/** The demo catalog's vectors come with the project, for the model that is in use and the texts as they are. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../src/lib/clock.ts'
import { createEmbedJob, makeVectors } from '../../src/search/embed-products.ts'
import { textHash } from '../../src/search/product-text.ts'
import { readShippedVectors, writeShippedVectors } from '../../src/search/shipped-vectors.ts'
import { createSearchRuntime } from '../../src/search/start.ts'
import { countEmbedding } from '../../src/search/vectors.queries.ts'
import { captureLog, createDemoDatabase, EMBEDDER as embedder, testConfig } from '../harness.ts'
import { demoProducts, NO_SALES } from './search.world.ts'

const { products } = demoProducts()
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'souk-vectors-'))
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

/** The int8 arithmetic of the model is not the same to the last bit on every kind of processor. */
function cosine(a: ArrayLike<number>, b: ArrayLike<number> = []): number {
  let [dot, ofA, ofB] = [0, 0, 0]
  for (let at = 0; at < a.length; at++) {
    const [x, y] = [a[at] ?? 0, b[at] ?? 0]
    dot += x * y
    ofA += x * x
    ofB += y * y
  }
  return dot / Math.sqrt(ofA * ofB)
}

describe('the shipped vectors', () => {
  test('hold every demo product as its text is now', () => {
    const shipped = readShippedVectors(embedder.id)
    const missing = products.filter((product) => !shipped?.find(textHash(product))).map(({ slug }) => slug)
    expect(missing, 'made from other texts or by another model: run `npm run ship-vectors`').toEqual([])
  })

  test('are those that the model makes', async () => {
    const some = products.filter((_, at) => at % 300 === 0)
    const made = await makeVectors(some, embedder)
    const shipped = readShippedVectors(embedder.id)
    for (const { hash, vectors } of made) {
      const found = shipped?.find(hash)
      for (const kind of ['full', 'short'] as const)
        expect(cosine(vectors[kind], found?.[kind])).toBeGreaterThan(0.99)
      const [own, others] = [vectors.passages, found?.passages]
      expect(others?.kinds).toEqual(own.kinds)
      for (let at = 0; at < own.rows.length; at += embedder.dims) {
        const row = (rows: Int8Array = new Int8Array(0)) => rows.subarray(at, at + embedder.dims)
        expect(cosine(row(own.rows), row(others?.rows))).toBeGreaterThan(0.98)
      }
    }
  })

  test('of another model are none, and so is a file that is not there', () => {
    expect(readShippedVectors('another-model')).toBeNull()
    expect(readShippedVectors(embedder.id, path.join(folder, 'missing.gz'))).toBeNull()
  })

  test('are read as they were written, and a text that was changed is not among them', async () => {
    const [product] = products
    if (!product) throw new Error('the demo catalog is empty')
    const file = path.join(folder, 'written.gz')
    const made = await makeVectors([product], embedder)
    writeShippedVectors(embedder, made, file)
    const read = readShippedVectors(embedder.id, file)
    expect(read?.find(textHash(product))?.passages).toEqual(made[0]?.vectors.passages)
    expect(read?.find(textHash({ ...product, title: `${product.title}, new` }))).toBeNull()
    expect(readShippedVectors('another-model', file)).toBeNull()
  })

  test('leave the model nothing to embed at a first start with the demo catalog', async () => {
    const { db, pool } = await createDemoDatabase()
    await pool.query('delete from product_vectors')
    const { log } = captureLog()
    const runtime = createSearchRuntime(
      { db, clock: systemClock, log },
      { config: testConfig(), sales: NO_SALES, demo: true },
    )
    expect((await countEmbedding(db, embedder.id)).wholePending).toBe(products.length)
    await runtime.fill()
    expect((await countEmbedding(db, embedder.id)).sentencesPending).toBe(0)
    let embedded = 0
    const counting = {
      ...embedder,
      id: embedder.id,
      embedDocuments: (texts: string[]) => {
        embedded += texts.length
        return embedder.embedDocuments(texts)
      },
    }
    const signal = new AbortController().signal
    await createEmbedJob({ db, log }, () => counting).run({}, { signal, attempt: 1, jobId: 'x', log })
    expect(embedded).toBe(0)
    await runtime.stop()
  })
})
