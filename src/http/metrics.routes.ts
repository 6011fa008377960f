/**
 * `GET /metrics`, for Prometheus. With SOUK_METRICS_TOKEN a caller who sends it as a bearer token may read; without, only a
 * program on this machine that came straight here. Everybody else gets the answer of any path that does
 * not exist: that there is something to read is nobody else's business either.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Context, Hono } from 'hono'
import { isLoopback } from '../lib/loopback.ts'
import { tellMetrics } from '../lib/metrics.registry.ts'
import { clientIp } from './client-ip.ts'
import type { HttpEnv } from './env.ts'

type MetricsConfig = { metricsToken: string | null; trustProxy: boolean }

/** What proxies add to a request that they pass on. */
const PASSED_ON = ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip']

export function mountMetrics(app: Hono<HttpEnv>, config: MetricsConfig): void {
  // For every method, because a path that is known to take GET would say so to a caller who tries another.
  app.all('/metrics', async (c) => {
    if ((c.req.method !== 'GET' && c.req.method !== 'HEAD') || !mayRead(c, config)) return c.notFound()
    const { contentType, text } = await tellMetrics()
    return c.body(text, 200, { 'Content-Type': contentType, 'Cache-Control': 'no-store' })
  })
}

function mayRead(c: Context<HttpEnv>, { metricsToken, trustProxy }: MetricsConfig): boolean {
  if (metricsToken !== null) {
    const given = /^bearer +(\S+) *$/i.exec(c.req.header('authorization') ?? '')?.[1]
    return given !== undefined && timingSafeEqual(digest(given), digest(metricsToken))
  }
  // A page in a browser on this machine can be made to ask, but only under a name of its own.
  if (!isLoopback(hostOf(c))) return false
  if (!trustProxy && PASSED_ON.some((name) => c.req.header(name) !== undefined)) return false
  return isLoopback(clientIp(c, trustProxy) ?? '')
}

function hostOf(c: Context): string {
  return URL.parse(`http://${c.req.header('host') ?? ''}`)?.hostname ?? ''
}

/** Of one length, whatever was sent. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
