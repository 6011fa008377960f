/** SQL of the keys that sign quotes. At most one is current; the index holds it so. */
import { type Selectable, sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { SigningKeysTable } from '../db/tables.rfq.ts'

type SigningKeyRow = Selectable<SigningKeysTable>

export async function findSigningKeys(db: Db): Promise<SigningKeyRow[]> {
  const { rows } = await sql<SigningKeyRow>`
    select * from signing_keys order by retired_at is null desc, created_at desc`.execute(db)
  return rows
}

/** Nothing happens when there is a current key already. */
export async function insertSigningKey(
  db: Db,
  key: { kid: string; publicJwk: object; privateBox: string; at: Date },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into signing_keys (kid, public_jwk, private_box, created_at)
    values (${key.kid}, ${JSON.stringify(key.publicJwk)}::jsonb, ${key.privateBox}, ${key.at})
    on conflict ((true)) where retired_at is null do nothing`.execute(db)
  return numAffectedRows === 1n
}

export async function retireSigningKey(db: Db, at: Date): Promise<void> {
  await sql`update signing_keys set retired_at = ${at} where retired_at is null`.execute(db)
}
