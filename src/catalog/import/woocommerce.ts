/**
 * WooCommerce's product export: a row for each product and each variation, joined by the parent that a variation names
 * with its id or its SKU. Rows come in any order; nothing is held but the parent before.
 */
import { stockOf } from './availability.ts'
import type { ByteStream } from './bytes.ts'
import type { ReaderOptions, SourceRow } from './rows.ts'
import { type Cell, cellsBy, createMemory, filled, findColumns, readSale, readShop } from './shop-export.ts'
import { categoryPath, hostOf, imagesOf, plainName, setOwn, splitUrls, withoutGuard } from './values.ts'

const COLUMNS = {
  id: ['id'],
  type: ['type'],
  sku: ['sku'],
  name: ['name'],
  published: ['published'],
  short: ['shortdescription'],
  description: ['description'],
  regular: ['regularprice'],
  sale: ['saleprice'],
  saleFrom: ['datesalepricestarts'],
  saleTo: ['datesalepriceends'],
  categories: ['categories'],
  images: ['images'],
  parent: ['parent'],
  externalUrl: ['externalurl'],
  brand: ['brands', 'brand', 'metabrand', 'productbrand'],
  gtin: [
    ...['gtinupceanorisbn', 'gtin', 'ean', 'upc', 'metaglobaluniqueid', 'metagtin', 'metaean', 'metaupc'],
    ...['metabarcode', 'metaalggwcean', 'metawpmgtincode', 'metatsgtin', 'metawoosbgtin'],
  ],
  mpn: ['mpn', 'metampn'],
  inStock: ['instock'],
  stock: ['stock'],
  backorders: ['backordersallowed'],
} as const satisfies Record<string, readonly string[]>

type Column = keyof typeof COLUMNS

type Header = {
  columns: ReadonlyMap<Column, number>
  attributes: readonly { name: number; value: number }[]
  /** "Weight (kg)" is the spec "Weight", in kg. */
  measures: readonly { name: string; unit: string; column: number }[]
}

const MOST_ATTRIBUTES = 64
const MOST_HIDDEN = 10_000

export function readWoo(input: ByteStream, options: ReaderOptions = {}): AsyncGenerator<SourceRow> {
  let drafts = 0
  /** Of the product before: a variation may come without one. */
  let parentName = ''
  const hidden = createMemory(MOST_HIDDEN)
  return readShop(input, options, {
    readHeader,
    *take(row, header) {
      const cells = row.cells.map(withoutGuard)
      const cell = cellsBy(cells, header.columns)
      const isVariation = /variation/i.test(cell('type'))
      const keys = [cell('id') && `id:${cell('id')}`, cell('sku') && `sku:${cell('sku')}`].filter(Boolean)
      const group = isVariation && cell('parent') !== '' ? parentKey(cell('parent')) : null
      // Drafts are -1, private products 0. A variation of either goes with it.
      if (/^(-1|0)$/.test(cell('published')) || (group !== null && hidden.has(group))) {
        if (!isVariation) drafts++
        for (const key of keys) if (!isVariation) hidden.add(key)
        return
      }
      if (!isVariation) parentName = cell('name')
      const attributes = readAttributes(cells, header)
      const product = {
        ...productOf(cell, cells, header, options),
        ...(cell('name') === '' && isVariation && { title: parentName || cell('sku') }),
        ...(group === null
          ? filled({ specs: { ...attributes, ...readMeasures(cells, header) } })
          : { group, options: attributes, ...filled({ availability: stockIn(cell) }) }),
        ...(/variable/i.test(cell('type')) &&
          cell('id') !== '' &&
          cell('sku') !== '' && { aliases: [`sku:${cell('sku')}`] }),
      }
      yield { line: row.line, product, ...(row.notes && { notes: row.notes }) }
    },
    end() {
      if (drafts > 0) options.onNotice?.(`Drafts and private products are not imported: ${drafts} skipped.`)
      return []
    },
  })
}

/** Its export has a type, a name and columns that nobody else calls so. */
export function isWooHeader(names: readonly string[]): boolean {
  const plain = new Set(names.map(plainName))
  const own = [
    'visibilityincatalog',
    'isfeatured',
    'regularprice',
    'attribute1name',
    'datesalepricestarts',
    'upsells',
  ]
  return plain.has('name') && plain.has('type') && own.filter((name) => plain.has(name)).length >= 2
}

