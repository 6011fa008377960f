/** What happens to every request, whatever face it is for: an id, a log line, the security headers. */
import { randomUUID } from 'node:crypto'
import type { MiddlewareHandler } from 'hono'
import type { Log } from '../lib/log.ts'
import type { HttpEnv } from './env.ts'

const SANE_REQUEST_ID = /^[\w.-]{8,64}$/

/** An id given by a proxy in front is kept, so that one request can be followed through both logs. */
export function requestId(options: { trustProxy: boolean; log: Log }): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    const given = options.trustProxy ? c.req.header('x-request-id') : undefined
    const id = given && SANE_REQUEST_ID.test(given) ? given : randomUUID()
    c.set('requestId', id)
    c.set('log', options.log.child({ requestId: id }))
    c.header('X-Request-Id', id)
    await next()
  }
}

/** One line a request, with the path but not the query: queries carry tokens and search words. */
export function accessLog(log: Log): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    const started = performance.now()
    await next()
    log.info({
      requestId: c.get('requestId'),
      method: c.req.method,
      path: c.req.path,
      status: c.res.status,
      ms: Math.round((performance.now() - started) * 10) / 10,
    })
  }
}

/** No inline script or style anywhere; pictures may come from producers' own hosts. */
export const CONTENT_SECURITY_POLICY = [
  `default-src 'none'`,
  `script-src 'self'`,
  `style-src 'self'`,
  `img-src 'self' https: data:`,
  `connect-src 'self'`,
  `form-action 'self'`,
  `base-uri 'none'`,
  `frame-ancestors 'none'`,
].join('; ')

export function securityHeaderList(https: boolean): ReadonlyArray<readonly [string, string]> {
  const headers: Array<readonly [string, string]> = [
    ['Content-Security-Policy', CONTENT_SECURITY_POLICY],
    ['X-Content-Type-Options', 'nosniff'],
    ['X-Frame-Options', 'DENY'],
    ['Referrer-Policy', 'strict-origin-when-cross-origin'],
    ['Cross-Origin-Opener-Policy', 'same-origin'],
    ['Permissions-Policy', 'camera=(), geolocation=(), microphone=()'],
  ]
  if (https) headers.push(['Strict-Transport-Security', 'max-age=31536000; includeSubDomains'])
  return headers
}

export function securityHeaders(https: boolean): MiddlewareHandler<HttpEnv> {
  const headers = securityHeaderList(https)
  return async (c, next) => {
    await next()
    // A face may set a policy of its own (the consent page must name where its form leads).
    for (const [name, value] of headers) if (!c.res.headers.has(name)) c.res.headers.set(name, value)
  }
}
