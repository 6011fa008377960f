/** What the rest of the service asks of the catalog. */

import type { Db } from '../db/database.ts'
import { awaitLater } from '../lib/background.ts'
import { findBelowOldCategory, findCategoryAddress, findProductAddress } from './addresses.queries.ts'
import {
  type CategorySummary,
  findAddressesInRange,
  findCategories,
  findCategoryProfiles,
  findCategorySummaries,
  findCategoryTotals,
  findCuts,
  findEachSlug,
  findIdsOfCategories,
  findPlaces,
  findProfile,
  findProfilesAfter,
  findProfilesById,
  findProfilesInRange,
  findSpecNames,
  findTexts,
  findTextsBetween,
  type ProductAddress,
  type ProductPlace,
  type SlugRange,
} from './catalog.queries.ts'
import type { Category } from './catalog.schema.ts'
import type { IndexedTexts, ProductProfile } from './profile.ts'

export type CategoryWithProducts = { category: Category; products: ProductProfile[] }
export type { CategorySummary, ProductAddress, ProductPlace, SlugRange }

type Context = { db: Db }

/** Null for an unknown slug, and for a known slug under another category. */
export async function getProfile(
  ctx: Context,
  input: { category: string; slug: string },
): Promise<ProductProfile | null> {
  // No text in the database holds it, and PostgreSQL does not even take the question.
  if (input.slug.includes('\0')) return null
  const profile = await findProfile(ctx.db, input.slug)
  return profile?.category.slug === input.category ? profile : null
}

/** Each once, in the order asked for; those that are not shown are left out. */
export async function getProfiles(ctx: Context, ids: string[]): Promise<ProductProfile[]> {
  const byId = new Map((await findProfilesById(ctx.db, ids)).map((profile) => [profile.id, profile]))
  return [...new Set(ids)].flatMap((id) => byId.get(id) ?? [])
}

export async function getCategory(ctx: Context, slug: string): Promise<CategoryWithProducts | null> {
  const category = (await findCategories(ctx.db)).find((candidate) => candidate.slug === slug)
  return category ? { category, products: await findCategoryProfiles(ctx.db, category.id) } : null
}

const MOST_SPEC_NAMES = 60

/** What specs are called in a category, for people who fill some in. */
export function listSpecNames(ctx: Context, category: string): Promise<string[]> {
  return findSpecNames(ctx.db, category, MOST_SPEC_NAMES)
}

/** Read from an index, without looking at the products; 0 for an unknown category. */
export async function countProductsIn(ctx: Context, slug: string): Promise<number> {
  const category = (await findCategories(ctx.db)).find((candidate) => candidate.slug === slug)
  const totals = category ? await findCategoryTotals(ctx.db, [category.id]) : []
  return totals.find(({ id }) => id === category?.id)?.productCount ?? 0
}

export function listCategories(ctx: Context): Promise<Category[]> {
  return findCategories(ctx.db)
}

/** Hidden ones too: for the operator, whose files may fill them. */
export function listAllCategories(ctx: Context): Promise<Category[]> {
  return findCategories(ctx.db, { withHidden: true })
}

/** With the number of reviews of their products. */
export function summarizeCategories(ctx: Context): Promise<Array<CategorySummary & { reviews: number }>> {
  return findCategorySummaries(ctx.db)
}

/**
 * How many products each category has at what prices; `updatedAt` is the category's own. Who knows the answer of
 * before, and in which categories something has changed since, has only those counted.
 */
export async function countCategories(
  ctx: Context,
  since: { before: CategorySummary[]; changed: ReadonlySet<string> } | null,
): Promise<CategorySummary[]> {
  if (since === null) return findCategoryTotals(ctx.db, null)
  const known = new Map(since.before.map((category) => [category.id, category]))
  const counted = await findCategoryTotals(ctx.db, [...since.changed])
  return counted.map((category) =>
    since.changed.has(category.id) ? category : (known.get(category.id) ?? category),
  )
}

/** What a search index reads of these products; those that are not shown are left out. */
export function getTexts(ctx: Context, ids: string[]): Promise<IndexedTexts[]> {
  return findTexts(ctx.db, ids)
}

/**
 * The products whose texts these changes are about, and the categories among them: a category's label is among the words of
 * its products.
 */
export async function listTouched(
  ctx: Context,
  changed: ReadonlyArray<{ productId: string | null; categoryId: string | null }>,
): Promise<{ products: Set<string>; categories: Set<string> }> {
  const products = new Set(changed.flatMap(({ productId }) => productId ?? []))
  const categories = new Set(
    changed.flatMap(({ productId, categoryId }) => (productId === null ? (categoryId ?? []) : [])),
  )
  if (categories.size > 0)
    for (const id of await findIdsOfCategories(ctx.db, [...categories])) products.add(id)
  return { products, categories }
}

/** In slug order, behind one slug up to another; null is the end. */
export function getTextsBetween(
  ctx: Context,
  span: { after: string; upTo: string | null },
): Promise<IndexedTexts[]> {
  return findTextsBetween(ctx.db, span)
}

/** Every so many slugs, in order: where to cut the catalog into pages. */
export function listEachSlug(ctx: Context, every: number): Promise<string[]> {
  return findEachSlug(ctx.db, every)
}

const PAGE = 500

/** Every profile, in slug order, without holding them all. */
export async function* streamProfiles(ctx: Context): AsyncGenerator<ProductProfile> {
  const pageAfter = (slug: string) => awaitLater(findProfilesAfter(ctx.db, slug, PAGE))
  let next = pageAfter('')
  for (;;) {
    const page = await next
    const last = page.at(-1)
    if (!last) return
    // The database reads on while these are looked at.
    next = pageAfter(last.slug)
    yield* page
  }
}

/** One page of a part of a category, in slug order. */
export function getProfilesInRange(
  ctx: Context,
  input: { range: SlugRange; after: string | null; limit: number },
): Promise<ProductProfile[]> {
  return findProfilesInRange(ctx.db, input.range, input.after, input.limit)
}

/** The same page of what tells no more than where the products are. */
export function getAddressesInRange(
  ctx: Context,
  input: { range: SlugRange; after: string | null; limit: number },
): Promise<ProductAddress[]> {
  return findAddressesInRange(ctx.db, input.range, input.after, input.limit)
}

/** Where to cut each category in parts of about `every` products: the same places on every node. */
export function getCuts(
  ctx: Context,
  input: { categoryIds: string[] | null; every: number },
): Promise<Map<string, string[]>> {
  return findCuts(ctx.db, input.categoryIds, input.every)
}

/** Those that are shown: a product that was removed or hidden has no place. */
export function getPlaces(ctx: Context, ids: string[]): Promise<ProductPlace[]> {
  return findPlaces(ctx.db, ids)
}

/*
 * Where an address leads at which nothing stands: on to where the product or category is now, or nowhere, because it was
 * deleted. Asked only when nothing was found, so that the usual read costs nothing more.
 */

/** Null for what never was, and for what is hidden: from outside these are the same. */
export async function findMovedProduct(
  { db }: Context,
  { category, slug }: { category: string | null; slug: string },
): Promise<{ category: string; slug: string } | 'gone' | null> {
  const left = await findProductAddress(db, { category, slug })
  if (left) return left.gone ? 'gone' : left.place
  return category === null ? null : findBelowOldCategory(db, { category, slug })
}

export async function findMovedCategory(
  { db }: Context,
  slug: string,
): Promise<{ slug: string } | 'gone' | null> {
  const left = await findCategoryAddress(db, slug)
  if (left?.gone) return 'gone'
  return left?.slug ? { slug: left.slug } : null
}
