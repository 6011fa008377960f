/**
 * Products as schema.org describes them in JSON-LD: alone, in lists and graphs, as groups with variants, in a file of
 * their own or in the pages of a shop. Each becomes a record whose names the reader of records knows.
 */
import { isRecord } from '../../lib/validate.ts'
import { availabilityOf } from './availability.ts'
import { categoryPath, hostOf, setOwn } from './values.ts'

type Fields = Record<string, unknown>

/** Lists in lists end somewhere. */
const MAX_NESTING = 8

export function isLinkedData(value: Fields): boolean {
  return (
    '@type' in value || '@graph' in value || (Array.isArray(value.itemListElement) && '@context' in value)
  )
}

/** The products that a node describes, itself or below. Other things are passed over. */
export function* productsIn(node: unknown, trail: string[] = [], depth = 0): Generator<Fields> {
  if (depth > MAX_NESTING) return
  if (Array.isArray(node)) {
    const found = node.find((one) => isRecord(one) && isOf(one, 'BreadcrumbList'))
    const here = isRecord(found) ? crumbsOf(found) : trail
    for (const one of node) yield* productsIn(one, here, depth + 1)
    return
  }
  if (!isRecord(node)) return
  if (isProduct(node)) {
    yield recordOf(node, trail)
    return
  }
  const here = isRecord(node.breadcrumb) ? crumbsOf(node.breadcrumb) : trail
  if (isOf(node, 'BreadcrumbList')) return
  // An offer names what it is of; a page, what it is about.
  for (const key of ['@graph', 'itemListElement', 'item', 'itemOffered', 'mainEntity', 'hasPart', 'about'])
    if (key in node) yield* productsIn(node[key], here, depth + 1)
}

function isProduct(node: Fields): boolean {
  return (
    isOf(node, 'Product') ||
    isOf(node, 'ProductGroup') ||
    isOf(node, 'ProductModel') ||
    isOf(node, 'IndividualProduct')
  )
}

