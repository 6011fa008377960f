/** SQL of visits to the demo: whether there is nothing but the demo, and the operator's link. */
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { all, exists, hasChanged, run } from '../db/rows.ts'

const LINK = 'demo_operator_link'

/** Demo sellers are loaded, and there is no real account and no product that is not of the demo catalog. */
export async function isNothingReal(db: Db): Promise<boolean> {
  const rows = await all<{ alone: boolean }>(db)`
    select exists (select 1 from settings where name = 'demo_sellers')
      and not exists (select 1 from users where not demo)
      and not exists (select 1 from products p where not exists (
        select 1 from demo_products d where d.id = p.id)) as alone`
  return rows[0]?.alone ?? false
}

/** In place of the one before. */
export async function saveOperatorLink(
  db: Db,
  link: { tokenHash: string; expiresAt: Date; at: Date },
): Promise<void> {
  const value = JSON.stringify({ hash: link.tokenHash, expiresAt: link.expiresAt })
  await run(db)`
    insert into settings (name, value, updated_at) values (${LINK}, ${value}::jsonb, ${link.at})
    on conflict (name) do update set value = excluded.value, updated_at = excluded.updated_at`
}

const matching = ({ tokenHash, at }: { tokenHash: string; at: Date }) => sql`
  name = ${LINK} and value ->> 'hash' = ${tokenHash} and (value ->> 'expiresAt')::timestamptz > ${at}`

export function hasOperatorLink(db: Db, link: { tokenHash: string; at: Date }) {
  return exists(db)`select 1 from settings where ${matching(link)}`
}

/** False for one that was used, has expired or never was. */
export function takeOperatorLink(db: Db, link: { tokenHash: string; at: Date }) {
  return hasChanged(db)`delete from settings where ${matching(link)}`
}
