/**
 * The filters of a request in our words, and what has to be said about those that could not be applied. Prices are in
 * the currency of the context; our prices are in US dollars and nothing converts, so a filter in another currency is
 * left out, and the answer says so, as the specification asks.
 */
import type { z } from 'zod'
import type { PriceSpan } from '../../catalog/profile.buying.ts'
import type { ProductProfile } from '../../catalog/profile.ts'
import type { Sold } from './product.ts'
import { info, type Message } from './protocol.ts'
import type { SearchFilters } from './ucp.schema.ts'

export type PriceBounds = { minCents: number | null; maxCents: number | null }

export type Filters = PriceBounds & {
  /** As sent: a slug or a label, in any case. Null for no wish. */
  categories: string[] | null
}

const KNOWN = new Set(['categories', 'price'])
const MOST_NAMED = 10

export function readFilters(request: {
  filters?: z.output<typeof SearchFilters>
  context?: { currency?: string }
}): { filters: Filters; messages: Message[] } {
  const { filters: sent = {}, context } = request
  const messages: Message[] = []
  const others = Object.keys(sent).filter((name) => !KNOWN.has(name))
  if (others.length > 0) {
    const names = others.slice(0, MOST_NAMED).map((name) => name.slice(0, 100))
    messages.push(info('filter_ignored', `Unknown filters were not applied: ${names.join(', ')}`))
  }
  const currency = context?.currency?.trim().toUpperCase() || 'USD'
  const { min = null, max = null } = sent.price ?? {}
  const priced = min !== null || max !== null
  if (priced && currency !== 'USD')
    messages.push(
      info('price_filter_ignored', `The price filter in ${currency} was not applied: prices are in USD`),
    )
  const applies = currency === 'USD'
  return {
    filters: {
      categories: sent.categories && sent.categories.length > 0 ? sent.categories : null,
      minCents: applies ? min : null,
      maxCents: applies ? max : null,
    },
    messages,
  }
}

/** Whether the request narrows at all; a price in another currency was meant to. */
export function hasFilters({ filters }: { filters?: z.output<typeof SearchFilters> }): boolean {
  const { categories = [], price = {} } = filters ?? {}
  return categories.length > 0 || price.min !== undefined || price.max !== undefined
}

export function isNamed(category: { slug: string; label: string }, names: readonly string[]): boolean {
  const wanted = names.map(fold)
  return wanted.includes(category.slug) || wanted.includes(fold(category.label))
}

/** The variants that may be shown. One rule for all three operations; a product that is left with none is not shown. */
export function fittingVariants(profile: ProductProfile, sold: readonly Sold[], filters: Filters): Sold[] {
  const { categories } = filters
  if (categories !== null && !isNamed(profile.category, categories)) return []
  return sold.filter((one) => isInPrice(one, filters))
}

/** By the rule of the search: what a thing may cost and the interval overlap. */
export function isInPrice({ lowCents, highCents }: PriceSpan, { minCents, maxCents }: PriceBounds): boolean {
  return lowCents <= (maxCents ?? Number.POSITIVE_INFINITY) && highCents >= (minCents ?? 0)
}

function fold(name: string): string {
  return name.trim().toLowerCase()
}
