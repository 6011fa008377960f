/**
 * The ways in: password, and link by mail. Time does not tell whether an account exists, by construction: whatever was
 * typed, one try is counted, one row is looked up, one hash of the same cost is computed (against a dummy when there is
 * none), and one audit row is written; only then the ways part. An account that the operator deactivated is answered as
 * one with another password.
 */
import { type AppError, unauthenticated } from '../lib/errors.ts'
import { newId } from '../lib/ids.ts'
import { type Rate, rateWords } from '../lib/rate-limit.ts'
import { emailKey } from './accounts.schema.ts'
import type { SessionActor } from './actor.ts'
import { recordAudit, recordOwn } from './audit.service.ts'
import type { AccountsContext, Visit } from './context.ts'
import { type Link, mailTo, peekLink, sendLink, useLink } from './links.service.ts'
import { isSignUpBrowser } from './mail-tokens.queries.ts'
import { hashPassword, needsRehash, verifyPassword } from './passwords.ts'
import { createSession, endAllSessions } from './sessions.service.ts'
import { countTry, forgiveTry } from './throttle.service.ts'
import {
  findUserByEmailKey,
  findUserById,
  insertUser,
  lockUser,
  replaceHash,
  type UserRow,
  updateUser,
} from './users.queries.ts'
import { countWithinLimit } from './window-limit.service.ts'

export const FAILED_SIGN_IN = 'signin.failed'
/** Of one account. Each is a row of the audit log, and a link may be opened again and again while it holds. */
const SIGN_INS: Rate = { count: 120, windowMs: 3_600_000 }

export type SignedIn = { token: string; userId: string }

type PasswordSignIn = {
  email: string
  password: string
  visit: Visit
  /** The token of the session the browser came with, which ends here. */
  replaces: string | null
}

export async function signInWithPassword(ctx: AccountsContext, input: PasswordSignIn): Promise<SignedIn> {
  const { email, password, visit, replaces } = input
  const tries = { scope: 'signin', emailKey: emailKey(email), visit } as const
  await countTry(ctx, tries)
  const user = await findUserByEmailKey(ctx.db, tries.emailKey)
  const right = await verifyPassword(password, user?.password_hash ?? null, ctx.config.passwordCost)
  if (!user || !right || user.deactivated_at !== null) {
    await recordAudit(ctx.db, {
      actor: { kind: 'system', id: null },
      action: FAILED_SIGN_IN,
      at: ctx.clock.now(),
      userId: user?.id ?? null,
      visit,
    })
    throw wrongPassword()
  }
  const hash = user.password_hash ?? ''
  const better = needsRehash(hash, ctx.config.passwordCost)
    ? await hashPassword(password, ctx.config.passwordCost)
    : null
  return ctx.db.transaction().execute(async (tx) => {
    const inTx = { ...ctx, db: tx }
    const locked = await lockUser(tx, user.id)
    // Deleted, or given another password, while this one was being checked.
    if (locked?.password_hash !== hash)
      throw unauthenticated('The account has just changed. Please try again.')
    if (locked.deactivated_at !== null) throw wrongPassword()
    if (better !== null) await replaceHash(tx, user.id, hash, better)
    await forgiveTry(inTx, tries)
    return startSession(inTx, { userId: user.id, visit, replaces, by: 'password' })
  })
}

function wrongPassword(): AppError {
  return unauthenticated('Incorrect email or password.')
}

/** To any address: the account is made when the link is used, so asking tells nothing. */
export async function askMagicLink(
  ctx: AccountsContext,
  input: { email: string; returnTo: string | null; visit: Visit; browserHash: string },
): Promise<void> {
  const { email, returnTo, visit, browserHash } = input
  const key = emailKey(email)
  await countTry(ctx, { scope: 'mail', emailKey: key, visit })
  await ctx.db.transaction().execute(async (tx) => {
    const user = await findUserByEmailKey(tx, key)
    const to = user?.email ?? email
    const userId = user?.id ?? null
    const mail = mailTo(user, 'magic')
    const link = { purpose: 'magic', mail, email: to, userId, returnTo, browserHash } as const
    await sendLink({ ...ctx, db: tx }, link)
  })
}

type LinkSignIn = {
  purpose: 'verify' | 'magic'
  token: string
  visit: Visit
  replaces: string | null
  /** Who the browser is signed in as already. */
  current: SessionActor | null
  browserHash: string | null
}

