/**
 * Products from records that name things in their own way: rows of JSON and items of XML. What has our name and our type
 * is taken as it is. The rest is flattened to names and texts, which are read as the columns of a spreadsheet are, so
 * that a price or a list of pictures means the same wherever it stands. Variants inside of a record are read here.
 */
import { isRecord } from '../../lib/validate.ts'
import { availabilityOf, stockOf } from './availability.ts'
import { readRow } from './csv.ts'
import { type ColumnField, type ColumnPlan, planColumns } from './csv-columns.ts'
import { createMoneyReader, currencyNamed } from './money.ts'
import { createNameReader, type Meaning, OPTION_NAMES, specName } from './record-names.ts'
import { MAX_COLUMNS, MAX_JSON_ENTRIES, problemRow, type ReaderOptions, type SourceRow } from './rows.ts'
import { categoryPath, excerpt, hostOf, listNames, plainName, setOwn } from './values.ts'

type Fields = Record<string, unknown>

export type RecordReader = {
  /** Whether all of it is ours, and nothing is to be read in it. */
  isOwnRow(record: Fields): boolean
  read(line: number, record: Fields): SourceRow
  /** Says what the owner should know when all has been read. */
  finish(): void
}

const MOST_UNUSED = 200

/** Deeper values say nothing about a product. */
const MAX_NESTING = 6

export function createRecordReader({ mapping = {}, onNotice, storeUrl }: ReaderOptions = {}): RecordReader {
  const nameOf = createNameReader()
  const mapped = new Map(Object.values(mapping).map((name) => [plainName(name), name]))
  const isSeen = new Set<string>()
  const unused = new Set<string>()
  // Names of the mapping come first, so that they are there whatever the first record lacks.
  const header: string[] = [...mapped.values()]
  const columns = new Map(header.map((name, column) => [name, column]))
  let plan: ColumnPlan | null = null

  const meaning = (name: string): Meaning => {
    const column = mapped.size > 0 ? mapped.get(plainName(name)) : undefined
    if (column === undefined) return nameOf(name)
    isSeen.add(column)
    return { kind: 'column', column, field: 'title' }
  }
  const onUnused = (name: string) => {
    if (unused.size < MOST_UNUSED && !name.includes('@')) unused.add(name)
  }

  const isOwnRow = (record: Fields) => mapped.size === 0 && isAllOwn(record)

  return {
    isOwnRow,
    read(line, raw) {
      if (isOwnRow(raw)) return { line, product: raw }
      const record = withoutWraps(raw)
      // What is mapped explicitly is asked of every name.
      const { own, others } = mapped.size > 0 ? { own: {} as Fields, others: record } : splitOwn(record)
      const found = flatten(others, meaning, onUnused)
      for (const name of found.texts.keys()) {
        if (columns.has(name) || header.length >= MAX_COLUMNS) continue
        columns.set(name, header.push(name) - 1)
        plan = null
      }
      if (header.length > 0) plan ??= planColumns(header, mapping)
      const cells = header.map((name) => found.texts.get(name) ?? '')
      const row: SourceRow = plan ? readRow({ line, cells }, plan) : { line, product: {} }
      if ('problem' in row) return row
      const named = plan?.fields.get('category')?.map((column) => cells[column] ?? '')
      found.category ??= categoryPath(named?.find((text) => text !== '') ?? '') ?? null
      finishProduct(row.product, found, record, storeUrl)
      const { specs } = own
      if (isRecord(specs) && isRecord(row.product.specs)) own.specs = { ...row.product.specs, ...specs }
      const product = withHandle(withSentences({ ...row.product, ...own }, found.sentences), record)
      return Object.keys(product).length === 0
        ? problemRow(line, null, 'has no known name', 'map a name to the title, such as --map title=NAME')
        : { ...row, product }
    },
    finish() {
      const missing = [...mapped.values()].filter((name) => !isSeen.has(name))
      if (missing.length > 0) onNotice?.(`The mapping uses names that no record has: ${listNames(missing)}.`)
      if (unused.size > 0)
        onNotice?.(
          `Names not used: ${listNames([...unused])}. Map one to keep it, such as --map spec:Weight=NAME.`,
        )
    },
  }
}

