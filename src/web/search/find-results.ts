/**
 * A page of results as it is shown: the one search's answer with the products' own facts and what is promoted now. Pages
 * go over the products that are close to the words; who wants the others too can ask for them.
 */
import { getProfiles } from '../../catalog/catalog.service.ts'
import type { ProductProfile } from '../../catalog/profile.ts'
import { type OfferLookup, withOffers } from '../../catalog/promoted-offer.ts'
import type { Db } from '../../db/database.ts'
import type { Filters } from '../../search/filters.ts'
import type { Explanation, Facets } from '../../search/search.schema.ts'
import type { Search, SearchInput } from '../../search/search.service.ts'
import type { SearchAddress } from './address.ts'

export const PAGE_SIZE = 24

export type Results = {
  queryId: string
  products: Array<{ profile: ProductProfile; reason: string }>
  /** Over all pages. */
  total: number
  /** How many more come into question, less close to the words. */
  further: number
  /** At least one. */
  pages: number
  /** True when no product shares a word with the query and nothing else could be compared. */
  beside: boolean
  /** True when there is nothing to find at all. */
  noProducts: boolean
  facets: Facets
  explain: Explanation
  /** Of the category that was chosen. */
  categoryLabel: string | null
}

type Deps = { db: Db; search: Pick<Search, 'index'>; offers: OfferLookup }

/** What the one search is asked for a page of results. */
export function askedSearch(address: SearchAddress): SearchInput {
  const { q, sort, page } = address
  return {
    query: q,
    filters: filtersOf(address),
    limit: PAGE_SIZE,
    offset: (page - 1) * PAGE_SIZE,
    ...(sort !== 'relevance' && { sort }),
    ...nearOf(address),
    facets: true,
    explain: true,
    face: 'web',
  }
}

/** Who has chosen a kind or a maker wants to see all of it by relevance. */
function nearOf({ far, category, brand }: SearchAddress): Pick<SearchInput, 'near'> {
  if (far) return { near: false }
  return category === null && brand === null ? { near: true } : {}
}

export type Answered = Awaited<ReturnType<Search['search']>>

/** The answer with the facts of its products. */
export async function showResults(
  { db, search, offers }: Deps,
  { page, category }: SearchAddress,
  answer: Answered,
): Promise<Results> {
  const offset = (page - 1) * PAGE_SIZE
  const { facets, explain, queryId, further } = answer
  if (!facets || !explain) throw new Error('a search gave no counts or explanation though asked for them')
  const { candidates, matching } = explain
  const beside = candidates === 0 && matching > 0
  const total = beside ? Math.min(PAGE_SIZE, matching) : candidates
  const ids = answer.productIds.slice(0, Math.max(0, total - offset))
  const byId = new Map((await getProfiles({ db }, ids)).map((profile) => [profile.id, profile]))
  const products = ids.flatMap((id, at) => {
    const profile = byId.get(id)
    return profile ? [{ profile: withOffers(profile, offers), reason: answer.results[at]?.reason ?? '' }] : []
  })
  return {
    queryId,
    products,
    total,
    further,
    pages: Math.max(1, Math.ceil(total / PAGE_SIZE)),
    beside,
    noProducts: search.index().size === 0,
    facets,
    explain,
    categoryLabel: category === null ? null : labelOf(search, category),
  }
}

export function labelOf(search: Pick<Search, 'index'>, slug: string): string {
  return (
    search
      .index()
      .allCategories()
      .find((one) => one.slug === slug)?.label ?? slug
  )
}

function filtersOf({ category, brand, minCents, maxCents, onSale }: SearchAddress): Filters {
  return {
    ...(category !== null && { category }),
    ...(brand !== null && { brand }),
    ...(minCents !== null && { minPriceCents: minCents }),
    ...(maxCents !== null && { maxPriceCents: maxCents }),
    ...(onSale && { onSale: true }),
  }
}
