/** A page of results: the search's answer with product profiles and live offers. Without a match it has the closest. */

import { getProfiles } from '../../catalog/catalog.service.ts'
import { type OfferLookup, withOffers } from '../../catalog/promoted-offer.ts'
import type { Db } from '../../db/database.ts'
import { type Obeyed, obeyedOf } from '../../search/obey.ts'
import { readQuery } from '../../search/prepare.ts'
import type { SearchResult } from '../../search/search.schema.ts'
import type { Search, SearchInput } from '../../search/search.service.ts'
import { filtersOf, type SearchAddress } from './address.ts'

export const PAGE_SIZE = 24

export type Results = Awaited<ReturnType<typeof showResults>>

type Deps = { db: Db; search: Pick<Search, 'index' | 'reading'>; offers: OfferLookup }

export function askedSearch(address: SearchAddress): SearchInput {
  const { q, sort, page } = address
  return {
    query: q,
    filters: filtersOf(address),
    limit: PAGE_SIZE,
    offset: (page - 1) * PAGE_SIZE,
    ...(address.ignore.length > 0 && { ignore: address.ignore }),
    ...(sort !== null && { sort }),
    facets: true,
    shelf: true,
    explain: true,
    face: 'web',
  }
}

export type Answered = Awaited<ReturnType<Search['search']>>

export async function showResults(
  { db, search, offers }: Deps,
  { q, category, sort, ignore }: SearchAddress,
  answer: Answered,
) {
  const { facets, shelf, explain, queryId, total, match, note, shipsTo } = answer
  if (!facets || !shelf || !explain) throw new Error('search returned no facets or explanation')
  const shown = await Promise.all(
    [answer.results, answer.nearest].map((list) => withProfiles({ db, search, offers }, list)),
  )
  const [products = [], nearest = []] = shown
  const understood = await search.reading((index) => readQuery(index, q).understood)
  const isTakenBack = ({ id }: Obeyed) => ignore.includes(id)
  // A chosen order overrides one in the query.
  const demands = obeyedOf(understood).filter(({ id }) => id !== 'order' || sort === null)
  const order = ignore.includes('order') ? null : understood.order
  return {
    queryId,
    /** `variant`: the one that the query names. */
    products,
    /** On all pages. */
    total,
    /** At least one. */
    pages: Math.max(1, Math.ceil(total / PAGE_SIZE)),
    /** Requirements in the query that filter the list. */
    obeyed: demands.filter((demand) => !isTakenBack(demand)),
    /** Requirements in the query that the shopper removed. */
    takenBack: demands.filter(isTakenBack),
    sort: sort ?? order ?? 'relevance',
    match,
    note,
    shipsTo,
    /** The closest products when nothing matches. */
    nearest,
    /** True if the catalog is empty. */
    noProducts: search.index().size === 0,
    facets,
    shelf,
    explain,
    /** Label of the category filter. */
    categoryLabel: category === null ? null : labelOf(search, category),
  }
}

async function withProfiles({ db, search, offers }: Deps, results: readonly SearchResult[]) {
  const ids = await search.reading((index) =>
    results.map(({ slug }) => index.at(index.findBySlug(slug) ?? -1)?.id ?? ''),
  )
  const profiles = await getProfiles({ db }, ids.filter(Boolean))
  const byId = new Map(profiles.map((profile) => [profile.id, profile]))
  return ids.flatMap((id, at) => {
    const profile = byId.get(id)
    if (!profile) return []
    const { reason = '', variant } = results[at] ?? {}
    return [{ profile: withOffers(profile, offers), reason, ...(variant && { variant }) }]
  })
}

export function labelOf(search: Pick<Search, 'index'>, slug: string): string {
  return (
    search
      .index()
      .allCategories()
      .find((category) => category.slug === slug)?.label ?? slug
  )
}
