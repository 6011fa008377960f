/** SQL of link tokens; the table holds their hashes only. */
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'

export async function findLiveLinkToken(
  db: Db,
  tokenHash: string,
): Promise<{ id: string; orgId: string; lastUsedAt: Date | null } | null> {
  const { rows } = await sql<{ id: string; orgId: string; lastUsedAt: Date | null }>`
    select id, org_id as "orgId", last_used_at as "lastUsedAt" from link_tokens
    where token_hash = ${tokenHash} and revoked_at is null`.execute(db)
  return rows[0] ?? null
}

export async function touchLinkToken(db: Db, id: string, now: Date): Promise<void> {
  await sql`update link_tokens set last_used_at = ${now} where id = ${id}`.execute(db)
}
