/** The catalog's own words: what a category and a product are inside the service (camelCase, cents, dates). */
export const VERIFICATION_STATUSES = [
  'base',
  'producer_enriched',
  'manufacturer_enriched',
  'manufacturer_verified',
] as const
export type VerificationStatus = (typeof VERIFICATION_STATUSES)[number]

export const SENTIMENTS = ['positive', 'negative', 'mixed'] as const
export type Sentiment = (typeof SENTIMENTS)[number]

export type Spec = { name: string; value: string }
export type ReviewTheme = {
  theme: string
  sentiment: Sentiment
  share: number | null
  summary: string | null
}
export type ProductImage = { url: string; alt: string | null }
export type Shop = { name: string; url: string; priceCents: number | null }
/** What a price was before it became dollars: "€599 at 1.08, the rate of 3 November". */
export type OriginalPrice = {
  currency: string
  low: number
  high: number
  list?: number
  /** US dollars for one unit; null while nobody has given one, and then there is no price. */
  rate: number | null
  ratedAt: string | null
}
export type Provenance = Record<
  string,
  { source: string; verifiedAt: string | null; original?: OriginalPrice }
>

/** One size or colour of a product, as its source knows it. */
export type Variant = {
  id: string
  sku: string | null
  gtin: string | null
  options: Spec[]
  priceCents: number | null
  listPriceCents: number | null
}

export type Category = {
  id: string
  slug: string
  label: string
  description: string
  /** The names above it, outermost first. */
  path: string[]
  updatedAt: Date
}

/** The facts of a product that someone outside can state; the rest of a product is ours. */
export type ProductFacts = {
  title: string
  model: string | null
  description: string | null
  verdict: string | null
  specs: Spec[]
  themes: ReviewTheme[]
  bestFor: string[]
  notFor: string[]
  images: ProductImage[]
  whereToBuy: Shop[]
  priceLowCents: number | null
  priceHighCents: number | null
  listPriceCents: number | null
  rating: number | null
  reviewCount: number | null
  released: string | null
  discontinued: boolean
  gtin: string | null
  mpn: string | null
  sku: string | null
  variants: Variant[]
}

export type Product = ProductFacts & {
  id: string
  slug: string
  categoryId: string
  brandId: string | null
  verificationStatus: VerificationStatus
  provenance: Provenance
  createdAt: Date
  updatedAt: Date
}

export const EMPTY_FACTS: ProductFacts = {
  title: '',
  model: null,
  description: null,
  verdict: null,
  specs: [],
  themes: [],
  bestFor: [],
  notFor: [],
  images: [],
  whereToBuy: [],
  priceLowCents: null,
  priceHighCents: null,
  listPriceCents: null,
  rating: null,
  reviewCount: null,
  released: null,
  discontinued: false,
  gtin: null,
  mpn: null,
  sku: null,
  variants: [],
}

/** Whose word a field is that somebody edited by hand. */
export const OPERATOR_SOURCE = 'operator'

/** What the outside calls each fact (import contract); provenance is kept by these names, in this order. */
export const FIELD_NAMES: Record<keyof ProductFacts, string> = {
  title: 'title',
  model: 'model',
  verdict: 'verdict',
  description: 'description',
  priceLowCents: 'price',
  priceHighCents: 'price',
  listPriceCents: 'list_price',
  rating: 'rating',
  reviewCount: 'review_count',
  released: 'released',
  discontinued: 'discontinued',
  bestFor: 'best_for',
  notFor: 'not_for',
  themes: 'themes',
  specs: 'specs',
  images: 'images',
  whereToBuy: 'where_to_buy',
  gtin: 'gtin',
  mpn: 'mpn',
  sku: 'sku',
  variants: 'variants',
}
