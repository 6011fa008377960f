/** The product that a skill was asked about, by either form of its slug, with what sellers promote at this moment. */
import { z } from 'zod'
import { getProfile } from '../../../catalog/catalog.service.ts'
import type { ProductProfile } from '../../../catalog/profile.ts'
import { ProductSlugInput } from '../../../catalog/relationships.schema.ts'
import { findProduct, type ProductRef } from '../../../catalog/relationships.service.ts'
import { AppError } from '../../../lib/errors.ts'
import { invalidInput } from '../../../lib/validate.ts'
import { nearProducts } from '../../near-products.ts'
import type { A2aContext } from '../context.ts'

type Asked = { product_slug: string; field?: string }

/** Throws with the products that may have been meant. */
export async function requireProductRef(
  ctx: Pick<A2aContext, 'db' | 'search'>,
  { product_slug, field = 'product_slug' }: Asked,
): Promise<ProductRef> {
  const parsed = z.object({ [field]: ProductSlugInput }).safeParse({ [field]: product_slug })
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

export async function requireProfile(
  ctx: Pick<A2aContext, 'db' | 'search' | 'offers'>,
  asked: Asked,
): Promise<ProductProfile> {
  const ref = await requireProductRef(ctx, asked)
  const profile = await getProfile(ctx, ref)
  // Removed between the two readings.
  if (!profile)
    throw new AppError('not_found', `there is no product ${asked.product_slug}`, { code: 'not_found' })
  const offers = ctx.offers.of(profile.id)
  const changedAt = ctx.offers.changedAt(profile.id)
  const updatedAt = changedAt && changedAt > profile.updatedAt ? changedAt : profile.updatedAt
  return { ...profile, updatedAt, ...(offers.length > 0 && { offers }) }
}
