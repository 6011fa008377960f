/**
 * Who asks over REST for what is a buyer's: the person of the access token that the tool server takes too, the person of
 * the browser's session, or nobody known. A token that is sent must be good: a caller who meant to act as somebody never
 * silently acts as a stranger. What a page of another site makes a browser send is refused, with a session or without.
 */
import type { Context } from 'hono'
import type { Person } from '../accounts/actor.ts'
import type { SessionsContext, Visit } from '../accounts/context.ts'
import { findSession } from '../accounts/sessions.service.ts'
import { visitOf } from '../http/client-ip.ts'
import type { HttpEnv } from '../http/env.ts'
import { isFromAnotherSite, requireSameOrigin } from '../http/same-origin.ts'
import { readSessionCookie } from '../http/session-cookie.ts'
import { forbidden, unauthenticated } from '../lib/errors.ts'
import type { BuyerGuard } from '../rfq/buyer.routes.ts'
import { admit } from './a2a/call.ts'
import type { AgentsContext } from './context.ts'

export function createBuyerGuard(ctx: AgentsContext, accounts: SessionsContext): BuyerGuard {
  return async (c) => {
    const { user, visit, byToken } = await callerOf(c, ctx, accounts)
    if (!byToken) refuseOtherSites(c, ctx)
    return { userId: user?.id ?? null, visit }
  }
}

/** Somebody whose email is verified, and nobody else. No browser and no proxy keeps the answer for the next one. */
export function createPersonGuard(ctx: AgentsContext, accounts: SessionsContext) {
  return async (c: Context<HttpEnv>): Promise<{ userId: string; visit: Visit }> => {
    c.header('Cache-Control', 'no-store')
    const { user, visit, byToken } = await callerOf(c, ctx, accounts)
    if (!user) throw unauthenticated('sign in, or send an access token')
    if (!user.emailVerified)
      throw forbidden('verify your email first: open the link in your sign-up email', 'EMAIL_UNVERIFIED_CODE')
    if (!byToken) refuseOtherSites(c, ctx)
    return { userId: user.id, visit }
  }
}

function refuseOtherSites(c: Context<HttpEnv>, { config: { baseUrl } }: AgentsContext): void {
  if (isFromAnotherSite(c, baseUrl)) requireSameOrigin(c, baseUrl)
}

async function callerOf(
  c: Context<HttpEnv>,
  ctx: AgentsContext,
  accounts: SessionsContext,
): Promise<{ user: Person | null; visit: Visit; byToken: boolean }> {
  const visit = visitOf(c, ctx.config)
  const authorization = c.req.header('authorization')
  if (authorization !== undefined) {
    const admitted = await admit(ctx, { authorization, visit })
    if ('challenge' in admitted) throw unauthenticated('the access token is not valid')
    return { user: admitted.caller.user, visit, byToken: true }
  }
  const token = readSessionCookie(c, ctx.config.baseUrl)
  const session = token === null ? null : await findSession(accounts, token)
  return { user: session?.user ?? null, visit, byToken: false }
}
