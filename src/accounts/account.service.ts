import { wireOf } from '../lib/entity.ts'
/** What signed-in people do with their own account. Every function acts on the actor's own rows and no others. */
import { notFound } from '../lib/errors.ts'
import { emailKey } from './accounts.schema.ts'
import type { SessionActor } from './actor.ts'
import { listAudit, recordOwn } from './audit.service.ts'
import type { AccountsContext, Visit } from './context.ts'
import type { OwnedOrganization } from './hooks.ts'
import { sendLink } from './links.service.ts'
import { deleteMailTokens, endUsedMailTokens } from './mail-tokens.queries.ts'
import { requireSelf, signInFirst } from './password.service.ts'
import {
  endAllSessions,
  endSession,
  endSessionByToken,
  findSession,
  holdSession,
  listSessions,
} from './sessions.service.ts'
import { countTry } from './throttle.service.ts'
import { deleteUser, findUserById, lockUser, type UserRow, updateUser } from './users.queries.ts'

type Action = { actor: SessionActor; visit: Visit }

async function record(
  ctx: AccountsContext,
  { actor, visit }: Action,
  action: string,
  detail = {},
): Promise<void> {
  const { id } = actor.user
  const at = ctx.clock.now()
  await recordOwn(ctx.db, { userId: id, at, visit }, action, detail)
}

/** All of it or nothing. */
function together<T>(ctx: AccountsContext, work: (inTx: AccountsContext) => Promise<T>): Promise<T> {
  return ctx.db.transaction().execute((tx) => work({ ...ctx, db: tx }))
}

/** The link that one came in by ends too: it is in the browser's history, and could be repeated for some minutes more. */
export async function signOut(
  ctx: AccountsContext,
  { token, visit }: { token: string; visit: Visit },
): Promise<void> {
  const user = (await findSession(ctx, token))?.user
  await together(ctx, async (inTx) => {
    const now = ctx.clock.now()
    if (user) await lockUser(inTx.db, user.id)
    const ended = await endSessionByToken(inTx, token)
    if (!ended) return
    const { userId, sessionId } = ended
    if (user) await endUsedMailTokens(inTx.db, { userId, emailKey: emailKey(user.email), now })
    await recordOwn(inTx.db, { userId, at: now, visit }, 'signout', { session_id: sessionId })
  })
}

/** Links that wait in a mailbox would sign in again: they end too. */
export async function signOutEverywhere(ctx: AccountsContext, by: Action): Promise<void> {
  const { id, email } = by.actor.user
  await together(ctx, async (inTx) => {
    await lockUser(inTx.db, id)
    const sessions = await endAllSessions(inTx, { userId: id })
    await deleteMailTokens(inTx.db, id, emailKey(email))
    await record(inTx, by, 'signout.everywhere', { sessions })
  })
}

export async function endOneSession(ctx: AccountsContext, by: Action & { sessionId: string }): Promise<void> {
  await together(ctx, async (inTx) => {
    const { sessionId } = by
    if (!(await endSession(inTx, { userId: by.actor.user.id, sessionId })))
      throw notFound('This session has already ended.')
    await record(inTx, by, 'session.ended', { session_id: sessionId })
  })
}

export async function changeName(ctx: AccountsContext, by: Action & { name: string }): Promise<void> {
  await together(ctx, async (inTx) => {
    await updateUser(inTx.db, by.actor.user.id, { name: by.name }, ctx.clock.now())
    await record(inTx, by, 'name.changed')
  })
}

/** False when there is nothing to confirm. */
export async function resendVerification(
  ctx: AccountsContext,
  by: Action & { returnTo: string | null; browserHash: string },
): Promise<boolean> {
  const { id, email, emailVerified } = by.actor.user
  const { returnTo, browserHash } = by
  if (emailVerified) return false
  await countTry(ctx, { scope: 'mail', emailKey: emailKey(email), visit: by.visit })
  await together(ctx, (inTx) =>
    sendLink(inTx, { purpose: 'verify', mail: 'verify', email, userId: id, returnTo, browserHash }),
  )
  return true
}

/** Everything kept about a person, in words of the interface; no hash, no token. */
export async function exportData(ctx: AccountsContext, by: Action): Promise<Record<string, unknown>> {
  const { id } = by.actor.user
  const user = await ownRow(ctx, by.actor)
  await record(ctx, by, 'data.exported')
  const [sessions, history, more] = await Promise.all([
    listSessions(ctx, id),
    listAudit(ctx, { userId: id, limit: 100_000 }),
    ctx.hooks.exportData(ctx.db, id),
  ])
  return {
    exported_at: ctx.clock.now(),
    account: {
      id,
      email: user.email,
      email_verified_at: user.email_verified_at,
      name: user.name,
      account_type: user.account_type,
      has_password: user.password_hash !== null,
      created_at: user.created_at,
      updated_at: user.updated_at,
    },
    sessions: sessions.map((one) => wireOf(one, ['id', 'ip', 'userAgent', 'createdAt', 'lastSeenAt'])),
    history: history.map(({ at, action, detail, ip }) => ({ at, action, detail, ip })),
    ...more,
  }
}

export async function hasPassword(ctx: AccountsContext, actor: SessionActor): Promise<boolean> {
  return (await ownRow(ctx, actor)).password_hash !== null
}

export async function ownedOrganizations(
  ctx: AccountsContext,
  actor: SessionActor,
): Promise<OwnedOrganization[]> {
  return ctx.hooks.ownedOrganizations(ctx.db, actor.user.id)
}

/**
 * Sessions, links and grants go with the row, in the same transaction: from then on no cookie of theirs works. Sessions
 * and grants are ended first all the same, because what is under way through them holds on to the row.
 */
export async function deleteAccount(ctx: AccountsContext, by: Action & { password: string }): Promise<void> {
  const { actor, visit, password } = by
  await requireSelf(ctx, { actor, password, visit, field: 'password' })
  await together(ctx, async (inTx) => {
    await lockUser(inTx.db, actor.user.id)
    if (!(await holdSession(inTx, actor))) throw signInFirst()
    await endAllSessions(inTx, { userId: actor.user.id })
    await ctx.hooks.revokeAccess(inTx.db, actor.user.id)
    await ctx.hooks.beforeDelete(inTx.db, actor.user.id)
    await deleteUser(inTx.db, actor.user.id)
    await record(inTx, by, 'account.deleted')
  })
}

async function ownRow(ctx: AccountsContext, actor: SessionActor): Promise<UserRow> {
  const row = await findUserById(ctx.db, actor.user.id)
  if (!row) throw signInFirst()
  return row
}
