/**
 * Magento 2's product export: simple products, the configurable ones they belong to, and rows of store views, which repeat
 * a product with few cells. Simple products that cannot be bought on their own mostly come before the configurable one
 * that lists them: they are held, up to a bound, until it comes. Those that come after it are given as variants of it.
 */

import { SLUG } from '../../lib/text.ts'
import { stockOf } from './availability.ts'
import type { ByteStream } from './bytes.ts'
import { isFactName } from './csv-columns.ts'
import type { ReaderOptions, RowNote, SourceRow } from './rows.ts'
import { MAX_RECORD_SIZE } from './rows.ts'
import {
  type Cell,
  cellsBy,
  filled,
  findColumns,
  MOST_VARIANTS,
  pageIn,
  readPairs,
  readSale,
  readShop,
  wholeUrls,
} from './shop-export.ts'
import { categoryPath, imagesOf, plainName, setOwn } from './values.ts'

const COLUMNS = {
  sku: ['sku'],
  store: ['storeviewcode', 'store'],
  type: ['producttype', 'type'],
  categories: ['categories'],
  name: ['name'],
  description: ['description'],
  short: ['shortdescription'],
  online: ['productonline', 'status'],
  visibility: ['visibility'],
  price: ['price'],
  special: ['specialprice'],
  specialFrom: ['specialpricefromdate'],
  specialTo: ['specialpricetodate'],
  msrp: ['msrpprice', 'msrp'],
  urlKey: ['urlkey'],
  image: ['baseimage', 'image'],
  images: ['additionalimages'],
  attributes: ['additionalattributes'],
  variations: ['configurablevariations'],
  brand: ['manufacturer', 'brand'],
  gtin: ['gtin', 'ean', 'upc', 'barcode'],
  mpn: ['mpn'],
  color: ['color'],
  size: ['size'],
  quantity: ['qty'],
  inStock: ['isinstock'],
  tracked: ['managestock'],
  backorders: ['allowbackorders'],
} as const satisfies Record<string, readonly string[]>

type Column = keyof typeof COLUMNS

/** What is held of the file: children whose parent is still to come, and children that a parent has named. */
const MOST_HELD = 2_000
const MOST_HELD_SIZE = 8 * MAX_RECORD_SIZE
const MOST_NAMED = 20_000

type Child = { line: number; product: Record<string, unknown>; notes?: RowNote[]; size: number }

export function readMagento(input: ByteStream, options: ReaderOptions = {}): AsyncGenerator<SourceRow> {
  let lastSku = ''
  let disabled = 0
  const held = new Map<string, Child>()
  let heldSize = 0
  const release = (sku: string): Child | undefined => {
    const child = held.get(sku)
    held.delete(sku)
    heldSize -= child?.size ?? 0
    return child
  }
  const named = new Map<string, { group: string; options: Record<string, unknown> }>()
  const said = createSayer(options)

  return readShop<ReadonlyMap<Column, number>>(input, options, {
    readHeader: (names) => findColumns(names, COLUMNS, { columns: ['sku'], system: 'Magento' }),
    *take(row, columns) {
      const cell = cellsBy(row.cells, columns)
      const sku = cell('sku')
      // Rows of store views and of further links repeat the product above them.
      if (sku === '' || (cell('store') !== '' && (sku === lastSku || cell('name') === ''))) return
      lastSku = sku
      if (/^(2|disabled)$/i.test(cell('online'))) {
        disabled++
        return
      }
      const { line, notes } = row
      const product = productOf(cell, options)
      if (cell('image') !== '' && product.images === undefined) said.noPictures()
      const given = (more: Record<string, unknown> = {}): SourceRow => ({
        line,
        product: { ...product, ...more },
        ...(notes && { notes }),
      })
      const place = named.get(sku)
      const variations = readVariations(cell('variations'))
      if (variations.length > 0) {
        const variants = variations.map(({ sku: id, options: own }) => {
          const child = release(id)?.product ?? {}
          if (child.id === undefined && named.size < MOST_NAMED)
            named.set(id, { group: `id:${sku}`, options: own })
          const { sku: itsSku = id, gtin, price, list_price, images, availability } = child
          const image = (images as { url: string }[] | undefined)?.[0]?.url
          const told = filled({ sku: itsSku, gtin, price, list_price, image, availability })
          return { ...told, id, options: own }
        })
        yield given({ variants })
      } else if (place) {
        named.delete(sku)
        const { specs: _specs, ...rest } = product
        yield { line, product: { ...rest, ...place }, ...(notes && { notes }) }
      } else if (/not visible/i.test(cell('visibility'))) {
        const size = JSON.stringify(product).length
        release(sku)
        held.set(sku, { line, product, size, ...(notes && { notes }) })
        heldSize += size
        for (const [oldest] of held) {
          if (held.size <= MOST_HELD && heldSize <= MOST_HELD_SIZE) break
          const child = release(oldest)
          if (child) yield asRow(child)
        }
      } else yield given()
    },
    *end() {
      // Nobody has listed them: each is a product of its own.
      for (const child of held.values()) yield asRow(child)
      if (disabled > 0) options.onNotice?.(`Disabled products are not imported: ${disabled} skipped.`)
    },
  })
}

