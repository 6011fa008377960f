/**
 * The parameters of each skill, by the contract's names, as a client sends them in `metadata` and as the reading of a plain
 * message gives them. Clients often send null or an empty string for what they do not know: both count as not given.
 */
import { z } from 'zod'
import { RfqRequest } from '../../../rfq/rfq.schema.ts'
import { DEFAULT_LIMIT, MAX_LIMIT, MAX_QUERY, SearchFilters, SORTS } from '../../../search/search.schema.ts'
import { MAX_OFFSET } from '../../../tools/params.ts'
import type { SkillId } from './skill.ts'

const given = (value: unknown) => (value === null || value === '' ? undefined : value)
const text = (max: number) => z.preprocess(given, z.string().trim().min(1).max(max).optional())
const limit = z.preprocess(given, z.number().int().min(1).max(MAX_LIMIT).default(DEFAULT_LIMIT))
const offset = z.preprocess(given, z.number().int().min(0).max(MAX_OFFSET).default(0))
const flag = z.preprocess(given, z.boolean().optional())
const shipsTo = z.preprocess(given, SearchFilters.shape.ships_to)
const productSlug = z.string().trim().min(1).max(200).describe('<category>/<slug>, or the slug alone')

export const RecommendationParams = z.object({
  query: z.string().trim().min(1).max(MAX_QUERY).describe('What to find, in any words'),
  category: text(100).describe('A category slug'),
  brand: text(100).describe('Only products of this brand'),
  exclude_brands: z.preprocess(
    (value) => (typeof value === 'string' && value !== '' ? [value] : given(value)),
    SearchFilters.shape.exclude_brands,
  ),
  specs: z.preprocess(given, SearchFilters.shape.specs),
  min_price: z.preprocess(given, SearchFilters.shape.min_price),
  max_price: z.preprocess(given, SearchFilters.shape.max_price),
  on_sale: flag,
  available: flag,
  ships_to: shipsTo,
  include_discontinued: flag,
  sort: z.preprocess(given, z.enum(SORTS).default('relevance')),
  /** Asks for a budgeted set over several categories; needs a token of somebody whose email is verified. */
  bundle: flag,
  limit,
  offset,
})

export const LookupParams = z.object({ product_slug: productSlug })

export const BrowseParams = z.object({
  category: text(100).describe('A category slug; default: lists the categories'),
  sort: z.preprocess(given, z.enum(SORTS).exclude(['relevance']).default('popular')),
  on_sale: flag,
  available: flag,
  ships_to: shipsTo,
  include_discontinued: flag,
  limit,
  offset,
})

export const OffersParams = z.object({ product_slug: productSlug })

export const WhatChangedParams = z.object({
  products: z.preprocess(
    (value) => (typeof value === 'string' ? [value] : given(value)),
    z.array(productSlug).min(1).max(50).optional(),
  ),
  category: text(100),
  since: text(60).describe('ISO 8601 date or time; default: 7 days ago'),
  limit: z.preprocess(given, z.number().int().min(1).max(100).default(50)),
})

export const SKILL_PARAMS = {
  'product-recommendation': RecommendationParams,
  'product-lookup': LookupParams,
  'category-browse': BrowseParams,
  'product-offers': OffersParams,
  'request-for-quote': RfqRequest,
  'what-changed': WhatChangedParams,
} satisfies Record<SkillId, z.ZodType>
