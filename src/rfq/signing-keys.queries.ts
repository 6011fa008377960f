/** SQL of the keys that sign quotes. At most one is current; the index holds it so. */
import type { Selectable } from 'kysely'
import type { Db } from '../db/database.ts'
import { all, hasChanged, run } from '../db/rows.ts'
import type { SigningKeysTable } from '../db/tables.ts'

type SigningKeyRow = Selectable<SigningKeysTable>

export function findSigningKeys(db: Db) {
  return all<SigningKeyRow>(db)`
    select * from signing_keys order by retired_at is null desc, created_at desc`
}

/** Nothing happens when there is a current key already. */
export function insertSigningKey(
  db: Db,
  key: { kid: string; publicJwk: object; privateBox: string; at: Date },
) {
  return hasChanged(db)`
    insert into signing_keys (kid, public_jwk, private_box, created_at)
    values (${key.kid}, ${JSON.stringify(key.publicJwk)}::jsonb, ${key.privateBox}, ${key.at})
    on conflict ((true)) where retired_at is null do nothing`
}

export function retireSigningKey(db: Db, at: Date) {
  return run(db)`update signing_keys set retired_at = ${at} where retired_at is null`
}