/** Its export has a SKU, a type of product and the set of attributes or the store view that a row is of. */
export function isMagentoHeader(names: readonly string[]): boolean {
  const plain = new Set(names.map(plainName))
  const own = [
    'attributesetcode',
    'storeviewcode',
    'productwebsites',
    'additionalattributes',
    'configurablevariations',
  ]
  return plain.has('sku') && plain.has('producttype') && own.some((name) => plain.has(name))
}

function createSayer({ onNotice }: ReaderOptions) {
  let isSaid = false
  return {
    noPictures(): void {
      if (!isSaid) onNotice?.("Images have no full URL. Set the shop's address (--store-url) to import them.")
      isSaid = true
    },
  }
}

function asRow({ line, product, notes }: Child): SourceRow {
  return { line, product, ...(notes && { notes }) }
}

function productOf(
  cell: Cell<Column>,
  { now = new Date(), storeUrl }: ReaderOptions,
): Record<string, unknown> {
  const attributes = new Map(readPairs(cell('attributes')))
  const either = (column: Column, ...others: string[]) =>
    cell(column) || others.map((name) => attributes.get(name) ?? '').find((text) => text !== '')
  const prices = readSale(
    { regular: cell('price'), sale: cell('special'), from: cell('specialFrom'), to: cell('specialTo') },
    now,
  )
  const urlKey = cell('urlKey')
  const pictures = [cell('image'), ...cell('images').split(',')].map((path) => path.trim())
  return filled({
    id: cell('sku'),
    sku: cell('sku'),
    slug: urlKey.length <= 80 && SLUG.test(urlKey) ? urlKey : undefined,
    title: cell('name'),
    description: cell('description') || cell('short'),
    brand: either('brand', 'manufacturer', 'brand'),
    gtin: either('gtin', 'gtin', 'ean', 'upc', 'barcode'),
    mpn: either('mpn', 'mpn'),
    category: categoryPath(cell('categories'), { between: /,/, slash: true }),
    images: imagesOf(wholeUrls(pictures, storeUrl, '/media/catalog/product')),
    specs: specsOf(cell, attributes),
    where_to_buy: urlKey === '' ? undefined : pageIn(storeUrl, `${urlKey}.html`, prices.price),
    availability: stockIn(cell),
    ...prices,
  })
}

/** What is not tracked is always for sale. */
function stockIn(cell: Cell<Column>): string | undefined {
  if (cell('tracked') === '0') return 'in_stock'
  const takesOrders = /^[12]$/.test(cell('backorders'))
  return stockOf({ status: cell('inStock'), quantity: cell('quantity'), takesOrders })
}

/** Attributes that are fields, or the shop's own affairs, are no specs. */
const NO_SPECS =
  /^(manufacturer|brand|gtin|ean|upc|barcode|mpn|sku|name|has_options|required_options|ts_.*|msrp.*|gift_.*|swatch.*)$/

function specsOf(cell: Cell<Column>, attributes: ReadonlyMap<string, string>): Record<string, unknown> {
  const specs: Record<string, unknown> = {}
  for (const [name, value] of [...attributes].slice(0, 100)) {
    if (NO_SPECS.test(name) || !isFactName(name) || value.length > 300) continue
    setOwn(specs, label(name), value.replaceAll('|', ', '))
  }
  for (const column of ['color', 'size'] as const) {
    if (cell(column) !== '') specs[label(column)] = cell(column)
  }
  return specs
}

/** "sku=TS-RED,color=Red,size=M|sku=TS-BLUE,color=Blue,size=M". */
function readVariations(text: string): { sku: string; options: Record<string, unknown> }[] {
  if (text === '') return []
  return text
    .split(/\|(?=\s*sku=)/i)
    .slice(0, MOST_VARIANTS)
    .flatMap((variation) => {
      const pairs = readPairs(variation)
      const sku = pairs.find(([name]) => name.toLowerCase() === 'sku')?.[1]
      const options: Record<string, unknown> = {}
      for (const [name, value] of pairs) if (name.toLowerCase() !== 'sku') setOwn(options, label(name), value)
      return sku === undefined ? [] : [{ sku, options }]
    })
}

/** "frame_color" is written for people: "Frame color". */
function label(code: string): string {
  const words = code.replaceAll('_', ' ').trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
