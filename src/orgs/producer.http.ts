/**
 * Who calls a producer route: a browser by its cookie, or a shop's plugin by its link token (interface 5). A bearer
 * token decides alone, so on routes for sessions only it is nobody, as an access token of the tool server is here.
 */
import type { Context } from 'hono'
import { createActorResolver, type SessionActor } from '../accounts/actor.ts'
import type { SessionsContext } from '../accounts/context.ts'
import { findSession } from '../accounts/sessions.service.ts'
import { visitOf } from '../http/client-ip.ts'
import type { HttpEnv } from '../http/env.ts'
import { requireSameOrigin } from '../http/same-origin.ts'
import { readSessionCookie } from '../http/session-cookie.ts'
import { unauthenticated } from '../lib/errors.ts'
import { findLinkToken } from './link-tokens.service.ts'
import { type Act, type Caller, requireCaller } from './producer.ts'

type GuardContext = SessionsContext & { config: { baseUrl: string; trustProxy: boolean } }

export type ProducerGuard = {
  /** A session or a link token; else 401. */
  sessionOrBearer(c: Context<HttpEnv>): Promise<Act>
  /** A session; a bearer token, of whatever kind, is 401. */
  sessionOnly(c: Context<HttpEnv>): Promise<Act & { caller: SessionActor }>
}

export function createProducerGuard(ctx: GuardContext): ProducerGuard {
  const session = (token: string) => findSession(ctx, token)
  const either = createActorResolver({ session, linkToken: (token) => findLinkToken(ctx, token) })
  const signedIn = createActorResolver({ session })
  const visit = (c: Context<HttpEnv>) => visitOf(c, ctx.config)
  /** What follows is for this caller alone, an error too: no browser and no proxy keeps it for the next one. */
  const keptByNobody = (c: Context<HttpEnv>) => c.header('Cache-Control', 'no-store')
  return {
    async sessionOrBearer(c) {
      keptByNobody(c)
      const caller = requireCaller(await either(credentials(c, ctx.config.baseUrl)))
      guard(c, caller, ctx.config.baseUrl)
      return { caller, visit: visit(c) }
    },
    async sessionOnly(c) {
      keptByNobody(c)
      const caller = await signedIn(credentials(c, ctx.config.baseUrl))
      // Not the words of the other routes: a program that follows them sends a link token, for ever.
      if (caller.kind === 'anonymous')
        throw unauthenticated('sign in first, at /auth/signin: this takes a session, and no token')
      guard(c, caller, ctx.config.baseUrl)
      return { caller: caller as SessionActor, visit: visit(c) }
    },
  }
}

function credentials(c: Context, baseUrl: string) {
  const authorization = c.req.header('authorization')
  const bearerToken =
    authorization === undefined ? null : (/^bearer +(\S+) *$/i.exec(authorization)?.[1] ?? '')
  return { sessionToken: readSessionCookie(c, baseUrl), bearerToken }
}

/** A cookie is sent by the browser itself, so a request that says it comes from another site is not the person's. */
function guard(c: Context, caller: Caller, baseUrl: string): void {
  const says = c.req.header('sec-fetch-site') ?? c.req.header('origin')
  if (caller.kind === 'session' && says !== undefined) requireSameOrigin(c, baseUrl)
}
