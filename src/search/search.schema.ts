/** The search request and answer (interface 2.2, 2.3), once for the REST route, its description and the tools. */
import { z } from 'zod'
import { MAX_OFFSET } from '../tools/params.ts'

export const MAX_QUERY = 1000
export const MAX_LIMIT = 50
/** Deeper pages are of no use to a shopper, and a page at any depth costs a look at everything before it. */
export const DEFAULT_LIMIT = 10

const price = z.number().min(0).max(10_000_000)

export const SearchFilters = z.object({
  category: z.string().min(1).max(100).optional().describe('A category slug'),
  min_price: price.optional().describe('US dollars'),
  max_price: price.optional().describe('US dollars'),
  on_sale: z.boolean().optional().describe('Only products with an offer that lowers the price now'),
})

export const SearchRequest = z.object({
  query: z
    .string()
    .max(MAX_QUERY)
    .refine((text) => text.trim() !== '', { message: 'must not be empty' })
    .describe('What is looked for, in any words'),
  session_id: z.string().max(200).optional().describe('Correlates searches of one visit; not a credential'),
  bundle: z.boolean().optional().describe('Ask for a budgeted set over several categories'),
  filters: SearchFilters.optional(),
  limit: z.number().int().min(1).max(MAX_LIMIT).default(DEFAULT_LIMIT),
  offset: z.number().int().min(0).max(MAX_OFFSET).default(0),
  include: z
    .array(z.enum(['facets', 'explain']))
    .max(2)
    .default([]),
})
export type SearchRequest = z.output<typeof SearchRequest>

export const SORTS = ['relevance', 'popular', 'price_asc', 'price_desc', 'rating', 'newest'] as const
export type Sort = (typeof SORTS)[number]

/** As it goes over the wire. */
export type SearchResult = {
  slug: string
  title: string
  category: string
  verdict: string | null
  price_range: string | null
  url: string
  similarity: number
  is_sponsored: boolean
  reason: string
  explain?: { score: number; because: Array<{ feature: string; value: number }> }
}

export type Facets = {
  category: Array<{ slug: string; label: string; count: number }>
  brand: Array<{ name: string; count: number }>
  price: Array<{ min: number; max: number | null; count: number }>
}

export type Explanation = {
  mode: 'semantic' | 'keyword'
  understood: Array<{ phrase: string; meaning: string }>
  /** What the query itself limits, beside the filters given. */
  budget: { min: number | null; max: number | null; firm: boolean } | null
  candidates: number
  matching: number
}

export type SearchResponse = {
  query_id: string
  results: SearchResult[]
  facets?: Facets
  explain?: Explanation
}
