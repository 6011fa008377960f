/** A product as a search result goes over the wire. */
import { priceRange, productPath } from '../catalog/profile.ts'
import type { IndexedProduct } from './catalog-index.ts'
import type { SaleLookup } from './filters.ts'
import type { SearchResult } from './search.schema.ts'

export function toResult(
  product: IndexedProduct,
  similarity: number,
  sales: SaleLookup,
): Omit<SearchResult, 'reason'> {
  return {
    slug: product.slug,
    title: product.title,
    category: product.category.slug,
    verdict: product.verdict,
    price_range: priceRange(product),
    url: productPath(product),
    similarity: Number(similarity.toFixed(4)),
    is_sponsored: sales.isSponsored(product.id),
    ...(product.discontinued && { discontinued: true }),
  }
}
