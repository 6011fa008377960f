/**
 * Reads and writes the URL of a results page, or of a category's page, which is a search without words. The URL holds the whole search, so that a page can be shared, reopened and
 * gone back to. Blank and unknown parameters are ignored. An invalid price or region is reported beside its field, keeps
 * what was typed, and does not filter.
 */
import { categoryPath } from '../../catalog/profile.ts'
import { formatUsd, readDollars, typedDollars } from '../../lib/money.ts'
import { MAX_REGION, typedRegion } from '../../lib/regions.ts'
import type { Filters } from '../../search/filters.ts'
import { MAX_QUERY, SORTS, type Sort } from '../../search/search.schema.ts'
import type { SpecPick } from '../../search/shelf.ts'
import { SEARCH_PATH } from '../components/search-box.tsx'
import type { FormState } from '../kit/fields.tsx'
import { readPlace } from '../kit/region.ts'

export type SearchAddress = {
  q: string
  category: string | null
  /** Any of them. */
  brands: readonly string[]
  minCents: number | null
  maxCents: number | null
  /** Stars at least. */
  rating: number | null
  /** By specs of the category: `s.heat-up-time=..60 s`. */
  picks: readonly SpecPick[]
  onSale: boolean
  available: boolean
  /** A seller quotes it. */
  quoted: boolean
  /** As lib/regions.ts writes it. */
  shipsTo: string | null
  /** Null if none is chosen; the query may then imply one. */
  sort: Sort | null
  page: number
  /** Ids of requirements in the query that the shopper removed. */
  ignore: readonly string[]
  /** The shopper asked for a bundle explicitly. */
  bundle: boolean
}

/** `typed` has the prices and the region as typed, with their errors. */
export type ReadAddress = { address: SearchAddress; typed: FormState }

const MAX_PRICE_CENTS = 10_000_000_00
const MAX_PAGE = 1_000
const MAX_NAME = 100
const MAX_IGNORED = 20
const MAX_BRANDS = 20
/** Of values, over all specs. */
const MAX_PICKED = 20
const PICK = 's.'
const NO_PRICE = 'Enter a price in dollars, such as 80 or 1,200.'
const TURNED = 'The minimum price is higher than the maximum.'

export const SORT_WORDS: Record<Sort, string> = {
  relevance: 'Best match',
  popular: 'Most reviewed',
  price_asc: 'Price: low to high',
  price_desc: 'Price: high to low',
  rating: 'Top rated',
  newest: 'Newest',
}

/** Without words there is no match, so what is liked best comes first. */
export function sortWords(sort: Sort, { q }: Pick<SearchAddress, 'q'>): string {
  return sort === 'relevance' && q === '' ? 'Recommended' : SORT_WORDS[sort]
}

export function readAddress(query: URLSearchParams): ReadAddress {
  const prices = { min_price: tidy(query.get('min_price')), max_price: tidy(query.get('max_price')) }
  const { minCents, maxCents, errors } = readPrices(prices)
  const place = tidy(query.get('ships_to')).slice(0, MAX_REGION)
  const read = place === '' ? null : readPlace(place)
  const shipsTo = read && 'region' in read ? read.region : null
  const sort = SORTS.find((known) => known === query.get('sort')) ?? null
  const page = /^\d{1,4}$/.test(query.get('page') ?? '') ? Number(query.get('page')) : 1
  return {
    address: {
      q: tidy(query.get('q')),
      category: tidy(query.get('category')).slice(0, MAX_NAME) || null,
      brands: named(query, 'brand', MAX_BRANDS),
      minCents,
      maxCents,
      rating: /^[1-4](?:\.5)?$|^5$/.test(query.get('rating') ?? '') ? Number(query.get('rating')) : null,
      picks: readPicks(query),
      onSale: query.get('on_sale') === '1',
      available: query.get('available') === '1',
      quoted: query.get('quoted') === '1',
      shipsTo,
      sort,
      page: Math.min(MAX_PAGE, Math.max(1, page)),
      ignore: named(query, 'ignore', MAX_IGNORED),
      bundle: query.get('bundle') === '1',
    },
    typed: {
      values: { ...prices, ships_to: shipsTo === null ? place : typedRegion(shipsTo) },
      errors: { ...errors, ...(read && 'problem' in read && { ships_to: read.problem }) },
    },
  }
}

/** Each once. */
function named(query: URLSearchParams, name: string, most: number): string[] {
  const texts = query.getAll(name).map((text) => tidy(text).slice(0, MAX_NAME).trim())
  return [...new Set(texts)].filter(Boolean).slice(0, most)
}

function readPicks(query: URLSearchParams): SpecPick[] {
  const picks = new Map<string, string[]>()
  let left = MAX_PICKED
  for (const [name, text] of query) {
    const key = name.startsWith(PICK) ? tidy(name.slice(PICK.length)).slice(0, MAX_NAME).toLowerCase() : ''
    const value = tidy(text).slice(0, MAX_NAME)
    if (key === '' || value === '' || picks.get(key)?.includes(value) || left-- <= 0) continue
    picks.set(key, [...(picks.get(key) ?? []), value])
  }
  return Array.from(picks, ([key, values]) => ({ key, values }))
}

