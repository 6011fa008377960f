/** The signed-in person behind a page request, and their session token, which a consent is bound to. */
import type { Context } from 'hono'
import type { SessionActor } from '../accounts/actor.ts'
import type { SessionsContext } from '../accounts/context.ts'
import { findSession } from '../accounts/sessions.service.ts'
import { markSignedIn, readSessionCookie, rememberAccount } from '../http/session-cookie.ts'

export type SignedInBrowser = { actor: SessionActor; token: string }

export async function findSignedIn(
  c: Context,
  ctx: SessionsContext & { config: { baseUrl: string } },
  options: { orDemo?: boolean } = {},
): Promise<SignedInBrowser | null> {
  const token = readSessionCookie(c, ctx.config.baseUrl)
  const actor = token === null ? null : await findSession(ctx, token, options)
  markSignedIn(c, ctx.config.baseUrl, actor !== null)
  if (actor && actor.user.demo === undefined) rememberAccount(c, ctx.config.baseUrl, actor.user.id)
  return actor && token ? { actor, token } : null
}
