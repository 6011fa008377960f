/**
 * Shopify's product export: a product is a run of rows with one handle, the first with the product's texts, the others
 * with a variant, a picture or both. One run is held at a time; a handle that turns up again further down gives a row of
 * its own with the same id, or, where it has no title, rows of more variants of it. Both generations of column names are
 * understood. The export does not name its currency; columns of single markets are passed over.
 */
import { SLUG } from '../../lib/text.ts'
import { stockOf } from './availability.ts'
import type { ByteStream } from './bytes.ts'
import { createMoneyReader } from './money.ts'
import { problemRow, type ReaderOptions, type RowNote, type SourceRow } from './rows.ts'
import {
  type Cell,
  cellsBy,
  createMemory,
  createWeight,
  filled,
  findColumns,
  MOST_VARIANTS,
  pageIn,
  readShop,
} from './shop-export.ts'
import { categoryPath, excerpt, plainName, setOwn } from './values.ts'

const COLUMNS = {
  handle: ['handle', 'urlhandle'],
  title: ['title'],
  body: ['bodyhtml', 'description'],
  vendor: ['vendor'],
  type: ['type', 'producttype', 'customproducttype'],
  category: ['productcategory', 'standardproducttype', 'googleshoppinggoogleproductcategory'],
  tags: ['tags'],
  collection: ['collection'],
  status: ['status'],
  variantId: ['variantid'],
  sku: ['variantsku', 'sku'],
  barcode: ['variantbarcode', 'barcode'],
  mpn: ['googleshoppingmpn'],
  price: ['variantprice', 'price'],
  compareAt: ['variantcompareatprice', 'compareatprice'],
  image: ['imagesrc', 'productimageurl'],
  imagePosition: ['imageposition'],
  imageAlt: ['imagealttext'],
  variantImage: ['variantimage', 'variantimageurl'],
  tracker: ['variantinventorytracker', 'inventorytracker'],
  quantity: ['variantinventoryqty', 'inventoryquantity'],
  policy: ['variantinventorypolicy', 'continuesellingwhenoutofstock'],
} as const satisfies Record<string, readonly string[]>

type Column = keyof typeof COLUMNS

/** What the first row that has it says for the whole product. */
const PRODUCT_COLUMNS = [
  'title',
  'body',
  'vendor',
  'type',
  'category',
  'tags',
  'collection',
  'status',
  'sku',
  'barcode',
  'mpn',
] as const satisfies readonly Column[]

type Variant = Record<string, unknown> & { id: string; options: Record<string, unknown> }

type Run = {
  handle: string
  line: number
  texts: Partial<Record<Column, string>>
  money: ReturnType<typeof createMoneyReader>
  low: number
  high: number
  list: number
  unclearPrice: string | null
  /** By address: the same picture comes with every variant it shows. */
  images: Map<string, { alt: string; position: number }>
  /** Option names belong to the first row. */
  optionNames: string[]
  variants: Map<string, Variant>
  specs: Record<string, unknown>
  weight: ReturnType<typeof createWeight>
  notes: RowNote[]
}

type Header = {
  columns: ReadonlyMap<Column, number>
  options: readonly { name: number; value: number }[]
  /** "Fabric (product.metafields.shopify.fabric)" is the spec "Fabric". */
  metafields: readonly { name: string; column: number }[]
}

export function readShopify(input: ByteStream, options: ReaderOptions = {}): AsyncGenerator<SourceRow> {
  let run: Run | null = null
  let drafts = 0
  const titled = createMemory(MOST_HANDLES)
  const finish = (finished: Run): SourceRow[] => {
    if (finished.texts.status?.toLowerCase() === 'draft') {
      drafts += 1
      return []
    }
    const cameBefore = titled.has(finished.handle)
    if (finished.texts.title !== undefined) titled.add(finished.handle)
    return finishRun(finished, options, cameBefore)
  }
  return readShop(input, options, {
    readHeader,
    *take(row, header) {
      const cell = cellsBy(row.cells, header.columns)
      // A row without a handle that has a title is a product all the same.
      const handle = cell('handle') || (cell('title') === '' ? '' : cell('sku') || plainName(cell('title')))
      if (handle === '') {
        yield problemRow(row.line, 'slug', 'is missing', 'give every row the handle of its product')
        return
      }
      if (run && run.handle !== handle) {
        yield* finish(run)
        run = null
      }
      run ??= startRun(handle, row.line)
      addRow(run, cell, row.cells, header)
      if (row.notes && run.notes.length < 3) run.notes.push(...row.notes)
    },
    *end() {
      if (run) yield* finish(run)
      if (drafts > 0) options.onNotice?.(`Drafts are not imported: ${drafts} skipped.`)
    },
  })
}

