/** A product in the list of a tool: what a shopper's agent compares, by names that all lists share. */
import { z } from 'zod'
import { centsToDollars } from '../lib/money.ts'
import type { CatalogIndex, IndexedProduct } from './catalog-index.ts'
import { SearchFilters, type SearchResult } from './search.schema.ts'

/** Which products a list has, for the tools that list them. */
export const shelfFilters = {
  on_sale: z.boolean().default(false).describe('Only products that are on sale now'),
  available: z.boolean().default(false).describe('Only products that a shop lists or a seller quotes'),
  ships_to: SearchFilters.shape.ships_to,
  include_discontinued: z.boolean().default(false).describe('Include discontinued products'),
}

export const ListedProduct = z.object({
  category: z.string(),
  slug: z.string(),
  title: z.string(),
  price_low_usd: z.number().nullable(),
  price_high_usd: z.number().nullable(),
  price_now_usd: z.number().nullable().describe('Lowest now: of a live offer, or else listed'),
  rating: z.number().nullable().describe('Of 5'),
  review_count: z.int().nullable(),
  verdict: z.string().nullable(),
  discontinued: z.boolean(),
  is_sponsored: z.boolean().describe('Has a promoted offer now; does not affect the order'),
  url: z.string(),
})
export type ListedProduct = z.output<typeof ListedProduct>

export const FoundProduct = ListedProduct.extend({
  similarity: z.number().describe('0 to 1'),
  reason: z.string(),
  variant: z.object({ id: z.string(), name: z.string() }).optional().describe('The one that the query names'),
})
export type FoundProduct = z.output<typeof FoundProduct>

type Told = Omit<SearchResult, 'similarity' | 'reason' | 'explain'>

/** What a result leaves out is read from the index; a product that has just left it has no figures. */
export function toListed(index: CatalogIndex, result: Told, baseUrl: string): ListedProduct {
  const { category, slug, title, verdict, price_now_usd, is_sponsored, url } = result
  const product = indexed(index, slug)
  return {
    category,
    slug,
    title,
    price_low_usd: dollars(product?.priceLowCents),
    price_high_usd: dollars(product?.priceHighCents),
    price_now_usd,
    rating: product?.rating ?? null,
    review_count: product?.reviewCount ?? null,
    verdict,
    discontinued: product?.discontinued ?? false,
    is_sponsored,
    url: `${baseUrl}${url}`,
  }
}

export function toFound(index: CatalogIndex, result: SearchResult, baseUrl: string): FoundProduct {
  const { similarity, reason, variant } = result
  return { ...toListed(index, result, baseUrl), similarity, reason, ...(variant && { variant }) }
}

/** The same with the price as lists print it. */
export function withPriceRange<Listed extends ListedProduct>(
  products: readonly Listed[],
  results: readonly Told[],
): Array<Listed & { price_range: string | null }> {
  return products.map((product, at) => ({ ...product, price_range: results[at]?.price_range ?? null }))
}

function indexed(index: CatalogIndex, slug: string): IndexedProduct | null {
  const slot = index.findBySlug(slug)
  return slot === undefined ? null : index.at(slot)
}

function dollars(cents: number | null | undefined): number | null {
  return cents === null || cents === undefined ? null : centsToDollars(cents)
}
