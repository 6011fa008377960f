/**
 * The demo catalog as a judge of plans sees it: what each product costs, how well it is liked, whether it is the thing that
 * a buyer means by its category (plans.kinds.json), and whether it has what a wish asks of it.
 */
import fs from 'node:fs'
import { costOf } from '../src/bundles/grade.ts'
import type { ProductProfile } from '../src/catalog/profile.ts'
import { projectFile } from '../src/lib/paths.ts'
import { readDemoSet } from './judged.ts'

/** By category: what is not the thing at all, and what is the thing for a special audience or use only, by its name. */
type Kinds = Record<string, { not: string[]; special: Record<string, string[]> }>

/** What a product must be. Patterns ignore case. All that is given holds, of one category only where `in` names it. */
export type Need = {
  in?: string
  /** A spec and its bounds: the first number of its value, grams read as kilograms. */
  spec?: string
  min?: number
  max?: number
  /** Of the spec's value where a spec is given, of all the product says of itself otherwise. */
  text?: string
  /** Not in the title. */
  not?: string
  /** One of these products. */
  is?: string[]
  /** One of these holds. */
  any?: Need[]
}

export type Shelved = {
  slug: string
  category: string
  title: string
  brand: string
  /** Title, description, specs and uses in one. */
  text: string
  specs: Map<string, string>
  /** For one, at the highest price; null when no price is known. */
  cents: number | null
  /** Drawn towards 4.0 while reviews are few. */
  rating: number
  discontinued: boolean
  /** It is what a buyer means by its category, for whatever use. */
  isThing: boolean
  /** The audiences or uses that it is for alone; none for most. */
  special: string[]
}

export type Shelf = { find(slug: string): Shelved | undefined; of(category: string): Shelved[] }

const USUAL_RATING = 4
const USUAL_RATING_REVIEWS = 25

export function readKinds(): Kinds {
  return JSON.parse(fs.readFileSync(projectFile('eval', 'plans.kinds.json'), 'utf8')) as Kinds
}

export function readShelf(products = readDemoSet().products, kinds = readKinds()): Shelf {
  const all = products.map((product) => shelve(product, kinds))
  const bySlug = new Map(all.map((one) => [one.slug, one]))
  const byCategory = Map.groupBy(all, ({ category }) => category)
  return { find: (slug) => bySlug.get(slug), of: (category) => byCategory.get(category) ?? [] }
}

function shelve(product: ProductProfile, kinds: Kinds): Shelved {
  const { slug, title, category, brand, description, bestFor, specs, discontinued } = product
  const { not = [], special = {} } = kinds[category.slug] ?? {}
  const lines = specs.map(({ name, value }) => `${name}: ${value}`)
  return {
    slug,
    category: category.slug,
    title,
    brand: brand?.name ?? '',
    text: [title, description, ...lines, ...bestFor].join('\n'),
    specs: new Map(specs.map(({ name, value }) => [name, value])),
    cents: costOf(product, 1),
    rating: shrunkRating(product),
    discontinued,
    isThing: !not.includes(slug),
    special: Object.keys(special).filter((use) => special[use]?.includes(slug)),
  }
}

export function shrunkRating({
  rating,
  reviewCount,
}: Pick<ProductProfile, 'rating' | 'reviewCount'>): number {
  const reviews = rating === null ? 0 : (reviewCount ?? 0)
  return ((rating ?? 0) * reviews + USUAL_RATING * USUAL_RATING_REVIEWS) / (reviews + USUAL_RATING_REVIEWS)
}

export function meets(product: Shelved, need: Need): boolean {
  const { spec, min, max, text, not, is, any } = need
  if (need.in !== undefined && need.in !== product.category) return true
  const value = spec === undefined ? product.text : (product.specs.get(spec) ?? '')
  if (text !== undefined && !new RegExp(text, 'i').test(value)) return false
  if (not !== undefined && new RegExp(not, 'i').test(product.title)) return false
  if (is && !is.includes(product.slug)) return false
  if (min !== undefined || max !== undefined) {
    const found = numberIn(value)
    if (found === null || found < (min ?? -Infinity) || found > (max ?? Infinity)) return false
  }
  return any === undefined || any.some((one) => meets(product, one))
}

function numberIn(value: string): number | null {
  const found = /(\d[\d,]*(?:\.\d+)?)(\s*g\b)?/.exec(value)
  if (!found) return null
  const number = Number(found[1]?.replaceAll(',', ''))
  return found[2] === undefined ? number : number / 1000
}
