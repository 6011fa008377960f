/** `GET /go/{id}`: follows an attributed link. Never cached, so that every click counts and every end is kept to. */
import type { Hono } from 'hono'
import { COUNTED_AN_HOUR, createNetworkCount } from '../accounts/network-limit.ts'
import { clientIp } from '../http/client-ip.ts'
import type { HttpEnv } from '../http/env.ts'
import type { Rate } from '../lib/rate-limit.ts'
import { followLink, type LinkFinder, type LinksContext } from './links.service.ts'

type Context = LinksContext & { config: { trustProxy: boolean } }

export function mountLinks(
  app: Hono<HttpEnv>,
  ctx: Context,
  finders: readonly LinkFinder[],
  rate: Rate = COUNTED_AN_HOUR,
): void {
  // A click is a row, and anybody can cause one: past the limit the link still leads on and nothing is counted.
  const counted = createNetworkCount(ctx.clock, rate)
  app.get('/go/:id', async (c) => {
    const prefetched = /prefetch|prerender/.test(c.req.header('sec-purpose') ?? c.req.header('purpose') ?? '')
    const address = await followLink(ctx, finders, {
      id: c.req.param('id'),
      queryId: c.req.query('q') ?? null,
      userAgent: c.req.header('user-agent') ?? null,
      counts: () => c.req.method !== 'HEAD' && !prefetched && counted(clientIp(c, ctx.config.trustProxy)),
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
