/**
 * What product_curator takes and gives. One answer for its three kinds: `products` for a shortlist and a comparison,
 * `comparison` and `bundle` for what only these have; the parts that do not apply are null.
 */
import { z } from 'zod'
import { MAX_CATEGORIES } from '../bundles/bundles.schema.ts'
import { EditInput, MOST_EDITS } from '../plans/plans.schema.ts'
import { MAX_QUERY } from '../search/search.schema.ts'
import { productSlug } from '../tools/params.ts'
import { VERDICTS } from './curator.must-have.ts'

const MAX_COMPARED = 6
const MAX_ITEMS = 10
const MAX_MUST_HAVES = 10

export const CuratorInput = z.object({
  query: z.string().trim().min(1).max(MAX_QUERY).describe('What the user wants and what for, in any words'),
  budget_usd: z
    .number()
    .positive()
    .max(10_000_000)
    .optional()
    .describe('Maximum to spend per product; for a bundle, in total'),
  categories: z
    .array(z.string().trim().min(1).max(100))
    .max(MAX_CATEGORIES)
    .default([])
    .describe('Only these category slugs; a bundle fills each of them'),
  must_have: z
    .array(z.string().trim().min(1).max(100))
    .max(MAX_MUST_HAVES)
    .default([])
    .describe('Short requirements, one each: "dishwasher safe", "under 5 kg", "no subscription"'),
  compare: z
    .array(productSlug)
    .max(MAX_COMPARED)
    .default([])
    .describe('Compare these 2 to 6 products, <category>/<slug> each'),
  bundle: z
    .boolean()
    .optional()
    .describe('true: plan a set from several categories; false: never; default: if the query asks for a set'),
  max_items: z.int().min(1).max(MAX_ITEMS).default(5).describe('Length of a shortlist'),
  plan_id: z.string().max(60).optional().describe('Show or edit this bundle; the query is then ignored'),
  edits: z
    .array(EditInput)
    .max(MOST_EDITS)
    .default([])
    .describe('With plan_id: what to change; the rest stays unless it must change'),
})
export type CuratorInput = z.output<typeof CuratorInput>

const MustHaves = z
  .array(z.object({ wish: z.string(), met: z.enum(VERDICTS), evidence: z.string().nullable() }))
  .describe('What the profile says about each must_have')

const CuratedProduct = z.object({
  product_slug: z.string(),
  title: z.string(),
  url: z.string(),
  price_range: z.string().nullable(),
  rating: z.number().nullable(),
  review_count: z.int().nullable(),
  discontinued: z.boolean(),
  is_sponsored: z.boolean(),
  verdict: z.string().nullable(),
  reasons: z.array(z.string()),
  must_have: MustHaves,
  best_for: z.array(z.string()),
  not_for: z.array(z.string()),
  strengths: z.array(z.string()).describe('What reviewers praise'),
  weaknesses: z.array(z.string()).describe('What reviewers criticize'),
})
export type CuratedProduct = z.output<typeof CuratedProduct>

const Comparison = z.object({
  recommended: z.string().nullable().describe('product_slug; null when none fits'),
  reasons: z.array(z.string()),
  specs: z.array(
    z.object({
      name: z.string(),
      values: z.array(z.string().nullable()).describe('In the order of products'),
    }),
  ),
})
export type Comparison = z.output<typeof Comparison>

const BundleAlternative = z.object({
  product_slug: z.string(),
  title: z.string(),
  cost_usd: z.number().nullable(),
  change_usd: z.number().nullable().describe('What it adds to the total'),
  fits: z.boolean().describe('Within the budget'),
})

const Bundle = z.object({
  plan_id: z.string().nullable().describe('To edit it'),
  overview: z.string(),
  budget_usd: z.number().nullable(),
  total_usd: z.number().describe('At the highest shop prices'),
  lines: z.array(
    z.object({
      category: z.string(),
      label: z.string(),
      role: z.string(),
      kept: z.boolean().describe('The user asked for this product to stay'),
      quantity: z.int(),
      allocated_usd: z.number().nullable(),
      cost_usd: z.number().nullable(),
      over_budget: z.boolean(),
      reasoning: z.string(),
      product_slug: z.string().nullable(),
      title: z.string().nullable(),
      url: z.string().nullable(),
      price_range: z.string().nullable(),
      verdict: z.string().nullable(),
      must_have: MustHaves,
      alternatives: z.array(BundleAlternative).describe('Of a plan that was named by plan_id'),
    }),
  ),
  upgrades: z.array(BundleAlternative).describe('What more money would buy'),
  changed: z
    .array(z.object({ category: z.string(), from: z.string().nullable(), to: z.string().nullable() }))
    .describe('Lines that the edits do not mention and that had to change'),
})
export type CuratedBundle = z.output<typeof Bundle>

export const CuratorOutput = z.object({
  kind: z.enum(['shortlist', 'comparison', 'bundle']),
  query_id: z.string().nullable(),
  notes: z.array(z.string()),
  ruled_out: z
    .array(z.object({ product_slug: z.string(), wish: z.string(), evidence: z.string().nullable() }))
    .describe('Products whose profile denies a must_have'),
  products: z.array(CuratedProduct).nullable(),
  comparison: Comparison.nullable(),
  bundle: Bundle.nullable(),
})
export type Curated = z.output<typeof CuratorOutput>
