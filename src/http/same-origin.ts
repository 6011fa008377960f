/**
 * Refuses posts that another site makes a browser send. No token in forms: browsers say themselves where a request
 * comes from, in `Sec-Fetch-Site` and `Origin`, neither of which a page can set. A request with neither is refused
 * too, because the cookie it may carry could have been sent by an old browser from anywhere; scripts send
 * `Origin: {base_url}`. Sign-in is guarded as well: else a stranger could sign a visitor in to the stranger's account.
 */
import type { Context, MiddlewareHandler } from 'hono'
import { forbidden } from '../lib/errors.ts'

const READS = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Throws `forbidden` unless the request reads only, or comes from a page of ours. */
export function requireSameOrigin(c: Context, baseUrl: string): void {
  if (READS.has(c.req.method) || isSameOrigin(c, baseUrl)) return
  throw forbidden(
    'this request came from another site, so nothing was changed; open the page here and try again',
  )
}

export function sameOriginOnly(baseUrl: string): MiddlewareHandler {
  return async (c, next) => {
    requireSameOrigin(c, baseUrl)
    await next()
  }
}

/** As the browser says it; a request that says nothing, as a script's, is from nowhere. */
export function isFromAnotherSite(c: Context, baseUrl: string): boolean {
  const says = c.req.header('sec-fetch-site') ?? c.req.header('origin')
  return says !== undefined && !isSameOrigin(c, baseUrl)
}

export function isSameOrigin(c: Context, baseUrl: string): boolean {
  // The browser compares with the address it really asked, so this also holds for 127.0.0.1 instead of localhost.
  const site = c.req.header('sec-fetch-site')
  if (site !== undefined) return site === 'same-origin'
  return c.req.header('origin') === new URL(baseUrl).origin
}
