/** What the results are made of, counted over the candidates of the query: every product is a little similar to any query. */
import type { IndexedProduct } from './catalog-index.ts'
import type { Facets } from './search.schema.ts'

const MOST_BRANDS = 20
const PRICE_STEPS = [0, 25, 50, 100, 250, 500, 1000, 2500]

export function countFacets(products: IndexedProduct[]): Facets {
  const categories = new Map<string, { slug: string; label: string; count: number }>()
  const brands = new Map<string, number>()
  const prices = PRICE_STEPS.map((min, at) => ({ min, max: PRICE_STEPS[at + 1] ?? null, count: 0 }))
  for (const { category, brand, priceLowCents } of products) {
    const counted = categories.get(category.slug) ?? { ...category, count: 0 }
    categories.set(category.slug, { slug: category.slug, label: category.label, count: counted.count + 1 })
    if (brand !== null) brands.set(brand, (brands.get(brand) ?? 0) + 1)
    const step = priceLowCents === null ? null : prices.findLast(({ min }) => priceLowCents >= min * 100)
    if (step) step.count++
  }
  return {
    category: [...categories.values()].sort((a, b) => b.count - a.count || (a.slug < b.slug ? -1 : 1)),
    brand: [...brands]
      .map(([name, count]) => ({ name, count }))
      .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
      .slice(0, MOST_BRANDS),
    price: prices.filter(({ count }) => count > 0),
  }
}
