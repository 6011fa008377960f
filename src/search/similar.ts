/**
 * What is like a product: its nearest neighbours by both readings of it, the whole and what it is for. What is no longer
 * made is left out: nobody looks for something else to buy that cannot be bought.
 */
import { AppError } from '../lib/errors.ts'
import type { CatalogIndex, IndexedProduct } from './catalog-index.ts'
import { allowedSlots, NO_SALES, type SaleLookup } from './filters.ts'
import { toResult } from './result.ts'
import type { SearchResult } from './search.schema.ts'
import { andThen, type MaybePromise } from './vectors/meaning-index.ts'

export type SimilarInput = { slug: string; maxPriceCents?: number; limit: number }

export function findSimilar(
  index: CatalogIndex,
  input: SimilarInput,
  sales: SaleLookup,
): MaybePromise<SearchResult[]> {
  return andThen(nearestTo(index, input, sales), ({ to, nearest }) =>
    nearest.map(({ product, similarity }) => ({
      ...toResult(product, similarity, sales),
      reason: similarReason(to, product),
    })),
  )
}

type Near = { product: IndexedProduct; similarity: number }

/** The products themselves, nearest first; throws `not_found` for an unknown slug. */
export function nearestTo(
  index: CatalogIndex,
  { slug, maxPriceCents, limit }: SimilarInput,
  sales: SaleLookup,
): MaybePromise<{ to: IndexedProduct; nearest: Near[] }> {
  // Both forms of a slug are accepted: `slug` and `category/slug`.
  const own = index.findBySlug(slug.slice(slug.lastIndexOf('/') + 1))
  const product = own === undefined ? null : index.at(own)
  if (own === undefined || !product)
    throw new AppError('not_found', `there is no product ${slug}`, { code: 'not_found' })
  const filters = { excludeDiscontinued: true, ...(maxPriceCents !== undefined && { maxPriceCents }) }
  const allowed = allowedSlots(index, filters, { budget: null }, sales) ?? new Uint8Array(index.slots)
  allowed[own] = 0
  return andThen(index.meaning.around(own, limit * 4, allowed), ({ slots, full, short }) => {
    const nearest = Array.from(slots, (slot, at) => ({
      product: index.at(slot),
      similarity: Math.min(1, Math.max(0, ((full[at] ?? 0) + (short[at] ?? 0)) / 2)),
    }))
      .filter((near): near is Near => near.product !== null)
      .sort((a, b) => b.similarity - a.similarity || (a.product.id < b.product.id ? -1 : 1))
      .slice(0, limit)
    return { to: product, nearest }
  })
}

/** Below this two products have little in common but that they are for sale. */
const ALIKE = 0.4

/** As a product's page shows them. Null while it has no vector. */
export function similarIds(index: CatalogIndex, slug: string, limit: number): MaybePromise<string[] | null> {
  const own = index.findBySlug(slug)
  if (own === undefined || !index.at(own)?.embedded) return null
  const found = nearestTo(index, { slug, limit }, NO_SALES)
  return andThen(found, ({ nearest }) =>
    nearest.filter(({ similarity }) => similarity >= ALIKE).map(({ product }) => product.id),
  )
}

function similarReason(to: IndexedProduct, found: IndexedProduct): string {
  const shared = [
    found.brand !== null && found.brand === to.brand ? 'the same brand' : '',
    found.category.slug === to.category.slug
      ? 'the same kind of product'
      : `another kind: ${found.category.label}`,
    found.priceLowCents !== null && to.priceLowCents !== null && found.priceLowCents < to.priceLowCents
      ? 'costs less'
      : '',
  ]
  return shared.filter(Boolean).join('; ')
}
