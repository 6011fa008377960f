/**
 * A catalog that grows in the database, with vectors, without anything being embedded: the products of
 * search.products.ts, a batch at a time, so that a million of them are never in memory. What an import and the embedding
 * job would have left behind is left behind here too (provenance, changes, the hash of the texts), so that a node finds
 * nothing to do.
 */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { from as copyFrom } from 'pg-copy-streams'
import { FIELD_NAMES, type Product, type ProductFacts } from '../../src/catalog/catalog.schema.ts'
import { importCategories } from '../../src/catalog/categories.service.ts'
import { parseDemoFile, readDemoFiles } from '../../src/catalog/demo.service.ts'
import { brandKey } from '../../src/catalog/product-identity.ts'
import type { ProductProfile } from '../../src/catalog/profile.ts'
import { type Brand, insertChanges, insertProducts, upsertBrands } from '../../src/catalog/upsert.queries.ts'
import type { ConnectedDatabase } from '../../src/db/connect.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { newId } from '../../src/lib/ids.ts'
import { createProgress } from '../../src/lib/progress.ts'
import { minilmId } from '../../src/search/embed/minilm.ts'
import { textHash } from '../../src/search/product-text.ts'
import { packPassages } from '../../src/search/vectors/passages.ts'
import { makeProducts } from '../search/products.ts'

const BATCH = 1_000
const SOURCE = 'growth'
/** What a product was measured to take of the disk, with its vectors, changes and the log of writing them. */
export const DISK_BYTES_EACH = 25_000

type Batch = {
  products: Array<{ product: Product; brandKey: string | null }>
  brands: Map<string, Brand>
  vectors: Buffer[]
}

export async function fillCategories({ db }: ConnectedDatabase): Promise<void> {
  await importCategories({ db, clock: systemClock }, readDemoFiles().map(parseDemoFile))
}

/** Adds the products from the first that is missing to the last that is wanted, and leaves nothing to be swept up later. */
export async function growCatalog(
  database: ConnectedDatabase,
  { from, to }: { from: number; to: number },
): Promise<void> {
  const { pool } = database
  const { rows } = await pool.query<{ slug: string; id: string }>('select slug, id from categories')
  const categoryIds = new Map(rows.map(({ slug, id }) => [slug, id]))
  const model = Buffer.from(minilmId())
  const at = new Date()
  const progress = createProgress(`Making ${(to - from).toLocaleString('en')} products`)
  let batch = emptyBatch()
  // One batch ahead: the database writes one while the next is made.
  let written: Promise<void> = Promise.resolve()
  let n = -1
  for (const { profile, vectors } of makeProducts(to, 'all')) {
    n++
    if (n < from) continue
    const product = stored(profile, categoryIds, at)
    addTo(batch, product, profile.brand?.name ?? null)
    batch.vectors.push(
      copyRow([
        Buffer.from(product.id.replaceAll('-', ''), 'hex'),
        model,
        textHash(profile),
        bytesOf(vectors.full),
        bytesOf(vectors.short),
        packPassages(vectors.passages),
        timestamp(at),
      ]),
    )
    if (batch.products.length < BATCH) continue
    await written
    written = write(database, batch, at)
    // Awaited a batch later: without this a refusal in the meantime would end the process.
    written.catch(() => {})
    batch = emptyBatch()
    progress.update(n - from, (n - from) / (to - from))
  }
  await written
  if (batch.products.length > 0) await write(database, batch, at)
  progress.finish(to - from)
  // Or the database would do it by itself a minute later, in the middle of what is measured.
  for (const table of ['products', 'product_vectors', 'brands', 'changes'])
    await pool.query(`vacuum analyze ${table}`)
}

function emptyBatch(): Batch {
  return { products: [], brands: new Map(), vectors: [] }
}

/** As an import keeps it, with who said what. */
function stored(profile: ProductProfile, categoryIds: Map<string, string>, at: Date): Product {
  const categoryId = categoryIds.get(profile.category.slug)
  if (!categoryId) throw new Error(`there is no category ${profile.category.slug}`)
  const facts = Object.keys(FIELD_NAMES) as Array<keyof ProductFacts>
  const named = facts.filter((fact) => profile[fact] !== null).map((fact) => FIELD_NAMES[fact])
  const said = [...new Set([...named, ...(profile.brand ? ['brand'] : [])])]
  return {
    ...profile,
    id: newId(),
    categoryId,
    provenance: Object.fromEntries(said.map((field) => [field, { source: SOURCE, verifiedAt: null }])),
    createdAt: at,
    updatedAt: at,
  }
}

function addTo(batch: Batch, product: Product, brandName: string | null): void {
  const key = brandName === null ? null : brandKey(brandName)
  batch.products.push({ product, brandKey: key })
  if (key !== null && brandName !== null && !batch.brands.has(key))
    batch.brands.set(key, { id: newId(), key, name: brandName, domain: null })
}

async function write({ db, pool }: ConnectedDatabase, batch: Batch, at: Date): Promise<void> {
  const brands = await upsertBrands(db, [...batch.brands.values()], null)
  const brandIds = new Map(brands.map(({ key, id }) => [key, id]))
  const products = batch.products.map(({ product, brandKey: key }) => ({
    ...product,
    brandId: key === null ? null : (brandIds.get(key) ?? null),
  }))
  await insertProducts(db, products)
  const changeOf = ({ id, categoryId }: Product) => ({ productId: id, categoryId, before: null })
  await insertChanges(
    db,
    products.flatMap((product) => [
      { ...changeOf(product), aspect: 'created', after: { title: product.title } },
      { ...changeOf(product), aspect: 'embedded', after: null },
    ]),
    at,
  )
  const client = await pool.connect()
  try {
    const into = client.query(
      copyFrom(
        `copy product_vectors (product_id, model, text_hash, full_vector, short_vector, passages, source_updated_at)
         from stdin (format binary)`,
      ),
    )
    await pipeline(Readable.from([COPY_HEAD, ...batch.vectors, COPY_END]), into)
  } finally {
    client.release()
  }
}

/** The binary form of COPY: a signature, flags and an extension (none), then rows, then -1. */
const COPY_HEAD = Buffer.concat([Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'), Buffer.alloc(8)])
const COPY_END = Buffer.from([0xff, 0xff])

/** A copy of its own: the vectors are only good until the next product is made. */
function copyRow(fields: Uint8Array[]): Buffer {
  const row = Buffer.allocUnsafe(2 + fields.reduce((sum, field) => sum + 4 + field.byteLength, 0))
  let at = row.writeInt16BE(fields.length, 0)
  for (const field of fields) {
    at = row.writeInt32BE(field.byteLength, at)
    row.set(field, at)
    at += field.byteLength
  }
  return row
}

function bytesOf(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
}

const YEAR_2000_MS = Date.UTC(2000, 0)

/** Microseconds since the year 2000. */
function timestamp(date: Date): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64BE(BigInt(date.getTime() - YEAR_2000_MS) * 1_000n)
  return bytes
}