/**
 * Without what only holds a value: `{"edges": [{"node": …}]}` of GraphQL, `{"$oid": …}` of MongoDB, `{"variant": […]}` in
 * `variants` of XML.
 */
function withoutWraps(record: Fields): Fields {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, unwrapped(value, name, 1)]))
}

function unwrapped(value: unknown, name: string, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth > MAX_NESTING) return value
  const inside = (one: unknown) => unwrapped(one, name, depth + 1)
  if (Array.isArray(value)) return value.map(inside)
  const { edges, nodes, pageInfo: _, totalCount: __, ...others } = value as Fields
  const list = edges ?? nodes
  if (Array.isArray(list) && Object.keys(others).length === 0)
    return list.map((one) => inside(isRecord(one) && isRecord(one.node) ? one.node : one))
  const entries = Object.entries(value)
  const [[key, only] = ['', null]] = entries
  if (entries.length === 1 && key.startsWith('$') && scalarText(only) !== null) return only
  if (entries.length === 1 && typeof only === 'object' && HOLDS_A_LIST.has(plainName(name)))
    return [only].flat().map(inside)
  return Object.fromEntries(entries.map(([each, one]) => [each, unwrapped(one, each, depth + 1)]))
}

const TEXT = 1
const NUMBER = 2
const FLAG = 4
const OBJECT = 8

/** What a value of ours is made of. Null takes away what was said before. */
const OWN: ReadonlyMap<string, number> = new Map([
  ...['slug', 'title', 'brand', 'brand_domain', 'model', 'description', 'verdict', 'mpn', 'sku', 'released']
    .concat('group', 'currency', 'availability')
    .map((name): [string, number] => [name, TEXT]),
  ...['list_price', 'rating', 'review_count'].map((name): [string, number] => [name, NUMBER]),
  ...['images', 'where_to_buy', 'specs', 'options', 'variants', 'themes', 'best_for', 'not_for']
    .concat('aliases')
    .map((name): [string, number] => [name, OBJECT]),
  ['id', TEXT | NUMBER],
  ['gtin', TEXT | NUMBER],
  ['category', TEXT | OBJECT],
  ['price', NUMBER | OBJECT],
  ['discontinued', FLAG],
])

/** Asked of every field of our own files, so the usual ways out come first. */
function isOwn(name: string, value: unknown): boolean {
  const made = OWN.get(name)
  if (made === undefined) return false
  switch (typeof value) {
    case 'string':
      // A slug or a name of a category; a path is split.
      return (made & TEXT) !== 0 && (name !== 'category' || !value.includes('>'))
    case 'number':
      return (made & NUMBER) !== 0
    case 'boolean':
      return made === FLAG
    default:
      return value === null || ((made & OBJECT) !== 0 && isOwnObject(name, value as object))
  }
}

function isOwnObject(name: string, value: object): boolean {
  const isList = Array.isArray(value)
  if (name === 'price') return 'low' in value
  if (name === 'specs' || name === 'options') return !isList
  if (!isList) return false
  for (const entry of value as unknown[]) {
    if (name === 'category' && (typeof entry !== 'string' || entry.includes('>'))) return false
    const isTold = name === 'images' || name === 'where_to_buy' || name === 'variants'
    if (isTold && !(isRecord(entry) && isOwnEntry(name, entry))) return false
  }
  return true
}

function isOwnEntry(name: string, entry: Fields): boolean {
  if (name !== 'variants')
    return typeof entry.url === 'string' && (name === 'images' || typeof entry.name === 'string')
  const { price } = entry
  const isAmount = price === undefined || price === null || typeof price === 'number'
  const isLink = entry.image === undefined || entry.image === null || typeof entry.image === 'string'
  return isTextOrNumber(entry.id) && isAmount && isLink && !('option1' in entry)
}

function isTextOrNumber(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number'
}

function isAllOwn(record: Fields): boolean {
  for (const name in record) if (!isOwn(name, record[name])) return false
  return true
}

