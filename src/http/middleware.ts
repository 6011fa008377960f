/** What happens to every request, whatever face it is for: an id, a log line, the security headers. */
import { randomUUID } from 'node:crypto'
import type { MiddlewareHandler } from 'hono'
import { createAccessLog, type Log } from '../lib/log.ts'
import type { HttpEnv } from './env.ts'

const SANE_REQUEST_ID = /^[\w.-]{8,64}$/

/** An id given by a proxy in front is kept, so that one request can be followed through both logs. */
export function requestIdFor(given: string | undefined, trustProxy: boolean): string {
  return trustProxy && given !== undefined && SANE_REQUEST_ID.test(given) ? given : randomUUID()
}

/**
 * The id, the log line and the security headers of every request. The headers are set before the handler runs: a
 * face may replace one (the consent page must name where its form leads), and touching a finished response is slow.
 */
export function everyRequest(options: {
  trustProxy: boolean
  https: boolean
  log: Log
}): MiddlewareHandler<HttpEnv> {
  const { trustProxy, https, log } = options
  const headers = securityHeaders(https)
  const logAccess = createAccessLog(log)
  return async (c, next) => {
    const started = performance.now()
    const requestId = requestIdFor(c.req.header('x-request-id'), trustProxy)
    c.set('requestId', requestId)
    c.set('nodeLog', log)
    c.header('X-Request-Id', requestId)
    for (const [name, value] of headers) c.header(name, value)
    await next()
    // The path without its query: queries carry tokens and search words.
    logAccess({
      requestId,
      method: c.req.method,
      path: c.req.path,
      status: c.res.status,
      ms: performance.now() - started,
    })
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

/** For every answer: whatever it is, it is not to be run, framed or guessed at. */
export function securityHeaders(https: boolean): ReadonlyArray<readonly [string, string]> {
  return [
    ['Content-Security-Policy', `default-src 'none'; frame-ancestors 'none'`],
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
