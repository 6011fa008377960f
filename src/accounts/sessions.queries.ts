/** SQL of the sessions table. Time is an argument: the service's clock decides, not each row's. */
import type { Selectable } from 'kysely'
import type { NewRow } from '../db/columns.ts'
import type { Db } from '../db/database.ts'
import { all, changed, exists, hasChanged, one, run } from '../db/rows.ts'
import type { SessionsTable } from '../db/tables.ts'
import type { PersonRow } from './users.queries.ts'

type SessionRow = Selectable<SessionsTable>
type LiveSession = PersonRow & { session_id: string } & Pick<SessionRow, 'selected_org_id' | 'last_seen_at'>

/** False for an account that is deactivated: whatever way leads here, none leads in. */
export function insertSession(db: Db, session: Omit<NewRow<'sessions'>, 'createdAt'> & { now: Date }) {
  return hasChanged(db)`
    insert into sessions (id, token_hash, user_id, ip, user_agent, created_at, last_seen_at, expires_at)
    select ${session.id}, ${session.tokenHash}, id, ${session.ip}, ${session.userAgent}, ${session.now}, ${session.now},
      ${session.expiresAt}
    from users where id = ${session.userId} and deactivated_at is null`
}

export function findLiveSession(db: Db, tokenHash: string, now: Date) {
  return one<LiveSession>(db)`
    select u.id, u.email, u.email_key, u.name, u.email_verified_at, u.account_type, u.is_admin, u.demo,
      s.id as session_id, s.selected_org_id, s.last_seen_at
    from sessions s join users u on u.id = s.user_id
    where s.token_hash = ${tokenHash} and s.expires_at > ${now} and u.deactivated_at is null`
}

/** Only if nobody has done it meanwhile: of many requests at once, one writes. */
export function touchSession(db: Db, input: { id: string; seenBefore: Date; now: Date; expiresAt: Date }) {
  return run(db)`
    update sessions set last_seen_at = ${input.now}, expires_at = ${input.expiresAt}
    where id = ${input.id} and last_seen_at < ${input.seenBefore}`
}

export function findSessionById(db: Db, id: string, userId: string) {
  return one<SessionRow>(db)`
    select * from sessions where id = ${id} and user_id = ${userId}`
}

export function lockSession(db: Db, id: string, userId: string) {
  return exists(db)`
    select 1 from sessions where id = ${id} and user_id = ${userId} for key share`
}

export function listLiveSessions(db: Db, userId: string, now: Date) {
  return all<SessionRow>(db)`
    select * from sessions where user_id = ${userId} and expires_at > ${now}
    order by last_seen_at desc limit 100`
}

export function deleteSession(db: Db, id: string, userId: string) {
  return hasChanged(db)`delete from sessions where id = ${id} and user_id = ${userId}`
}

export function deleteSessionByToken(db: Db, tokenHash: string) {
  return one<{ id: string; user_id: string }>(db)`
    delete from sessions where token_hash = ${tokenHash} returning id, user_id`
}

export function deleteUserSessions(db: Db, userId: string) {
  return changed(db)`delete from sessions where user_id = ${userId}`
}

/** Keeps the newest so many, by their last use. */
export function deleteOldestSessions(db: Db, userId: string, keep: number) {
  return run(db)`
    delete from sessions where id in (
      select id from sessions where user_id = ${userId} order by last_seen_at desc, id desc offset ${keep})`
}

export function deleteExpiredSessions(db: Db, now: Date) {
  return changed(db)`delete from sessions where expires_at <= ${now}`
}
