/** SQL of what the operator does with accounts. */
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { containing } from '../db/like.ts'
import type { PersonRow, UserRow } from './users.queries.ts'

/**
 * Everybody who may be an operator, and one more person, held until the transaction ends. In one order and in one
 * statement: operators who act on each other at once take turns, and the second sees what the first has done.
 */
export async function lockOperatorsAnd(db: Db, adminEmails: string[], id: string): Promise<UserRow[]> {
  const { rows } = await sql<UserRow>`
    select * from users
    where id = ${id} or is_admin or (email_key = any(${adminEmails}) and email_verified_at is not null)
    order by id for no key update`.execute(db)
  return rows
}

export type AccountState = 'active' | 'unconfirmed' | 'operator' | 'deactivated'

export type ListedRow = PersonRow & { deactivated_at: Date | null; created_at: Date }

const LISTED = sql`
  id, email, email_key, name, email_verified_at, account_type, is_admin, deactivated_at, created_at`

/** Newest first, after the account `beforeId`. `search` is looked for in address and name. */
export async function findUsers(
  db: Db,
  input: {
    search: string | null
    state: AccountState | null
    adminEmails: string[]
    beforeId: string | null
    limit: number
  },
): Promise<ListedRow[]> {
  const { search, state, beforeId } = input
  const pattern = search === null ? null : containing(search.toLowerCase())
  const found = pattern === null ? sql`true` : sql`(email_key like ${pattern} or lower(name) like ${pattern})`
  // By row, not by time: accounts made at one moment may stand on two pages.
  const older =
    beforeId === null
      ? sql`true`
      : sql`(created_at, id) < (select b.created_at, b.id from users b where b.id = ${beforeId})`
  const { rows } = await sql<ListedRow>`
    select ${LISTED} from users where ${found} and ${inState(state, input.adminEmails)} and ${older}
    order by created_at desc, id desc limit ${input.limit}`.execute(db)
  return rows
}

function inState(state: AccountState | null, adminEmails: string[]) {
  if (state === null) return sql`true`
  if (state === 'deactivated') return sql`deactivated_at is not null`
  if (state === 'unconfirmed') return sql`deactivated_at is null and email_verified_at is null`
  if (state === 'active') return sql`deactivated_at is null and email_verified_at is not null`
  return sql`(is_admin or (email_key = any(${adminEmails}) and email_verified_at is not null))`
}
