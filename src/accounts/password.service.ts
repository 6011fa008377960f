/**
 * Choosing another password: by the old one, or by a link in a mail. Either way everybody else is signed out, links that
 * still wait in mails die, and the owner is told by mail. A reset also ends what acts for the account (OAuth grants),
 * because anyone who had the password could have granted them.
 */
import { AppError, forbidden, invalid, unauthenticated } from '../lib/errors.ts'
import { emailKey } from './accounts.schema.ts'
import type { SessionActor } from './actor.ts'
import { recordAudit, recordOwn } from './audit.service.ts'
import type { AccountsContext, Visit } from './context.ts'
import { mailTo, peekLink, sendLink, useLink } from './links.service.ts'
import { queueMail } from './mail.job.ts'
import { deleteMailTokens } from './mail-tokens.queries.ts'
import { type PasswordOwner, passwordProblem } from './password-strength.ts'
import { hashPassword, verifyPassword } from './passwords.ts'
import { endAllSessions, holdSession, isFreshSession } from './sessions.service.ts'
import { confirmAddress, type SignedIn, startSession } from './signin.service.ts'
import { countTry, forgiveTry } from './throttle.service.ts'
import { findUserByEmailKey, findUserById, lockUser, type UserRow, updateUser } from './users.queries.ts'

export const RESET_ASKED = 'password.reset_asked'

/** The same work for any address: one with no account gets a mail that says so. */
export async function askReset(
  ctx: AccountsContext,
  { email, returnTo, visit }: { email: string; returnTo: string | null; visit: Visit },
): Promise<void> {
  const key = emailKey(email)
  await countTry(ctx, { scope: 'mail', emailKey: key, visit })
  await ctx.db.transaction().execute(async (tx) => {
    const inTx = { ...ctx, db: tx }
    const user = await findUserByEmailKey(tx, key)
    await recordAudit(tx, {
      actor: { kind: 'system', id: null },
      action: RESET_ASKED,
      at: ctx.clock.now(),
      userId: user?.id ?? null,
      visit,
    })
    if (user) {
      const { email: to, id: userId } = user
      // Its page changes nothing, so it is the same in every browser.
      const link = { purpose: 'reset', email: to, userId, returnTo, browserHash: null } as const
      await sendLink(inTx, { ...link, mail: mailTo(user, 'reset') })
    } else {
      const link = `${ctx.config.baseUrl}/auth/signup`
      await queueMail(inTx, { kind: 'no_account', to: email, link, expiresAt: null })
    }
  })
}

const DEAD_LINK = 'This link has expired or was already used. Request a new one.'

export async function resetPassword(
  ctx: AccountsContext,
  input: { token: string; password: string; visit: Visit; replaces: string | null },
): Promise<SignedIn & { returnTo: string | null }> {
  const { token, password, visit, replaces } = input
  const dead = () => invalid('token', DEAD_LINK)
  const link = await peekLink(ctx, { purpose: 'reset', token })
  const user = link?.usable && link.userId !== null ? await findUserById(ctx.db, link.userId) : null
  if (!link || !user || user.deactivated_at !== null) throw dead()
  await requireGoodPassword(ctx, { password, owner: user, whose: user.id, visit })
  const hash = await hashPassword(password, ctx.config.passwordCost)
  const signedIn = await ctx.db.transaction().execute(async (tx) => {
    const inTx = { ...ctx, db: tx }
    const locked = await lockUser(tx, user.id)
    if (!locked || locked.deactivated_at !== null) throw dead()
    if (!(await useLink(inTx, { purpose: 'reset', token }))) throw dead()
    if (locked.email_verified_at === null) await confirmAddress(inTx, { userId: user.id, visit })
    await forgiveTry(inTx, { scope: 'signin', emailKey: user.email_key, visit: { ip: null } })
    await replacePassword(inTx, { user, hash, visit, action: 'password.reset' })
    // After the sessions have ended (see holdSession).
    await ctx.hooks.revokeAccess(tx, user.id)
    return startSession(inTx, { userId: user.id, visit, replaces, by: 'reset' })
  })
  return { ...signedIn, returnTo: link.returnTo }
}

/** A person without a password (signed up by link) sets the first one moments after signing in. */
export async function changePassword(
  ctx: AccountsContext,
  input: { actor: SessionActor; current: string; password: string; visit: Visit; replaces: string },
): Promise<SignedIn> {
  const { actor, current, password, visit, replaces } = input
  const user = await requireSelf(ctx, { actor, password: current, visit, field: 'current' })
  await requireGoodPassword(ctx, { password, owner: user, whose: user.id, visit })
  const hash = await hashPassword(password, ctx.config.passwordCost)
  return ctx.db.transaction().execute(async (tx) => {
    const inTx = { ...ctx, db: tx }
    if ((await lockUser(tx, user.id))?.password_hash !== user.password_hash)
      throw new AppError('conflict', 'The password was just changed. Please try again.')
    // Signed out, here or everywhere, while the new one was being hashed.
    if (!(await holdSession(inTx, actor))) throw signInFirst()
    await replacePassword(inTx, { user, hash, visit, action: 'password.changed' })
    return startSession(inTx, { userId: user.id, visit, replaces, by: 'password' })
  })
}

async function replacePassword(
  ctx: AccountsContext,
  { user, hash, visit, action }: { user: UserRow; hash: string; visit: Visit; action: string },
): Promise<void> {
  const at = ctx.clock.now()
  await updateUser(ctx.db, user.id, { password_hash: hash }, at)
  await endAllSessions(ctx, { userId: user.id })
  await deleteMailTokens(ctx.db, user.id, user.email_key)
  await recordOwn(ctx.db, { userId: user.id, at, visit }, action)
  const link = `${ctx.config.baseUrl}/auth/reset`
  await queueMail(ctx, { kind: 'password_changed', to: user.email, link, expiresAt: null })
}

/**
 * Before what cannot be taken back: the password again, or, for an account without one, a sign-in of the last minutes.
 * Guesses count like guesses at the sign-in page.
 */
export async function requireSelf(
  ctx: AccountsContext,
  input: { actor: SessionActor; password: string; visit: Visit; field: string },
): Promise<UserRow> {
  const { actor, password, visit, field } = input
  const user = await findUserById(ctx.db, actor.user.id)
  if (!user) throw signInFirst()
  if (user.password_hash === null) {
    if (await isFreshSession(ctx, actor)) return user
    throw forbidden('Please sign in again first: your last sign-in was more than 15 minutes ago.')
  }
  const tries = { scope: 'signin', emailKey: user.email_key, visit } as const
  await countTry(ctx, tries)
  if (!(await verifyPassword(password, user.password_hash, ctx.config.passwordCost))) {
    await recordOwn(ctx.db, { userId: user.id, at: ctx.clock.now(), visit }, 'password.wrong')
    throw invalid(field, 'This password is incorrect.')
  }
  await forgiveTry(ctx, tries)
  return user
}

export function signInFirst(): AppError {
  return unauthenticated('Please sign in.')
}

/**
 * Counted, because judging costs a moment of the processor. `whose` count it is: the id of who has proved to own the
 * account, the address of who has not. Else strangers who sign up with an address could keep its owner from a new password.
 */
export async function requireGoodPassword(
  ctx: AccountsContext,
  input: { password: string; owner: PasswordOwner; whose: string; visit: Visit },
): Promise<void> {
  const { password, owner, whose, visit } = input
  await countTry(ctx, { scope: 'choose', emailKey: whose, visit })
  const problem = await passwordProblem(password, owner)
  if (problem !== null) throw invalid('password', problem)
}
