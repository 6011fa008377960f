/**
 * BigCommerce's product export, old and new: a row for each product, and below it rows of its SKUs or variants, its
 * pictures and its rules. One product with its rows is held at a time. Rules change prices in ways of their own, and are
 * passed over.
 */
import { stockOf } from './availability.ts'
import type { ByteStream } from './bytes.ts'
import { problemRow, type ReaderOptions, type RowNote, type SourceRow } from './rows.ts'
import {
  type Cell,
  cellsBy,
  createWeight,
  filled,
  findColumns,
  MOST_IMAGES,
  MOST_VARIANTS,
  readPairs,
  readSale,
  readShop,
  wholeUrls,
} from './shop-export.ts'
import { categoryPath, excerpt, hostOf, imagesOf, plainName, setOwn, splitUrls } from './values.ts'

const COLUMNS = {
  kind: ['itemtype', 'item', 'type'],
  id: ['productid', 'id'],
  sku: ['productcodesku', 'productsku', 'code', 'sku'],
  name: ['productname', 'name'],
  brand: ['brandname', 'brand'],
  description: ['productdescription', 'description'],
  price: ['price'],
  sale: ['saleprice'],
  retail: ['retailprice', 'msrp'],
  category: ['category', 'categories', 'categorystring', 'categorydetails'],
  visible: ['productvisible', 'isvisible'],
  url: ['producturl'],
  gtin: [
    ...[
      'gtin',
      'globaltradeitemnumber',
      'gpsglobaltradeitemnumber',
      'globaltradenumber',
      'productupcean',
      'upcean',
    ],
  ],
  upc: ['productupcean', 'upcean', 'productupc', 'upc', 'ean'],
  mpn: ['manufacturerpartnumber', 'gpsmanufacturerpartnumber', 'mpn'],
  options: ['options'],
  stock: ['currentstocklevel', 'currentstock', 'stocklevel', 'inventorylevel'],
  custom: ['productcustomfields', 'customfields'],
} as const satisfies Record<string, readonly string[]>

type Column = keyof typeof COLUMNS
type Header = { columns: ReadonlyMap<Column, number>; images: readonly number[] }

type Run = {
  line: number
  product: Record<string, unknown>
  images: string[]
  hasNamedPictures: boolean
  variants: Record<string, unknown>[]
  weight: ReturnType<typeof createWeight>
  notes: RowNote[]
}

export function readBigCommerce(input: ByteStream, options: ReaderOptions = {}): AsyncGenerator<SourceRow> {
  let run: Run | null = null
  let isHidden = false
  let hidden = 0
  let hasNamedPictures = false
  const finish = (finished: Run): SourceRow => {
    hasNamedPictures ||= finished.hasNamedPictures && finished.images.length === 0
    return finishRun(finished)
  }
  return readShop(input, options, {
    readHeader,
    *take(row, header) {
      const cell = cellsBy(row.cells, header.columns)
      const kind = plainName(cell('kind'))
      if (kind === 'rule' || kind === 'video') return
      const isPart = kind === 'sku' || kind === 'variant' || kind === 'image'
      if (isPart) {
        const fix = 'put it below the row of its product'
        if (run) addPart(run, kind, cell, row.cells, header, options)
        else if (!isHidden) yield problemRow(row.line, null, 'belongs to no product above it', fix)
        return
      }
      if (run) yield finish(run)
      run = null
      isHidden = /^(n|no|false|0)$/i.test(cell('visible'))
      if (isHidden) hidden++
      else run = startRun(row.line, cell, row.cells, header, options)
      if (run && row.notes) run.notes.push(...row.notes)
    },
    *end() {
      if (run) yield finish(run)
      if (hidden > 0) options.onNotice?.(`Products hidden in the shop are not imported: ${hidden} skipped.`)
      if (hasNamedPictures) options.onNotice?.('Some images have no URL and were left out.')
    },
  })
}

/** The older export says "Item Type"; the newer one says "Item", or names columns that nobody else does. */
export function isBigCommerceHeader(names: readonly string[]): boolean {
  const plain = new Set(names.map(plainName))
  const isOlder = plain.has('itemtype') && (plain.has('productname') || plain.has('productcodesku'))
  const newer = [
    'options',
    'internalimageurlexport',
    'imageurlimport',
    'calculatedprice',
    'channels',
    'inventorytracking',
  ]
  const isNewer =
    (plain.has('item') || plain.has('type')) &&
    plain.has('name') &&
    newer.filter((name) => plain.has(name)).length >= 2
  return isOlder || isNewer
}

function readHeader(names: readonly string[]): Header {
  const images = names.flatMap((name, column) =>
    /^(productimage(file|url)\d{0,3}|productimages|imageurlimport|internalimageurlexport|imageurl)$/.test(
      plainName(name),
    )
      ? [column]
      : [],
  )
  return {
    columns: findColumns(names, COLUMNS, { columns: ['kind', 'name'], system: 'BigCommerce' }),
    images,
  }
}

