/**
 * The three requests, as far as we use them. What else a platform may send (signals, attribution, the rest of the
 * context) is passed over: it must not change an answer, so it is not even looked at.
 */
import { z } from 'zod'
import { MAX_QUERY } from '../../search/search.schema.ts'

const MAX_IDS = 50
const MAX_ID = 2_000
/** Each category of a search with words is a search of its own. */
const MAX_CATEGORIES = 10
const MAX_OPTIONS = 50

/** ISO 4217 minor units. */
const amount = z.int().min(0)
const id = z.string().min(1).max(MAX_ID)

/** Other filters may be sent; the answer says which were not applied. */
export const SearchFilters = z.looseObject({
  categories: z.array(z.string().max(200)).max(MAX_CATEGORIES).optional(),
  price: z.object({ min: amount.optional(), max: amount.optional() }).optional(),
})

const shared = {
  filters: SearchFilters.optional(),
  context: z.object({ currency: z.string().max(50).optional() }).optional(),
}

export const SearchRequest = z.object({
  query: z.string().max(MAX_QUERY).optional(),
  pagination: z
    .object({ cursor: z.string().max(1_000).optional(), limit: z.int().min(1).optional() })
    .optional(),
  ...shared,
})
export type SearchRequest = z.output<typeof SearchRequest>

export const LookupRequest = z.object({ ids: z.array(id).min(1).max(MAX_IDS), ...shared })
export type LookupRequest = z.output<typeof LookupRequest>

const selected = z
  .array(z.object({ name: z.string().max(200), label: z.string().max(200) }))
  .max(MAX_OPTIONS)
  .refine((options) => new Set(options.map(({ name }) => name)).size === options.length, {
    message: 'names an option more than once',
  })

export const ProductRequest = z.object({
  id,
  selected: selected.optional(),
  preferences: z.array(z.string().max(200)).max(MAX_OPTIONS).optional(),
  ...shared,
})
export type ProductRequest = z.output<typeof ProductRequest>
