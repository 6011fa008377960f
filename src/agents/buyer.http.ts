/**
 * Who asks for a buyer's request over REST: the person of the access token that the tool server takes too, the person of
 * the browser's session, or nobody known. A token that is sent must be good: a caller who meant to act as somebody never
 * silently acts as a stranger. What a page of another site makes a browser send is refused, with a session or without.
 */
import type { Context } from 'hono'
import type { SessionsContext } from '../accounts/context.ts'
import { findSession } from '../accounts/sessions.service.ts'
import { visitOf } from '../http/client-ip.ts'
import type { HttpEnv } from '../http/env.ts'
import { isFromAnotherSite, requireSameOrigin } from '../http/same-origin.ts'
import { readSessionCookie } from '../http/session-cookie.ts'
import { AppError } from '../lib/errors.ts'
import type { BuyerGuard } from '../rfq/buyer.routes.ts'
import { admit } from './a2a/call.ts'
import type { AgentsContext } from './context.ts'

export function createBuyerGuard(ctx: AgentsContext, accounts: SessionsContext): BuyerGuard {
  return async (c: Context<HttpEnv>) => {
    const visit = visitOf(c, ctx.config)
    const authorization = c.req.header('authorization')
    if (authorization !== undefined) {
      const admitted = await admit(ctx, { authorization, visit })
      if ('challenge' in admitted)
        throw new AppError('unauthenticated', 'the access token is not valid', { code: 'unauthenticated' })
      return { userId: admitted.caller.user?.id ?? null, visit }
    }
    const token = readSessionCookie(c, ctx.config.baseUrl)
    const session = token === null ? null : await findSession(accounts, token)
    if (isFromAnotherSite(c, ctx.config.baseUrl)) requireSameOrigin(c, ctx.config.baseUrl)
    return { userId: session?.user.id ?? null, visit }
  }
}
