/**
 * Who sells or makes what: the words of the interface and the one rule of proof. A brand's own domain proves that it
 * makes the product, and that it sells it; a shop link proves only that the shop sells it.
 */
import { z } from 'zod'
import type { ProductRelationshipsTable, RelationshipType } from '../db/tables.producers.ts'
import { isWithinDomain } from '../lib/domains.ts'
import { isSharedDomain } from '../lib/shared-domains.ts'
import { cleanLine } from '../lib/text.ts'
import { webLink } from './bounded-input.ts'
import { isGtin } from './product-input.ts'

export type { RelationshipType }
export const RELATIONSHIP_TYPES = ['sells', 'manufactured_by'] as const satisfies readonly RelationshipType[]

const PRODUCT_SLUG = /^(?:([a-z0-9]+(?:-[a-z0-9]+)*)\/)?([a-z0-9]+(?:-[a-z0-9]+)*)$/

export type ProductSlug = { category: string | null; slug: string }

/** Both forms are accepted everywhere: `slug` and `category/slug`. */
export const ProductSlugInput = z
  .string()
  .max(300)
  .transform((text, ctx): ProductSlug => {
    const match = PRODUCT_SLUG.exec(text.trim())
    if (match?.[2] !== undefined) return { category: match[1] ?? null, slug: match[2] }
    ctx.addIssue({ code: 'custom', message: "must be a product's slug, or <category>/<slug>", input: text })
    return z.NEVER
  })

/** The number below the barcode, to be sure that the product meant is the product named. */
export const ClaimedGtin = z
  .string()
  .max(30)
  .transform((text) => text.replace(/[\s-]/g, ''))
  .refine(isGtin, 'must be 8, 12, 13 or 14 digits with a valid check digit')

/** Manufacturer part number, for the same. */
export const ClaimedMpn = z
  .string()
  .max(100)
  .transform(cleanLine)
  .refine((text) => text !== '', 'must not be empty')

const orNull = <Output>(schema: z.ZodType<Output>) =>
  schema.nullish().transform((value): Output | null => value ?? null)

export const ClaimRequest = z.object({
  product_slug: ProductSlugInput,
  relationship_type: z.enum(RELATIONSHIP_TYPES),
  evidence_url: orNull(webLink()),
  gtin: orNull(ClaimedGtin),
  mpn: orNull(ClaimedMpn),
})
export type ClaimRequest = z.output<typeof ClaimRequest>

export const WithdrawRequest = z.object({ relationship_id: z.string().min(1) })
export type WithdrawRequest = z.output<typeof WithdrawRequest>

/** The part of a list that a query asks for; of `GET /api/org/products/`, all that it asks. */
export const PageQuery = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(50),
  offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
})

export type RelationshipStatus = ProductRelationshipsTable['status']
export type VerifiedVia = NonNullable<ProductRelationshipsTable['verified_via']>

/** What decides about a claim without a person: the domain that was proved, and the domains the product names. */
export type Evidence = {
  /** Null while it is not verified. */
  orgDomain: string | null
  brandDomain: string | null
  shopUrls: string[]
}

/** Nothing proves a claim of which the catalog says nothing, and a domain that many share proves none. */
export function proofOf(
  type: RelationshipType,
  evidence: Evidence | undefined,
): 'brand_domain' | 'shop_link' | null {
  if (!evidence || evidence.orgDomain === null) return null
  const { orgDomain, brandDomain, shopUrls } = evidence
  if (isSharedDomain(orgDomain)) return null
  if (brandDomain !== null && isWithinDomain(brandDomain, orgDomain)) return 'brand_domain'
  if (type !== 'sells') return null
  const sells = shopUrls.some((url) => isWithinDomain(URL.parse(url)?.hostname ?? '', orgDomain))
  return sells ? 'shop_link' : null
}
