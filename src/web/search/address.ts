/**
 * Reads and writes the URL of a results page. The URL holds the whole search, so that a page can be shared, reopened and
 * gone back to. Blank and unknown parameters are ignored. An invalid price or region is reported beside its field, keeps
 * what was typed, and does not filter.
 */
import { formatUsd, readDollars, typedDollars } from '../../lib/money.ts'
import { MAX_REGION, typedRegion } from '../../lib/regions.ts'
import { MAX_QUERY, SORTS, type Sort } from '../../search/search.schema.ts'
import { SEARCH_PATH } from '../components/search-box.tsx'
import type { FormState } from '../kit/fields.tsx'
import { readPlace } from '../kit/region.ts'

export type SearchAddress = {
  q: string
  category: string | null
  brand: string | null
  minCents: number | null
  maxCents: number | null
  onSale: boolean
  available: boolean
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
      brand: tidy(query.get('brand')).slice(0, MAX_NAME) || null,
      minCents,
      maxCents,
      onSale: query.get('on_sale') === '1',
      available: query.get('available') === '1',
      shipsTo,
      sort,
      page: Math.min(MAX_PAGE, Math.max(1, page)),
      ignore: query
        .getAll('ignore')
        .map((id) => tidy(id).slice(0, MAX_NAME))
        .filter(Boolean)
        .slice(0, MAX_IGNORED),
      bundle: query.get('bundle') === '1',
    },
    typed: {
      values: { ...prices, ships_to: shipsTo === null ? place : typedRegion(shipsTo) },
      errors: { ...errors, ...(read && 'problem' in read && { ships_to: read.problem }) },
    },
  }
}

export function isTooLong(q: string): boolean {
  return q.length > MAX_QUERY
}

/** Goes back to page 1 unless `change` sets the page. */
export function addressOf(address: SearchAddress, change: Partial<SearchAddress> = {}): string {
  const asked = { ...address, page: 1, ...change }
  const { q, category, brand, minCents, maxCents, onSale, available, shipsTo } = asked
  const { sort, page, ignore, bundle } = asked
  const query = new URLSearchParams({ q })
  if (category !== null) query.set('category', category)
  if (brand !== null) query.set('brand', brand)
  if (minCents !== null) query.set('min_price', typedDollars(minCents))
  if (maxCents !== null) query.set('max_price', typedDollars(maxCents))
  if (onSale) query.set('on_sale', '1')
  if (available) query.set('available', '1')
  if (shipsTo !== null) query.set('ships_to', shipsTo)
  if (sort !== null) query.set('sort', sort)
  for (const id of ignore) query.append('ignore', id)
  if (bundle) query.set('bundle', '1')
  if (page > 1) query.set('page', String(page))
  return `${SEARCH_PATH}?${query}`
}

export const NO_FILTERS = {
  ...{ category: null, brand: null, minCents: null, maxCents: null },
  ...{ onSale: false, available: false, shipsTo: null },
}

export function hasFilters(address: SearchAddress): boolean {
  const { category, brand, minCents, maxCents, onSale, available, shipsTo } = address
  const named = [category, brand, minCents, maxCents, shipsTo].some((value) => value !== null)
  return named || onSale || available
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
