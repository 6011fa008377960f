/**
 * What the operator does with accounts, on the pages and on the command line: find them, close and open them, confirm an
 * address on their behalf, and say who else is an operator. Each action is in the history of the account it was done to.
 */
import type { Config } from '../config.ts'
import type { Db } from '../db/database.ts'
import { withinTime } from '../db/within-time.ts'
import type { Clock } from '../lib/clock.ts'
import { type AppError, conflict, forbidden, notFound } from '../lib/errors.ts'
import { isUuid } from '../lib/ids.ts'
import { emailKey } from './accounts.schema.ts'
import { recordAudit } from './audit.service.ts'
import type { AccountHooks, By } from './hooks.ts'
import { deleteMailTokens } from './mail-tokens.queries.ts'
import { personFromRow } from './people.service.ts'
import { endAllSessions, listSessions } from './sessions.service.ts'
import {
  type AccountState,
  findUserByEmailKey,
  findUserById,
  findUsers,
  type ListedRow,
  listUsers,
  lockOperatorsAnd,
  type UserChange,
  type UserRow,
  updateUser,
} from './users.queries.ts'

export type { AccountState }

type OperatorContext = { db: Db; clock: Clock; config: Pick<Config, 'adminEmails'> }

export type { By }

const COMMAND_LINE: By = { actor: { kind: 'operator', id: null } }

const LISTED = 1_000
const PEOPLE_PAGE = 50
export const ACCOUNT_STATES: readonly AccountState[] = ['active', 'unconfirmed', 'operator', 'deactivated']

export type AccountLine = ReturnType<typeof lineOf>

/** The oldest first, a thousand at most. */
export async function listAccounts(
  ctx: Pick<OperatorContext, 'db'>,
  adminEmails: string[],
): Promise<AccountLine[]> {
  return (await listUsers(ctx.db, LISTED)).map((row) => lineOf(row, adminEmails))
}

type PeoplePage = { people: AccountLine[]; next: string | null }

/** Newest first; `next` is where the following page begins. */
export async function findPeople(
  ctx: OperatorContext,
  asked: { search: string | null; state: AccountState | null; before: string | null; limit?: number },
): Promise<PeoplePage> {
  const { adminEmails } = ctx.config
  const { limit = PEOPLE_PAGE } = asked
  const beforeId = asked.before !== null && isUuid(asked.before) ? asked.before : null
  const tooLong = { message: 'the search took too long; enter more of the email' }
  const rows = await withinTime(ctx.db, tooLong, (tx) =>
    findUsers(tx, { ...asked, adminEmails, beforeId, limit: limit + 1 }),
  )
  const people = rows.slice(0, limit).map((row) => lineOf(row, adminEmails))
  return { people, next: rows.length > limit ? (people.at(-1)?.id ?? null) : null }
}

function lineOf(row: ListedRow, adminEmails: string[]) {
  const { id, email, name, accountType, emailVerified, isAdmin, demo } = personFromRow(row, { adminEmails })
  const { deactivated_at: deactivatedAt, created_at: createdAt } = row
  return {
    ...{ id, email, name, accountType, deactivatedAt, createdAt },
    ...{ verified: emailVerified, admin: isAdmin, demo: demo !== undefined },
  }
}

export type Account = AccountLine & {
  verifiedAt: Date | null
  hasPassword: boolean
  /** Made one here, not only named in SOUK_ADMIN_EMAILS. */
  madeAdmin: boolean
  named: boolean
  sessions: number
  lastSeenAt: Date | null
}

/** What may be known of an account: no hash and no token. Null for an unknown id. */
export async function findAccount(ctx: OperatorContext, id: string): Promise<Account | null> {
  const row = isUuid(id) ? await findUserById(ctx.db, id) : null
  if (!row) return null
  const sessions = await listSessions(ctx, row.id)
  return {
    ...lineOf(row, ctx.config.adminEmails),
    verifiedAt: row.email_verified_at,
    hasPassword: row.password_hash !== null,
    madeAdmin: row.is_admin,
    named: isNamed(ctx, row),
    sessions: sessions.length,
    lastSeenAt: sessions[0]?.lastSeenAt ?? null,
  }
}

/**
 * From here on nobody gets in by this account: sessions, links in mails and grants end with it, and no way in makes new
 * ones (see insertSession, findLiveSession, findLiveAccessToken). Its organizations stay; link tokens that the person
 * made for them end.
 */