type FollowedLink = SignedIn & {
  returnTo: string | null
  /** The password of the sign-up was dropped, and no other is set yet. */
  needsPassword: boolean
}

/** Null when the link is unknown, has run out or was used, or its account is deactivated. */
export async function signInWithLink(ctx: AccountsContext, input: LinkSignIn): Promise<FollowedLink | null> {
  const { purpose, token, visit, replaces, current, browserHash } = input
  return ctx.db.transaction().execute(async (tx) => {
    const inTx = { ...ctx, db: tx }
    const owner = await lockOwner(inTx, await peekLink(inTx, { purpose, token }))
    const link = await useLink(inTx, { purpose, token })
    if (!link) return null
    const user = owner ?? (await createOwner(inTx, link, visit))
    if (!user || user.deactivated_at !== null) return null
    let needsPassword = purpose === 'verify' && user.password_hash === null
    if (user.email_verified_at === null) {
      const knowsPassword =
        current?.user.id === user.id ||
        (browserHash !== null && (await isSignUpBrowser(tx, user.id, browserHash)))
      await confirmAddress(inTx, { userId: user.id, visit })
      if (!knowsPassword && user.password_hash !== null) {
        await dropPassword(inTx, { userId: user.id, visit })
        needsPassword = true
      }
    }
    const started = await startSession(inTx, { userId: user.id, visit, replaces, by: purpose })
    return { ...started, returnTo: link.returnTo, needsPassword }
  })
}

/** Before the link itself is touched, as everywhere (see lockUser). */
async function lockOwner(ctx: AccountsContext, link: Link | null): Promise<UserRow | null> {
  if (!link) return null
  const id = link.userId ?? (await findUserByEmailKey(ctx.db, link.emailKey))?.id
  return id === undefined ? null : lockUser(ctx.db, id)
}

/** Null for a link to an account that is gone: only a link to a bare address makes one. */
async function createOwner(ctx: AccountsContext, link: Link, visit: Visit): Promise<UserRow | null> {
  if (link.userId !== null) return null
  const id = newId()
  const now = ctx.clock.now()
  const { email, emailKey: key } = link
  const mine = {
    id,
    email,
    emailKey: key,
    name: '',
    passwordHash: null,
    emailVerifiedAt: now,
    createdAt: now,
  }
  // The same link opened twice at once: the other request has made the account.
  if (!(await insertUser(ctx.db, mine))) return findUserByEmailKey(ctx.db, key)
  await recordOwn(ctx.db, { userId: id, at: now, visit }, 'account.created', { with: 'link' })
  return findUserById(ctx.db, id)
}

/**
 * A password set before the mailbox's owner came may be a stranger's, who signed up with this address and waits for its
 * owner to confirm it. Unless both are known to be one person, the password goes, with every session and grant made by it.
 */
async function dropPassword(
  ctx: AccountsContext,
  { userId, visit }: { userId: string; visit: Visit },
): Promise<void> {
  const at = ctx.clock.now()
  await updateUser(ctx.db, userId, { password_hash: null }, at)
  await endAllSessions(ctx, { userId })
  await ctx.hooks.revokeAccess(ctx.db, userId)
  await recordOwn(ctx.db, { userId, at, visit }, 'password.dropped')
}

export async function confirmAddress(
  ctx: AccountsContext,
  { userId, visit }: { userId: string; visit: Visit },
): Promise<void> {
  const at = ctx.clock.now()
  await updateUser(ctx.db, userId, { email_verified_at: at }, at)
  await recordOwn(ctx.db, { userId, at, visit }, 'email.verified')
}

export async function startSession(
  ctx: AccountsContext,
  input: { userId: string; visit: Visit; replaces: string | null; by: string },
): Promise<SignedIn> {
  const { userId, visit, by } = input
  await countWithinLimit(ctx, {
    limit: 'signin',
    who: `user ${userId}`,
    rate: SIGN_INS,
    said: (rate) => `${rateWords(rate, 'sign-in', 'sign-ins')} were made to this account`,
  })
  const { token, sessionId } = await createSession(ctx, input)
  const at = ctx.clock.now()
  await recordOwn(ctx.db, { userId, at, visit }, 'signin', { with: by, session_id: sessionId })
  return { token, userId }
}
