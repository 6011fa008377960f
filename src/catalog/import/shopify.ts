/**
 * Shopify's product export: a product is a run of rows with one handle, the first with the product's texts,
 * the others with a variant, a picture or both. One run is held at a time, so a handle that turns up again
 * further down cannot be joined and is reported. Both generations of column names are understood.
 * The export does not name its currency.
 */
import { AppError } from '../../lib/errors.ts'
import type { ByteStream } from './bytes.ts'
import { readDelimited } from './delimited.ts'
import { createMoneyReader } from './money.ts'
import { MAX_RECORD_SIZE, problemRow, type ReaderOptions, type SourceRow, VALUE_COST } from './rows.ts'
import { excerpt, lastSegment, listNames, plainName, setOwn } from './values.ts'

const COLUMNS = {
  handle: ['handle', 'urlhandle'],
  title: ['title'],
  body: ['bodyhtml', 'description'],
  vendor: ['vendor'],
  type: ['type'],
  category: ['productcategory', 'googleshoppinggoogleproductcategory'],
  status: ['status'],
  sku: ['variantsku', 'sku'],
  barcode: ['variantbarcode', 'barcode'],
  mpn: ['googleshoppingmpn'],
  price: ['variantprice', 'price'],
  compareAt: ['variantcompareatprice', 'compareatprice'],
  image: ['imagesrc', 'productimageurl'],
  imagePosition: ['imageposition'],
  imageAlt: ['imagealttext'],
} as const satisfies Record<string, readonly string[]>

type Column = keyof typeof COLUMNS
type Cell = (column: Column) => string

/** What the first row that has it says for the whole product. */
const PRODUCT_COLUMNS = [
  'title',
  'body',
  'vendor',
  'type',
  'category',
  'status',
  'sku',
  'barcode',
  'mpn',
] as const satisfies readonly Column[]

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
  /** Option names belong to the first row; the values of all rows are gathered under them. */
  options: { name: string; values: Set<string> }[]
  size: number
}

type Header = { columns: ReadonlyMap<Column, number>; options: readonly { name: number; value: number }[] }

export async function* readShopify(
  input: ByteStream,
  options: ReaderOptions = {},
): AsyncGenerator<SourceRow> {
  let header: Header | null = null
  let run: Run | null = null
  let drafts = 0
  const finish = (finished: Run): SourceRow[] => {
    if (finished.texts.status?.toLowerCase() !== 'draft') return [finishRun(finished)]
    drafts += 1
    return []
  }
  for await (const row of readDelimited(input)) {
    if ('problem' in row) {
      yield row
      continue
    }
    if (!header) {
      header = readHeader(row.cells)
      continue
    }
    const { columns } = header
    const cell: Cell = (column) => row.cells[columns.get(column) ?? -1]?.trim() ?? ''
    const handle = cell('handle')
    if (handle === '') {
      yield problemRow(row.line, 'slug', 'is missing', 'give every row the handle of its product')
      continue
    }
    if (run && run.handle !== handle) {
      yield* finish(run)
      run = null
    }
    run ??= startRun(handle, row.line, header)
    addRow(run, cell, row.cells, header)
  }
  if (run) yield* finish(run)
  if (drafts > 0) options.onNotice?.(`Drafts are not imported: ${drafts} skipped.`)
}

/** A Shopify export has a handle, a title and something only variants have, by either generation's names. */
export function isShopifyHeader(names: readonly string[]): boolean {
  const plain = new Set(names.map(plainName))
  const hasVariants = [...plain].some((name) => name.startsWith('variant') || name === 'option1name')
  return plain.has('title') && (plain.has('handle') || plain.has('urlhandle')) && hasVariants
}

function readHeader(names: readonly string[]): Header {
  const plain = names.map(plainName)
  const columns = new Map<Column, number>()
  for (const [column, known] of Object.entries(COLUMNS)) {
    const index = known.map((name) => plain.indexOf(name)).find((found) => found !== -1)
    if (index !== undefined) columns.set(column as Column, index)
  }
  for (const needed of ['handle', 'title'] as const) {
    if (columns.has(needed)) continue
    throw new AppError(
      'invalid',
      `This is not a Shopify product export: it has no ${needed} column, only ${listNames(names)}.`,
      {
        field: 'header',
      },
    )
  }
  const options = [1, 2, 3]
    .map((n) => ({ name: plain.indexOf(`option${n}name`), value: plain.indexOf(`option${n}value`) }))
    .filter(({ name, value }) => name !== -1 && value !== -1)
  return { columns, options }
}

