/**
 * Removing what has run out. Codes and tokens go by their expiry indexes; families and grants are read through, which
 * once an hour is cheaper than an index kept at every write.
 */
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'

export async function deleteExpired(
  db: Db,
  { now, codesBefore, revokedBefore }: { now: Date; codesBefore: Date; revokedBefore: Date },
): Promise<Record<string, number>> {
  const access = await sql`delete from oauth_access_tokens where expires_at <= ${now}`.execute(db)
  const refresh = await sql`delete from oauth_refresh_tokens where expires_at <= ${now}`.execute(db)
  const codes = await sql`delete from oauth_codes where expires_at <= ${codesBefore}`.execute(db)
  const families = await sql`
    delete from oauth_families f
    where f.revoked_at < ${revokedBefore}
      or (f.created_at < ${codesBefore}
        and not exists (select 1 from oauth_refresh_tokens t where t.family_id = f.id)
        and not exists (select 1 from oauth_access_tokens t where t.family_id = f.id)
        and not exists (select 1 from oauth_codes c where c.family_id = f.id))`.execute(db)
  const grants = await sql`
    delete from oauth_grants g
    where g.revoked_at < ${revokedBefore}
      and not exists (select 1 from oauth_families f where f.grant_id = g.id)`.execute(db)
  const count = (result: { numAffectedRows?: bigint }) => Number(result.numAffectedRows ?? 0)
  return {
    accessTokens: count(access),
    refreshTokens: count(refresh),
    codes: count(codes),
    families: count(families),
    grants: count(grants),
  }
}