/** With a value of a spec, or without it when it is among them. */
export function toggled(picks: readonly SpecPick[], key: string, value: string): SpecPick[] {
  const before = picks.find((pick) => pick.key === key)?.values ?? []
  const isSame = (other: string) => other.toLowerCase() === value.toLowerCase()
  const values = before.some(isSame) ? before.filter((other) => !isSame(other)) : [...before, value]
  const known = picks.some((pick) => pick.key === key) ? picks : [...picks, { key, values }]
  return known
    .map((pick) => (pick.key === key ? { key, values } : pick))
    .filter((pick) => pick.values.length > 0)
}

export function isTooLong(q: string): boolean {
  return q.length > MAX_QUERY
}

/** Goes back to page 1 unless `change` sets the page. */
export function addressOf(address: SearchAddress, change: Partial<SearchAddress> = {}): string {
  const asked = { ...address, page: 1, ...change }
  const query = queryOf(asked)
  const path = pathOf(asked)
  return query.size === 0 ? path : `${path}?${query}`
}

export function pathOf({ q, category }: Pick<SearchAddress, 'q' | 'category'>): string {
  return q === '' && category !== null ? categoryPath({ slug: category }) : SEARCH_PATH
}

export function queryOf(address: SearchAddress): URLSearchParams {
  const { q, category, brands, minCents, maxCents, rating, picks, onSale, available, quoted } = address
  const { shipsTo, sort, page, ignore, bundle } = address
  const query = new URLSearchParams(q === '' && category !== null ? {} : { q })
  if (q !== '' && category !== null) query.set('category', category)
  for (const name of brands) query.append('brand', name)
  if (minCents !== null) query.set('min_price', typedDollars(minCents))
  if (maxCents !== null) query.set('max_price', typedDollars(maxCents))
  if (rating !== null) query.set('rating', String(rating))
  if (onSale) query.set('on_sale', '1')
  if (available) query.set('available', '1')
  if (quoted) query.set('quoted', '1')
  if (shipsTo !== null) query.set('ships_to', shipsTo)
  for (const { key, values } of picks) for (const value of values) query.append(`${PICK}${key}`, value)
  if (sort !== null) query.set('sort', sort)
  for (const id of ignore) query.append('ignore', id)
  if (bundle) query.set('bundle', '1')
  if (page > 1) query.set('page', String(page))
  return query
}

export const NO_FILTERS = {
  ...{ category: null, brands: [], minCents: null, maxCents: null, rating: null, picks: [] },
  ...{ onSale: false, available: false, quoted: false, shipsTo: null },
}

/** The same list without filters. A category's page stays in its category. */
export function withoutFilters(address: SearchAddress): string {
  return addressOf(address, { ...NO_FILTERS, ...(address.q === '' && { category: address.category }) })
}

export function hasFilters(address: SearchAddress): boolean {
  return address.category !== null || hasNarrowing(address)
}

/** Filters other than by category. */
export function hasNarrowing(address: SearchAddress): boolean {
  const { brands, minCents, maxCents, rating, picks, onSale, available, quoted, shipsTo } = address
  const named = [minCents, maxCents, rating, shipsTo].some((value) => value !== null)
  return named || brands.length > 0 || picks.length > 0 || onSale || available || quoted
}

/** What the search and the shelves of a category filter by. */
export function filtersOf(address: SearchAddress): Filters {
  const { category, brands, minCents, maxCents, rating, picks, onSale, available, quoted, shipsTo } = address
  return {
    ...(category !== null && { category }),
    ...(brands.length > 0 && { brands }),
    ...(minCents !== null && { minPriceCents: minCents }),
    ...(maxCents !== null && { maxPriceCents: maxCents }),
    ...(rating !== null && { minRating: rating }),
    ...(picks.length > 0 && { picks }),
    ...(onSale && { onSale: true }),
    ...(available && { available: true }),
    ...(quoted && { quoted: true }),
    ...(shipsTo !== null && { shipsTo }),
  }
}

/** "$25 to $50", "From $25", "Up to $50"; null without either. */
export function priceWords({
  minCents,
  maxCents,
}: Pick<SearchAddress, 'minCents' | 'maxCents'>): string | null {
  if (minCents !== null && maxCents !== null) return `${formatUsd(minCents)} to ${formatUsd(maxCents)}`
  if (minCents !== null) return `From ${formatUsd(minCents)}`
  return maxCents === null ? null : `Up to ${formatUsd(maxCents)}`
}

type Prices = { minCents: number | null; maxCents: number | null; errors: Record<string, string> }

function readPrices(typed: { min_price: string; max_price: string }): Prices {
  const errors: Record<string, string> = {}
  const read = (name: keyof typeof typed): number | null => {
    if (typed[name] === '') return null
    const cents = readDollars(typed[name])
    if (cents !== null && cents <= MAX_PRICE_CENTS) return cents
    errors[name] = NO_PRICE
    return null
  }
  const [minCents, maxCents] = [read('min_price'), read('max_price')]
  if (minCents === null || maxCents === null || minCents <= maxCents) return { minCents, maxCents, errors }
  return { minCents: null, maxCents: null, errors: { min_price: TURNED } }
}

/** Replaces control characters and runs of spaces with one space. */
function tidy(text: string | null): string {
  return (text ?? '')
    .toWellFormed()
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
}
