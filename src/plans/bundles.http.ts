/**
 * When a search is answered with a bundle (interface 4, rule 1): a session whose email is verified, `bundle` or a query
 * that reads as one, and no filter by category. Everybody else is not refused but gets the regular answer. What costs
 * nothing is asked first, so that an ordinary search with a cookie reads no session from the database.
 */

import type { Context } from 'hono'
import type { SessionsContext } from '../accounts/context.ts'
import { findSession } from '../accounts/sessions.service.ts'
import type { BundleResponse } from '../bundles/bundles.schema.ts'
import { isBundle } from '../bundles/read-wish.ts'
import { visitOf } from '../http/client-ip.ts'
import type { HttpEnv } from '../http/env.ts'
import { isFromAnotherSite } from '../http/same-origin.ts'
import { readSessionCookie } from '../http/session-cookie.ts'
import { toInput } from '../search/search.input.ts'
import type { SearchRequest } from '../search/search.schema.ts'
import type { Search } from '../search/search.service.ts'
import type { Bundles } from './bundles.service.ts'

type GuardContext = SessionsContext & {
  config: { baseUrl: string; trustProxy: boolean }
  bundles: Bundles
  search: Pick<Search, 'reading'>
}

/** Null when the answer is the regular one. */
type BundleGuard = (c: Context<HttpEnv>, request: SearchRequest) => Promise<BundleResponse | null>

export function createBundleGuard(ctx: GuardContext): BundleGuard {
  const { bundles, search, config } = ctx
  return async (c, request) => {
    if (request.filters?.category !== undefined) return null
    const asked = request.bundle === true
    const token = sessionTokenOf(c, config.baseUrl)
    if (token === null) return null
    if (!asked && !(await isBundle(search, request.query))) return null
    const actor = await findSession(ctx, token)
    if (!actor?.user.emailVerified) return null
    const { query, filters, face, sessionId } = toInput(request)
    const visit = visitOf(c, config)
    return bundles.serve({ query, userId: actor.user.id, asked, filters, face, sessionId, visit })
  }
}

/**
 * A bearer token decides alone, and means nobody here. A request that another site makes a browser send is answered as
 * one without a cookie: it must not spend the person's bundles.
 */
function sessionTokenOf(c: Context, baseUrl: string): string | null {
  if (c.req.header('authorization') !== undefined || isFromAnotherSite(c, baseUrl)) return null
  return readSessionCookie(c, baseUrl)
}
