/** Vectors at rest. */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../db/tables.ts'

import { type Passages, packPassages, toFloats, unpackPassages } from './vectors/passages.ts'

type Db = Kysely<Tables>

/** Changes; more than a large machine embeds. Newer ones need not be looked through. */
const MOST_A_MINUTE = 50_000

export type StoredVectors = {
  productId: string
  /** Of all texts; of the whole ones alone while its sentences are pending. */
  textHash: Buffer
  full: Float32Array
  short: Float32Array
  passages: Passages
  /** Its sentences are not embedded yet: it has no passages for the time being. */
  sentencesPending?: boolean
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

/** Packed, even no passages are one byte. */
const PENDING = Buffer.alloc(0)

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
        sentencesPending: row.passages.length === 0,
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
                  ${vectors.map((vector) => (vector.sentencesPending ? PENDING : packPassages(vector.passages)))}::bytea[],
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

/** Looked at again and found to say the same: nobody need load them. */
export async function confirmVectors(
  db: Db,
  model: string,
  vectors: Array<Pick<StoredVectors, 'productId' | 'sourceUpdatedAt'>>,
): Promise<void> {
  if (vectors.length === 0) return
  await sql`
    update product_vectors v set source_updated_at = given.source_updated_at
    from unnest(${vectors.map((vector) => vector.productId)}::uuid[],
                ${vectors.map((vector) => vector.sourceUpdatedAt)}::timestamptz[])
         as given (product_id, source_updated_at)
    where v.product_id = given.product_id and v.model = ${model}`.execute(db)
}

/**
 * To the millisecond, as dates are here: a time written by hand is finer, vectors would never catch up with it, and the
 * job would embed the product for ever.
 */
const IS_STALE = sql`(v.product_id is null
  or v.source_updated_at < date_trunc('milliseconds', greatest(p.updated_at, c.updated_at)))`

type Piece = { limit: number; after?: string }

const STALE = (model: string) => sql`
  from shown_products p
  join categories c on c.id = p.category_id
  left join product_vectors v on v.product_id = p.id and v.model = ${model}
  where ${IS_STALE}`
const WITHOUT_SENTENCES = (model: string) => sql`
  from product_vectors v join shown_products p on p.id = v.product_id
  where v.model = ${model} and v.passages = ''`

/**
 * All at once, in no order: where few of many are pending this reads the catalog in one go, with all the cores of the
 * database, while a piece in order looks each product up.
 */
export async function listStale(db: Db, model: string): Promise<string[]> {
  const { rows } = await sql<{ ids: string[] | null }>`select array_agg(p.id) as ids ${STALE(model)}`.execute(
    db,
  )
  return rows[0]?.ids ?? []
}

export async function listWithoutSentences(db: Db, model: string): Promise<string[]> {
  const { rows } = await sql<{ ids: string[] | null }>`
    select array_agg(p.id) as ids ${WITHOUT_SENTENCES(model)}`.execute(db)
  return rows[0]?.ids ?? []
}

/** Products that are shown and whose state has moved on since they were embedded by this model, or that never were. */
export async function findStale(db: Db, model: string, { limit, after }: Piece): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select p.id ${STALE(model)}
      and (${after ?? null}::uuid is null or p.id > ${after ?? null})
    order by p.id limit ${limit}`.execute(db)
  return rows.map((row) => row.id)
}

/** Products that are shown and whose sentences are not embedded yet. */
export async function findWithoutSentences(
  db: Db,
  model: string,
  { limit, after }: Piece,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select p.id ${WITHOUT_SENTENCES(model)}
      and (${after ?? null}::uuid is null or v.product_id > ${after ?? null})
    order by v.product_id limit ${limit}`.execute(db)
  return rows.map((row) => row.id)
}

export type EmbeddingCounts = {
  /** Shown ones. */
  products: number
  /** Those whose whole vectors are to be made or looked at again. */
  wholePending: number
  /** Those whose sentences are, too. */
  sentencesPending: number
}

export async function countEmbedding(db: Db, model: string): Promise<EmbeddingCounts> {
  const { rows } = await sql<EmbeddingCounts>`
    select count(*) as products,
      count(*) filter (where ${IS_STALE}) as "wholePending",
      count(*) filter (where ${IS_STALE} or v.passages = '') as "sentencesPending"
    from shown_products p
    join categories c on c.id = p.category_id
    left join product_vectors v on v.product_id = p.id and v.model = ${model}`.execute(db)
  return rows[0] ?? { products: 0, wholePending: 0, sentencesPending: 0 }
}

/** Products a second that were stored in the last minute; null when fewer than two pieces were. */
export async function findEmbeddingPace(db: Db): Promise<number | null> {
  // A piece is stored at one moment: the first says when the time begins, and is not of it.
  const { rows } = await sql<{ products: number; seconds: number | null }>`
    with latest as (
      select at from changes
      where seq > (select max(seq) from changes) - ${MOST_A_MINUTE} and aspect = 'embedded'
        and at > now() - interval '1 minute')
    select count(*) filter (where at > (select min(at) from latest)) as products,
      extract(epoch from max(at) - min(at))::float8 as seconds
    from latest`.execute(db)
  const { products, seconds } = rows[0] ?? { products: 0, seconds: null }
  return seconds ? products / seconds : null
}

export async function findModels(db: Db): Promise<string[]> {
  const { rows } = await sql<{ model: string }>`select distinct model from product_vectors`.execute(db)
  return rows.map(({ model }) => model)
}

export async function deleteVectorsOfOtherModels(db: Db, model: string): Promise<void> {
  await sql`delete from product_vectors where model <> ${model}`.execute(db)
}

function toBytes(vector: Float32Array): Buffer {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)
}
