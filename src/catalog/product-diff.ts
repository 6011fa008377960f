/** What is different between two states of a product, told by aspect; pure. Empty means: nothing to write. */
import { isDeepStrictEqual } from 'node:util'
import type { ChangeAspect } from '../db/tables.ts'
import { dollarsOf } from '../lib/money.ts'
import { PRODUCT_KEYS, type Product } from './catalog.schema.ts'

export type Difference = { aspect: ChangeAspect; before: unknown; after: unknown }

const NO_TEXT = new Set<keyof Product>([
  ...(['priceLowCents', 'priceHighCents', 'listPriceCents', 'whereToBuy', 'discontinued'] as const),
  ...(['id', 'provenance', 'createdAt', 'updatedAt'] as const),
])
/** What the `text` aspect covers: everything a reader sees that is not price, availability or discontinuation. */
const TEXT_FIELDS = PRODUCT_KEYS.filter((key) => !NO_TEXT.has(key))

export function diffProducts(before: Product, after: Product): Difference[] {
  const differences: Difference[] = []
  const compare = (aspect: ChangeAspect, view: (product: Product) => unknown) => {
    const [old, now] = [view(before), view(after)]
    if (!isDeepStrictEqual(old, now)) differences.push({ aspect, before: old, after: now })
  }
  compare('price', priceView)
  compare('availability', ({ whereToBuy }) => ({ shops: whereToBuy.map(({ name, url }) => ({ name, url })) }))
  compare('discontinued', ({ discontinued }) => ({ discontinued }))
  const changed = TEXT_FIELDS.filter((field) => !isDeepStrictEqual(before[field], after[field]))
  if (changed.length > 0)
    differences.push({ aspect: 'text', before: pick(before, changed), after: pick(after, changed) })
  return differences
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

function pick(product: Product, fields: ReadonlyArray<keyof Product>): Partial<Product> {
  return Object.fromEntries(fields.map((field) => [field, product[field]]))
}
