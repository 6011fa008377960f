/** The search request and answer (interface 2.2, 2.3), once for the REST route, its description and the tools. */
import { z } from 'zod'
import { atMost } from '../catalog/bounded-input.ts'
import { MAX_OFFSET } from '../tools/params.ts'

export const MAX_QUERY = 1000
export const MAX_LIMIT = 50
/** Deeper pages are of no use to a shopper, and a page at any depth costs a look at everything before it. */
export const DEFAULT_LIMIT = 10

/** Of brands and of specs in one request. */
const MOST_NAMED = 20

const price = z.number().min(0).max(10_000_000)

const brand = z.string().trim().min(1).max(100)
const specs = atMost(MOST_NAMED, z.record(z.string().min(1).max(100), z.string().min(1).max(200)))

export const SearchFilters = z.object({
  category: z.string().min(1).max(100).optional().describe('A category slug'),
  brand: brand.optional().describe('Only products of this brand'),
  exclude_brands: z.array(brand).max(MOST_NAMED).optional().describe('No products of these brands'),
  specs: specs.optional().describe('Specs by name, each with the value it has to have'),
  min_price: price.optional().describe('US dollars'),
  max_price: price.optional().describe('US dollars'),
  on_sale: z.boolean().optional().describe('Only products with an offer that lowers the price now'),
})

export const SORTS = ['relevance', 'popular', 'price_asc', 'price_desc', 'rating', 'newest'] as const
export type Sort = (typeof SORTS)[number]

export const SearchRequest = z.object({
  query: z
    .string()
    .min(1)
    .max(MAX_QUERY)
    .refine((text) => text.trim() !== '', { message: 'must not be empty' })
    .describe('What is looked for, in any words'),
  session_id: z.string().max(200).optional().describe('Correlates searches of one visit; not a credential'),
  bundle: z.boolean().optional().describe('Ask for a budgeted set over several categories'),
  filters: SearchFilters.optional().describe(
    'Applied before ranking, so a page is full whenever enough match',
  ),
  limit: z.number().int().min(1).max(MAX_LIMIT).default(DEFAULT_LIMIT).describe('How many results'),
  offset: z.number().int().min(0).max(MAX_OFFSET).default(0).describe('How many results to pass over'),
  sort: z
    .enum(SORTS)
    .default('relevance')
    .describe('Order of the results; any but relevance lists only what fits the query'),
  include: z
    .array(z.enum(['facets', 'explain']))
    .max(2)
    .default([])
    .describe('What to add to the answer: counts to narrow by, or why the results are these'),
})
export type SearchRequest = z.output<typeof SearchRequest>

/** As it goes over the wire. */
export const SearchResult = z
  .object({
    slug: z.string().describe('Unique over the whole catalog'),
    title: z.string().describe('Title of the product'),
    category: z.string().describe('Slug of its category'),
    verdict: z.string().nullable().describe('What reviewers come to, in a sentence'),
    price_range: z
      .string()
      .nullable()
      .describe('In US dollars, as people write it; null when no price is known'),
    url: z.string().describe('Path of its page; with .json or .md appended, its other forms'),
    similarity: z.number().min(0).max(1).describe('How near it is to the query in meaning'),
    is_sponsored: z
      .boolean()
      .describe('Whether a seller promotes an offer for it now; this never changes the order'),
    discontinued: z.boolean().optional().describe('True when it is no longer made; left out otherwise'),
    reason: z
      .string()
      .describe('Why it fits, by its own facts; empty when it states nothing that was asked for'),
    explain: z
      .object({
        score: z.number().describe('What the results are ordered by'),
        because: z
          .array(
            z.object({
              feature: z.string().describe('What was looked at'),
              value: z.number().describe('What it added to the score'),
            }),
          )
          .describe('What the score is made of'),
      })
      .optional()
      .describe('Only when asked for with include'),
  })
  .meta({ id: 'SearchResult', description: 'A product that was found' })
export type SearchResult = z.output<typeof SearchResult>

const count = z.number().int().min(0).describe('Products')

export const Facets = z
  .object({
    category: z
      .array(
        z.object({
          slug: z.string().describe('Of the category'),
          label: z.string().describe('For people'),
          count,
        }),
      )
      .describe('Most products first'),
    brand: z
      .array(z.object({ name: z.string().describe('Of the brand'), count }))
      .describe('Most products first'),
    price: z
      .array(
        z.object({
          min: z.number().describe('US dollars, included'),
          max: z.number().nullable().describe('US dollars, not included; null for no end'),
          count,
        }),
      )
      .describe('Lowest first'),
  })
  .meta({ id: 'SearchFacets', description: 'What the products that come into question are made of' })
export type Facets = z.output<typeof Facets>

const bound = z.number().nullable().describe('US dollars')

export const Explanation = z
  .object({
    mode: z.enum(['semantic', 'keyword']).describe('By meaning and words, or by words alone'),
    understood: z
      .array(
        z.object({
          phrase: z.string().describe('As it stands in the query'),
          meaning: z.string().describe('What it was taken for'),
        }),
      )
      .describe('What the query was understood to say'),
    budget: z
      .object({ min: bound, max: bound, firm: z.boolean().describe('Whether dearer products are left out') })
      .nullable()
      .describe('What the query itself limits, beside the filters given'),
    candidates: z.number().int().describe('Products that came into question'),
    matching: z.number().int().describe('Products that pass the filters'),
    embedded: z.number().min(0).max(1).describe('Share of the catalog that is found by meaning, too'),
    note: z.string().optional().describe('Left out when all of the catalog is found by meaning'),
  })
  .meta({ id: 'SearchExplanation', description: 'How the query was read' })
export type Explanation = z.output<typeof Explanation>

export const Match = z
  .enum(['good', 'near', 'none'])
  .describe('good: something fits; near: nothing does, but something comes close; none: nothing does')

export const RegularSearchResponse = z
  .object({
    query_id: z.string().describe('Names this search, for the click that may follow'),
    results: z.array(SearchResult).describe('What fits, best first; may be empty'),
    match: Match,
    note: z
      .string()
      .optional()
      .describe('For people: why nothing fits, or what the query demands and was obeyed'),
    nearest: z
      .array(SearchResult)
      .optional()
      .describe('The at most 5 products that come closest, without fitting; left out when match is good'),
    facets: Facets.optional().describe('Only when asked for with include'),
    explain: Explanation.optional().describe('Only when asked for with include'),
  })
  .meta({ id: 'RegularSearchResponse', description: 'The regular answer: products, best first' })
export type RegularSearchResponse = z.output<typeof RegularSearchResponse>
