/**
 * `POST /api/search/` as it is published. The answer has two shapes (interface 4, rule 1); the other one belongs to
 * bundles, which build on search, so it is given from outside, as its handler is to the route.
 */
import { z } from 'zod'
import { BODY_REFUSALS, NOT_BLANK, type Operation, published } from '../http/operation.ts'
import { RegularSearchResponse, SearchRequest } from './search.schema.ts'

/** What bundles say of themselves: their answer, how many a caller gets in a day, how many of a thing one may hold. */
export type BundleWords = { answer: z.ZodType; aDay: number; maxPieces: number }

/** Exactly one of two named schemas, so that generated clients can tell them apart by `type`, which only a bundle has. */
function searchResponse(bundle: z.ZodType): z.ZodType {
  return z.xor([RegularSearchResponse, bundle]).meta({
    id: 'SearchResponse',
    description: 'The regular response or a bundle; only a bundle has `type`',
  })
}

export function searchOperations(bundle: BundleWords): Operation[] {
  return [
    {
      id: 'searchProducts',
      method: 'post',
      path: '/api/search/',
      tag: 'Search',
      summary: 'Search products',
      description:
        'Finds products from a description in everyday words, including budgets, exclusions, brands and model numbers. ' +
        'With a verified email you get a bundle, a set of products from several categories within one budget, ' +
        'when `bundle` is true or the query asks for a set, and `filters.category` is not set. ' +
        'Other callers always get a list of products.',
      caller: 'anyone, more when signed in',
      body: published(SearchRequest, {
        id: 'SearchRequest',
        description: 'What to look for',
        fields: { query: { pattern: NOT_BLANK } },
      }),
      answers: [
        {
          status: 200,
          description: 'Search results, or a bundle',
          content: { 'application/json': searchResponse(bundle.answer) },
        },
      ],
      refusals: [
        ...BODY_REFUSALS,
        {
          status: 400,
          when: '`filters.category` is not a category; `valid` lists similar ones',
          field: 'filters.category',
          words: 'there is no category',
        },
        {
          status: 400,
          when: '`filters.ships_to` means two places; `valid` lists both',
          field: 'filters.ships_to',
          words: 'can mean two places',
        },
        {
          status: 400,
          when: `the bundle has more than ${bundle.maxPieces.toLocaleString('en-US')} of one product`,
          field: 'query',
          words: 'of one product',
        },
        {
          status: 429,
          when: `you used all ${bundle.aDay} bundles for this UTC day; regular searches still work`,
          code: 'quota_exceeded',
        },
        {
          status: 429,
          when: 'too many searches from your network; repeated searches still work',
          code: 'rate_limited',
        },
        {
          status: 503,
          when: 'the index is still loading; try again after `Retry-After` seconds',
          code: 'search_unavailable',
        },
      ],
    },
  ]
}
