/**
 * Sessions: a random token in a cookie, its hash in a row. A session lives 30 days from its last use; "last use" is
 * written at most once an hour, so that reading stays reading. A sign-in always makes a new token and ends the
 * session the browser came with: a token planted before the sign-in is worth nothing after it (fixation). An account has
 * a hundred sessions at most: a new one ends the one that was used longest ago.
 */
import type { Row } from '../db/columns.ts'
import { hashToken, newToken } from '../lib/crypto.ts'
import { unauthenticated } from '../lib/errors.ts'
import { isUuid, newId } from '../lib/ids.ts'
import { identify } from '../lib/request-scope.ts'
import type { SessionActor } from './actor.ts'
import type { SessionsContext, Visit } from './context.ts'
import { isNothingReal } from './demo.queries.ts'
import { personFromRow } from './people.service.ts'
import {
  deleteOldestSessions,
  deleteSession,
  deleteSessionByToken,
  deleteUserSessions,
  findLiveSession,
  findSessionById,
  insertSession,
  listLiveSessions,
  lockSession,
  touchSession,
} from './sessions.queries.ts'

const LIFETIME_MS = 30 * 86_400_000
const TOUCH_EVERY_MS = 3_600_000
/** How long after a sign-in its owner counts as just proven. */
const FRESH_MS = 15 * 60_000
const USER_AGENT_LENGTH = 300
/** The page of an account lists as many. */
const MOST_SESSIONS = 100

type NewSession = {
  userId: string
  visit: Visit
  /** The token the browser came with. */
  replaces: string | null
}

export async function createSession(
  ctx: SessionsContext,
  { userId, visit, replaces }: NewSession,
): Promise<{ token: string; sessionId: string }> {
  const now = ctx.clock.now()
  const token = newToken('souk_session')
  const sessionId = newId()
  if (replaces !== null) await deleteSessionByToken(ctx.db, hashToken(replaces))
  const made = await insertSession(ctx.db, {
    id: sessionId,
    tokenHash: hashToken(token),
    userId,
    ip: visit.ip,
    userAgent: visit.userAgent?.slice(0, USER_AGENT_LENGTH).toWellFormed() ?? null,
    now,
    expiresAt: new Date(now.getTime() + LIFETIME_MS),
  })
  if (!made) throw unauthenticated('Please sign in.')
  await deleteOldestSessions(ctx.db, userId, MOST_SESSIONS)
  return { token, sessionId }
}

/**
 * Who a token signs in, if anybody. The one way from a cookie to a person. A visit to the demo is nobody's but for those who
 * ask for it, and ends when there is something real.
 */
export async function findSession(
  ctx: SessionsContext,
  token: string,
  { orDemo = false }: { orDemo?: boolean } = {},
): Promise<SessionActor | null> {
  const now = ctx.clock.now()
  const found = await findLiveSession(ctx.db, hashToken(token), now)
  if (!found || (found.demo && !(orDemo && (await isNothingReal(ctx.db))))) return null
  const seenBefore = new Date(now.getTime() - TOUCH_EVERY_MS)
  if (found.last_seen_at < seenBefore) {
    const expiresAt = new Date(now.getTime() + LIFETIME_MS)
    await touchSession(ctx.db, { id: found.session_id, seenBefore, now, expiresAt })
  }
  const user = personFromRow(found, ctx.config)
  identify({ userId: user.id })
  return {
    kind: 'session',
    user,
    sessionId: found.session_id,
    selectedOrgId: found.selected_org_id,
  }
}

/**
 * For what a session gives to others, in the transaction of the gift: false when the session has ended. Ending it
 * waits until the gift is made and then sees it, so that securing an account misses nothing that was under way.
 */
export async function holdSession(ctx: Pick<SessionsContext, 'db'>, actor: SessionActor): Promise<boolean> {
  return lockSession(ctx.db, actor.sessionId, actor.user.id)
}

/** Ends the session a cookie names; says whose it was. */
export async function endSessionByToken(
  ctx: SessionsContext,
  token: string,
): Promise<{ sessionId: string; userId: string } | null> {
  const ended = await deleteSessionByToken(ctx.db, hashToken(token))
  return ended && { sessionId: ended.id, userId: ended.user_id }
}

/** False when the user has no such session. */
export async function endSession(
  ctx: SessionsContext,
  { userId, sessionId }: { userId: string; sessionId: string },
): Promise<boolean> {
  return isUuid(sessionId) && deleteSession(ctx.db, sessionId, userId)
}

export function endAllSessions(ctx: SessionsContext, { userId }: { userId: string }): Promise<number> {
  return deleteUserSessions(ctx.db, userId)
}

export type SessionInfo = Pick<Row<'sessions'>, 'id' | 'ip' | 'userAgent' | 'createdAt' | 'lastSeenAt'>

export async function listSessions(ctx: SessionsContext, userId: string): Promise<SessionInfo[]> {
  const rows = await listLiveSessions(ctx.db, userId, ctx.clock.now())
  return rows.map((row) => ({
    id: row.id,
    ip: row.ip,
    userAgent: row.user_agent,
    createdAt: row.created_at,
    lastSeenAt: row.last_seen_at,
  }))
}

/** Whether this person signed in moments ago; replaces the password for accounts without one. */
export async function isFreshSession(ctx: SessionsContext, actor: SessionActor): Promise<boolean> {
  const row = await findSessionById(ctx.db, actor.sessionId, actor.user.id)
  return row !== null && ctx.clock.now().getTime() - row.created_at.getTime() < FRESH_MS
}
