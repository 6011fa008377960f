/** What happens to every request, whatever face it is for: its record, and the security headers. */
import type { MiddlewareHandler } from 'hono'
import { routePath } from 'hono/route'
import type { Log } from '../lib/log.ts'
import { createOwnAddress } from '../lib/loopback.ts'
import { inScope } from '../lib/request-scope.ts'
import type { HttpEnv } from './env.ts'
import { createRequestRecords } from './request-record.ts'

/**
 * The record and the security headers of every request. The headers are set before the handler runs: a
 * face may replace one (the consent page must name where its form leads), and touching a finished response is slow.
 */
export function everyRequest(options: {
  trustProxy: boolean
  https: boolean
  log: Log
}): MiddlewareHandler<HttpEnv> {
  const { trustProxy, https, log } = options
  const headers = securityHeaders(https)
  const records = createRequestRecords({ trustProxy, log })
  return async (c, next) => {
    const { method, path } = c.req
    const record = records.begin({ method, path, header: (name) => c.req.header(name) })
    c.set('requestId', record.id)
    c.set('log', log)
    c.header('X-Request-Id', record.id)
    for (const [name, value] of headers) c.header(name, value)
    await inScope(record, next)
    if (c.res.status >= 300 && c.res.status !== 304) keptByNobody(c.res.headers)
    records.end(record, routePath(c), c.res.status)
  }
}

/**
 * What is refused here may be there for somebody else, and a redirect may bring a session: unless a face says
 * otherwise, no cache between the two keeps it. Few answers are of this kind, so they may be slower.
 */
function keptByNobody(headers: Headers): void {
  if (!headers.has('Cache-Control')) headers.set('Cache-Control', 'no-store')
}

/** People who open a page by another name of this machine are led to the base URL's, where their session is. */
export function leadingToOwnAddress(baseUrl: string): MiddlewareHandler<HttpEnv> {
  const ownAddress = createOwnAddress(baseUrl)
  return async (c, next) => {
    const { pathname, search, host } = new URL(c.req.url)
    const header = (name: string) => c.req.header(name) ?? (name === 'host' ? host : undefined)
    const address = ownAddress({ method: c.req.method, url: pathname + search, header })
    return address === null ? next() : c.redirect(address, 307)
  }
}

/** No inline script or style anywhere; pictures may come from producers' own hosts. */
const PAGE_POLICY = [
  `default-src 'none'`,
  `script-src 'self'`,
  `style-src 'self'`,
  `img-src 'self' https: data:`,
  `connect-src 'self'`,
  `form-action 'self'`,
  `base-uri 'none'`,
  `frame-ancestors 'none'`,
].join('; ')

/** The first covers none of the others, in the order of what a file could still do: send, mislead, be framed. */
const FILE_POLICY = `default-src 'none'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`

/** For every answer: whatever it is, it is not to be run, framed or guessed at. */
export function securityHeaders(https: boolean): ReadonlyArray<readonly [string, string]> {
  return [
    ['Content-Security-Policy', FILE_POLICY],
    ['X-Content-Type-Options', 'nosniff'],
    ...(https ? [['Strict-Transport-Security', 'max-age=31536000; includeSubDomains'] as const] : []),
  ]
}

/** What only means something for a page in a browser; its policy takes the place of the general one. */
export const PAGE_HEADERS: Record<string, string> = {
  'Content-Security-Policy': PAGE_POLICY,
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
}