function splitOwn(record: Fields): { own: Fields; others: Fields } {
  const own: Fields = {}
  const others: Fields = {}
  for (const [name, value] of Object.entries(record)) setOwn(isOwn(name, value) ? own : others, name, value)
  return { own, others }
}

/** What feeds also say among the specs. */
const NUMBERS: ReadonlySet<ColumnField> = new Set<ColumnField>(['brand', 'gtin', 'mpn'])

/** Ratings are out of five here. */
const BEST = 5

type Found = {
  /** By the name of a column. */
  texts: Map<string, string>
  id: { rank: number; text: string } | null
  group: { rank: number; text: string } | null
  currency: string | null
  /** What its rating is out of. */
  best: number
  category: string[] | null
  specs: Fields
  options: Fields
  variants: Fields[] | null
  optionNames: string[]
  /** What it says under names that usually hold facts. */
  sentences: string[]
}

function flatten(
  record: Fields,
  meaning: (name: string) => Meaning,
  onUnused: (name: string) => void,
): Found {
  const found: Found = {
    texts: new Map(),
    id: null,
    group: null,
    currency: null,
    best: BEST,
    category: null,
    specs: {},
    options: {},
    variants: null,
    optionNames: [],
    sentences: [],
  }

  const addText = (name: string, text: string) => {
    const means = meaning(name)
    if (text === '') return
    if (means.kind === 'unknown') onUnused(name)
    else if (means.kind === 'column') {
      const before = found.texts.get(means.column)
      if (before === undefined) found.texts.set(means.column, text)
      else if (means.field === 'images') found.texts.set(means.column, `${before}\n${text}`)
    } else if (means.kind === 'id' || means.kind === 'group') {
      if ((found[means.kind]?.rank ?? Number.POSITIVE_INFINITY) > means.rank)
        found[means.kind] = { rank: means.rank, text }
    } else if (means.kind === 'parent') {
      if (text !== '0') found.group ??= { rank: 100, text: `${means.key}:${text}` }
    } else if (means.kind === 'currency') {
      // One that nobody knows is kept as it is, so that it has no rate; it is never taken for another.
      found.currency ??= currencyNamed(text) ?? text
    } else if (means.kind === 'best') {
      found.best = Number(text) || BEST
    } else if (means.kind === 'spec') {
      setOwn(found.specs, means.name, text)
      if (means.isOption) setOwn(found.options, means.name, text)
    }
  }

  const addPair = ({ name, value }: Pair) => {
    setOwn(found.specs, name, value)
    if (OPTION_NAMES.has(plainName(name))) setOwn(found.options, name, value)
    const means = meaning(name)
    if (means.kind === 'column' && NUMBERS.has(means.field) && !found.texts.has(means.column))
      found.texts.set(means.column, value)
  }

  const addList = (name: string, list: unknown[], depth: number) => {
    const means = meaning(name)
    const field = means.kind === 'column' ? means.field : null
    const entries = list.slice(0, MAX_JSON_ENTRIES).filter((entry) => entry !== null && entry !== '')
    if (entries.length === 0) return
    if (field === 'category') {
      const path = pathOf(entries)
      if (path.length > 0) found.category ??= path
      return
    }
    const objects = entries.filter(isRecord)
    if (objects.length === 0) {
      const texts = entries.flatMap((entry) => scalarText(entry) ?? [])
      // "Features" are often sentences about the thing.
      if (field === 'specs' && !texts.every((text) => /^[^:]{1,80}:\s*\S/.test(text))) {
        found.sentences.push(...texts)
        return
      }
      addText(name, texts.join(texts.every(isAddress) ? '\n' : ' | '))
      return
    }
    const variants = VARIANTS.has(plainName(name)) ? objects.filter((one) => variantId(one) !== null) : []
    if (variants.length > 0) {
      found.variants ??= variants
      return
    }
    if (plainName(name) === 'options') {
      found.optionNames = objects.flatMap((one) => scalarText(one.name) ?? [])
      return
    }
    const pairs = objects.map(pairOf)
    const addresses = objects.map(addressOf)
    if (pairs.every((pair) => pair !== null)) pairs.forEach(addPair)
    else if (addresses.every((address) => address !== null)) addText(name, addresses.join('\n'))
    else if (field === 'review_count') addText(name, String(objects.length))
    else addValue(name, objects[0], depth + 1)
  }

  const addValue = (name: string, value: unknown, depth: number): void => {
    const text = scalarText(value)
    if (text !== null) {
      const minor = typeof value === 'boolean' ? null : minorUnits(name, text)
      // Three decimals would read as thousands.
      const exact = typeof value === 'number' && /\.\d{3}$/.test(text) && meaning(name).kind === 'column'
      if (minor) addText(minor.name, minor.text)
      else addText(name, exact ? `${text}0` : text)
    } else if (depth > MAX_NESTING) {
      return
    } else if (Array.isArray(value)) {
      addList(name, value, depth)
    } else if (isRecord(value)) {
      const pair = depth > 0 ? pairOf(value) : null
      const means = depth > 0 && pair === null ? meaning(name) : null
      const isTable = means?.kind === 'column' && (means.field === 'specs' || isDetails(name, value))
      if (pair && hasOnlyPair(value)) addPair(pair)
      else if (isTable) addSpecs(value)
      else
        for (const [key, inner] of Object.entries(value))
          addValue(depth > 0 ? `${name}.${key}` : key, inner, depth + 1)
    }
  }

  const addSpecs = (specs: Fields) => {
    for (const [name, value] of Object.entries(specs)) {
      const text = Array.isArray(value)
        ? value.flatMap((one) => scalarText(one) ?? []).join(', ')
        : scalarText(value)
      if (text) addPair({ name, value: text })
      else if (Array.isArray(value)) addList('specs', value, MAX_NESTING)
    }
  }

  addValue('', record, 0)
  return found
}

