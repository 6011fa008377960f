/** From a row to the person the rest of the service sees. The only place that decides who is an operator. */
import type { Person } from './actor.ts'
import type { SessionsContext } from './context.ts'
import { findUserById, type PersonRow } from './users.queries.ts'

export type { PersonRow }

export function personFromRow(row: PersonRow, config: SessionsContext['config']): Person {
  const emailVerified = row.email_verified_at !== null
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    emailVerified,
    accountType: row.account_type,
    ...(row.demo && { demo: row.is_admin ? ('operator' as const) : ('seller' as const) }),
    // An address proves nothing until its owner has confirmed it: anyone can sign up with the operator's.
    isAdmin: !row.demo && (row.is_admin || (emailVerified && config.adminEmails.includes(row.email_key))),
  }
}

export async function findPerson(ctx: SessionsContext, userId: string): Promise<Person | null> {
  const row = await findUserById(ctx.db, userId)
  return row && personFromRow(row, ctx.config)
}