function startRun(handle: string, line: number, header: Header): Run {
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
    options: header.options.map(() => ({ name: '', values: new Set() })),
    size: 0,
  }
}

function addRow(run: Run, cell: Cell, cells: readonly string[], header: Header): void {
  // Past the limit the run is only followed to its end.
  if (run.size > MAX_RECORD_SIZE) return
  for (const column of PRODUCT_COLUMNS) {
    const text = cell(column)
    if (text === '' || run.texts[column] !== undefined) continue
    run.texts[column] = text
    run.size += text.length
  }

  const price = cell('price') === '' ? null : run.money.amount(cell('price'))
  if (typeof price === 'string') run.unclearPrice ??= price
  if (typeof price === 'number') {
    run.low = Math.min(run.low, price)
    run.high = Math.max(run.high, price)
    const before = cell('compareAt') === '' ? 0 : run.money.amount(cell('compareAt'))
    // Shops leave old and equal compare-at prices standing; only one above the price is a list price.
    if (typeof before === 'number' && before > price) run.list = Math.max(run.list, before)
  }

  const url = cell('image')
  if (url !== '' && !run.images.has(url)) {
    const position = Number(cell('imagePosition')) || Number.MAX_SAFE_INTEGER
    run.images.set(url, { alt: cell('imageAlt'), position })
    run.size += url.length + cell('imageAlt').length + VALUE_COST
  }

  header.options.forEach((columns, index) => {
    const option = run.options[index]
    const value = cells[columns.value]?.trim() ?? ''
    if (!option) return
    option.name ||= cells[columns.name]?.trim() ?? ''
    if (value === '' || option.values.has(value)) return
    option.values.add(value)
    run.size += value.length + VALUE_COST
  })
}

function finishRun(run: Run): SourceRow {
  const { line, texts } = run
  if (run.size > MAX_RECORD_SIZE) {
    return problemRow(
      line,
      null,
      `starts "${excerpt(run.handle)}", a product of over 1 MB`,
      'shorten its description or its list of images',
    )
  }
  if (texts.title === undefined) {
    return problemRow(
      line,
      'title',
      `is missing from the rows of "${excerpt(run.handle)}"`,
      'keep all rows of a product together, the one with the title first',
    )
  }
  const product: Record<string, unknown> = { id: run.handle, slug: run.handle, title: texts.title }
  const set = (field: string, value: unknown) => {
    if (value !== undefined && value !== '') product[field] = value
  }
  set('description', texts.body)
  set('brand', texts.vendor)
  set('category', lastSegment(texts.type ?? texts.category ?? ''))
  set('sku', texts.sku)
  // Excel is kept from rounding barcodes by a leading apostrophe, which Shopify exports as well.
  set('gtin', texts.barcode?.replace(/^'/, ''))
  set('mpn', texts.mpn)
  set('currency', run.money.currency() ?? undefined)
  if (run.unclearPrice !== null) product.price = run.unclearPrice
  else if (run.low <= run.high) product.price = { low: run.low, high: run.high }
  if (run.list > 0) product.list_price = run.list
  if (run.images.size > 0) {
    const ordered = [...run.images].toSorted(([, a], [, b]) => a.position - b.position)
    product.images = ordered.map(([url, { alt }]) => ({ url, ...(alt === '' ? {} : { alt }) }))
  }
  const specs: Record<string, unknown> = {}
  for (const { name, values } of run.options) {
    // A product without variants has the one option "Title" with the value "Default Title".
    if (name !== '' && values.size > 0 && !values.has('Default Title'))
      setOwn(specs, name, [...values].join(', '))
  }
  if (Object.keys(specs).length > 0) product.specs = specs
  if (texts.status?.toLowerCase() === 'archived') product.discontinued = true
  return { line, product }
}
