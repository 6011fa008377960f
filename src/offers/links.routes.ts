/** `GET /go/{id}`: follows an attributed link. Never cached, so that every click counts and every end is kept to. */
import type { Hono } from 'hono'
import type { HttpEnv } from '../http/env.ts'
import { followLink, type LinkFinder, type LinksContext } from './links.service.ts'

export function mountLinks(app: Hono<HttpEnv>, ctx: LinksContext, finders: readonly LinkFinder[]): void {
  app.get('/go/:id', async (c) => {
    const prefetched = /prefetch|prerender/.test(c.req.header('sec-purpose') ?? c.req.header('purpose') ?? '')
    const address = await followLink(ctx, finders, {
      id: c.req.param('id'),
      queryId: c.req.query('q') ?? null,
      userAgent: c.req.header('user-agent') ?? null,
      counts: c.req.method !== 'HEAD' && !prefetched,
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
