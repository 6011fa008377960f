/**
 * A product that a producer proposes for the catalog. It is stated and checked as a row of an import, without what is not
 * a producer's to say: ratings, themes and verdicts, where its brand lives (that would prove claims), and its slug.
 * Stored in the contract's form; specs alone are a list, because jsonb forgets the order of keys.
 */
import { z } from 'zod'
import type { OrgType } from '../db/tables.producers.ts'
import { invalid } from '../lib/errors.ts'
import { cleanText } from '../lib/text.ts'
import { category } from '../tools/params.ts'
import { atMost, webLink } from './bounded-input.ts'
import { FIELD_NAMES, type ProductFacts, type Spec } from './catalog.schema.ts'
import { fieldValue, PROPOSABLE_FIELDS } from './enrichment.schema.ts'
import {
  type CheckedInput,
  checkProductInput,
  type InputProblem,
  type ProductInput,
} from './product-input.ts'
import type { RelationshipType } from './relationships.schema.ts'

const MAX_BRAND = 100
const MAX_IMAGES = 12
const MAX_SPECS = 100
const MAX_NOTE = 1_000

/** The tool `submit_product`. */
export const SubmitProduct = z.object({
  category,
  title: z.string().trim().min(1).max(200).describe('Full product name'),
  brand: z.string().trim().max(MAX_BRAND).optional().describe('Brand name'),
  model: z.string().trim().max(200).optional().describe('Model name or number'),
  gtin: z.string().trim().max(30).optional().describe('GTIN, EAN, UPC or ISBN with its check digit'),
  mpn: z.string().trim().max(100).optional().describe("Manufacturer's part number"),
  description: z.string().max(5_000).optional().describe('Plain text'),
  specs: atMost(
    MAX_SPECS,
    z.record(z.string().max(80), z.union([z.string().max(300), z.number(), z.boolean()])),
  )
    .optional()
    .describe('{"Capacity": "1.7 l", …}, at most 100'),
  image_urls: z
    .array(webLink(['https:']))
    .max(MAX_IMAGES)
    .optional()
    .describe('https addresses of pictures'),
  product_url: webLink().optional().describe('The product on your own site'),
  price_usd: z.number().min(0).optional().describe('US dollars, at most two decimals'),
})
export type SubmitProduct = z.output<typeof SubmitProduct>

/** What the operator writes back; a rejection without a reason helps nobody. */
export const SubmissionNote = z
  .string()
  .max(MAX_NOTE)
  .transform(cleanText)
  .refine((text) => text !== '', 'say why, so the producer can fix it')

/** `DELETE /api/org/submissions/` */
export const SubmissionId = z.object({ submission_id: z.string().min(1).max(100) })

export type StoredProduct = Record<string, unknown>

export function relationshipOf(orgType: OrgType): RelationshipType {
  return orgType === 'manufacturer' ? 'manufactured_by' : 'sells'
}

/** As a row of an import; throws what is wrong with it, by the tool's own names. */
export function readSubmission(input: SubmitProduct): { input: ProductInput; notes: InputProblem[] } {
  const { image_urls, price_usd, product_url: _, ...same } = input
  const images = image_urls && [...new Set(image_urls)].map((url) => ({ url }))
  const checked = checkSubmitted({ ...same, ...(images && { images }), price: price_usd })
  if ('input' in checked) return checked
  const { field, problem, fix } = checked.problem
  const named =
    field === null ? 'title' : field.replace(/^price\b.*/, 'price_usd').replace(/^images\b/, 'image_urls')
  throw invalid(named, `${named}: ${problem}; ${fix}`)
}

/** The import's own check, and what only matters when a stranger states the product. */
export function checkSubmitted(raw: Record<string, unknown>): CheckedInput {
  const checked = checkProductInput(raw)
  if ('problem' in checked) return checked
  if ((checked.input.brand ?? '').length > MAX_BRAND) {
    const problem = `is longer than ${MAX_BRAND} characters`
    return { problem: { field: 'brand', problem, fix: 'give only the brand name' } }
  }
  const { input, notes } = checked
  const { images, whereToBuy } = input.facts
  const kept = {
    ...(images && { images: withLinks(images, IMAGE_LINK) }),
    ...(whereToBuy && { whereToBuy: withLinks(whereToBuy, SHOP_LINK) }),
  }
  const left = [
    ...leftOut('images', images, kept.images, 'give https addresses of at most 2000 characters'),
    ...leftOut('where_to_buy', whereToBuy, kept.whereToBuy, 'give addresses without a user name or password'),
  ]
  return { input: { ...input, facts: { ...input.facts, ...kept } }, notes: [...notes, ...left] }
}

const IMAGE_LINK = webLink(['https:'])
const SHOP_LINK = webLink()

/** With addresses in the one form that is safe to print and to show; those that have none are left out. */
function withLinks<Linked extends { url: string }>(entries: Linked[], link: typeof SHOP_LINK): Linked[] {
  return entries.flatMap((entry) => {
    const { data: url } = link.safeParse(entry.url)
    return url === undefined ? [] : [{ ...entry, url }]
  })
}

/** Feeds hold old addresses by the hundred: one that cannot be kept does not cost the row. */
function leftOut(field: string, stated: unknown[] = [], kept: unknown[] = [], fix: string): InputProblem[] {
  const count = stated.length - kept.length
  return count === 0 ? [] : [{ field, problem: `has ${count} that cannot be used`, fix }]
}

/** What is kept of a checked product; `category` is the slug it was found by. */
export function storedProduct({ brand, facts }: ProductInput, category: string): StoredProduct {
  const stated = statedFields(facts)
  const fields = PROPOSABLE_FIELDS.filter((name) => stated.has(name))
    .map((name) => [name, fieldValue(name, facts)] as const)
    .filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0))
  return {
    category,
    ...(brand && { brand }),
    ...Object.fromEntries(fields),
    ...(facts.images && facts.images.length > 0 && { images: facts.images }),
  }
}

/** Back to a row of an import. */
export function rowOfStored({ specs, ...product }: StoredProduct): Record<string, unknown> {
  if (!Array.isArray(specs)) return product
  return { ...product, specs: Object.fromEntries((specs as Spec[]).map(({ name, value }) => [name, value])) }
}

/** The fields that facts speak of, by the contract's names. */
export function statedFields(facts: Partial<ProductFacts>): Set<string> {
  return new Set(Object.keys(facts).map((name) => FIELD_NAMES[name as keyof ProductFacts]))
}