function readHeader(names: readonly string[]): Header {
  const plain = names.map(plainName)
  const attributes = Array.from({ length: MOST_ATTRIBUTES }, (_, n) => ({
    name: plain.indexOf(`attribute${n + 1}name`),
    value: plain.indexOf(`attribute${n + 1}values`),
  })).filter(({ name, value }) => name !== -1 && value !== -1)
  const measures = names.flatMap((text, column) => {
    const [, name, unit] = /^\s*(Weight|Length|Width|Height) \((\w{1,4})\)\s*$/i.exec(text) ?? []
    return name === undefined || unit === undefined ? [] : [{ name, unit, column }]
  })
  return {
    columns: findColumns(names, COLUMNS, { columns: ['name'], system: 'WooCommerce' }),
    attributes,
    measures,
  }
}

/** "In stock?" is 1, 0 or "backorder". */
function stockIn(cell: Cell<Column>): string | undefined {
  const takesOrders = /^(1|yes|notify)$/i.test(cell('backorders'))
  return stockOf({ status: cell('inStock'), quantity: cell('stock'), takesOrders })
}

/** "id:44" names the parent by its id, anything else by its SKU. */
function parentKey(text: string): string {
  return /^id:\s*\d+$/i.test(text) ? `id:${text.slice(3).trim()}` : `sku:${text}`
}

function productOf(
  cell: Cell<Column>,
  cells: readonly string[],
  header: Header,
  { now = new Date(), storeUrl }: ReaderOptions,
): Record<string, unknown> {
  const prices = readSale(
    { regular: cell('regular'), sale: cell('sale'), from: cell('saleFrom'), to: cell('saleTo') },
    now,
  )
  return filled({
    id: cell('id') || cell('sku'),
    sku: cell('sku'),
    title: cell('name'),
    // Its export writes the ends of lines as a backslash and a letter.
    description: (cell('description') || cell('short')).replaceAll('\\n', '\n'),
    brand: cell('brand') || attributeNamed(cells, header, 'brand'),
    category: categoryPath(cell('categories').replaceAll('\\,', '\u0000'), { between: /,/ })?.map((name) =>
      name.replaceAll('\u0000', ','),
    ),
    gtin: cell('gtin'),
    mpn: cell('mpn'),
    images: imagesOf(splitUrls(cell('images'))),
    where_to_buy: pageOf(cell, storeUrl, prices.price),
    ...prices,
  })
}

/** An external product is bought elsewhere; others have a page that their number leads to. */
function pageOf(cell: Cell<Column>, storeUrl: string | undefined, price: unknown): unknown {
  const base = storeUrl === undefined ? null : URL.parse(storeUrl)
  const own = base && cell('id') !== '' ? new URL(`?p=${encodeURIComponent(cell('id'))}`, base).href : ''
  const url = cell('externalUrl') || own
  if (url === '') return undefined
  return [{ name: hostOf(url) ?? url, url, ...(typeof price === 'number' && { price }) }]
}

function attributeNamed(cells: readonly string[], header: Header, wanted: string): string {
  const column = header.attributes.find(({ name }) => plainName(cells[name] ?? '') === wanted)?.value
  return cells[column ?? -1]?.trim() ?? ''
}

function readAttributes(cells: readonly string[], header: Header): Record<string, unknown> {
  const attributes: Record<string, unknown> = {}
  for (const { name, value } of header.attributes) {
    const [called = '', said = ''] = [cells[name]?.trim(), cells[value]?.trim()]
    if (called !== '' && said !== '' && plainName(called) !== 'brand')
      setOwn(attributes, called, said.replaceAll('\\,', ','))
  }
  return attributes
}

function readMeasures(cells: readonly string[], header: Header): Record<string, unknown> {
  const measures: Record<string, unknown> = {}
  for (const { name, unit, column } of header.measures) {
    const value = cells[column]?.trim() ?? ''
    if (value !== '' && value !== '0') measures[name] = `${value} ${unit}`
  }
  return measures
}
