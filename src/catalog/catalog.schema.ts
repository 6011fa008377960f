/** The catalog's own words: what a category and a product are inside the service (camelCase, cents, dates). */
import { columnOf } from '../lib/entity.ts'

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

export const VARIANT_AVAILABILITIES = ['in_stock', 'out_of_stock', 'preorder', 'backorder'] as const

/** One size or colour of a product. `id` is what its source calls it, and unique within the product. */
export type Variant = {
  id: string
  sku: string | null
  gtin: string | null
  options: Spec[]
  priceCents: number | null
  listPriceCents: number | null
  /** The address of its picture; absent if it has none of its own. */
  image?: string
  /** Absent if the source does not say. */
  availability?: (typeof VARIANT_AVAILABILITIES)[number]
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

const known = <Value>(columnType: string, empty: Value) => ({ columnType, empty })
const text = known<string | null>('text', null)
const cents = known<number | null>('bigint', null)

/**
 * The facts of a product that someone outside can state, by their names in code, in the order that provenance is told in:
 * the type of the column, and what a product has of which nobody has stated it.
 */
const FACTS = {
  title: known<string>('text', ''),
  model: text,
  verdict: text,
  description: text,
  priceLowCents: cents,
  priceHighCents: cents,
  listPriceCents: cents,
  rating: known<number | null>('double precision', null),
  reviewCount: known<number | null>('int', null),
  released: text,
  discontinued: known<boolean>('boolean', false),
  bestFor: known<string[]>('text[]', []),
  notFor: known<string[]>('text[]', []),
  themes: known<ReviewTheme[]>('jsonb', []),
  specs: known<Spec[]>('jsonb', []),
  images: known<ProductImage[]>('jsonb', []),
  whereToBuy: known<Shop[]>('jsonb', []),
  gtin: text,
  mpn: text,
  sku: text,
  variants: known<Variant[]>('jsonb', []),
}
export type ProductFacts = { [Key in keyof typeof FACTS]: (typeof FACTS)[Key]['empty'] }

/** The rest of a product is ours. */
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

export const FACT_KEYS = Object.keys(FACTS) as Array<keyof ProductFacts>

const byFact = <Value>(give: (key: keyof ProductFacts) => Value) =>
  Object.fromEntries(FACT_KEYS.map((key) => [key, give(key)]))

export const EMPTY_FACTS = byFact((key) => FACTS[key].empty) as ProductFacts

/** What the outside calls each fact (import contract); provenance is kept by these names. */
export const FIELD_NAMES = byFact((key) =>
  columnOf(key)
    .replace(/^price_(low|high)_cents$/, 'price')
    .replace(/_cents$/, ''),
) as Record<keyof ProductFacts, string>

/** The type of each column, by its name in code. */
export const PRODUCT_COLUMNS: Readonly<Record<keyof Product, string>> = {
  ...{ id: 'uuid', slug: 'text', categoryId: 'uuid', brandId: 'uuid' },
  ...(byFact((key) => FACTS[key].columnType) as Record<keyof ProductFacts, string>),
  ...{ verificationStatus: 'text', provenance: 'jsonb', createdAt: 'timestamptz', updatedAt: 'timestamptz' },
}
export const PRODUCT_KEYS = Object.keys(PRODUCT_COLUMNS) as Array<keyof Product>

/** Whose word a field is that somebody edited by hand. */
export const OPERATOR_SOURCE = 'operator'
