/**
 * SQL of families, codes and tokens. Whoever wins a race is decided by one conditional UPDATE each: the row lock makes
 * the others wait, and when they are let in the condition no longer holds.
 */
import { sql } from 'kysely'
import type pg from 'pg'
import type { PersonRow } from '../accounts/people.service.ts'
import type { Db } from '../db/database.ts'

export type Family = {
  familyId: string
  grantId: string
  userId: string
  clientId: string
  scope: string
  resource: string | null
  revokedAt: Date | null
}
export type CodeRow = Family & {
  redirectUri: string
  codeChallenge: string
  expiresAt: Date
  usedAt: Date | null
}
export type RefreshRow = Family & { expiresAt: Date; rotatedAt: Date | null }

const FAMILY = sql`
  f.id as "familyId", f.grant_id as "grantId", f.user_id as "userId", f.client_id as "clientId", f.scope, f.resource,
  f.revoked_at as "revokedAt"`

export async function insertFamily(
  db: Db,
  family: Omit<Family, 'revokedAt'> & { orgId: string | null; now: Date },
): Promise<void> {
  await sql`
    insert into oauth_families (id, grant_id, user_id, org_id, client_id, scope, resource, created_at)
    values (${family.familyId}, ${family.grantId}, ${family.userId}, ${family.orgId}, ${family.clientId},
            ${family.scope}, ${family.resource}, ${family.now})`.execute(db)
}

export async function insertCode(
  db: Db,
  code: { hash: string; familyId: string; redirectUri: string; codeChallenge: string; expiresAt: Date },
): Promise<void> {
  await sql`
    insert into oauth_codes (code_hash, family_id, redirect_uri, code_challenge, expires_at)
    values (${code.hash}, ${code.familyId}, ${code.redirectUri}, ${code.codeChallenge}, ${code.expiresAt})`.execute(
    db,
  )
}

export async function findCode(db: Db, hash: string): Promise<CodeRow | null> {
  const { rows } = await sql<CodeRow>`
    select ${FAMILY}, c.redirect_uri as "redirectUri", c.code_challenge as "codeChallenge",
      c.expires_at as "expiresAt", c.used_at as "usedAt"
    from oauth_codes c join oauth_families f on f.id = c.family_id
    where c.code_hash = ${hash}`.execute(db)
  return rows[0] ?? null
}

/** True for exactly one caller, ever. */
export async function useCode(db: Db, hash: string, now: Date): Promise<boolean> {
  const result = await sql`
    update oauth_codes set used_at = ${now}
    where code_hash = ${hash} and used_at is null and expires_at > ${now}`.execute(db)
  return result.numAffectedRows === 1n
}

export async function findRefreshToken(db: Db, hash: string): Promise<RefreshRow | null> {
  const { rows } = await sql<RefreshRow>`
    select ${FAMILY}, t.expires_at as "expiresAt", t.rotated_at as "rotatedAt"
    from oauth_refresh_tokens t join oauth_families f on f.id = t.family_id
    where t.token_hash = ${hash}`.execute(db)
  return rows[0] ?? null
}

/** True for exactly one caller, ever. */
export async function rotateRefreshToken(db: Db, hash: string, now: Date): Promise<boolean> {
  const result = await sql`
    update oauth_refresh_tokens set rotated_at = ${now}
    where token_hash = ${hash} and rotated_at is null and expires_at > ${now}`.execute(db)
  return result.numAffectedRows === 1n
}

/** Both tokens of one answer, in one statement. */
export async function insertTokens(
  db: Db,
  tokens: {
    familyId: string
    accessHash: string
    accessUntil: Date
    refreshHash: string
    refreshUntil: Date
    now: Date
  },
): Promise<void> {
  await sql`
    with access as (
      insert into oauth_access_tokens (token_hash, family_id, expires_at)
      values (${tokens.accessHash}, ${tokens.familyId}, ${tokens.accessUntil}))
    insert into oauth_refresh_tokens (token_hash, family_id, created_at, expires_at)
    values (${tokens.refreshHash}, ${tokens.familyId}, ${tokens.now}, ${tokens.refreshUntil})`.execute(db)
}

/** What the person knows the client by; null when the family was revoked already. */
export async function revokeFamily(
  db: Db,
  familyId: string,
  reason: string,
  now: Date,
): Promise<{ clientName: string } | null> {
  const { rows } = await sql<{ clientName: string }>`
    update oauth_families f set revoked_at = ${now}, revoked_reason = ${reason}
    from oauth_grants g
    where f.id = ${familyId} and f.revoked_at is null and g.id = f.grant_id
    returning g.client_name as "clientName"`.execute(db)
  return rows[0] ?? null
}

export type AccessRow = PersonRow & {
  expires_at: Date
  client_id: string
  client_name: string
  org_id: string | null
  scope: string
  resource: string | null
}

/** Asked at every request of the tool server: four look-ups by primary key in one round trip, past the query builder. */
const LIVE_ACCESS_TOKEN = `
  select u.id, u.email, u.email_key, u.name, u.email_verified_at, u.account_type, u.is_admin, t.expires_at,
    f.client_id, g.client_name, f.org_id, f.scope, f.resource
  from oauth_access_tokens t
  join oauth_families f on f.id = t.family_id
  join oauth_grants g on g.id = f.grant_id
  join users u on u.id = f.user_id
  where t.token_hash = $1 and t.expires_at > $2 and f.revoked_at is null and u.deactivated_at is null`

export async function findLiveAccessToken(pool: pg.Pool, hash: string, now: Date): Promise<AccessRow | null> {
  const { rows } = await pool.query<AccessRow>(LIVE_ACCESS_TOKEN, [hash, now])
  return rows[0] ?? null
}

export async function findAccessTokenFamily(db: Db, hash: string): Promise<Family | null> {
  const { rows } = await sql<Family>`
    select ${FAMILY} from oauth_access_tokens t join oauth_families f on f.id = t.family_id
    where t.token_hash = ${hash}`.execute(db)
  return rows[0] ?? null
}

export async function deleteAccessToken(db: Db, hash: string): Promise<void> {
  await sql`delete from oauth_access_tokens where token_hash = ${hash}`.execute(db)
}
