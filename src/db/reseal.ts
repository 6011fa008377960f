/**
 * Rotation of the keys that seal secrets in the database. SOUK_SECRET lists secrets newest first: after a new one was
 * put in front, this seals anew whatever an older one has sealed, and then the older one can be dropped. It works in
 * small batches, may be ended and started again at any moment, and never overwrites what was set meanwhile.
 */
import { sql } from 'kysely'
import type { SecretBox } from '../lib/crypto.ts'
import type { Db } from './database.ts'
import { all } from './rows.ts'

export type SealedColumn = {
  table: string
  column: string
  /** Of a column that holds JSON: the field that is the box. */
  field?: string
  /** Rows whose box is still needed, by the values of their columns; all when left out. */
  needed?: Record<string, readonly string[] | null>
  /** Columns that name a row. */
  key: readonly string[]
  /** What the key is derived for: a box sealed for anything else does not open with it. */
  purpose: string
}

export type Resealed = {
  resealed: number
  /** Keys of rows whose box no key of SOUK_SECRET opens: their owners must set the secret again. */
  lost: string[]
}

const BATCH = 100
/** Boxes of a kind that are opened to see whether they open. */
const SAMPLE = 5

export async function resealColumn(
  db: Db,
  column: SealedColumn,
  box: SecretBox,
  { batch = BATCH } = {},
): Promise<Resealed> {
  const lost: string[] = []
  let resealed = 0
  let after = ''
  for (;;) {
    const rows = await findOlder(db, column, { prefix: box.prefix, after, limit: batch })
    for (const { id, sealed } of rows) {
      const plain = opened(box, sealed)
      if (plain === null) lost.push(id)
      else if (await replace(db, column, { id, from: sealed, to: box.seal(plain) })) resealed++
    }
    after = rows.at(-1)?.id ?? ''
    if (rows.length < batch) return { resealed, lost }
  }
}

function opened(box: SecretBox, sealed: string): string | null {
  try {
    return box.open(sealed)
  } catch {
    return null
  }
}

/** How many boxes are needed, and how many of them no key opens: by the key that each names, and a few by opening them. */
export async function countSealed(
  db: Db,
  column: SealedColumn,
  box: SecretBox,
): Promise<{ boxes: number; lost: number }> {
  if (!(await exists(db, column))) return { boxes: 0, lost: 0 }
  const sealed = boxOf(column)
  const opens = sql<boolean>`exists (select from unnest(${box.prefixes}::text[]) p where starts_with(${sealed}, p))`
  const rows = await all<{ boxes: number; strange: number }>(db)`
    select count(*) as boxes, count(*) filter (where not ${opens}) as strange
    from ${sql.table(column.table)} where ${sealed} is not null and ${isNeeded(column)}`
  const some = await all<{ sealed: string }>(db)`
    select ${sealed} as sealed from ${sql.table(column.table)}
    where ${sealed} is not null and ${isNeeded(column)} and ${opens} limit ${SAMPLE}`
  const { boxes, strange } = rows[0] ?? { boxes: 0, strange: 0 }
  return { boxes, lost: strange + some.filter((one) => opened(box, one.sealed) === null).length }
}

/** A database that is not migrated yet may lack a table or its column. */
async function exists(db: Db, { table, column }: SealedColumn): Promise<boolean> {
  const { rows } = await sql`
    select from pg_attribute where attrelid = to_regclass(${table}) and attname = ${column}`.execute(db)
  return rows.length > 0
}

function isNeeded({ needed = {} }: SealedColumn) {
  const conditions = Object.entries(needed).map(([name, values]) =>
    values === null ? sql`${sql.ref(name)} is null` : sql`${sql.ref(name)} = any(${values})`,
  )
  return sql.join([sql`true`, ...conditions], sql` and `)
}

const boxOf = ({ column, field }: SealedColumn) =>
  field === undefined ? sql`${sql.ref(column)}` : sql`${sql.ref(column)} ->> ${sql.lit(field)}`

const keyOf = ({ key }: SealedColumn) =>
  sql.join(
    key.map((name) => sql`${sql.ref(name)}::text`),
    sql` || ' ' || `,
  )

async function findOlder(
  db: Db,
  column: SealedColumn,
  { prefix, after, limit }: { prefix: string; after: string; limit: number },
): Promise<Array<{ id: string; sealed: string }>> {
  const box = boxOf(column)
  return all<{ id: string; sealed: string }>(db)`
    select ${keyOf(column)} as id, ${box} as sealed from ${sql.table(column.table)}
    where not starts_with(${box}, ${prefix}) and ${keyOf(column)} > ${after}
    order by 1 limit ${limit}`
}

/** False when the box is no longer the one that was read. */
async function replace(
  db: Db,
  column: SealedColumn,
  { id, from, to }: { id: string; from: string; to: string },
): Promise<boolean> {
  const box = boxOf(column)
  const value =
    column.field === undefined
      ? sql`${to}`
      : sql`jsonb_set(${sql.ref(column.column)}, array[${column.field}], to_jsonb(${to}::text))`
  const { numAffectedRows } = await sql`
    update ${sql.table(column.table)} set ${sql.ref(column.column)} = ${value}
    where ${keyOf(column)} = ${id} and ${box} = ${from}`.execute(db)
  return numAffectedRows === 1n
}
