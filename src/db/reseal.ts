/**
 * Rotation of the keys that seal secrets in the database. SOUK_SECRET lists secrets newest first: after a new one was
 * put in front, this seals anew whatever an older one has sealed, and then the older one can be dropped. It works in
 * small batches, may be ended and started again at any moment, and never overwrites what was set meanwhile.
 */
import { sql } from 'kysely'
import type { SecretBox } from '../lib/crypto.ts'
import type { Db } from './database.ts'
import type { Tables } from './tables.ts'

export type SealedColumn = {
  table: keyof Tables
  column: string
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
  const box = sql.ref(column.column)
  const { rows } = await sql<{ id: string; sealed: string }>`
    select ${keyOf(column)} as id, ${box} as sealed from ${sql.table(column.table)}
    where not starts_with(${box}, ${prefix}) and ${keyOf(column)} > ${after}
    order by 1 limit ${limit}`.execute(db)
  return rows
}

/** False when the box is no longer the one that was read. */
async function replace(
  db: Db,
  column: SealedColumn,
  { id, from, to }: { id: string; from: string; to: string },
): Promise<boolean> {
  const box = sql.ref(column.column)
  const { numAffectedRows } = await sql`
    update ${sql.table(column.table)} set ${box} = ${to}
    where ${keyOf(column)} = ${id} and ${box} = ${from}`.execute(db)
  return numAffectedRows === 1n
}
