/** Conditions on one product, written as data and checked against the catalog's own facts alone. */
import type { ProductProfile } from '../src/catalog/profile.ts'
import { firstIn } from './obedience-amounts.ts'

export type Fact = (
  | { category: string[] }
  | { brand: string[] }
  | { slug: string[] }
  /** A pattern, whatever the case. */
  | { title: string }
  | { spec: string; says: string }
  /** Of the spec's first amount that has such a unit, converted to it. A range fits if it touches the one asked for. */
  | { spec: string; unit: string; min?: number; max?: number }
  /** Dollars. A product with a range of prices fits if the ranges touch. */
  | { price: { min?: number; max?: number } }
  | { any: Fact[] }
) & { not?: true }

/** Catalogs round: 68.6 cm are 27 inches. */
const ROUNDING = 0.005

export function holds(fact: Fact, product: ProductProfile): boolean {
  return isSo(fact, product) !== (fact.not === true)
}

export function allHold(facts: readonly Fact[], product: ProductProfile): boolean {
  return facts.every((fact) => holds(fact, product))
}

function isSo(fact: Fact, product: ProductProfile): boolean {
  if ('any' in fact) return fact.any.some((one) => holds(one, product))
  if ('category' in fact) return fact.category.includes(product.category.slug)
  if ('brand' in fact) return fact.brand.includes(product.brand?.name ?? '')
  if ('slug' in fact) return fact.slug.includes(product.slug)
  if ('title' in fact) return new RegExp(fact.title, 'i').test(product.title)
  if ('price' in fact) {
    const { priceLowCents, priceHighCents } = product
    if (priceLowCents === null) return false
    const { min = 0, max = Number.POSITIVE_INFINITY } = fact.price
    return priceLowCents <= max * 100 && (priceHighCents ?? priceLowCents) >= min * 100
  }
  const text = product.specs.find(({ name }) => name === fact.spec)?.value
  if (text === undefined) return false
  if ('says' in fact) return new RegExp(fact.says, 'i').test(text)
  const amount = firstIn(text, fact.unit)
  if (!amount) return false
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = fact
  const slack = (bound: number) => (Number.isFinite(bound) ? Math.abs(bound) * ROUNDING : 0)
  return amount.high >= min - slack(min) && amount.low <= max + slack(max)
}

/** What stands in the way, for a list of failures: the fact and what the product says instead. */
export function describeBreach(fact: Fact, product: ProductProfile): string {
  if ('spec' in fact)
    return `${fact.spec}: ${product.specs.find(({ name }) => name === fact.spec)?.value ?? 'not said'}`
  if ('price' in fact) return `$${(product.priceLowCents ?? 0) / 100}`
  if ('brand' in fact) return product.brand?.name ?? 'no brand'
  if ('category' in fact) return product.category.slug
  return product.title
}