/** "Product", "schema:Product", "https://schema.org/Product", or one of a list. */
function isOf(node: Fields, type: string): boolean {
  return listOf(node['@type']).some((one) => typeof one === 'string' && one.split(/[/:#]/).at(-1) === type)
}

function recordOf(node: Fields, trail: readonly string[]): Fields {
  const { offers, isVariantOf, hasVariant, category, additionalProperty, ...rest } = node
  const record: Fields = {}
  for (const [name, value] of Object.entries(rest)) {
    // What is said of other things is not said of this.
    if (name.startsWith('@') || NOT_OWN.has(name)) continue
    setOwn(record, name, name === 'image' ? imagesOf(value) : value)
  }
  const found = offersOf(offers)
  Object.assign(record, pricesOf(found))
  const id = textOf(node.productID) ?? textOf(node.sku) ?? textOf(node.productGroupID) ?? idOf(node)
  if (id !== null) record.id = id
  delete record.productID
  const path = pathOf(category)
  if (path.length > 0 || trail.length > 0) record.category = path.length > 0 ? path : [...trail]
  const specs: Fields = {}
  for (const one of listOf(additionalProperty)) addProperty(specs, one)
  if (Object.keys(specs).length > 0) record.specs = specs
  const shops = sellersOf(found, textOf(node.url))
  if (shops.length > 0) {
    record.where_to_buy = shops
    delete record.url
  }
  if (found.some(({ availability }) => /discontinued$/i.test(textOf(availability) ?? '')))
    record.discontinued = true
  const within = isRecord(isVariantOf) ? isVariantOf : {}
  const variants = [...listOf(hasVariant), ...listOf(within.hasVariant)].filter(isRecord)
  // A product that lists all variants of its group stands for the group.
  const group = variants.length > 0 ? null : (textOf(within.productGroupID) ?? idOf(within))
  if (group !== null) record.item_group_id = group
  if (variants.length > 0) record.variants = variants.map(variantOf)
  delete record.productGroupID
  return record
}

const NOT_OWN: ReadonlySet<string> = new Set([
  ...[
    'review',
    'reviews',
    'isRelatedTo',
    'isSimilarTo',
    'isAccessoryOrSparePartFor',
    'variesBy',
    'potentialAction',
  ],
  ...['mainEntityOfPage', 'subjectOf', 'isConsumableFor', 'award', 'logo', 'hasMerchantReturnPolicy'],
])

function variantOf(node: Fields): Fields {
  const found = offersOf(node.offers)
  const prices = pricesOf(found)
  const specs: Fields = {}
  for (const one of listOf(node.additionalProperty)) addProperty(specs, one)
  for (const name of ['color', 'size', 'material', 'pattern'])
    if (textOf(node[name]) !== null)
      setOwn(specs, name.charAt(0).toUpperCase() + name.slice(1), textOf(node[name]))
  const gtin = ['gtin', 'gtin13', 'gtin12', 'gtin14', 'gtin8', 'isbn'].flatMap(
    (name) => textOf(node[name]) ?? [],
  )[0]
  return {
    id: textOf(node.productID) ?? textOf(node.sku) ?? idOf(node) ?? textOf(node.name),
    sku: textOf(node.sku),
    ...(gtin !== undefined && { gtin }),
    options: specs,
    price: amountOf(prices),
    ...('list_price' in prices && { list_price: textOf(prices.list_price) }),
    image: imagesOf(node.image)[0],
    availability: bestOf(found.map(({ availability }) => textOf(availability) ?? '')),
  }
}

/** One that can be had now before one that cannot. */
function bestOf(texts: readonly string[]): string | undefined {
  const said = texts.flatMap((text) => availabilityOf(text) ?? [])
  return (['in_stock', 'preorder', 'backorder', 'out_of_stock'] as const).find((one) => said.includes(one))
}

function amountOf({ price, price_low, priceCurrency }: Fields): string | null {
  const amount = textOf(price ?? price_low)
  return amount === null ? null : [amount, textOf(priceCurrency)].filter(Boolean).join(' ')
}

/** Offers of an aggregate as well; the aggregate itself where it lists none. */
function offersOf(value: unknown): Fields[] {
  return listOf(value)
    .filter(isRecord)
    .flatMap((offer) => {
      const inside = listOf(offer.offers).filter(isRecord)
      return isOf(offer, 'AggregateOffer') && inside.length > 0 && offer.lowPrice === undefined
        ? inside
        : [offer]
    })
}

/** All offers in the currency of the first: one price, or the lowest and the highest. */
function pricesOf(offers: readonly Fields[]): Fields {
  const [first] = offers
  if (!first) return {}
  const stated = offers.map((offer) => {
    const listed = listOf(offer.priceSpecification).filter(isRecord)
    const isList = (one: Fields) => /list|strikethrough|srp|msrp/i.test(textOf(one.priceType) ?? '')
    const usual = listed.find((one) => !isList(one)) ?? {}
    return {
      price: textOf(offer.price) ?? textOf(usual.price),
      low: textOf(offer.lowPrice) ?? textOf(usual.minPrice),
      high: textOf(offer.highPrice) ?? textOf(usual.maxPrice),
      list: textOf(listed.find(isList)?.price),
      currency: textOf(offer.priceCurrency) ?? textOf(usual.priceCurrency),
    }
  })
  const currency = stated[0]?.currency ?? null
  const same = stated.filter((one) => one.currency === currency)
  const amounts = same.flatMap(({ price, low, high }) => [price, low, high].flatMap((text) => text ?? []))
  const ordered = amounts
    .map((text) => ({ text, amount: Number(text) }))
    .filter(({ amount }) => !Number.isNaN(amount))
  const sorted = ordered.toSorted((a, b) => a.amount - b.amount)
  const [low, high] = [sorted[0]?.text ?? amounts[0], sorted.at(-1)?.text ?? amounts[0]]
  const list = same[0]?.list ?? null
  return {
    ...(low !== undefined && (low === high ? { price: low } : { price_low: low, price_high: high })),
    ...(list !== null && { list_price: list }),
    ...(currency !== null && { priceCurrency: currency }),
  }
}

function sellersOf(offers: readonly Fields[], page: string | null): Fields[] {
  const shops = offers.flatMap((offer) => {
    const url = textOf(offer.url) ?? page
    if (url === null) return []
    const seller = [offer.seller, offer.offeredBy]
      .filter(isRecord)
      .flatMap(({ name }) => textOf(name) ?? [])[0]
    return [{ name: seller ?? hostOf(url) ?? url, url }]
  })
  if (shops.length === 0 && page !== null) shops.push({ name: hostOf(page) ?? page, url: page })
  return [...new Map(shops.map((shop) => [`${shop.name} ${shop.url}`, shop])).values()]
}

function addProperty(specs: Fields, property: unknown): void {
  if (!isRecord(property)) return
  const name = textOf(property.name) ?? textOf(property.propertyID)
  const value = listOf(property.value).flatMap((one) => textOf(isRecord(one) ? one.name : one) ?? [])
  if (name === null || value.length === 0) return
  const unit = textOf(property.unitText)
  setOwn(specs, name, `${value.join(', ')}${unit === null ? '' : ` ${unit}`}`)
}

function imagesOf(value: unknown): string[] {
  return listOf(value).flatMap((one) => textOf(isRecord(one) ? (one.contentUrl ?? one.url) : one) ?? [])
}

/** A text, a list of texts, a CategoryCode, or a list of crumbs. */
function pathOf(category: unknown): string[] {
  if (typeof category === 'string') return categoryPath(category) ?? []
  if (Array.isArray(category)) {
    const paths = category.map(pathOf).filter((path) => path.length > 0)
    return paths.toSorted((a, b) => b.length - a.length)[0] ?? []
  }
  if (!isRecord(category)) return []
  return isOf(category, 'BreadcrumbList')
    ? crumbsOf(category)
    : (categoryPath(textOf(category.name) ?? textOf(category.codeValue) ?? '') ?? [])
}

/** The categories above a product, where a node says nothing else. */
export function trailOf(node: Fields): string[] | null {
  return isOf(node, 'BreadcrumbList') ? crumbsOf(node) : null
}

/** Without the first, which is the shop, and the last, which is the product. */
function crumbsOf({ itemListElement }: Fields): string[] {
  const names = listOf(itemListElement)
    .filter(isRecord)
    .toSorted((a, b) => Number(a.position ?? 0) - Number(b.position ?? 0))
    .flatMap((crumb) => textOf(crumb.name) ?? (isRecord(crumb.item) ? textOf(crumb.item.name) : null) ?? [])
  return names.length > 2 ? names.slice(1, -1).slice(0, 12) : []
}

function idOf(node: Fields): string | null {
  const id = textOf(node['@id'])
  // "#product" is the same on every page.
  return id === null || id.startsWith('#') || id.startsWith('_:') ? null : id
}

function textOf(value: unknown): string | null {
  if (typeof value === 'number') return String(value)
  if (Array.isArray(value)) return textOf(value[0])
  if (isRecord(value)) return textOf(value['@value'] ?? null)
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]
}
