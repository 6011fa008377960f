/** Every category with how many products it holds and what they cost, from this node's index: nobody waits for a database. */
import { requireWhole } from './catalog.ts'
import type { CatalogIndex } from './catalog-index.ts'

export type CategorySize = {
  slug: string
  label: string
  products: number
  priceLowCents: number | null
  priceHighCents: number | null
}

const byLabel = new Intl.Collator('en').compare

/** By label; those without products too, because a producer may bring the first. */
export function categorySizes(index: CatalogIndex): CategorySize[] {
  requireWhole(index, 'the prices of categories')
  const categories = index.allCategories()
  const numbers = categories.reduce((most, { number }) => Math.max(most, number + 1), 0)
  const low = new Float64Array(numbers).fill(Number.POSITIVE_INFINITY)
  const high = new Float64Array(numbers).fill(Number.NEGATIVE_INFINITY)
  const { alive, category, priceLow, priceHigh } = index.columns
  for (let slot = 0; slot < index.slots; slot++) {
    if (alive[slot] === 0) continue
    const number = category[slot] as number
    // Comparisons with NaN, an unknown price, are false.
    if ((priceLow[slot] as number) < (low[number] as number)) low[number] = priceLow[slot] as number
    if ((priceHigh[slot] as number) > (high[number] as number)) high[number] = priceHigh[slot] as number
  }
  return categories
    .map(({ slug, label, products, number }) => ({
      slug,
      label,
      products,
      priceLowCents: finiteOrNull(low[number]),
      priceHighCents: finiteOrNull(high[number]),
    }))
    .sort((a, b) => byLabel(a.label, b.label) || (a.slug < b.slug ? -1 : 1))
}

function finiteOrNull(cents: number | undefined): number | null {
  return cents !== undefined && Number.isFinite(cents) ? cents : null
}
