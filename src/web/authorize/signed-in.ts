/** The person behind a page request, with the token of their session, which the consent form is bound to. */
import type { Context } from 'hono'
import type { SessionActor } from '../../accounts/actor.ts'
import { findSession } from '../../accounts/sessions.service.ts'
import { readSessionCookie } from '../../http/session-cookie.ts'
import type { OauthContext } from '../../oauth/context.ts'

export type SignedIn = SessionActor & { sessionToken: string }

export async function findSignedIn(c: Context, ctx: OauthContext): Promise<SignedIn | null> {
  const sessionToken = readSessionCookie(c, ctx.config.baseUrl)
  if (sessionToken === null) return null
  const actor = await findSession(ctx, sessionToken)
  return actor && { ...actor, sessionToken }
}

export function signInUrl(returnTo: string): string {
  return `/auth/signin?${new URLSearchParams({ return_to: returnTo })}`
}
