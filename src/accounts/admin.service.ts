/** What the operator's command line does with accounts. */
import type { Db } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { AppError } from '../lib/errors.ts'
import { emailKey } from './accounts.schema.ts'
import { recordAudit } from './audit.service.ts'
import { personFromRow } from './people.service.ts'
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
    const { email, name, accountType, emailVerified, isAdmin } = personFromRow(row, { adminEmails })
    return { email, name, accountType, verified: emailVerified, admin: isAdmin, createdAt: row.created_at }
  })
}

/** `verified` tells whether its owner has confirmed the address; until then the account may be a stranger's. */
export async function makeAdmin(ctx: OperatorContext, email: string): Promise<{ verified: boolean }> {
  return ctx.db.transaction().execute(async (tx) => {
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
    return { verified: user.email_verified_at !== null }
  })
}
