/**
 * Reads what a comparison shows: its products, those left out or unknown, and products to add. Suggestions need the
 * search index; without it the comparison still works.
 */
import { getProfiles, getProfilesInRange, listCategories } from '../../catalog/catalog.service.ts'
import type { ProductProfile } from '../../catalog/profile.ts'
import { withOffers } from '../../catalog/promoted-offer.ts'
import { findNamedProduct, type ProductRef } from '../../catalog/relationships.service.ts'
import type { Db } from '../../db/database.ts'
import { AppError } from '../../lib/errors.ts'
import type { LiveOffers } from '../../offers/live-offers.ts'
import { nearProducts } from '../../search/near-products.ts'
import type { SearchResult } from '../../search/search.schema.ts'
import type { Search } from '../../search/search.service.ts'
import { MAX_COMPARED, namedIn } from './compare.address.ts'

type CompareContext = { db: Db; search: Search; offers: LiveOffers }

export type Compared = {
  profiles: ProductProfile[]
  /** Known, but beyond MAX_COMPARED. */
  leftOut: ProductRef[]
  unknown: Array<{ name: string; near: ProductRef[] }>
}

const MAX_NEAR = 3
const MAX_FOUND = 5
const MAX_SIMILAR = 4
/** Further unknown names get no suggestions. */
const MAX_HELPED = 4
/** How many categories to search for two products. */
const CATEGORIES_TRIED = 5

export async function findCompared(ctx: CompareContext, names: string[]): Promise<Compared> {
  const refs = await Promise.all(names.map((name) => findNamed(ctx, name)))
  const known = new Map(refs.flatMap((ref) => (ref ? [[ref.id, ref]] : [])))
  const shown = [...known.keys()].slice(0, MAX_COMPARED)
  const unknown = names.filter((_, at) => refs[at] === null)
  return {
    profiles: (await getProfiles(ctx, shown)).map((profile) => withOffers(profile, ctx.offers)),
    leftOut: [...known.values()].slice(MAX_COMPARED),
    unknown: await Promise.all(
      unknown.map(async (name, at) => ({
        name,
        near: at < MAX_HELPED ? await findNear(ctx, name, shown) : [],
      })),
    ),
  }
}

/** By slug, `<category>/<slug>` or a link to its page. */
export function findNamed(ctx: Pick<CompareContext, 'db'>, name: string): Promise<ProductRef | null> {
  return findNamedProduct(ctx, namedIn(name))
}

async function findNear(ctx: CompareContext, name: string, shown: string[]): Promise<ProductRef[]> {
  const slugs = await nearProducts(ctx.search, namedIn(name))
  const refs = await Promise.all(slugs.map((slug) => findNamed(ctx, slug)))
  return refs.flatMap((ref) => (ref && !shown.includes(ref.id) ? [ref] : [])).slice(0, MAX_NEAR)
}

/** Searches for products to add, optionally in one category. Null while the index is loading. */
export async function findToAdd(
  { search }: CompareContext,
  {
    words,
    category,
    compared,
    ip,
  }: { words: string; category: string | null; compared: string[]; ip: string | null },
): Promise<SearchResult[] | null> {
  return whenReady(async () => {
    const { results, nearest } = await search.search({
      query: words,
      limit: MAX_FOUND + compared.length,
      face: 'web',
      ip,
      ...(category !== null && { filters: { category } }),
    })
    const near = nearest.filter((found) => category === null || found.category === category)
    return [...results, ...near].filter(({ slug }) => !compared.includes(slug)).slice(0, MAX_FOUND)
  })
}

/** The most similar to each product, in turn. */
export async function findSimilarTo(
  ctx: CompareContext,
  profiles: ProductProfile[],
): Promise<SearchResult[]> {
  const compared = profiles.map(({ slug }) => slug)
  const limit = MAX_SIMILAR + compared.length
  const lists = await Promise.all(
    compared.map(async (slug) => (await whenReady(async () => ctx.search.similar({ slug, limit }))) ?? []),
  )
  const inTurn = Array.from({ length: limit }, (_, at) => lists.flatMap((list) => list[at] ?? [])).flat()
  const fresh = new Map(inTurn.map((found) => [found.slug, found]))
  return [...fresh.values()].filter(({ slug }) => !compared.includes(slug)).slice(0, MAX_SIMILAR)
}

/** Two products from the first category that has two. */
export async function findExample(ctx: Pick<CompareContext, 'db'>): Promise<ProductProfile[]> {
  for (const { id } of (await listCategories(ctx)).slice(0, CATEGORIES_TRIED)) {
    const range = { categoryId: id, from: '', to: null }
    const two = await getProfilesInRange(ctx, { range, after: null, limit: 2 })
    if (two.length === 2) return two
  }
  return []
}

/** Null while the index is loading, and for a product it does not know yet. */
async function whenReady<T>(ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof AppError && ['unavailable', 'not_found'].includes(error.kind)) return null
    throw error
  }
}