/** "details": {"Skin type": "Dry", "Item form": "Powder"}. */
function isDetails(name: string, record: Fields): boolean {
  const values = Object.values(record)
  return (
    plainName(name) === 'details' && values.length > 1 && values.every((value) => scalarText(value) !== null)
  )
}

/** Behind its description, in which they may stand already. */
function withSentences(product: Fields, sentences: readonly string[]): Fields {
  const { description = '' } = product
  if (typeof description !== 'string') return product
  const others = sentences.filter((sentence) => !description.includes(sentence))
  return others.length === 0
    ? product
    : { ...product, description: [description, ...others].filter((text) => text !== '').join('\n') }
}

/** Longer names of fields say nothing of units. */
const MAX_NAME = 100

/** "1299" cents are 12.99. Only where the name says so. */
function minorUnits(name: string, text: string): { name: string; text: string } | null {
  if (name.length > MAX_NAME) return null
  const whole = /^(.*?)[._\s-]*(?:in[._\s-]*)?(?:cents|minor(?:[._\s-]*units?)?)$/i.exec(name)?.[1]
  if (whole === undefined || !/^\d{1,15}$/.test(text)) return null
  return { name: /^(amount)?$/i.test(whole) ? 'price' : whole, text: (Number(text) / 100).toFixed(2) }
}

/** Null if it is not valid. */
function scalarText(value: unknown): string | null {
  if (typeof value === 'string') return value.trim()
  if (typeof value === 'boolean') return String(value)
  if (typeof value !== 'number') return null
  const cents = Math.round(value * 100) / 100
  return String(Math.abs(cents - value) < 1e-6 ? cents : value)
}

type Pair = { name: string; value: string }

const PAIR_NAMES = [
  ...['paramname', 'name', 'fname', 'key', 'label', 'attributename', 'attributeid', 'propertyid', 'nazwa'],
]
const PAIR_VALUES = [
  'val',
  'fvalue',
  'value',
  'option',
  'paramvalue',
  'attributevalue',
  'values',
  'options',
  'text',
  'content',
  '',
]
const PAIR_UNITS = ['unit', 'funit', 'unittext', 'unitcode']

