/** SQL of the users table. */
import { type Selectable, sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { UsersTable } from '../db/tables.ts'
import { batchOf, type SweepBatch } from '../jobs/sweep.ts'

export type UserRow = Selectable<UsersTable>

/** As much of the row as it takes to know a person: not the hash. */
export type PersonRow = Pick<
  UserRow,
  'id' | 'email' | 'email_key' | 'name' | 'email_verified_at' | 'account_type' | 'is_admin'
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
 * Holds the row until the transaction ends: two deeds on one account happen one after the other. Every deed that also
 * touches the person's links, sessions or grants takes this lock before theirs, so that no two wait for each other. "No
 * key": rows that only point to the person (a code being issued) need not wait.
 */
export async function lockUser(db: Db, id: string): Promise<UserRow | null> {
  return (
    (await db.selectFrom('users').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst()) ??
    null
  )
}

export type NewUser = {
  id: string
  email: string
  emailKey: string
  name: string
  passwordHash: string | null
  verifiedAt: Date | null
  now: Date
}

/** False when the address has an account already, even one that is being made at this moment. */
export async function insertUser(db: Db, user: NewUser): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('users')
    .values({
      id: user.id,
      email: user.email,
      email_key: user.emailKey,
      name: user.name,
      password_hash: user.passwordHash,
      email_verified_at: user.verifiedAt,
      created_at: user.now,
      updated_at: user.now,
    })
    .onConflict((conflict) => conflict.column('email_key').doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
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
export async function replaceHash(db: Db, id: string, from: string, to: string): Promise<void> {
  await sql`update users set password_hash = ${to} where id = ${id} and password_hash = ${from}`.execute(db)
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