/** A Shopify export has a handle, a title and something only variants have, by either generation's names. */
export function isShopifyHeader(names: readonly string[]): boolean {
  const plain = new Set(names.map(plainName))
  const hasVariants = [...plain].some((name) => name.startsWith('variant') || name === 'option1name')
  return plain.has('title') && (plain.has('handle') || plain.has('urlhandle')) && hasVariants
}

function readHeader(names: readonly string[]): Header {
  const columns = findColumns(names, COLUMNS, { columns: ['handle', 'title'], system: 'Shopify' })
  const plain = names.map(plainName)
  const options = [1, 2, 3]
    .map((n) => ({ name: plain.indexOf(`option${n}name`), value: plain.indexOf(`option${n}value`) }))
    .filter(({ name, value }) => name !== -1 && value !== -1)
  const metafields = names.flatMap((name, column) => {
    const [label = '', path] = name.split('(product.metafields.')
    return path === undefined || label.trim() === '' ? [] : [{ name: label.trim(), column }]
  })
  return { columns, options, metafields }
}

function startRun(handle: string, line: number): Run {
  return {
    handle,
    line,
    texts: {},
    money: createMoneyReader(),
    low: Number.POSITIVE_INFINITY,
    high: Number.NEGATIVE_INFINITY,
    list: 0,
    unclearPrice: null,
    images: new Map(),
    optionNames: [],
    variants: new Map(),
    specs: {},
    weight: createWeight(),
    notes: [],
  }
}

function addRow(run: Run, cell: Cell<Column>, cells: readonly string[], header: Header): void {
  const { weight } = run
  // Past the limit the run is only followed to its end.
  if (weight.isOver()) return
  for (const column of PRODUCT_COLUMNS) {
    const text = cell(column)
    if (text === '' || run.texts[column] !== undefined) continue
    run.texts[column] = text
    weight.add(text)
  }
  for (const { name, column } of header.metafields) {
    const text = cells[column]?.trim() ?? ''
    if (text === '' || Object.hasOwn(run.specs, name)) continue
    setOwn(run.specs, name, listed(text))
    weight.add(name, text)
  }
  addVariant(run, cell, cells, header)

  const url = wholeUrl(cell('image'))
  if (url !== '' && !run.images.has(url)) {
    const position = Number(cell('imagePosition')) || Number.MAX_SAFE_INTEGER
    run.images.set(url, { alt: cell('imageAlt'), position })
    weight.add(url, cell('imageAlt'))
  }
}

function addVariant(run: Run, cell: Cell<Column>, cells: readonly string[], header: Header): void {
  const options: Record<string, unknown> = {}
  header.options.forEach((columns, index) => {
    run.optionNames[index] ||= cells[columns.name]?.trim() ?? ''
    const value = cells[columns.value]?.trim() ?? ''
    const name = run.optionNames[index] || `Option ${index + 1}`
    // A product without variants has the one option "Title" with the value "Default Title".
    if (value !== '' && value !== 'Default Title') setOwn(options, name, value)
  })
  const price = cell('price') === '' ? null : run.money.amount(cell('price'))
  const before = cell('compareAt') === '' ? 0 : run.money.amount(cell('compareAt'))
  const values = Object.values(options)
  const isVariant = price !== null || values.length > 0 || cell('sku') !== '' || cell('variantId') !== ''
  if (!isVariant) return
  if (typeof price === 'string') run.unclearPrice ??= price
  // Shops leave old and equal compare-at prices standing; only one above the price is a list price.
  const list = typeof price === 'number' && typeof before === 'number' && before > price ? before : undefined
  if (typeof price === 'number') {
    run.low = Math.min(run.low, price)
    run.high = Math.max(run.high, price)
    run.list = Math.max(run.list, list ?? 0)
  }
  const named = cell('variantId') || cell('sku')
  const byOptions = [run.handle, ...values].join(' / ')
  // One SKU for several variants tells none of them apart.
  const id = named === '' || run.variants.has(named) ? byOptions : named
  if (run.variants.has(id) || run.variants.size >= MOST_VARIANTS) return
  const variant = filled({
    sku: cell('sku'),
    gtin: barcodeOf(cell('barcode')),
    price: typeof price === 'number' ? price : undefined,
    list_price: list,
    image: wholeUrl(cell('variantImage')),
    availability: stockIn(cell),
  })
  run.variants.set(id, { ...variant, id, options })
  run.weight.add(id, cell('sku'), cell('barcode'), cell('variantImage'), ...values.map(String))
}