function startRun(
  line: number,
  cell: Cell<Column>,
  cells: readonly string[],
  header: Header,
  options: ReaderOptions,
): Run {
  const prices = pricesOf(cell, options)
  const weight = createWeight()
  weight.add(cell('name'), cell('description'), cell('custom'))
  const product = filled({
    id: cell('id') || cell('sku'),
    sku: cell('sku'),
    title: cell('name'),
    brand: cell('brand'),
    description: cell('description'),
    category: categoryOf(cell('category')),
    gtin: cell('gtin') || cell('upc'),
    mpn: cell('mpn'),
    specs: specsOf(cell),
    where_to_buy: pageOf(cell('url'), options, prices.price),
    ...prices,
  })
  const run: Run = { line, product, images: [], hasNamedPictures: false, variants: [], weight, notes: [] }
  addImages(run, cells, header, options)
  return run
}

function pricesOf(cell: Cell<Column>, { now = new Date() }: ReaderOptions): Record<string, unknown> {
  const prices = readSale({ regular: cell('price'), sale: cell('sale') }, now)
  const { price: retail } = readSale({ regular: cell('retail'), sale: '' }, now)
  const isAbove = typeof retail === 'number' && typeof prices.price === 'number' && retail > prices.price
  return isAbove && prices.list_price === undefined ? { ...prices, list_price: retail } : prices
}

function addPart(
  run: Run,
  kind: string,
  cell: Cell<Column>,
  cells: readonly string[],
  header: Header,
  options: ReaderOptions,
): void {
  if (run.weight.isOver()) return
  const [image] = addImages(run, cells, header, options)
  if (kind === 'image' || run.variants.length >= MOST_VARIANTS) return
  const own = optionsOf(cell('options') || cell('name'))
  const { price, list_price } = pricesOf(cell, options)
  const id = cell('sku') || cell('id') || [run.product.id, ...Object.values(own)].join(' / ')
  run.variants.push({
    ...filled({ sku: cell('sku'), gtin: cell('gtin') || cell('upc'), image }),
    ...filled({ availability: stockOf({ quantity: cell('stock') }) }),
    // Where a SKU has no price, or none of its own, it is the product's.
    ...filled(typeof price === 'number' && price > 0 ? { price, list_price } : { price: run.product.price }),
    id,
    options: own,
  })
  run.weight.add(id, cell('options'), cell('name'))
}

/** Old: "[S]Color=Red,[RB]Size=M". New: "Type=Dropdown|Name=Color|Value=Red", one or several. */
function optionsOf(text: string): Record<string, unknown> {
  const options: Record<string, unknown> = {}
  const plain = text.slice(0, 2_000)
  const named = [...plain.matchAll(/Name=([^|;\n]{1,100})\|Value=([^|;\n]{1,300})/g)]
  for (const [, name = '', value = ''] of named) setOwn(options, name.trim(), value.trim())
  if (named.length > 0) return options
  for (const [name, value] of readPairs(plain.replace(/\[[A-Z]{1,3}\]/g, ''))) {
    // A swatch has its colours behind its name: "Red:#ff0000".
    setOwn(options, name, value.replace(/:#[0-9a-f]{3,8}.{0,200}$/i, ''))
  }
  return options
}

/** Answers those of this row. */
function addImages(
  run: Run,
  cells: readonly string[],
  header: Header,
  { storeUrl }: ReaderOptions,
): string[] {
  const all: string[] = []
  for (const column of header.images) {
    const text = cells[column]?.trim() ?? ''
    if (text === '') continue
    run.hasNamedPictures = true
    // Older files put all pictures into one cell, each with its number, file and address.
    const listed = [...text.matchAll(/Product Image URL:\s?([^|,\s]{1,2000})/g)].map(([, url = '']) => url)
    const urls = wholeUrls(listed.length > 0 ? listed : splitUrls(text), storeUrl, '/product_images')
    all.push(...urls)
    for (const url of urls) {
      if (run.images.length >= MOST_IMAGES || run.images.includes(url)) continue
      run.images.push(url)
      run.weight.add(url)
    }
  }
  return all
}

/** "Kitchen/Mugs;Sale", or the older "Category Name: Mugs, Category Path: Kitchen/Mugs | …". */
function categoryOf(text: string): string[] | undefined {
  const listed = [...text.slice(0, 10_000).matchAll(/Category Path:([^|]{1,500})/g)].map(
    ([, path = '']) => path,
  )
  return categoryPath(listed.length > 0 ? listed.join(';') : text, { between: /[;|\n]/, slash: true })
}

/** "Material=Wool;Origin=Wales". */
function specsOf(cell: Cell<Column>): Record<string, unknown> {
  const specs: Record<string, unknown> = {}
  for (const pair of cell('custom').slice(0, 5_000).split(/[;\n]/)) {
    for (const [name, value] of readPairs(pair)) setOwn(specs, name, value)
  }
  return specs
}

function pageOf(path: string, { storeUrl }: ReaderOptions, price: unknown): unknown {
  const [url] = wholeUrls(path === '' ? [] : [path], storeUrl)
  if (url === undefined) return undefined
  return [{ name: hostOf(url) ?? url, url, ...(typeof price === 'number' && { price }) }]
}

function finishRun(run: Run): SourceRow {
  const { line, product, images, variants, notes } = run
  if (run.weight.isOver()) {
    const problem = 'starts a product of over 1 MB'
    const fix = 'shorten its description or its list of images'
    return { line, problem: { line, field: null, problem, fix, id: excerpt(String(product.id ?? '')) } }
  }
  return {
    line,
    product: { ...product, ...filled({ images: imagesOf(images), variants }) },
    ...(notes.length > 0 && { notes }),
  }
}
