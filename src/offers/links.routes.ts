/** `GET /go/{id}`: follows an attributed link. Never cached, so that every click counts and every end is kept to. */
import type { Hono } from 'hono'
import { networkOf } from '../accounts/window-limit.service.ts'
import { clientIp } from '../http/client-ip.ts'
import type { HttpEnv } from '../http/env.ts'
import { createRateLimit, type Rate } from '../lib/rate-limit.ts'
import { followLink, type LinkFinder, type LinksContext } from './links.service.ts'

/**
 * Of one network. Each click is a row for good, and anybody can cause it: whoever follows links faster than that is led on
 * all the same, and counted no more.
 */
const CLICKS_COUNTED: Rate = { count: 3_600, windowMs: 3_600_000 }

type Context = LinksContext & { config: { trustProxy: boolean } }

export function mountLinks(
  app: Hono<HttpEnv>,
  ctx: Context,
  finders: readonly LinkFinder[],
  rate: Rate = CLICKS_COUNTED,
): void {
  const counted = createRateLimit({ rate, clock: ctx.clock })
  app.get('/go/:id', async (c) => {
    const prefetched = /prefetch|prerender/.test(c.req.header('sec-purpose') ?? c.req.header('purpose') ?? '')
    const address = await followLink(ctx, finders, {
      id: c.req.param('id'),
      queryId: c.req.query('q') ?? null,
      userAgent: c.req.header('user-agent') ?? null,
      counts: () =>
        c.req.method !== 'HEAD' &&
        !prefetched &&
        counted.take(networkOf(clientIp(c, ctx.config.trustProxy))).allowed,
    })
    if (address === null) return c.notFound()
    return c.body(null, 302, {
      Location: address,
      'Cache-Control': 'no-store',
      // The seller learns which site sent the shopper, not which page or search.
      'Referrer-Policy': 'strict-origin',
      'X-Robots-Tag': 'noindex, nofollow',
    })
  })
}
