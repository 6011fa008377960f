/** Between a product in code (camelCase) and its row: one mapping, both directions. */
import type { Product } from './catalog.schema.ts'
import type { ContributionsColumn } from './enrichment.queries.ts'
import { distinctImages } from './enrichment.schema.ts'
import type { ProductProfile } from './profile.ts'

export type ProductRow = {
  id: string
  slug: string
  category_id: string
  brand_id: string | null
  title: string
  model: string | null
  description: string | null
  verdict: string | null
  specs: Product['specs']
  themes: Product['themes']
  best_for: string[]
  not_for: string[]
  images: Product['images']
  where_to_buy: Product['whereToBuy']
  price_low_cents: number | null
  price_high_cents: number | null
  list_price_cents: number | null
  rating: number | null
  review_count: number | null
  released: string | null
  discontinued: boolean
  gtin: string | null
  mpn: string | null
  sku: string | null
  variants: Product['variants']
  verification_status: Product['verificationStatus']
  provenance: Product['provenance']
  created_at: Date
  updated_at: Date
}

export function productFromRow(row: ProductRow): Product {
  return {
    id: row.id,
    slug: row.slug,
    categoryId: row.category_id,
    brandId: row.brand_id,
    title: row.title,
    model: row.model,
    description: row.description,
    verdict: row.verdict,
    specs: row.specs,
    themes: row.themes,
    bestFor: row.best_for,
    notFor: row.not_for,
    images: row.images,
    whereToBuy: row.where_to_buy,
    priceLowCents: row.price_low_cents,
    priceHighCents: row.price_high_cents,
    listPriceCents: row.list_price_cents,
    rating: row.rating,
    reviewCount: row.review_count,
    released: row.released,
    discontinued: row.discontinued,
    gtin: row.gtin,
    mpn: row.mpn,
    sku: row.sku,
    variants: row.variants,
    verificationStatus: row.verification_status,
    provenance: row.provenance,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

export function productToRow(product: Product): ProductRow {
  return {
    id: product.id,
    slug: product.slug,
    category_id: product.categoryId,
    brand_id: product.brandId,
    title: product.title,
    model: product.model,
    description: product.description,
    verdict: product.verdict,
    specs: product.specs,
    themes: product.themes,
    best_for: product.bestFor,
    not_for: product.notFor,
    images: product.images,
    where_to_buy: product.whereToBuy,
    price_low_cents: product.priceLowCents,
    price_high_cents: product.priceHighCents,
    list_price_cents: product.listPriceCents,
    rating: product.rating,
    review_count: product.reviewCount,
    released: product.released,
    discontinued: product.discontinued,
    gtin: product.gtin,
    mpn: product.mpn,
    sku: product.sku,
    variants: product.variants,
    verification_status: product.verificationStatus,
    provenance: product.provenance,
    created_at: product.createdAt,
    updated_at: product.updatedAt,
  }
}

const MOST_ADDITIONAL_IMAGES = 24

/** What producers added, in the order of approval; each image and each organization once. */
export function contributionsFrom(
  column: ContributionsColumn,
): Pick<ProductProfile, 'additionalImages' | 'enrichedBy'> {
  if (column === null) return {}
  const images = distinctImages(column.images?.flat() ?? []).slice(0, MOST_ADDITIONAL_IMAGES)
  const orgs = new Map(column.orgs?.map((org) => [org.id, org]))
  const enrichedBy = [...orgs.values()].map(({ name, type, verifiedAt, domain }) => ({
    orgName: name,
    orgType: type,
    verifiedAt: verifiedAt === null ? null : new Date(verifiedAt).toISOString(),
    domain,
  }))
  return {
    ...(images.length > 0 && { additionalImages: images }),
    ...(enrichedBy.length > 0 && { enrichedBy }),
  }
}
