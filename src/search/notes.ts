/** What people should know of an answer, in a sentence or two. */
import { formatUsd } from '../lib/money.ts'
import type { CatalogIndex, IndexedProduct } from './catalog-index.ts'
import type { Filters } from './filters.ts'
import type { Obeyed } from './obey.ts'
import type { Understood } from './understand/understand.ts'

/** Of an answer that fits: what was obeyed. */
export function obeyedNote(obeyed: readonly Obeyed[]): string | null {
  return obeyed.length === 0 ? null : obeyed.map(({ label }) => capital(label)).join(' · ')
}

/** Of an answer in which nothing fits; `near` would fit if the query demanded less. */
export function missNote(
  index: CatalogIndex,
  { budget, categories }: Understood,
  { minPriceCents, maxPriceCents }: Filters,
  { near, isNear, isEmpty }: { near: readonly IndexedProduct[]; isNear: boolean; isEmpty: boolean },
): string {
  if (isEmpty) return 'No products match this.'
  if (!isNear) return 'No products match this. These are the closest.'
  const label = index.allCategories().find(({ slug }) => slug === categories[0])?.label
  const kind = label && near[0]?.category.slug === categories[0] ? label.toLowerCase() : 'products'
  const prices = near.flatMap(({ priceLowCents }) => priceLowCents ?? [])
  const minCents = minPriceCents ?? budget?.minCents ?? null
  const maxCents = maxPriceCents ?? budget?.maxCents ?? null
  const low = Math.min(...prices)
  const high = Math.max(...prices)
  if (maxCents !== null && prices.length > 0 && low > maxCents)
    return `No ${kind} under ${formatUsd(maxCents)}; the cheapest is ${formatUsd(low)}.`
  if (minCents !== null && prices.length > 0 && high < minCents)
    return `No ${kind} over ${formatUsd(minCents)}; the most expensive is ${formatUsd(high)}.`
  return `No ${kind} match everything you asked for. These are the closest.`
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
