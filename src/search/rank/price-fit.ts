/** How well a price suits what was said about money without a firm limit: "around $100", "cheap", "high-end". */
import type { IndexedProduct } from '../catalog-index.ts'
import type { Understood } from '../understand/understand.ts'

/** A price ten times the usual one, or a tenth of it, is as far off as it gets. */
const FAR_OFF = 10

/** 1 suits, 0 says nothing, -1 is far off. What is cheap depends on what such things usually cost. */
export function priceFit(
  { budget, price }: Pick<Understood, 'budget' | 'price'>,
  { priceLowCents }: Pick<IndexedProduct, 'priceLowCents'>,
  usualCents: number | undefined,
): number {
  if (priceLowCents === null) return 0
  if (budget?.approximate) {
    const low = budget.minCents ?? 0
    const high = budget.maxCents ?? Number.POSITIVE_INFINITY
    if (priceLowCents >= low && priceLowCents <= high) return 1
    const times = priceLowCents < low ? low / Math.max(1, priceLowCents) : priceLowCents / high
    return Math.max(-1, 1 - 2 * Math.log2(times))
  }
  if (price === null || !usualCents) return 0
  const above = Math.log(Math.max(1, priceLowCents) / usualCents) / Math.log(FAR_OFF)
  const clipped = Math.max(-1, Math.min(1, above))
  return price === 'cheap' ? -clipped : clipped
}

/**
 * Who names a limit means to spend most of it: 1 at the limit, 0 at half of it, -1 at a quarter and below. Says nothing
 * of what costs more, which a firm limit leaves out anyway.
 */
export function budgetUse(
  { budget }: Pick<Understood, 'budget'>,
  { priceLowCents }: Pick<IndexedProduct, 'priceLowCents'>,
): number {
  const limit = budget?.approximate ? null : (budget?.maxCents ?? null)
  if (limit === null || priceLowCents === null || priceLowCents > limit) return 0
  return Math.max(-1, 1 - Math.log2(limit / Math.max(1, priceLowCents)))
}

/** The price in the middle, by category. */
export function usualPrices(products: IndexedProduct[]): Map<string, number> {
  const prices = new Map<string, number[]>()
  for (const { category, priceLowCents } of products)
    if (priceLowCents !== null)
      prices.set(category.slug, [...(prices.get(category.slug) ?? []), priceLowCents])
  return new Map(
    [...prices].map(([slug, cents]) => [
      slug,
      cents.sort((a, b) => a - b)[Math.floor(cents.length / 2)] ?? 0,
    ]),
  )
}
