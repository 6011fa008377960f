/** `POST /api/search/` (interface 2.2, 2.3) and the click that may follow. */
import type { Context, Hono } from 'hono'
import { z } from 'zod'
import { readJson } from '../http/body.ts'
import { clientIp } from '../http/client-ip.ts'
import type { HttpEnv } from '../http/env.ts'
import { requireLeft } from '../http/rate-limit-headers.ts'
import type { ClickRecorder } from './clicks.service.ts'
import { toInput } from './search.input.ts'
import { SearchRequest } from './search.schema.ts'
import type { Search, SearchInput } from './search.service.ts'
import type { SearchLimit } from './search-limit.ts'
import { wireBytes } from './wire.ts'

const Click = z.object({ query_id: z.string(), slug: z.string().min(1).max(300) })

type Deps = {
  search: Search
  recordClick: ClickRecorder
  limit: SearchLimit
  trustProxy: boolean
  /** The answer in its other shape (interface 2.4), for callers and queries that get it; else null. Bundles build on search. */
  bundle?: (c: Context<HttpEnv>, request: SearchRequest) => Promise<object | null>
}

export function mountSearch(
  app: Hono<HttpEnv>,
  { search, recordClick, limit, trustProxy, bundle }: Deps,
): void {
  app.post('/api/search', async (c) => {
    const request = await readJson(c, SearchRequest)
    const planned = await bundle?.(c, request)
    if (planned) return c.json(planned)
    const input = toInput(request, clientIp(c, trustProxy))
    const answer = search.remembered(input) ?? (await workOut(c, input))
    return c.body(Buffer.from(wireBytes(answer), 'latin1'), 200, { 'Content-Type': 'application/json' })
  })
  function workOut(c: Context<HttpEnv>, input: SearchInput) {
    requireLeft(c, limit.take(input.ip ?? null))
    return search.search(input)
  }

  app.post('/api/search/click', async (c) => {
    const { query_id, slug } = await readJson(c, Click)
    await recordClick({ queryId: query_id, slug, ip: clientIp(c, trustProxy) })
    return c.body(null, 204)
  })
}
