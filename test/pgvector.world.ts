/**
 * A part of the demo catalog with its vectors in PostgreSQL, indexed in memory and by pgvector in every way that a catalog's
 * size asks for. A file makes one: the database inside takes seconds to start.
 */
import { randomUUID } from 'node:crypto'
import { afterAll } from 'vitest'
import { readDemoSet } from '../eval/judged.ts'
import { importCategories } from '../src/catalog/categories.service.ts'
import { manualClock } from '../src/lib/clock.ts'
import { createCatalogIndex } from '../src/search/catalog-index.ts'
import { prepareQuery } from '../src/search/prepare.ts'
import { textHash } from '../src/search/product-text.ts'
import { readShippedVectors } from '../src/search/shipped-vectors.ts'
import { createMemoryMeaning } from '../src/search/vectors/memory-meaning.ts'
import type { PgvectorLimits } from '../src/search/vectors/pgvector-meaning.ts'
import { vectorTable } from '../src/search/vectors/pgvector-tables.queries.ts'
import { requirePgvector, vectorsInDatabase } from '../src/search/vectors/vector-source.ts'
import { saveVectors } from '../src/search/vectors.queries.ts'
import { EMBEDDER } from './harness.ts'
import { createVectorDatabase, type VectorDatabase } from './pglite.ts'

/** Every way of a large catalog is taken: the index and masks, never a list or a scan. */
const AS_LARGE = { exactUpTo: 0, fewRows: 0 }
const PATIENT = { answerWithinMs: 60_000 }
const HASTY = { answerWithinMs: 500 }
const AT = '2026-11-01T00:00:00Z'
/** Enough to be found by words. */
const HASTY_PRODUCTS = 40

const demo = readDemoSet()
/** One of four, over all categories; told by ids as a database has them. */
const products = demo.products
  .filter((_, at) => at % 4 === 0)
  .map((product) => ({ ...product, id: randomUUID() as string }))
const queries = demo.queries.filter((_, at) => at % 80 === 0).map(({ text }) => text)

export async function createVectorWorld() {
  const embedder = EMBEDDER
  const database = await createVectorDatabase()
  afterAll(database.close)
  await insertProducts(database)
  const stored = shippedVectors(embedder.id)
  await saveVectors(database.db, embedder.id, stored)
  await requirePgvector(database.db)
  const source = vectorsInDatabase(database.db, embedder, PATIENT)
  await source.prepare()
  const rows = await source.find(products.map(({ id }) => id))
  await source.filled()

  const vectors = new Map(stored.map((one) => [one.productId, one]))
  const indexBy = (limits: PgvectorLimits, some = products) => {
    const index = createCatalogIndex(vectorsInDatabase(database.db, embedder, limits).createMeaning())
    for (const product of some) index.put(product, rows.get(product.id) ?? null)
    return index
  }
  const inMemory = createCatalogIndex(createMemoryMeaning(embedder.dims))
  for (const product of products) inMemory.put(product, vectors.get(product.id) ?? null)
  // A search does not wait long for the embedder, and remembers what it has made.
  for (const query of queries) await prepareQuery(inMemory, query, embedder.embedQuery)
  return {
    database,
    embedder,
    source,
    table: vectorTable(embedder).name,
    stored,
    products,
    queries,
    inMemory,
    inDatabase: indexBy(PATIENT),
    asLarge: indexBy({ ...PATIENT, ...AS_LARGE }),
    /** Gives the database up soon; of a few products. */
    hasty: indexBy(HASTY, products.slice(0, HASTY_PRODUCTS)),
  }
}

/** Bare ones: their profiles are not what is searched here. */
async function insertProducts({ db, pool }: VectorDatabase): Promise<void> {
  const categories = new Map(products.map(({ category }) => [category.slug, category]))
  await importCategories({ db, clock: manualClock(AT) }, [...categories.values()])
  await pool.query(
    `insert into products (id, slug, category_id, title)
     select p.id, p.slug, c.id, p.title from unnest($1::uuid[], $2::text[], $3::text[], $4::text[])
       as p (id, slug, category, title) join categories c on c.slug = p.category`,
    [
      products.map(({ id }) => id),
      products.map(({ slug }) => slug),
      products.map(({ category }) => category.slug),
      products.map(({ title }) => title),
    ],
  )
}

function shippedVectors(model: string) {
  const shipped = readShippedVectors(model)
  const sourceUpdatedAt = new Date(AT)
  return products.flatMap((product) => {
    const hash = textHash(product)
    const vectors = shipped?.find(hash)
    return vectors ? [{ ...vectors, productId: product.id, textHash: hash, sourceUpdatedAt }] : []
  })
}