/** `{"name": "Weight", "value": 2, "unit": "kg"}`, by whatever names. */
function pairOf(record: Fields): Pair | null {
  const at = (names: readonly string[]) => {
    const key = Object.keys(record).find((name) => names.includes(plainName(name)))
    const value = key === undefined ? null : record[key]
    return Array.isArray(value) ? value.flatMap((one) => scalarText(one) ?? []).join(', ') : scalarText(value)
  }
  const name = at(PAIR_NAMES)
  const value = at(PAIR_VALUES)
  if (!name || !value) return null
  const unit = at(PAIR_UNITS)
  return { name, value: unit && !value.endsWith(unit) ? `${value} ${unit}` : value }
}

/** A thing that has a name and a value among much else is no pair. */
function hasOnlyPair(record: Fields): boolean {
  return Object.keys(record).length <= 3
}

const ADDRESS_NAMES = ['url', 'src', 'href', 'link', 'contenturl', 'original', 'large', 'imageurl']

function addressOf(record: Fields): string | null {
  for (const [name, value] of Object.entries(record))
    if (ADDRESS_NAMES.includes(plainName(name)) && isAddress(value)) return String(value)
  return null
}

function isAddress(value: unknown): boolean {
  return typeof value === 'string' && /^\s*(https?:)?\/\//i.test(value)
}

/** A list of names is a path; of paths, the deepest counts; of categories as things, the first. */
function pathOf(entries: readonly unknown[]): string[] {
  const [first] = entries
  if (Array.isArray(first)) return pathOf(first)
  if (isRecord(first)) return categoryPath(scalarText(first.name ?? first.title ?? first.label) ?? '') ?? []
  const texts = entries.filter((entry) => typeof entry === 'string')
  const deepest = categoryPath(texts.join('\n')) ?? []
  return deepest.length > 1 ? deepest : texts
}

function finishProduct(product: Fields, found: Found, record: Fields, storeUrl: string | undefined): void {
  const set = (field: string, value: unknown) => {
    if (value !== undefined && value !== null && value !== '') product[field] = value
  }
  set('id', found.id?.text)
  if (found.category && found.category.length > 0) product.category = found.category
  else delete product.category
  if (product.currency === undefined) set('currency', found.currency)
  if (typeof product.rating === 'number' && found.best !== BEST)
    product.rating = Math.round((product.rating * BEST * 100) / found.best) / 100
  if (Object.keys(found.specs).length > 0)
    product.specs = { ...(isRecord(product.specs) ? product.specs : {}), ...found.specs }
  if (found.group && found.group.text !== `id:${found.id?.text}`) {
    product.group = found.group.text
    product.options = found.options
  }
  if (found.variants) addVariants(product, found.variants, found.optionNames)
  if (found.variants && typeof record.handle === 'string' && storeUrl !== undefined)
    product.where_to_buy ??= shopPage(storeUrl, record.handle)
  if (record.status === 'archived') product.discontinued = true
}

/** Shopify's sheets know a product by its handle, so its JSON does too. */
function withHandle(product: Fields, { handle, id }: Fields): Fields {
  if (typeof handle !== 'string' || handle === '') return product
  return { ...product, id: handle, ...(isTextOrNumber(id) && { aliases: [`id:${id}`] }) }
}

/** Shopify's files name products but not their pages. */
function shopPage(storeUrl: string, handle: string): Fields[] {
  const base = /^https?:/i.test(storeUrl) ? storeUrl : `https://${storeUrl}`
  const url = URL.parse(`/products/${encodeURIComponent(handle)}`, base)?.href
  return url === undefined ? [] : [{ name: hostOf(url) ?? url, url }]
}

const VARIANTS: ReadonlySet<string> = new Set(['variants', 'variations', 'skus', 'hasvariant', 'children'])
const HOLDS_A_LIST: ReadonlySet<string> = new Set([
  ...VARIANTS,
  'attributes',
  'parameters',
  'params',
  'features',
])

function variantId(variant: Fields): string | null {
  return scalarText(variant.id ?? variant.sku ?? variant.productID ?? null)
}

