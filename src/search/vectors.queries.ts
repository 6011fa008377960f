/** Vectors at rest. */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../db/tables.ts'

import { NO_PASSAGES, type Passages } from './vectors/passages.ts'

type Db = Kysely<Tables>

export type StoredVectors = {
  productId: string
  textHash: Buffer
  full: Float32Array
  short: Float32Array
  passages: Passages
  sourceUpdatedAt: Date
}

type Row = {
  product_id: string
  text_hash: Buffer
  full_vector: Buffer
  short_vector: Buffer
  passages: Buffer
  source_updated_at: Date
}

export async function findVectors(
  db: Db,
  model: string,
  productIds: string[],
): Promise<Map<string, StoredVectors>> {
  const { rows } = await sql<Row>`
    select product_id, text_hash, full_vector, short_vector, passages, source_updated_at from product_vectors
    where model = ${model} and product_id = any(${productIds})`.execute(db)
  return new Map(
    rows.map((row) => [
      row.product_id,
      {
        productId: row.product_id,
        textHash: row.text_hash,
        full: toFloats(row.full_vector),
        short: toFloats(row.short_vector),
        passages: unpackPassages(row.passages),
        sourceUpdatedAt: row.source_updated_at,
      },
    ]),
  )
}

/** Together with the record that tells every node to load them. */
export async function saveVectors(db: Db, model: string, vectors: StoredVectors[]): Promise<void> {
  if (vectors.length === 0) return
  await db.transaction().execute(async (tx) => {
    // A product may have been removed while it was being embedded; then its vectors go nowhere.
    await sql`
      insert into product_vectors (product_id, model, text_hash, full_vector, short_vector, passages,
        source_updated_at)
      select v.product_id, ${model}, v.text_hash, v.full_vector, v.short_vector, v.passages, v.source_updated_at
      from unnest(${vectors.map((vector) => vector.productId)}::uuid[],
                  ${vectors.map((vector) => vector.textHash)}::bytea[],
                  ${vectors.map((vector) => toBytes(vector.full))}::bytea[],
                  ${vectors.map((vector) => toBytes(vector.short))}::bytea[],
                  ${vectors.map((vector) => packPassages(vector.passages))}::bytea[],
                  ${vectors.map((vector) => vector.sourceUpdatedAt)}::timestamptz[])
           as v (product_id, text_hash, full_vector, short_vector, passages, source_updated_at)
      join products p on p.id = v.product_id
      on conflict (product_id, model) do update set text_hash = excluded.text_hash, full_vector = excluded.full_vector,
        short_vector = excluded.short_vector, passages = excluded.passages, source_updated_at = excluded.source_updated_at`.execute(
      tx,
    )
    await sql`
      insert into changes (product_id, category_id, aspect)
      select id, category_id, 'embedded' from products where id = any(${vectors.map((vector) => vector.productId)})`.execute(
      tx,
    )
  })
}

/**
 * To the millisecond, as dates are here: a time written by hand is finer, vectors would never catch up with it, and the
 * job would embed the product for ever.
 */
const IS_STALE = sql`(v.product_id is null
  or v.source_updated_at < date_trunc('milliseconds', greatest(p.updated_at, c.updated_at)))`

/** Products that are shown and whose state has moved on since they were embedded by this model, or that never were. */
export async function findStale(
  db: Db,
  model: string,
  { limit, after }: { limit: number; after?: string },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select p.id from shown_products p
    join categories c on c.id = p.category_id
    left join product_vectors v on v.product_id = p.id and v.model = ${model}
    where ${IS_STALE}
      and (${after ?? null}::uuid is null or p.id > ${after ?? null})
    order by p.id limit ${limit}`.execute(db)
  return rows.map((row) => row.id)
}

export async function countStale(db: Db, model: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from shown_products p
    join categories c on c.id = p.category_id
    left join product_vectors v on v.product_id = p.id and v.model = ${model}
    where ${IS_STALE}`.execute(db)
  return rows[0]?.n ?? 0
}

export async function deleteVectorsOfOtherModels(db: Db, model: string): Promise<void> {
  await sql`delete from product_vectors where model <> ${model}`.execute(db)
}

/**
 * Where they are, if floats may start there: at a multiple of four, as a field of a row does. The index copies what it is
 * given, so a second copy of every vector would be garbage at once.
 */
function toFloats(bytes: Buffer): Float32Array {
  const { buffer, byteOffset, byteLength } = bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes)
  return new Float32Array(buffer, byteOffset, byteLength / 4)
}

function toBytes(vector: Float32Array): Buffer {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)
}

/** A byte for how many, then their kinds, their scales (32-bit floats) and their int8 rows. */
export function packPassages({ kinds, scales, rows }: Passages): Buffer {
  return Buffer.concat([
    Uint8Array.of(kinds.length),
    kinds,
    new Uint8Array(scales.buffer, scales.byteOffset, scales.byteLength),
    new Uint8Array(rows.buffer, rows.byteOffset, rows.byteLength),
  ])
}

export function unpackPassages(bytes: Buffer): Passages {
  const count = bytes[0] ?? 0
  if (count === 0) return NO_PASSAGES
  const scalesAt = 1 + count
  const rowsAt = scalesAt + count * 4
  return {
    kinds: new Uint8Array(bytes.buffer, bytes.byteOffset + 1, count),
    scales: toFloats(bytes.subarray(scalesAt, rowsAt)),
    rows: new Int8Array(bytes.buffer, bytes.byteOffset + rowsAt, bytes.byteLength - rowsAt),
  }
}
