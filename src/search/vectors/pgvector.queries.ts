/** What a ranking asks of pgvector, each in one statement. Rows are told by number: a number is shorter than an id. */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import { halfText, readVector } from './half-text.ts'
import type { Reading } from './meaning-index.ts'
import type { VectorTable } from './pgvector-tables.queries.ts'

type Db = Kysely<Tables>
type Sql = RawBuilder<unknown>

/** Among which rows to look. A list and `all` are compared one by one; a mask, a bit a row number, and null by the index. */
export type Scope = { rows: number[] } | { all: Uint8Array | null } | { mask: Uint8Array | null }
export type NearRow = { row: number; cosine: number }
export type CosineRow = { row: number; full: number; short: number }
export type GatheredRow = CosineRow & { plain: number | null; kinds: number[]; passages: number[] | null }

export async function gatherRows(
  db: Db,
  table: VectorTable,
  query: { vector: Float32Array; plainVector: Float32Array | null },
  { k, scope, also }: { k: number; scope: Scope | null; also: number[] },
): Promise<GatheredRow[]> {
  const asked = halfvec(query.vector)
  const plain = query.plainVector && halfvec(query.plainVector)
  const near = scope
    ? sql`union select row_no from ${nearest(table, 'full', asked, k, scope)} f
          union select row_no from ${nearest(table, 'short', asked, k, scope)} s`
    : sql``
  const { rows } = await sql<GatheredRow>`
    with found as materialized (select unnest(${also}::int[]) as row_no ${near})
    select m.row_no as row, -(m.full_vector <#> ${asked}) as full, -(m.short_vector <#> ${asked}) as short,
      ${plain ? sql`-(m.full_vector <#> ${plain})` : sql`null::float8`} as plain, m.passage_kinds as kinds,
      (select array_agg(-(s.passage <#> ${asked}) order by s.at)
       from unnest(m.passages) with ordinality as s (passage, at)) as passages
    from found join ${sql.table(table.name)} m using (row_no)`.execute(db)
  return rows
}

/** Best first, equal ones by row number. */
export async function nearestRows(
  db: Db,
  table: VectorTable,
  reading: Reading,
  vector: Float32Array,
  { k, scope }: { k: number; scope: Scope },
): Promise<NearRow[]> {
  const { rows } = await sql<NearRow>`
    select row_no as row, cosine from ${nearest(table, reading, halfvec(vector), k, scope)} n
    order by cosine desc, row_no`.execute(db)
  return rows
}

export async function cosineRows(
  db: Db,
  table: VectorTable,
  vector: Float32Array,
  rowNumbers: number[],
): Promise<CosineRow[]> {
  const asked = halfvec(vector)
  const { rows } = await sql<CosineRow>`
    select row_no as row, -(full_vector <#> ${asked}) as full, -(short_vector <#> ${asked}) as short
    from ${sql.table(table.name)} where row_no = any(${rowNumbers}::int[])`.execute(db)
  return rows
}

/** The nearest to a row by its own vectors. */
export async function rowsAround(
  db: Db,
  table: VectorTable,
  own: number,
  { k, scope }: { k: number; scope: Scope },
): Promise<CosineRow[]> {
  const { rows } = await sql<CosineRow>`
    with own as materialized (
      select full_vector, short_vector from ${sql.table(table.name)} where row_no = ${own}),
    found as materialized (
      select f.row_no from own, lateral ${nearest(table, 'full', sql`own.full_vector`, k, scope)} f union
      select s.row_no from own, lateral ${nearest(table, 'short', sql`own.short_vector`, k, scope)} s)
    select m.row_no as row, -(m.full_vector <#> own.full_vector) as full,
      -(m.short_vector <#> own.short_vector) as short
    from own, found join ${sql.table(table.name)} m using (row_no)`.execute(db)
  return rows
}

/** The mean of the short vectors of each group; a group of which no row is there is left out. */
export async function meansOf(
  db: Db,
  table: VectorTable,
  members: Array<{ row: number; group: number }>,
): Promise<Map<number, Float32Array>> {
  const { rows } = await sql<{ of: number; mean: string }>`
    select g.of, avg(m.short_vector::vector)::text as mean
    from unnest(${members.map(({ row }) => row)}::int[], ${members.map(({ group }) => group)}::int[])
      as g (row_no, of) join ${sql.table(table.name)} m using (row_no) group by g.of`.execute(db)
  return new Map(rows.map(({ of, mean }) => [of, readVector(mean)]))
}

const halfvec = (vector: Float32Array) => sql`${halfText(vector)}::halfvec`

function nearest({ name }: VectorTable, reading: Reading, query: Sql, k: number, scope: Scope): Sql {
  if ('mask' in scope) {
    const mask = scope.mask && Buffer.from(scope.mask.buffer)
    return sql`(select row_no, cosine from ${sql.table(`${name}_near`)}(${reading}, ${query}, ${k}, ${mask}::bytea))`
  }
  const column = sql.raw(reading === 'full' ? 'full_vector' : 'short_vector')
  // Ordered by a number and not by the operator, which the index would answer, and not exactly.
  return sql`(select t.row_no, -(t.${column} <#> ${query}) as cosine from ${sql.table(name)} t
    where ${among(scope)} order by cosine desc, t.row_no limit ${k})`
}

function among(scope: Exclude<Scope, { mask: unknown }>): Sql {
  if ('rows' in scope) return sql`t.row_no = any(${scope.rows}::int[])`
  if (scope.all === null) return sql`true`
  const mask = sql`${Buffer.from(scope.all.buffer)}::bytea`
  return sql`case when t.row_no < ${scope.all.length * 8} then get_bit(${mask}, t.row_no) = 1 else false end`
}
