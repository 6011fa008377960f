/** What the rest of the service asks of the catalog. */
import type { Db } from '../db/database.ts'
import {
  type CategorySummary,
  findCategories,
  findCategoryProfiles,
  findCategorySummaries,
  findProfile,
  findProfilesAfter,
  findProfilesById,
} from './catalog.queries.ts'
import type { Category } from './catalog.schema.ts'
import type { ProductProfile } from './profile.ts'

export type CategoryWithProducts = { category: Category; products: ProductProfile[] }
export type { CategorySummary }

type Context = { db: Db }

/** Null for an unknown slug, and for a known slug under another category. */
export async function getProfile(
  ctx: Context,
  input: { category: string; slug: string },
): Promise<ProductProfile | null> {
  const profile = await findProfile(ctx.db, input.slug)
  return profile?.category.slug === input.category ? profile : null
}

export function getProfiles(ctx: Context, ids: string[]): Promise<ProductProfile[]> {
  return findProfilesById(ctx.db, ids)
}

export function getProfilesOfCategory(ctx: Context, categoryId: string): Promise<ProductProfile[]> {
  return findCategoryProfiles(ctx.db, categoryId)
}

export async function getCategory(ctx: Context, slug: string): Promise<CategoryWithProducts | null> {
  const category = (await findCategories(ctx.db)).find((candidate) => candidate.slug === slug)
  return category ? { category, products: await findCategoryProfiles(ctx.db, category.id) } : null
}

export function listCategories(ctx: Context): Promise<Category[]> {
  return findCategories(ctx.db)
}

export function summarizeCategories(ctx: Context): Promise<CategorySummary[]> {
  return findCategorySummaries(ctx.db)
}

const PAGE = 500

/** Every profile, in slug order, without holding them all. */
export async function* streamProfiles(ctx: Context): AsyncGenerator<ProductProfile> {
  let after = ''
  for (;;) {
    const page = await findProfilesAfter(ctx.db, after, PAGE)
    yield* page
    const last = page.at(-1)
    if (!last) return
    after = last.slug
  }
}