function wholeUrl(text: string): string {
  return text.replace(/^\/\//, 'https://')
}

/** What is not tracked is always for sale; a policy stands in every row of a variant. */
function stockIn(cell: Cell<Column>): string | undefined {
  const policy = cell('policy')
  if (policy !== '' && cell('tracker') === '') return 'in_stock'
  return stockOf({ quantity: cell('quantity'), takesOrders: /^(continue|true|yes)$/i.test(policy) })
}

/** A metafield of several values has semicolons between them. */
function listed(text: string): string {
  const values = text.split(/[;\n]/).map((value) => value.trim())
  return values.filter((value) => value !== '').join(', ')
}

/** Excel is kept from rounding barcodes by a leading apostrophe, which Shopify exports as well. */
function barcodeOf(text: string): string {
  return text.replace(/^'/, '')
}

function finishRun(run: Run, { storeUrl }: ReaderOptions, cameBefore: boolean): SourceRow[] {
  const { line, texts, handle } = run
  const notes = run.notes.length > 0 ? { notes: run.notes } : {}
  if (run.weight.isOver()) {
    return [
      problemRow(
        line,
        null,
        `starts "${excerpt(handle)}", a product of over 1 MB`,
        'shorten its description or its list of images',
      ),
    ]
  }
  const currency = run.money.currency() ?? undefined
  const variants = [...run.variants.values()]
  const ordered = [...run.images].toSorted(([, a], [, b]) => a.position - b.position)
  const price = run.unclearPrice ?? (run.low <= run.high ? { low: run.low, high: run.high } : undefined)
  const hasVariants =
    variants.length > 1 || variants.some((variant) => Object.keys(variant.options).length > 0)
  if (texts.title === undefined) return moreVariants(run, cameBefore ? variants : [], currency)
  // Its variants would take the place of those that came before.
  if (cameBefore && hasVariants) return moreVariants(run, variants, currency)
  const product = filled({
    id: handle,
    slug: handle.length <= 80 && SLUG.test(handle) ? handle : undefined,
    title: texts.title,
    description: texts.body,
    brand: texts.vendor,
    category: categoryOf(texts),
    sku: texts.sku,
    gtin: barcodeOf(texts.barcode ?? ''),
    mpn: texts.mpn,
    currency,
    price,
    list_price: run.list > 0 ? run.list : undefined,
    images: ordered.map(([url, { alt }]) => ({ url, ...(alt === '' ? {} : { alt }) })),
    specs: run.specs,
    variants: hasVariants ? variants : undefined,
    where_to_buy: pageIn(storeUrl, `products/${handle}`, run.low <= run.high ? run.low : undefined),
    discontinued: texts.status?.toLowerCase() === 'archived' ? true : undefined,
  })
  return [{ line, product, ...notes }]
}

/** The kind of thing comes before the taxonomy, which is often left at its default; tags are for want of better. */
function categoryOf({ type, category, collection, tags }: Run['texts']): string[] | undefined {
  const [tag = ''] = (tags ?? '').split(',')
  return (
    categoryPath(type ?? '', { between: /\n/ }) ??
    categoryPath(category ?? '', { between: /\n/ }) ??
    categoryPath(collection ?? '', { between: /\n/ }) ??
    categoryPath(tag, { between: /\n/ })
  )
}

/** Rows of a product that came before: each is one more variant of it. */
function moreVariants(run: Run, variants: readonly Variant[], currency: string | undefined): SourceRow[] {
  const { line, handle } = run
  if (variants.length === 0) {
    const problem = 'is missing from the rows of its handle'
    return [{ line, problem: { line, field: 'title', problem, fix: KEEP_TOGETHER, id: excerpt(handle) } }]
  }
  const missing = {
    field: 'title',
    problem: 'is missing; we read the row as a variant of its handle',
    fix: KEEP_TOGETHER,
  }
  const notes = run.texts.title === undefined ? { notes: [missing] } : {}
  return variants.map((variant) => ({
    line,
    product: filled({ ...asRow(variant), title: run.texts.title ?? handle, group: `id:${handle}`, currency }),
    ...notes,
  }))
}

function asRow({ image, ...variant }: Variant): Record<string, unknown> {
  return image === undefined ? variant : { ...variant, images: [{ url: image }] }
}

/** Handles that are remembered, so that rows further down are known to be theirs. */
const MOST_HANDLES = 100_000
const KEEP_TOGETHER = 'keep all rows of a product together, the one with the title first'
