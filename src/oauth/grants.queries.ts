/** SQL of consents. Issuing a code under a grant and revoking the grant both lock its row. */
import { type Row, selected } from '../db/columns.ts'
import type { Db } from '../db/database.ts'
import { all, changed, column, one, value } from '../db/rows.ts'

const GRANT_KEYS = [
  'id',
  'clientId',
  'clientName',
  'clientHost',
  'scope',
  'redirectUris',
  'createdAt',
  'lastUsedAt',
] as const
export type GrantRow = Pick<Row<'oauth_grants'>, (typeof GRANT_KEYS)[number]>
const GRANT = selected(GRANT_KEYS, 'oauth_grants')

/** Served by oauth_grants_alive. */
export function findGrant(db: Db, userId: string, clientId: string) {
  return one<GrantRow>(db)`
    select ${GRANT} from oauth_grants
    where user_id = ${userId} and client_id = ${clientId} and revoked_at is null`
}

/** Holds the row until the transaction ends; null when it was revoked in the meantime. */
export function touchGrant(db: Db, id: string, now: Date) {
  return value<string>(db)`
    update oauth_grants set last_used_at = ${now} where id = ${id} and revoked_at is null returning id`
}

type Consent = Pick<GrantRow, 'id' | 'clientId' | 'clientName' | 'clientHost' | 'scope'> & {
  userId: string
  redirectUri: string
  now: Date
}

/** One grant a person and client; a further consent adds its redirect address, of which the last 20 are kept. */
export async function upsertGrant(db: Db, consent: Consent): Promise<string> {
  const row = await one<{ id: string }>(db)`
    insert into oauth_grants as g
      (id, user_id, client_id, client_name, client_host, scope, redirect_uris, created_at, last_used_at)
    values (${consent.id}, ${consent.userId}, ${consent.clientId}, ${consent.clientName}, ${consent.clientHost},
            ${consent.scope}, array[${consent.redirectUri}::text], ${consent.now}, ${consent.now})
    on conflict (user_id, client_id) where revoked_at is null do update set
      client_name = excluded.client_name, client_host = excluded.client_host, scope = excluded.scope,
      redirect_uris = (excluded.redirect_uris || array_remove(g.redirect_uris, excluded.redirect_uris[1]))[1:20],
      last_used_at = excluded.last_used_at
    returning id`
  if (!row) throw new Error('a consent left no grant')
  return row.id
}

export function findGrants(db: Db, userId: string) {
  return all<GrantRow>(db)`
    select ${GRANT} from oauth_grants where user_id = ${userId} and revoked_at is null
    order by last_used_at desc, id desc`
}

/** Null when this user has no such grant. */
export function markGrantRevoked(db: Db, { id, userId, now }: { id: string; userId: string; now: Date }) {
  return one<GrantRow>(db)`
    update oauth_grants set revoked_at = ${now}
    where id = ${id} and user_id = ${userId} and revoked_at is null returning ${GRANT}`
}

export function markAllGrantsRevoked(db: Db, userId: string, now: Date) {
  return column<string>(db)`
    update oauth_grants set revoked_at = ${now} where user_id = ${userId} and revoked_at is null
    returning id`
}

/** Served by oauth_families_by_grant. */
export function revokeFamiliesOfGrants(
  db: Db,
  { ids, reason, now }: { ids: string[]; reason: string; now: Date },
) {
  return changed(db)`
    update oauth_families set revoked_at = ${now}, revoked_reason = ${reason}
    where grant_id = any(${ids}) and revoked_at is null`
}
