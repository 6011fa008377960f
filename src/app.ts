/** Mounts every face on one Hono app. Tests use the same function with their own dependencies. */
import { Hono } from 'hono'
import { HTTPException } from 'hono/http-exception'
import type { Config } from './config.ts'
import type { Database } from './db/database.ts'
import type { HttpEnv } from './http/env.ts'
import { asAppError, logFault, respondEnvelope, STATUS } from './http/error-response.ts'
import { accessLog, requestId, securityHeaders } from './http/middleware.ts'
import { createAllowedMethods } from './http/not-found.ts'
import type { Clock } from './lib/clock.ts'
import { AppError } from './lib/errors.ts'
import type { Log } from './lib/log.ts'

export type AppDeps = {
  config: Config
  database: Database
  clock: Clock
  log: Log
  /** Null when everything is ready to serve, else the reason why not. */
  notReady: () => Promise<string | null>
  /** More routes through the same middleware and error mapping (tests). */
  mount?: (app: Hono<HttpEnv>) => void
}

export function createApp(deps: AppDeps): Hono<HttpEnv> {
  const { config, log } = deps
  // Not strict: every path answers with and without its trailing slash, because a redirect would lose a POST's body.
  const app = new Hono<HttpEnv>({ strict: false })

  app.use(requestId({ trustProxy: config.trustProxy, log }))
  app.use(accessLog(log))
  app.use(securityHeaders(config.baseUrl.startsWith('https:')))

  app.get('/healthz', (c) => c.json({ status: 'ok' }))
  app.get('/readyz', async (c) => {
    const reason = await deps.notReady()
    return reason === null
      ? c.json({ status: 'ready' })
      : c.json({ status: 'not ready', reason }, 503, { 'Retry-After': '1' })
  })

  deps.mount?.(app)

  const allowedMethods = createAllowedMethods(app)
  app.notFound((c) => {
    const methods = allowedMethods(c.req.path)
    if (methods.length > 0) {
      c.header('Allow', [...methods, 'OPTIONS'].join(', '))
      if (c.req.method === 'OPTIONS') return c.body(null, 204)
      return isApi(c.req.path)
        ? c.json({ error: `this path takes ${methods.join(', ')}` }, 405)
        : c.text(`Method not allowed. This path takes ${methods.join(', ')}.\n`, 405)
    }
    if (isApi(c.req.path))
      return respondEnvelope(
        c,
        new AppError('not_found', 'there is nothing at this path', { code: 'not_found' }),
      )
    return c.text('Not found.\n', 404)
  })
  app.onError((raised, c) => {
    if (raised instanceof HTTPException) return raised.getResponse()
    const error = asAppError(raised)
    logFault(c, error)
    return isApi(c.req.path) ? respondEnvelope(c, error) : c.text(`${error.message}\n`, STATUS[error.kind])
  })
  return app
}

function isApi(path: string): boolean {
  return path.startsWith('/api/')
}
