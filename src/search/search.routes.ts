/** `POST /api/search/` (interface 2.2, 2.3) and the click that may follow. */
import type { Hono } from 'hono'
import { z } from 'zod'
import { readJson } from '../http/body.ts'
import type { HttpEnv } from '../http/env.ts'
import type { ClickRecorder } from './clicks.service.ts'
import { SearchRequest } from './search.schema.ts'
import type { Search, SearchInput } from './search.service.ts'
import { wireBytes } from './wire.ts'

const Click = z.object({ query_id: z.string(), slug: z.string().min(1).max(300) })

export function mountSearch(
  app: Hono<HttpEnv>,
  { search, recordClick }: { search: Search; recordClick: ClickRecorder },
): void {
  app.post('/api/search', async (c) => {
    const request = await readJson(c, SearchRequest)
    const answer = await search.search(toInput(request))
    return c.body(Buffer.from(wireBytes(answer), 'latin1'), 200, { 'Content-Type': 'application/json' })
  })
  app.post('/api/search/click', async (c) => {
    const { query_id, slug } = await readJson(c, Click)
    await recordClick({ queryId: query_id, slug })
    return c.body(null, 204)
  })
}

export function toInput(request: SearchRequest): SearchInput {
  const { category, min_price, max_price, on_sale } = request.filters ?? {}
  return {
    query: request.query,
    filters: {
      ...(category !== undefined && { category }),
      ...(min_price !== undefined && { minPriceCents: toCents(min_price) }),
      ...(max_price !== undefined && { maxPriceCents: toCents(max_price) }),
      ...(on_sale && { onSale: true }),
    },
    limit: request.limit,
    offset: request.offset,
    facets: request.include.includes('facets'),
    explain: request.include.includes('explain'),
    face: 'rest',
    sessionId: request.session_id ?? null,
  }
}

/** 19.99 × 100 is a little less than 1999 in binary, and would shut out what costs exactly that. */
function toCents(dollars: number): number {
  return Math.round(dollars * 100)
}
