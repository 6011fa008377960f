/** SQL of the users table, and of what the operator does with accounts. */
import { type Selectable, sql } from 'kysely'
import { given, named, type Row } from '../db/columns.ts'
import type { Db } from '../db/database.ts'
import { containing } from '../db/like.ts'
import { all, hasChanged, run } from '../db/rows.ts'
import type { UsersTable } from '../db/tables.ts'
import { batchOf, type SweepBatch } from '../jobs/sweep.ts'

export type UserRow = Selectable<UsersTable>

/** As much of the row as it takes to know a person: not the hash. */
export type PersonRow = Pick<
  UserRow,
  'id' | 'email' | 'email_key' | 'name' | 'email_verified_at' | 'account_type' | 'is_admin' | 'demo'
>

export async function findUserById(db: Db, id: string): Promise<UserRow | null> {
  return (await db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()) ?? null
}

export async function findUserByEmailKey(db: Db, emailKey: string): Promise<UserRow | null> {
  return (
    (await db.selectFrom('users').selectAll().where('email_key', '=', emailKey).executeTakeFirst()) ?? null
  )
}

/**
 * Holds the row until the transaction ends: two actions on one account happen one after the other. Every action that also
 * touches the person's links, sessions or grants takes this lock before theirs, so that no two wait for each other. "No
 * key": rows that only point to the person (a code being issued) need not wait.
 */
export async function lockUser(db: Db, id: string): Promise<UserRow | null> {
  return (
    (await db.selectFrom('users').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst()) ??
    null
  )
}

/** False when the address has an account already, even one that is being made at this moment. */
export function insertUser(
  db: Db,
  user: Pick<
    Row<'users'>,
    'id' | 'email' | 'emailKey' | 'name' | 'passwordHash' | 'emailVerifiedAt' | 'createdAt'
  >,
) {
  const row = { ...user, updatedAt: user.createdAt }
  const keys = Object.keys(row) as Array<keyof typeof row>
  return hasChanged(db)`
    insert into users (${named(keys)}) values (${given(keys, row)})
    on conflict (email_key) do nothing`
}

export type UserChange = Partial<
  Pick<
    UserRow,
    'name' | 'password_hash' | 'email_verified_at' | 'is_admin' | 'account_type' | 'deactivated_at'
  >
>

export async function updateUser(db: Db, id: string, change: UserChange, now: Date): Promise<void> {
  await db
    .updateTable('users')
    .set({ ...change, updated_at: now })
    .where('id', '=', id)
    .execute()
}

/** Only over the hash it was computed from: a password that was changed meanwhile stays changed. */
export function replaceHash(db: Db, id: string, from: string, to: string) {
  return run(db)`update users set password_hash = ${to} where id = ${id} and password_hash = ${from}`
}

export async function deleteUser(db: Db, id: string): Promise<void> {
  await db.deleteFrom('users').where('id', '=', id).execute()
}

/**
 * Accounts that nobody confirmed since then, uses or has anything with, along users_unconfirmed; each leaves a line in the
 * audit log. One that somebody is at this moment is left for the next sweep.
 */
export async function deleteUnconfirmed(db: Db, before: Date, rows: number): Promise<SweepBatch> {
  const { numAffectedRows } = await sql`
    with gone as (
      delete from users where id in (
        select u.id from users u
        where u.email_verified_at is null and u.created_at < ${before} and not u.is_admin and u.deactivated_at is null
          and not exists (select 1 from sessions s where s.user_id = u.id)
          and not exists (select 1 from org_members m where m.user_id = u.id)
          and not exists (select 1 from oauth_grants g where g.user_id = u.id and g.revoked_at is null)
          and not exists (select 1 from saved_products p where p.user_id = u.id)
          and not exists (select 1 from rfqs r where r.user_id = u.id)
          and not exists (select 1 from mistake_reports r where r.user_id = u.id)
        limit ${rows} for update skip locked)
      returning id)
    insert into audit_log (id, actor_kind, user_id, action, detail)
    select gen_random_uuid(), 'system', id, 'account.deleted', '{"reason":"never confirmed"}' from gone`.execute(
    db,
  )
  return batchOf(numAffectedRows, rows)
}

export async function listUsers(db: Db, limit: number): Promise<UserRow[]> {
  return db.selectFrom('users').selectAll().orderBy('created_at').orderBy('id').limit(limit).execute()
}

/**
 * Everybody who may be an operator, and one more person, held until the transaction ends. In one order and in one
 * statement: operators who act on each other at once take turns, and the second sees what the first has done.
 */
export function lockOperatorsAnd(db: Db, adminEmails: string[], id: string) {
  return all<UserRow>(db)`
    select * from users
    where id = ${id} or is_admin or (email_key = any(${adminEmails}) and email_verified_at is not null)
    order by id for no key update`
}

export type AccountState = 'active' | 'unconfirmed' | 'operator' | 'deactivated'

export type ListedRow = PersonRow & { deactivated_at: Date | null; created_at: Date }

const LISTED = sql`
  id, email, email_key, name, email_verified_at, account_type, is_admin, demo, deactivated_at, created_at`

/** Newest first, after the account `beforeId`. `search` is looked for in address and name. */
export function findUsers(
  db: Db,
  input: {
    search: string | null
    state: AccountState | null
    adminEmails: string[]
    beforeId: string | null
    limit: number
  },
) {
  const { search, state, beforeId } = input
  const pattern = search === null ? null : containing(search.toLowerCase())
  const found = pattern === null ? sql`true` : sql`(email_key like ${pattern} or lower(name) like ${pattern})`
  // By row, not by time: accounts made at one moment may stand on two pages.
  const older =
    beforeId === null
      ? sql`true`
      : sql`(created_at, id) < (select b.created_at, b.id from users b where b.id = ${beforeId})`
  return all<ListedRow>(db)`
    select ${LISTED} from users where ${found} and ${inState(state, input.adminEmails)} and ${older}
    order by created_at desc, id desc limit ${input.limit}`
}

function inState(state: AccountState | null, adminEmails: string[]) {
  if (state === null) return sql`true`
  if (state === 'deactivated') return sql`deactivated_at is not null`
  if (state === 'unconfirmed') return sql`deactivated_at is null and email_verified_at is null`
  if (state === 'active') return sql`deactivated_at is null and email_verified_at is not null`
  return sql`(is_admin or (email_key = any(${adminEmails}) and email_verified_at is not null))`
}