export async function deactivateAccount(
  ctx: OperatorContext & { hooks: Pick<AccountHooks, 'revokeAccess' | 'onDeactivate'> },
  which: string,
  by: By = COMMAND_LINE,
): Promise<{ changed: boolean }> {
  return onAccount(ctx, which, by, async ({ tx, user, operators, change }) => {
    notOneself(by, user, 'deactivate your own account')
    if (user.deactivated_at !== null) return { changed: false }
    if (operators.every(({ id }) => id === user.id) && operators.length > 0)
      throw conflict(
        'this is the last operator; make someone else an operator first, or use the command line',
      )
    await change('account.deactivated', { deactivated_at: ctx.clock.now() })
    // Grants after sessions (see holdSession).
    await endAllSessions({ ...ctx, db: tx }, { userId: user.id })
    await deleteMailTokens(tx, user.id, user.email_key)
    await ctx.hooks.revokeAccess(tx, user.id)
    await ctx.hooks.onDeactivate(tx, user.id, by)
    return { changed: true }
  })
}

/** They sign in anew and connect their apps anew; the rest is as it was. */
export async function reactivateAccount(
  ctx: OperatorContext,
  which: string,
  by: By = COMMAND_LINE,
): Promise<{ changed: boolean }> {
  return onAccount(ctx, which, by, async ({ user, change }) => {
    if (user.deactivated_at === null) return { changed: false }
    await change('account.reactivated', { deactivated_at: null })
    return { changed: true }
  })
}

/** For people whose email does not arrive. The operator must have checked that the address is theirs. */
export async function verifyAccount(
  ctx: OperatorContext,
  which: string,
  by: By = COMMAND_LINE,
): Promise<{ changed: boolean }> {
  return onAccount(ctx, which, by, async ({ user, change }) => {
    if (user.email_verified_at !== null) return { changed: false }
    await change('email.verified', { email_verified_at: ctx.clock.now() }, { via: 'operator' })
    return { changed: true }
  })
}

/** `verified` tells whether its owner has confirmed the address; until then the account may be a stranger's. */
export async function makeAdmin(
  ctx: OperatorContext,
  which: string,
  by: By = COMMAND_LINE,
): Promise<{ verified: boolean }> {
  return onAccount(ctx, which, by, async ({ user, change }) => {
    if (user.deactivated_at !== null) throw conflict('this account is deactivated; reactivate it first')
    if (!user.is_admin) await change('admin.granted', { is_admin: true })
    return { verified: user.email_verified_at !== null }
  })
}

/** `named`: SOUK_ADMIN_EMAILS makes them an operator all the same. */
export async function revokeAdmin(
  ctx: OperatorContext,
  which: string,
  by: By = COMMAND_LINE,
): Promise<{ changed: boolean; named: boolean }> {
  return onAccount(ctx, which, by, async ({ user, change }) => {
    notOneself(by, user, 'remove your own operator role')
    if (user.is_admin) await change('admin.revoked', { is_admin: false })
    return { changed: user.is_admin, named: isNamed(ctx, user) }
  })
}

type Work = {
  tx: Db
  user: UserRow
  /** Those who can act as such now. */
  operators: UserRow[]
  /** Writes it with its record. */
  change(action: string, change: UserChange, detail?: Record<string, unknown>): Promise<void>
}

/** `which` is an address or an account's id. */
function onAccount<T>(
  ctx: OperatorContext,
  which: string,
  by: By,
  work: (on: Work) => Promise<T>,
): Promise<T> {
  const { adminEmails } = ctx.config
  return ctx.db.transaction().execute(async (tx) => {
    const named = isUuid(which)
      ? await findUserById(tx, which)
      : await findUserByEmailKey(tx, emailKey(which))
    if (!named) throw noSuchAccount(which)
    const held = await lockOperatorsAnd(tx, adminEmails, named.id)
    const user = held.find(({ id }) => id === named.id)
    if (!user) throw noSuchAccount(which)
    const operators = held.filter(
      (row) => row.deactivated_at === null && personFromRow(row, { adminEmails }).isAdmin,
    )
    // Rejects an operator who was deactivated or lost the role since the request began.
    if (by.actor.kind === 'user' && !operators.some(({ id }) => id === by.actor.id))
      throw forbidden('you are no longer an operator')
    return work({
      tx,
      user,
      operators,
      async change(action, change, detail = {}) {
        const at = ctx.clock.now()
        await updateUser(tx, user.id, change, at)
        await recordAudit(tx, { ...by, action, at, userId: user.id, detail })
      },
    })
  })
}

function notOneself(by: By, user: UserRow, what: string): void {
  if (by.actor.id === user.id) throw conflict(`you cannot ${what}; another operator can`)
}

function isNamed(ctx: OperatorContext, { email_key }: UserRow): boolean {
  return ctx.config.adminEmails.includes(email_key)
}

function noSuchAccount(which: string): AppError {
  return notFound(`no account has the ${isUuid(which) ? 'id' : 'address'} ${which}`)
}
