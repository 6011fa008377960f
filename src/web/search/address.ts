/**
 * The address of a page of results, read and written. Everything about a search stands in it, so that a page can be sent
 * to somebody, gone back to and opened in another tab. Reading forgives: what is blank or unknown is passed over. A price
 * that cannot be held to is told beside its field and left out of the search, with what was typed kept.
 */
import { formatUsd, readDollars, typedDollars } from '../../lib/money.ts'
import { MAX_QUERY, SORTS, type Sort } from '../../search/search.schema.ts'
import { SEARCH_PATH } from '../components/search-box.tsx'
import type { FormState } from '../kit/fields.tsx'

export type SearchAddress = {
  q: string
  category: string | null
  brand: string | null
  minCents: number | null
  maxCents: number | null
  onSale: boolean
  /** Null where none is chosen: then the words may ask for one. */
  sort: Sort | null
  page: number
  /** Demands of the words that were taken back. */
  ignore: readonly string[]
  /** A set is asked for outright. */
  bundle: boolean
}

/** Of the two prices: what was typed, and what is wrong with it. */
export type ReadAddress = { address: SearchAddress; prices: FormState }

const MAX_PRICE_CENTS = 10_000_000_00
const MAX_PAGE = 1_000
const MAX_NAME = 100
const MAX_IGNORED = 20
const NO_PRICE = 'Write a price in dollars, such as 80 or 1,200.'
const TURNED = 'The lowest price is above the highest.'

export function readAddress(query: URLSearchParams): ReadAddress {
  const typed = { min_price: tidy(query.get('min_price')), max_price: tidy(query.get('max_price')) }
  const { minCents, maxCents, errors } = readPrices(typed)
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
      sort,
      page: Math.min(MAX_PAGE, Math.max(1, page)),
      ignore: query
        .getAll('ignore')
        .map((id) => tidy(id).slice(0, MAX_NAME))
        .filter(Boolean)
        .slice(0, MAX_IGNORED),
      bundle: query.get('bundle') === '1',
    },
    prices: { values: typed, errors },
  }
}

export function isTooLong(q: string): boolean {
  return q.length > MAX_QUERY
}

/** Whatever changes, the first page of it is shown, unless the page is what changes. */
export function addressOf(address: SearchAddress, change: Partial<SearchAddress> = {}): string {
  const { q, category, brand, minCents, maxCents, onSale, sort, page, ignore, bundle } = {
    ...address,
    page: 1,
    ...change,
  }
  const query = new URLSearchParams({ q })
  if (category !== null) query.set('category', category)
  if (brand !== null) query.set('brand', brand)
  if (minCents !== null) query.set('min_price', typedDollars(minCents))
  if (maxCents !== null) query.set('max_price', typedDollars(maxCents))
  if (onSale) query.set('on_sale', '1')
  if (sort !== null) query.set('sort', sort)
  for (const id of ignore) query.append('ignore', id)
  if (bundle) query.set('bundle', '1')
  if (page > 1) query.set('page', String(page))
  return `${SEARCH_PATH}?${query}`
}

export const NO_FILTERS = { category: null, brand: null, minCents: null, maxCents: null, onSale: false }

export function hasFilters({ category, brand, minCents, maxCents, onSale }: SearchAddress): boolean {
  return category !== null || brand !== null || minCents !== null || maxCents !== null || onSale
}

/** "$25 to $50", "from $25", "up to $50"; null without either. */
export function priceWords({
  minCents,
  maxCents,
}: Pick<SearchAddress, 'minCents' | 'maxCents'>): string | null {
  if (minCents !== null && maxCents !== null) return `${formatUsd(minCents)} to ${formatUsd(maxCents)}`
  if (minCents !== null) return `from ${formatUsd(minCents)}`
  return maxCents === null ? null : `up to ${formatUsd(maxCents)}`
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

/** One line: no control character has anything to say in a search. */
function tidy(text: string | null): string {
  return (text ?? '')
    .toWellFormed()
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
}
