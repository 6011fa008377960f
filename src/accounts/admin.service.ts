/** What the operator's command line does with accounts. */
import type { Db } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { AppError } from '../lib/errors.ts'
import { emailKey } from './accounts.schema.ts'
import { recordAudit } from './audit.service.ts'
import { findUserByEmailKey, listUsers, updateUser } from './users.queries.ts'

type OperatorContext = { db: Db; clock: Clock }

const LISTED = 1_000

export type AccountLine = {
  email: string
  name: string
  accountType: string
  verified: boolean
  admin: boolean
  createdAt: Date
}

/** The oldest first, a thousand at most. */
export async function listAccounts(ctx: OperatorContext, adminEmails: string[]): Promise<AccountLine[]> {
  const rows = await listUsers(ctx.db, LISTED)
  return rows.map((row) => {
    const verified = row.email_verified_at !== null
    return {
      email: row.email,
      name: row.name,
      accountType: row.account_type,
      verified,
      admin: row.is_admin || (verified && adminEmails.includes(row.email_key)),
      createdAt: row.created_at,
    }
  })
}

export async function makeAdmin(ctx: OperatorContext, email: string): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const user = await findUserByEmailKey(tx, emailKey(email))
    if (!user) throw new AppError('not_found', `no account has the address ${email}`, { code: 'not_found' })
    const at = ctx.clock.now()
    await updateUser(tx, user.id, { is_admin: true }, at)
    await recordAudit(tx, {
      actor: { kind: 'operator', id: null },
      action: 'admin.granted',
      at,
      userId: user.id,
    })
  })
}
