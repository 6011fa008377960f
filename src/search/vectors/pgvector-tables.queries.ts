/**
 * The tables of pgvector: one a model, because an index is of one number of dimensions and must not be filled with
 * vectors nobody asks for. They are not in a migration, because the extension may be absent: the
 * first user creates them under a lock, and doing so twice changes nothing. Each row is a copy of one of `product_vectors` and goes with it;
 * which rows are missing or out of date is told by the hash of the text, so the next run repairs whatever a crash left.
 */
import { type Kysely, sql } from 'kysely'
import { LOCKS } from '../../db/advisory-lock.ts'
import type { Tables } from '../../db/tables.ts'
import { sha256 } from '../../lib/crypto.ts'
import { findVectors } from '../vectors.queries.ts'
import { halfText, passageTexts } from './half-text.ts'

type Db = Kysely<Tables>
export type VectorTable = { model: string; dims: number; name: string }

const PREFIX = 'product_meaning_'
/** Scans that go on until enough rows pass a filter came with this one. */
const OLDEST_EXTENSION = [0, 8] as const
/** What an index of half-precision vectors takes. */
const MAX_DIMS = 4_000
const PIECE = 200

export function vectorTable({ id, dims }: { id: string; dims: number }): VectorTable {
  return { model: id, dims, name: nameFor(id, dims) }
}

function nameFor(id: string, dims: number): string {
  return `${PREFIX}${sha256(`${id} ${dims}`).toString('hex').slice(0, 12)}`
}

/** Null when the server has none that could be created; `created` says whether this database has it already. */
export async function findExtension(db: Db): Promise<{ version: string; created: boolean } | null> {
  const { rows } = await sql<{ installed: string | null; offered: string | null }>`
    select installed_version as installed, default_version as offered
    from pg_available_extensions where name = 'vector'`.execute(db)
  const { installed, offered } = rows[0] ?? { installed: null, offered: null }
  const version = installed ?? offered
  return version === null ? null : { version, created: installed !== null }
}

export function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > OLDEST_EXTENSION[0] || (major === OLDEST_EXTENSION[0] && minor >= OLDEST_EXTENSION[1])
}

export async function createExtension(db: Db): Promise<void> {
  await underLock(db, (tx) => sql`create extension if not exists vector`.execute(tx))
}

export async function createTable(db: Db, { name, dims, model }: VectorTable): Promise<void> {
  if (dims > MAX_DIMS)
    throw new Error(
      `pgvector indexes at most ${MAX_DIMS} dimensions, the model ${model} has ${dims}: set SOUK_VECTORS=memory`,
    )
  const size = sql.lit(dims)
  await underLock(db, async (tx) => {
    // The library must be there for the settings below to be known.
    await sql`select '[1]'::halfvec`.execute(tx)
    await sql`
      create table if not exists ${sql.table(name)} (
        row_no int generated always as identity primary key,
        product_id uuid not null unique,
        model text not null,
        text_hash bytea not null,
        full_vector halfvec(${size}) not null,
        short_vector halfvec(${size}) not null,
        passage_kinds smallint[] not null,
        passages halfvec[] not null,
        foreign key (product_id, model) references product_vectors (product_id, model) on delete cascade
      )`.execute(tx)
    // A function, because its settings hold for it alone and cost no round trip. The scan goes on until `wanted` rows
    // pass the mask, which has a bit a row number.
    await sql`
      create or replace function ${sql.table(`${name}_near`)}
        (reading text, query halfvec, wanted int, mask bytea) returns table (row_no int, cosine float8)
      language plpgsql stable
      set hnsw.ef_search = 200 set hnsw.iterative_scan = 'relaxed_order' set hnsw.max_scan_tuples = 40000
      set enable_seqscan = off
      as ${sql.lit(nearBody(name))}`.execute(tx)
  })
}

function nearBody(name: string): string {
  const select = (column: string) => `
    return query execute 'select m.row_no, -(m.${column} <#> $1) from ${name} m
      where $3 is null or case when m.row_no < 8 * length($3) then get_bit($3, m.row_no) = 1 else false end
      order by m.${column} <#> $1 limit $2' using query, wanted, mask;`
  return `begin if reading = 'full' then ${select('full_vector')} else ${select('short_vector')} end if; end`
}

/** After the first filling: built at once from all rows an index is better, and made many times faster. */
export async function createIndexes(db: Db, { name }: VectorTable): Promise<void> {
  await underLock(db, async (tx) => {
    for (const column of ['full_vector', 'short_vector'])
      await sql`
        create index if not exists ${sql.raw(`${name}_${column}`)} on ${sql.table(name)}
        using hnsw (${sql.raw(column)} halfvec_ip_ops)`.execute(tx)
  })
}

export async function hasIndexes(db: Db, { name }: VectorTable): Promise<boolean> {
  const { rows } = await sql`
    select 1 from pg_indexes where tablename = ${name} and indexname = ${`${name}_short_vector`}`.execute(db)
  return rows.length > 0
}

