/** Every category with how many products it holds and what they cost, from this node's index: nobody waits for a database. */
import type { CatalogIndex, FetchedPart } from './catalog-index.ts'

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
  const categories = index.allCategories()
  const priceOf = index.fetched ? fetchedPrices(index.fetched) : indexedPrices(index, categories)
  return categories
    .map((category) => ({ ...shown(category), ...priceOf(category) }))
    .sort((a, b) => byLabel(a.label, b.label) || (a.slug < b.slug ? -1 : 1))
}

type Category = ReturnType<CatalogIndex['allCategories']>[number]
type Prices = Pick<CategorySize, 'priceLowCents' | 'priceHighCents'>

const shown = ({ slug, label, products }: Category) => ({ slug, label, products })

function fetchedPrices(fetched: FetchedPart): (category: Category) => Prices {
  const prices = fetched.prices()
  return ({ slug }) => {
    const { low = null, high = null } = prices?.get(slug) ?? {}
    return { priceLowCents: low, priceHighCents: high }
  }
}

function indexedPrices(index: CatalogIndex, categories: readonly Category[]): (category: Category) => Prices {
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
  return ({ number }) => ({
    priceLowCents: finiteOrNull(low[number]),
    priceHighCents: finiteOrNull(high[number]),
  })
}

function finiteOrNull(cents: number | undefined): number | null {
  return cents !== undefined && Number.isFinite(cents) ? cents : null
}
