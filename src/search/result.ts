/** A product as a search result goes over the wire. */
import { priceNowCents } from '../catalog/profile.buying.ts'
import { priceRange, productPath } from '../catalog/profile.ts'
import { dollarsOf } from '../lib/money.ts'
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
    price_now_usd: dollarsOf(priceNowCents(product, sales.bestCents(product.id))),
    url: productPath(product),
    similarity: Number(similarity.toFixed(4)),
    is_sponsored: sales.isSponsored(product.id),
    ...(product.discontinued && { discontinued: true }),
  }
}
