/** The search request and answer (interface 2.2, 2.3), once for the REST route, its description and the tools. */
import { z } from 'zod'
import { atMost } from '../catalog/bounded-input.ts'
import { RegionInput } from '../lib/regions.ts'
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
  specs: specs.optional().describe('Required specs: names with their values'),
  min_price: price.optional().describe('US dollars'),
  max_price: price.optional().describe('US dollars'),
  on_sale: z.boolean().optional().describe('Only products that are on sale now'),
  available: z
    .boolean()
    .optional()
    .describe('Only products that a shop lists or a seller quotes; no discontinued ones'),
  ships_to: RegionInput.optional().describe(
    'Only products that a seller states it delivers there: a state or country, such as CA-US, California or Germany',
  ),
})

/** What an answer with `ships_to` says beside its results. */
export const ShipsTo = z
  .object({
    region: z.string().describe('STATE-COUNTRY, or a country'),
    not_stated: z
      .number()
      .int()
      .min(0)
      .describe('How many more match, but no seller states whether it delivers there'),
  })
  .meta({ id: 'SearchShipsTo', description: 'Where results are delivered to' })
export type ShipsTo = z.output<typeof ShipsTo>

export const SORTS = ['relevance', 'popular', 'price_asc', 'price_desc', 'rating', 'newest'] as const
export type Sort = (typeof SORTS)[number]

export const SearchRequest = z.object({
  query: z
    .string()
    .min(1)
    .max(MAX_QUERY)
    .refine((text) => text.trim() !== '', { message: 'must not be empty' })
    .describe('What to find, in any words'),
  session_id: z.string().max(200).optional().describe('Correlates searches of one visit; not a credential'),
  bundle: z.boolean().optional().describe('Request a budgeted set from several categories'),
  filters: SearchFilters.optional().describe(
    'Applied before ranking, so pages are full if enough products match',
  ),
  limit: z.number().int().min(1).max(MAX_LIMIT).default(DEFAULT_LIMIT).describe('How many results'),
  offset: z.number().int().min(0).max(MAX_OFFSET).default(0).describe('How many results to skip'),
  sort: z
    .enum(SORTS)
    .default('relevance')
    .describe('Order of the results; any other than relevance lists only products that match the query'),
  include: z
    .array(z.enum(['facets', 'explain']))
    .max(2)
    .default([])
    .describe('What to add to the response: counts for filters, or an explanation of the results'),
})
export type SearchRequest = z.output<typeof SearchRequest>

/** As it goes over the wire. */
export const SearchResult = z
  .object({
    slug: z.string().describe('Unique in the catalog'),
    title: z.string().describe('Title of the product'),
    category: z.string().describe('Category slug'),
    verdict: z.string().nullable().describe('What reviewers conclude, in a sentence'),
    price_range: z
      .string()
      .nullable()
      .describe('In US dollars, as shown to people; null when no price is known'),
    price_now_usd: z
      .number()
      .nullable()
      .describe('The lowest price now: of a live offer, or else listed; null when no price is known'),
    url: z.string().describe('Path of its page; add .json or .md for other forms'),
    similarity: z.number().min(0).max(1).describe('How similar it is to the query in meaning'),
    is_sponsored: z.boolean().describe('Whether it has a promoted offer now; does not affect the order'),
    discontinued: z.boolean().optional().describe('True when it is discontinued; otherwise left out'),
    variant: z
      .object({ id: z.string().describe('Id within the product'), name: z.string().describe('Its options') })
      .optional()
      .describe('The one variant that the query names, such as a size and a color'),
    reason: z.string().describe('Why it matches, from its own facts; empty when it states nothing relevant'),
    explain: z
      .object({
        score: z.number().describe('What the results are ordered by'),
        because: z
          .array(
            z.object({
              feature: z.string().describe('Name of the signal'),
              value: z.number().describe('Its part of the score'),
            }),
          )
          .describe('Parts of the score'),
      })
      .optional()
      .describe('Only when requested with include'),
  })
  .meta({ id: 'SearchResult', description: 'A search result' })
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
  .meta({ id: 'SearchFacets', description: 'Counts over the matching products' })
export type Facets = z.output<typeof Facets>

const bound = z.number().nullable().describe('US dollars')

export const Explanation = z
  .object({
    mode: z.enum(['semantic', 'keyword']).describe('By meaning and words, or by words only'),
    understood: z
      .array(
        z.object({
          phrase: z.string().describe('As written in the query'),
          meaning: z.string().describe('How it was read'),
        }),
      )
      .describe('How each part of the query was read'),
    budget: z
      .object({
        min: bound,
        max: bound,
        firm: z.boolean().describe('Whether more expensive products are left out'),
      })
      .nullable()
      .describe('Limits read from the query, in addition to the filters'),
    candidates: z.number().int().describe('Products considered'),
    matching: z.number().int().describe('Products that pass the filters'),
    embedded: z.number().min(0).max(1).describe('Share of the catalog covered by semantic search'),
    note: z.string().optional().describe('Left out when semantic search covers the whole catalog'),
  })
  .meta({ id: 'SearchExplanation', description: 'How the query was read' })
export type Explanation = z.output<typeof Explanation>

export const Match = z
  .enum(['good', 'near', 'none'])
  .describe('good: there are matches; near: only close ones; none: nothing matches')

export const RegularSearchResponse = z
  .object({
    query_id: z.string().describe('Id of this search, for reporting clicks'),
    results: z.array(SearchResult).describe('Matches, best first; may be empty'),
    match: Match,
    note: z
      .string()
      .optional()
      .describe('For people: why nothing matches, or what was applied from the query'),
    nearest: z
      .array(SearchResult)
      .optional()
      .describe('Up to 5 closest products that do not match; left out when match is good'),
    ships_to: ShipsTo.optional().describe('Only with the filter ships_to'),
    facets: Facets.optional().describe('Only when requested with include'),
    explain: Explanation.optional().describe('Only when requested with include'),
  })
  .meta({ id: 'RegularSearchResponse', description: 'The regular response: products, best first' })
export type RegularSearchResponse = z.output<typeof RegularSearchResponse>
