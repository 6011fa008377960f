/**
 * One product of a Google Merchant feed, whichever way the feed was written, as a product of the import
 * contract. Google's attributes are for one seller's listing: the seller's page becomes the place to buy, and
 * the colour, size and the like of the listed variant become specs, and its options where it is one of a group.
 */
import { createMoneyReader } from './money.ts'
import type { SourceRow } from './rows.ts'
import { categoryPath, hostOf, imagesOf, isInEffect, setOwn } from './values.ts'

export type GoogleDetail = { section: string; name: string; value: string }

export type GoogleItem = {
  line: number
  /** Attribute name to its values in the order of the feed, none of them empty. */
  fields: ReadonlyMap<string, readonly string[]>
  details: readonly GoogleDetail[]
}

const SPEC_NAMES: Readonly<Record<string, string>> = {
  color: 'Color',
  size: 'Size',
  material: 'Material',
  pattern: 'Pattern',
  gender: 'Gender',
  age_group: 'Age group',
}

/** The attributes the mapping below reads; a reader may forget all others. */
export const GOOGLE_FIELDS: ReadonlySet<string> = new Set([
  ...['id', 'title', 'description', 'link', 'image_link', 'additional_image_link', 'price', 'sale_price'],
  ...['sale_price_effective_date', 'brand', 'gtin', 'mpn', 'product_type', 'google_product_category'],
  ...['product_highlight', 'availability', 'item_group_id', ...Object.keys(SPEC_NAMES)],
])

export function googleRow(item: GoogleItem, now: Date): SourceRow {
  const { line } = item
  const all = (field: string): readonly string[] => item.fields.get(field) ?? []
  const first = (field: string): string | undefined => all(field)[0]

  const product: Record<string, unknown> = {}
  const set = (field: string, value: unknown) => {
    if (value !== undefined && value !== '') product[field] = value
  }
  const brand = first('brand')
  set('id', first('id'))
  set('sku', first('id'))
  set('title', first('title'))
  set('brand', brand)
  set('gtin', first('gtin'))
  set('mpn', first('mpn'))
  const named = [all('product_type'), all('google_product_category').filter((text) => /\p{L}/u.test(text))]
  set('category', named.map((texts) => categoryPath(texts.join('\n'))).find(Boolean))
  const highlights = all('product_highlight').map((highlight) => `• ${highlight}`)
  set('description', [first('description') ?? '', highlights.join('\n')].filter(Boolean).join('\n\n'))

  const money = createMoneyReader()
  const usual = first('price')
  const sale = isSaleOn(first('sale_price_effective_date'), now) ? first('sale_price') : undefined
  const current = sale ?? usual
  if (current !== undefined) product.price = money.range(current)
  if (sale !== undefined && usual !== undefined) product.list_price = money.amount(usual)
  set('currency', money.currency() ?? undefined)

  const images = [...all('image_link'), ...all('additional_image_link')]
  if (images.length > 0) product.images = imagesOf(images)
  const link = first('link')
  if (link !== undefined) {
    const price = current === undefined ? undefined : money.amount(current)
    product.where_to_buy = [
      { name: hostOf(link) ?? brand ?? link, url: link, ...(typeof price === 'number' ? { price } : {}) },
    ]
  }
  // Out of stock passes, so it says nothing about the product; only the end of the product does.
  if (first('availability')?.toLowerCase() === 'discontinued') product.discontinued = true

  const specs = readSpecs(item, first)
  if (Object.keys(specs).length > 0) product.specs = specs
  const group = first('item_group_id')
  if (group !== undefined) {
    product.group = group
    product.options = Object.fromEntries(
      Object.values(SPEC_NAMES).flatMap((name) => (Object.hasOwn(specs, name) ? [[name, specs[name]]] : [])),
    )
  }
  return { line, product }
}

function readSpecs(item: GoogleItem, first: (field: string) => string | undefined): Record<string, unknown> {
  const specs: Record<string, unknown> = {}
  for (const [field, name] of Object.entries(SPEC_NAMES)) {
    const value = first(field)
    if (value !== undefined) specs[name] = value
  }
  for (const { section, name, value } of item.details) {
    const isTaken = Object.hasOwn(specs, name) && specs[name] !== value
    setOwn(specs, isTaken && section !== '' ? `${section}: ${name}` : name, value)
  }
  return specs
}

/** "2026-02-24T13:00-0800/2026-02-29T15:30-0800". A sale without readable dates is on. */
function isSaleOn(interval: string | undefined, now: Date): boolean {
  const [from = '', to = ''] = (interval ?? '').split('/')
  return isInEffect(from, to, now)
}
