/**
 * SQL of families, codes and tokens. One conditional UPDATE decides each race: the row lock makes
 * the others wait, and when they are let in the condition no longer holds.
 */
import { sql } from 'kysely'
import type pg from 'pg'
import type { PersonRow } from '../accounts/people.service.ts'
import { affected, insertRows, type NewRow, type Row, selected } from '../db/columns.ts'
import type { Db } from '../db/database.ts'
import { hasChanged, one, run } from '../db/rows.ts'

const FAMILY_KEYS = ['grantId', 'userId', 'clientId', 'scope', 'resource', 'revokedAt'] as const
export type Family = Pick<Row<'oauth_families'>, (typeof FAMILY_KEYS)[number]> & { familyId: string }
type CodeRow = Family & Pick<Row<'oauth_codes'>, 'redirectUri' | 'codeChallenge' | 'expiresAt' | 'usedAt'>
type RefreshRow = Family & Pick<Row<'oauth_refresh_tokens'>, 'expiresAt' | 'rotatedAt'>

const FAMILY = sql`f.id as "familyId", ${selected(FAMILY_KEYS, 'f')}`

export function insertFamily(db: Db, family: NewRow<'oauth_families'>): Promise<void> {
  return insertRows(db, 'oauth_families', [family])
}

export function insertCode(db: Db, code: NewRow<'oauth_codes'>): Promise<void> {
  return insertRows(db, 'oauth_codes', [code])
}

export function findCode(db: Db, hash: string) {
  return one<CodeRow>(db)`
    select ${FAMILY}, ${selected(['redirectUri', 'codeChallenge', 'expiresAt', 'usedAt'], 'c')}
    from oauth_codes c join oauth_families f on f.id = c.family_id
    where c.code_hash = ${hash}`
}

/** True for exactly one caller, ever. */
export function useCode(db: Db, hash: string, now: Date) {
  return hasChanged(db)`
    update oauth_codes set used_at = ${now}
    where code_hash = ${hash} and used_at is null and expires_at > ${now}`
}

export function findRefreshToken(db: Db, hash: string) {
  return one<RefreshRow>(db)`
    select ${FAMILY}, ${selected(['expiresAt', 'rotatedAt'], 't')}
    from oauth_refresh_tokens t join oauth_families f on f.id = t.family_id
    where t.token_hash = ${hash}`
}

/** True for exactly one caller, ever. */
export function rotateRefreshToken(db: Db, hash: string, now: Date) {
  return hasChanged(db)`
    update oauth_refresh_tokens set rotated_at = ${now}
    where token_hash = ${hash} and rotated_at is null and expires_at > ${now}`
}

/** Both tokens of one answer, in one statement. */
export function insertTokens(
  db: Db,
  tokens: {
    familyId: string
    accessHash: string
    accessUntil: Date
    refreshHash: string
    refreshUntil: Date
    now: Date
  },
) {
  return run(db)`
    with access as (
      insert into oauth_access_tokens (token_hash, family_id, expires_at)
      values (${tokens.accessHash}, ${tokens.familyId}, ${tokens.accessUntil}))
    insert into oauth_refresh_tokens (token_hash, family_id, created_at, expires_at)
    values (${tokens.refreshHash}, ${tokens.familyId}, ${tokens.now}, ${tokens.refreshUntil})`
}

/** What the person knows the client by; null when the family was revoked already. */
export function revokeFamily(db: Db, familyId: string, reason: string, now: Date) {
  return one<{ clientName: string }>(db)`
    update oauth_families f set revoked_at = ${now}, revoked_reason = ${reason}
    from oauth_grants g
    where f.id = ${familyId} and f.revoked_at is null and g.id = f.grant_id
    returning g.client_name as "clientName"`
}

type AccessRow = PersonRow & {
  expires_at: Date
  client_id: string
  client_name: string
  org_id: string | null
  scope: string
  resource: string | null
}

/** Asked at every request of the tool server: four look-ups by primary key in one round trip, past the query builder. */
const LIVE_ACCESS_TOKEN = `
  select u.id, u.email, u.email_key, u.name, u.email_verified_at, u.account_type, u.is_admin, u.demo, t.expires_at,
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

export function findAccessTokenFamily(db: Db, hash: string) {
  return one<Family>(db)`
    select ${FAMILY} from oauth_access_tokens t join oauth_families f on f.id = t.family_id
    where t.token_hash = ${hash}`
}

export function deleteAccessToken(db: Db, hash: string) {
  return run(db)`delete from oauth_access_tokens where token_hash = ${hash}`
}

/**
 * What has run out. Codes and tokens go by their expiry indexes; families and grants are read through, which once an hour
 * is cheaper than an index kept at every write.
 */
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
  return {
    accessTokens: affected(access),
    refreshTokens: affected(refresh),
    codes: affected(codes),
    families: affected(families),
    grants: affected(grants),
  }
}
