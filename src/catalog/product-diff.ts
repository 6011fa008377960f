/** What is different between two states of a product, told by aspect; pure. Empty means: nothing to write. */
import { isDeepStrictEqual } from 'node:util'
import type { ChangeAspect } from '../db/tables.ts'
import { idsOf } from '../lib/ids.ts'
import { dollarsOf } from '../lib/money.ts'
import { PRODUCT_KEYS, type Product, type Spec, type Variant } from './catalog.schema.ts'
import { optionAxes, variantName } from './variants.ts'

export type Difference = { aspect: ChangeAspect; before: unknown; after: unknown }

const NO_TEXT = new Set<keyof Product>([
  ...(['priceLowCents', 'priceHighCents', 'listPriceCents', 'whereToBuy', 'discontinued'] as const),
  ...(['id', 'provenance', 'createdAt', 'updatedAt'] as const),
  ...(['specs', 'variants'] as const),
])
/** What the `text` aspect covers: everything a reader sees that is not price, availability or discontinuation. */
const TEXT_FIELDS = PRODUCT_KEYS.filter((key) => !NO_TEXT.has(key))

export function diffProducts(before: Product, after: Product): Difference[] {
  const differences: Difference[] = []
  const compare = (aspect: ChangeAspect, view: (product: Product) => unknown) => {
    const [old, now] = [view(before), view(after)]
    if (!isDeepStrictEqual(old, now)) differences.push({ aspect, before: told(old), after: told(now) })
  }
  // One that came or went is told with the availability.
  compare('price', (product) => ({
    ...priceView(product),
    ...ofVariants(common(product, product === before ? after : before), pricesOf),
  }))
  compare('availability', ({ whereToBuy, variants }) => ({
    shops: whereToBuy.map(({ name, url }) => ({ name, url })),
    ...ofVariants(variants, ({ availability = null }) => ({ availability })),
  }))
  compare('discontinued', ({ discontinued }) => ({ discontinued }))
  const fields = {
    ...textsOf(before, after),
    ...changedPart('specs', specsView(before, before, after), specsView(after, before, after)),
    ...changedPart('variants', otherFacts(before, after), otherFacts(after, before)),
  }
  if (Object.keys(fields).length > 0)
    differences.push({ aspect: 'text', before: side(fields, 'was'), after: side(fields, 'is') })
  return differences
}

type Changed = Record<string, { was: unknown; is: unknown }>

function changedPart(field: string, was: unknown, is: unknown): Changed {
  return isDeepStrictEqual(was, is) ? {} : { [field]: { was, is } }
}

function textsOf(before: Product, after: Product): Changed {
  return Object.assign({}, ...TEXT_FIELDS.map((field) => changedPart(field, before[field], after[field])))
}

function side(fields: Changed, which: 'was' | 'is'): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([field, states]) => [field, states[which]]))
}

/** Without the choices: which there are is told with the variants. */
function specsView({ specs }: Product, ...products: Product[]): Spec[] {
  const names = new Set(products.flatMap(({ variants }) => optionAxes(variants).map(({ name }) => name)))
  return specs.filter(({ name }) => !names.has(name))
}

/** What is neither price nor availability. */
function otherFacts(product: Product, other: Product): unknown[] {
  return common(product, other).map(
    ({ priceCents: _price, listPriceCents: _list, availability: _stock, ...rest }) => rest,
  )
}

/** Absent for a product without variants. */
function ofVariants<State>(variants: readonly Variant[], view: (variant: Variant) => State) {
  if (variants.length === 0) return {}
  return {
    variants: variants.map((variant) => ({ id: variant.id, name: variantName(variant), ...view(variant) })),
  }
}

/** All are compared, but the log keeps no more of them. */
const MOST_TOLD = 100

function told(view: unknown): unknown {
  const { variants } = view as { variants?: unknown[] }
  return variants && variants.length > MOST_TOLD
    ? { ...(view as object), variants: variants.slice(0, MOST_TOLD) }
    : view
}

/** Money in the log of changes is in dollars, because the log is read at the edge. */
export function priceView({ priceLowCents, priceHighCents, listPriceCents, whereToBuy }: Product) {
  return {
    low: dollarsOf(priceLowCents),
    high: dollarsOf(priceHighCents),
    list_price: dollarsOf(listPriceCents),
    shops: whereToBuy
      .filter((shop) => shop.priceCents !== null)
      .map((shop) => ({ name: shop.name, price: dollarsOf(shop.priceCents) })),
  }
}

function pricesOf({ priceCents, listPriceCents }: Variant) {
  return { price: dollarsOf(priceCents), list_price: dollarsOf(listPriceCents) }
}

/** Of the variants that both have. */
function common({ variants }: Product, other: Product): Variant[] {
  const ids = new Set(idsOf(other.variants))
  return variants.filter(({ id }) => ids.has(id))
}