function addVariants(product: Fields, variants: readonly Fields[], optionNames: readonly string[]): void {
  const money = createMoneyReader()
  const read = createNameReader()
  product.variants = variants.map((variant) => {
    const one: Fields = { id: variantId(variant) }
    const options: Fields = {}
    let list: number | string | undefined
    for (const [name, value] of Object.entries(variant)) {
      // "price": {"amount": "49.0", "currencyCode": "CAD"}
      const text = scalarText(isRecord(value) && 'amount' in value ? value.amount : value)
      const place = /^option_?([1-9])$/.exec(name)?.[1]
      const means = read(name)
      if (place !== undefined) {
        // A product without variants has the one option "Title" with the value "Default Title".
        if (text && text !== 'Default Title')
          setOwn(options, optionNames[Number(place) - 1] ?? specName(name), text)
      } else if (isRecord(value) && /^(options|attributes)$/.test(name)) {
        for (const [key, inner] of Object.entries(value)) setOwn(options, key, scalarText(inner) ?? '')
      } else if (Array.isArray(value) && /^(options|attributes|option_values|selectedOptions)$/.test(name)) {
        for (const entry of value) {
          const pair = isRecord(entry) ? pairOf(entry) : null
          if (pair) setOwn(options, pair.name, pair.value)
        }
      } else if (!text) {
      } else if (means.kind === 'spec' && means.isOption) setOwn(options, means.name, text)
      else if (means.kind === 'column' && means.field === 'price') one.price ??= money.amount(text)
      else if (means.kind === 'column' && /^(list_price|full_price)$/.test(means.field))
        list = money.amount(text)
      else if (means.kind === 'column' && means.field === 'gtin') one.gtin ??= text
      else if (means.kind === 'column' && means.field === 'availability')
        one.availability ??= availabilityOf(text)
      else if (plainName(name) === 'sku') one.sku ??= text
    }
    one.options = options
    one.image ??= pictureOf(variant)
    one.availability ??= stockIn(variant)
    // Shops leave old and equal prices standing; only one above the price is a list price.
    if (typeof list === 'number' && typeof one.price === 'number' && list > one.price) one.list_price = list
    return one
  })
  const all = product.variants as Fields[]
  const prices = all.flatMap(({ price }) => (typeof price === 'number' ? [price] : []))
  if (product.price === undefined && prices.length > 0)
    product.price = { low: Math.min(...prices), high: Math.max(...prices) }
  const currency = money.currency()
  if (product.currency === undefined && currency !== null) product.currency = currency
  const [only] = all
  if (all.length !== 1 || !only || Object.keys(only.options as Fields).length > 0) return
  // One variant without options is the product itself.
  for (const field of ['sku', 'gtin', 'list_price'])
    if (only[field] !== undefined) product[field] ??= only[field]
  delete product.variants
}

/** Shops give it by its address, or as a thing that has one. */
function pictureOf(variant: Fields): string | undefined {
  for (const name of ['image', 'featured_image', 'image_url', 'images', 'picture']) {
    const [first] = [variant[name]].flat()
    const address = isRecord(first) ? addressOf(first) : isAddress(first) ? String(first) : null
    if (address !== null) return address.trim().replace(/^\/\//, 'https://')
  }
  return undefined
}

/** Shopify's "available" and "inventory_quantity", WooCommerce's "stock_quantity" and "backorders_allowed". */
function stockIn(variant: Fields): string | undefined {
  const text = (...names: string[]) =>
    names.flatMap((name) => scalarText(variant[name]) ?? []).find((said) => said !== '') ?? ''
  const isTracked = !('inventory_management' in variant) || variant.inventory_management !== null
  return stockOf({
    status: text('available', 'availableForSale', 'in_stock'),
    quantity: isTracked ? text('inventory_quantity', 'inventoryQuantity', 'stock_quantity', 'stock') : '',
    takesOrders: /^(continue|true)$/i.test(text('inventory_policy', 'inventoryPolicy', 'backorders_allowed')),
  })
}

/** For a message. */
export function recordId(record: Fields): string | undefined {
  const said = record.id ?? record.sku ?? record.handle
  return isTextOrNumber(said) ? excerpt(String(said)) : undefined
}
