/**
 * SQL of link tokens; the table holds their hashes only. A token ends with its maker's right to make tokens: it is
 * revoked in the transaction that takes the right away. Look-ups ask for the right as well, because an older version
 * of the service, or a restored backup, may have left a token behind.
 */
import { sql } from 'kysely'
import { insertRows, type NewRow, type Row } from '../db/columns.ts'
import type { Db } from '../db/database.ts'
import { all, count, map, one, run } from '../db/rows.ts'

/** Whether the maker of the token `t` may make tokens now. */
export const MADE_BY_MANAGER = sql<boolean>`exists (
  select 1 from org_members m join users u on u.id = m.user_id
  where m.org_id = t.org_id and m.user_id = t.created_by and m.role in ('owner', 'admin')
    and u.deactivated_at is null)`

export function findLiveLinkToken(db: Db, tokenHash: string) {
  return one<Pick<Row<'link_tokens'>, 'id' | 'orgId' | 'lastUsedAt'>>(db)`
    select t.id, t.org_id as "orgId", t.last_used_at as "lastUsedAt" from link_tokens t
    where t.token_hash = ${tokenHash} and t.revoked_at is null and ${MADE_BY_MANAGER}`
}

export function touchLinkToken(db: Db, id: string, now: Date) {
  return run(db)`update link_tokens set last_used_at = ${now} where id = ${id}`
}

export type LinkToken = Pick<Row<'link_tokens'>, 'id' | 'name' | 'hint' | 'createdAt' | 'lastUsedAt'> & {
  /** Null when they no longer belong to the organization. */
  createdBy: { userId: string; name: string; email: string } | null
}

/** Newest first. */
export function listLiveLinkTokens(db: Db, orgId: string) {
  return all<LinkToken>(db)`
    select t.id, t.name, t.hint, t.created_at as "createdAt", t.last_used_at as "lastUsedAt",
      case when u.id is not null
        then json_build_object('userId', u.id, 'name', u.name, 'email', u.email) end as "createdBy"
    from link_tokens t
    left join org_members m on m.org_id = t.org_id and m.user_id = t.created_by
    left join users u on u.id = m.user_id
    where t.org_id = ${orgId} and t.revoked_at is null order by t.created_at desc, t.id desc`
}

export function insertLinkToken(db: Db, token: NewRow<'link_tokens'>): Promise<void> {
  return insertRows(db, 'link_tokens', [token])
}

/** Waits for actions under way that the token does; null when the organization has no such live token. */
export function revokeLiveLinkToken(db: Db, { id, orgId, now }: { id: string; orgId: string; now: Date }) {
  return one<{ name: string }>(db)`
    update link_tokens set revoked_at = ${now}
    where id = ${id} and org_id = ${orgId} and revoked_at is null returning name`
}

/** Live tokens that this person made for the organization, all of them. With the organization locked. */
export function revokeLinkTokensBy(
  db: Db,
  { orgId, userId, now }: { orgId: string; userId: string; now: Date },
) {
  return all<{ id: string; name: string }>(db)`
    update link_tokens set revoked_at = ${now}
    where org_id = ${orgId} and created_by = ${userId} and revoked_at is null returning id, name`
}

/** How many live tokens each person made for the organization. */
export function countLinkTokensByMaker(db: Db, orgId: string) {
  return map<string, number>(db)`
    select created_by as "userId", count(*) as count from link_tokens
    where org_id = ${orgId} and revoked_at is null and created_by is not null group by created_by`
}

/** How many live tokens this person made, for all their organizations. */
export function countLinkTokensOf(db: Db, userId: string) {
  return count(db)`
    select count(*) as count from link_tokens t join org_members m on m.org_id = t.org_id and m.user_id = t.created_by
    where m.user_id = ${userId} and t.revoked_at is null`
}

/** Revoked ones too: the history names them. */
export function linkTokenNames(db: Db, orgId: string, ids: string[]) {
  return map<string, string>(db)`
    select id, name from link_tokens where org_id = ${orgId} and id = any(${ids})`
}

/** Revoked ones too, newest first. */
export function listEveryLinkToken(db: Db, orgId: string, limit: number) {
  return all<{ id: string; name: string }>(db)`
    select id, name from link_tokens where org_id = ${orgId}
    order by created_at desc, id desc limit ${limit}`
}
