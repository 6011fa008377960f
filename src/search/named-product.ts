/** The product that somebody named, by either form of its slug, with what sellers promote at this moment. */
import { z } from 'zod'
import { getProfile } from '../catalog/catalog.service.ts'
import type { ProductProfile } from '../catalog/profile.ts'
import { canonicalSlug } from '../catalog/profile.ts'
import { type OfferLookup, withOffers } from '../catalog/promoted-offer.ts'
import { ProductSlugInput } from '../catalog/relationships.schema.ts'
import { findProduct, type ProductRef } from '../catalog/relationships.service.ts'
import type { Db } from '../db/database.ts'
import { AppError } from '../lib/errors.ts'
import { invalidInput } from '../lib/validate.ts'
import { nearProducts } from './near-products.ts'
import type { Search } from './search.service.ts'

type Asked = { product_slug: string; field?: string }

/** Throws with the products that may have been meant. */
export async function requireProductRef(
  ctx: { db: Db; search: Pick<Search, 'index' | 'reading'> },
  { product_slug, field = 'product_slug' }: Asked,
): Promise<ProductRef> {
  const parsed = z
    .object({ [field]: ProductSlugInput })
    .safeParse({ [field]: product_slug }, { reportInput: true })
  const slug = parsed.data?.[field]
  const product = slug && (await findProduct(ctx, slug))
  if (product) return product
  const near = await nearProducts(ctx.search, product_slug)
  const hint = near.length > 0 ? `; near matches: ${near.join(', ')}` : ''
  const valid = near.length > 0 ? { valid: near } : {}
  if (parsed.error)
    throw new AppError('invalid', `${invalidInput(parsed.error).message}${hint}`, { field, ...valid })
  const message = `there is no product ${product_slug.trim()}${hint}`
  throw new AppError('not_found', message, { code: 'not_found', field, ...valid })
}

/**
 * Named by a category and a slug, which may repeat the category. A slug belongs to one product, so one that is known
 * under another category is told by its right name instead of searched for.
 */
export async function requireInCategory(
  ctx: { db: Db; search: Pick<Search, 'index' | 'reading'> },
  { category, slug }: { category: string; slug: string },
): Promise<ProductRef> {
  const name = slug.slice(slug.lastIndexOf('/') + 1)
  const product = await requireProductRef(ctx, { product_slug: name, field: 'slug' })
  if (product.category === category) return product
  const right = canonicalSlug(product)
  const message = `there is no product ${name} in the category ${category}; did you mean ${right}?`
  throw new AppError('not_found', message, { code: 'not_found', field: 'slug', valid: [right] })
}

export async function requireProfile(
  ctx: { db: Db; search: Pick<Search, 'index' | 'reading'>; offers: OfferLookup },
  asked: Asked,
): Promise<ProductProfile> {
  return profileOf(ctx, await requireProductRef(ctx, asked))
}

export async function profileOf(
  ctx: { db: Db; offers: OfferLookup },
  ref: { category: string; slug: string },
): Promise<ProductProfile> {
  const profile = await getProfile(ctx, ref)
  // Removed between the two readings.
  if (!profile)
    throw new AppError('not_found', `there is no product ${canonicalSlug(ref)}`, { code: 'not_found' })
  return withOffers(profile, ctx.offers)
}