/** Some of the products whose vectors are not in the table, or are of another text. */
export async function findUncopied(db: Db, { name, model }: VectorTable, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select v.product_id as id from product_vectors v left join ${sql.table(name)} m on m.product_id = v.product_id
    where v.model = ${model} and m.text_hash is distinct from v.text_hash limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

/** The row numbers of those of these products that have vectors, after copying what is missing or out of date. */
export async function bringRows(
  db: Db,
  table: VectorTable,
  productIds: string[],
): Promise<Map<string, number>> {
  const found = await findRows(db, table, productIds)
  const stale = found.flatMap(({ id, isStale }) => (isStale ? [id] : []))
  if (stale.length === 0) return rowNumbers(found)
  for (let from = 0; from < stale.length; from += PIECE) {
    const piece = stale.slice(from, from + PIECE)
    // Nodes hear of a change together: the first copies, the others find it done.
    await underLock(db, async (tx) => {
      const still = (await findRows(tx, table, piece)).flatMap(({ id, isStale }) => (isStale ? [id] : []))
      if (still.length > 0) await copyRows(tx, table, still)
    })
  }
  return rowNumbers(await findRows(db, table, productIds))
}

type FoundRow = { id: string; row: number | null; isStale: boolean }

const rowNumbers = (rows: FoundRow[]) =>
  new Map(rows.flatMap(({ id, row }) => (row === null ? [] : [[id, row] as const])))

async function findRows(db: Db, { name, model }: VectorTable, productIds: string[]): Promise<FoundRow[]> {
  const { rows } = await sql<FoundRow>`
    select v.product_id as id, m.row_no as row, m.text_hash is distinct from v.text_hash as "isStale"
    from product_vectors v left join ${sql.table(name)} m on m.product_id = v.product_id
    where v.model = ${model} and v.product_id = any(${productIds}::uuid[])`.execute(db)
  return rows
}

/** Of two that read and write at once the later change is told of after it is stored, and copied then. */
async function copyRows(db: Db, { name, model }: VectorTable, productIds: string[]): Promise<void> {
  const vectors = [...(await findVectors(db, model, productIds)).values()]
  const given = sql`unnest(${vectors.map((one) => one.productId)}::uuid[],
      ${vectors.map((one) => one.textHash)}::bytea[],
      ${vectors.map((one) => halfText(one.full))}::text[],
      ${vectors.map((one) => halfText(one.short))}::text[],
      ${vectors.map((one) => `{${one.passages.kinds.join(',')}}`)}::text[],
      ${vectors.map((one) => passageTexts(one.passages))}::text[])
    as v (product_id, text_hash, full_vector, short_vector, passage_kinds, passages)`
  // Not one statement for both: it would use up a row number for every change, and numbers must stay dense.
  await sql`
    update ${sql.table(name)} m set text_hash = v.text_hash, full_vector = v.full_vector::halfvec,
      short_vector = v.short_vector::halfvec, passage_kinds = v.passage_kinds::smallint[],
      passages = v.passages::halfvec[]
    from ${given} where m.product_id = v.product_id`.execute(db)
  await sql`
    insert into ${sql.table(name)}
      (product_id, model, text_hash, full_vector, short_vector, passage_kinds, passages)
    select v.product_id, ${model}, v.text_hash, v.full_vector::halfvec, v.short_vector::halfvec,
      v.passage_kinds::smallint[], v.passages::halfvec[]
    from ${given}
    where not exists (select from ${sql.table(name)} m where m.product_id = v.product_id)
      and exists (select from product_vectors p where p.product_id = v.product_id and p.model = ${model} for key share)`.execute(
    db,
  )
}

/** When all products are embedded by the new model. A node of the old one then answers by words, as it does in memory. */
export async function dropTablesOfOtherModels(
  db: Db,
  { id, dims }: { id: string; dims: number },
): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relkind = 'r' and relname ~ ${`^${PREFIX}[0-9a-f]{12}$`} and relname <> ${nameFor(id, dims)}
      and pg_table_is_visible(oid)`.execute(db)
  if (rows.length === 0) return
  await underLock(db, async (tx) => {
    for (const { name } of rows) {
      await sql`drop function if exists ${sql.table(`${name}_near`)}`.execute(tx)
      await sql`drop table if exists ${sql.table(name)}`.execute(tx)
    }
  })
}

/** Until the transaction ends, no other node makes or fills one of these tables. */
async function underLock(db: Db, work: (tx: Db) => Promise<unknown>): Promise<void> {
  await db.transaction().execute(async (tx) => {
    // Waiting for another node and building an index may take longer than a request may.
    await sql`select set_config('statement_timeout', '0', true)`.execute(tx)
    await sql`select pg_advisory_xact_lock(${sql.lit(LOCKS.vectors)})`.execute(tx)
    await work(tx)
  })
}
