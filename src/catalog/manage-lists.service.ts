/** The operator's lists of products, categories and brands, hidden ones too, and one product with what hangs on it. */
import type { Db } from '../db/database.ts'
import { withinTime } from '../db/within-time.ts'
import { isUuid } from '../lib/ids.ts'
import { findAnyProfilesById } from './catalog.queries.ts'
import {
  BRAND_STATES,
  type BrandState,
  CATEGORY_STATES,
  type CategoryState,
  countManaged,
  countOfBrand,
  findBrand,
  findManaged,
  findManagedBrands,
  findManagedCategories,
  findManagedSlugs,
  type ManagedBrand,
  type ManagedCategory,
  type ManagedProduct,
  PRODUCT_STATES,
  type ProductFilter,
  type ProductOrder,
  type ProductState,
} from './manage-lists.queries.ts'
import { findChosenBySlug, findHanging, type Hanging } from './manage-products.queries.ts'
import type { ProductProfile } from './profile.ts'

export {
  BRAND_STATES,
  type BrandState,
  CATEGORY_STATES,
  type CategoryState,
  type ManagedBrand,
  type ManagedCategory,
  type ManagedProduct,
  PRODUCT_STATES,
  type ProductFilter,
  type ProductOrder,
  type ProductState,
}

/** So many are counted, and changed by one action on everything that matches. */
export const MOST_MANAGED = 10_000
const TOO_LONG = { message: 'searching the catalog took too long; search for less' }

type Page = { limit: number; offset: number }

/** `total` counts up to MOST_MANAGED. */
export function listManaged(
  ctx: { db: Db },
  filter: ProductFilter,
  page: Page & { order: ProductOrder },
): Promise<{ products: ManagedProduct[]; total: number }> {
  return withinTime(ctx.db, TOO_LONG, async (tx) => ({
    products: await findManaged(tx, filter, page),
    total: await countManaged(tx, filter, MOST_MANAGED),
  }))
}

/** The slugs of all that match, at most MOST_MANAGED. */
export function slugsOfManaged(ctx: { db: Db }, filter: ProductFilter): Promise<string[]> {
  return withinTime(ctx.db, TOO_LONG, (tx) => findManagedSlugs(tx, filter, MOST_MANAGED))
}

export type ManagedView = {
  profile: ProductProfile
  isHidden: boolean
  /** Of the product alone; that of its profile is also its category's. */
  updatedAt: Date
  hanging: Hanging | null
}

/** Null where there is none. */
export async function getManaged(ctx: { db: Db }, slug: string): Promise<ManagedView | null> {
  const found = await findChosenBySlug(ctx.db, slug)
  if (!found) return null
  const [profile] = await findAnyProfilesById(ctx.db, [found.id])
  if (!profile) return null
  const hanging = (await findHanging(ctx.db, [found.id])).get(found.id) ?? null
  return { profile, isHidden: found.isHidden, updatedAt: found.updatedAt, hanging }
}

/** Few enough to be read at once. */
export function listManagedCategories(
  ctx: { db: Db },
  filter: { search: string | null; state: CategoryState | null; slug?: string },
): Promise<ManagedCategory[]> {
  return withinTime(ctx.db, TOO_LONG, (tx) => findManagedCategories(tx, filter))
}

export function listManagedBrands(
  ctx: { db: Db },
  filter: { search: string | null; state: BrandState | null },
  page: Page,
): Promise<ManagedBrand[]> {
  return withinTime(ctx.db, TOO_LONG, (tx) => findManagedBrands(tx, filter, page))
}

export type BrandView = Omit<ManagedBrand, 'createdAt'>

export async function getBrand(ctx: { db: Db }, id: string): Promise<BrandView | null> {
  const brand = isUuid(id) ? await findBrand(ctx.db, id) : null
  return brand && { ...brand, products: await countOfBrand(ctx.db, id) }
}
