/**
 * Anybody's spreadsheet, saved as CSV: one product or one variant a row, columns found by their names and by what they
 * hold (see csv-columns), for which the first rows are held until the columns are settled. Cells become what the import
 * contract wants where they clearly are that; the check behind judges the rest.
 */
import { SLUG } from '../../lib/text.ts'
import { counted } from '../../lib/words.ts'
import { availabilityOf } from './availability.ts'
import type { ByteStream } from './bytes.ts'
import { type ColumnField, type ColumnPlan, planColumns, SAMPLE_ROWS, SAMPLE_SIZE } from './csv-columns.ts'
import { type DelimitedRow, readDelimited } from './delimited.ts'
import { parseBounded } from './json.ts'
import { createMoneyReader, currencyNamed, parseNumber } from './money.ts'
import type { ReaderOptions, SourceRow } from './rows.ts'
import {
  categoryPath,
  hostOf,
  imagesOf,
  listNames,
  parseFlag,
  parseLoose,
  setOwn,
  splitList,
  splitUrls,
  withoutGuard,
} from './values.ts'

type CellRow = Extract<DelimitedRow, { cells: string[] }>

const TEXT_FIELDS = [
  'title',
  'brand',
  'brand_domain',
  'model',
  'description',
  'verdict',
  'gtin',
  'mpn',
  'sku',
  'released',
] as const satisfies readonly ColumnField[]

export async function* readCsv(input: ByteStream, options: ReaderOptions = {}): AsyncGenerator<SourceRow> {
  const rows = readDelimited(input, options)
  try {
    const { header, held } = await takeSample(rows)
    if (header && 'problem' in header) yield header
    if (!header || 'problem' in header) return
    const plan = planColumns(header.cells, options.mapping ?? {}, cellsOf(held))
    notifyOwner(plan, options.onNotice)
    yield* readProducts(allOf(held, rows), plan, options.onNotice)
  } finally {
    // Rows that were held are given outside of any loop over the source.
    await rows.return(undefined)
  }
}

async function* allOf(held: readonly DelimitedRow[], rows: AsyncIterable<DelimitedRow>) {
  yield* held
  for await (const row of rows) yield withoutGuards(row)
}

type Above = { cells: string[]; row: SourceRow; isHidden: boolean }

/**
 * One product or variant a row. A row without a title that has an option, or names the product above as its parent, is
 * one more variant of it; the row above waits for the next one, which tells whether it is a variant itself.
 */
async function* readProducts(
  rows: AsyncIterable<DelimitedRow>,
  plan: ColumnPlan,
  onNotice: ReaderOptions['onNotice'],
): AsyncGenerator<SourceRow> {
  let above = null as Above | null
  let waiting = null as SourceRow | null
  let hidden = 0
  let more = 0
  function* released() {
    if (waiting) yield waiting
    waiting = null
  }
  for await (const row of rows) {
    if ('problem' in row) {
      yield* released()
      yield row
      continue
    }
    const standing = above ? standingTo(above.cells, row.cells, plan) : 'other'
    if (standing === 'more') {
      more++
      continue
    }
    const parent: Above | null = standing === 'variant' ? above : null
    const isHidden: boolean = parent?.isHidden || isHiddenRow(row.cells, plan)
    if (isHidden) hidden++
    if (!parent) {
      yield* released()
      above = { cells: row.cells, row: readRow(row, plan), isHidden }
      waiting = isHidden ? null : above.row
    } else if (!isHidden) {
      const cells = inherited(parent.cells, row.cells, plan)
      const variant = readRow({ ...row, cells }, plan)
      if ('product' in parent.row && 'product' in variant)
        joinAbove(
          { product: parent.row.product, options: waiting ? optionsAt(parent.cells, plan) : {} },
          { product: variant.product, options: optionsAt(cells, plan) },
        )
      yield* released()
      yield variant
    }
  }
  yield* released()
  if (hidden > 0)
    onNotice?.(`Drafts and hidden products are not imported: ${counted(hidden, 'row')} skipped.`)
  if (more > 0)
    onNotice?.(
      `Rows without a title or price that only add to the product above: ${counted(more, 'row')} not read.`,
    )
}

function isHiddenRow(cells: readonly string[], { hidden }: ColumnPlan): boolean {
  return hidden?.words.test(cells[hidden.column]?.trim() ?? '') ?? false
}

const KEYS = ['id', 'sku', 'slug'] as const satisfies readonly ColumnField[]
const PRICES = ['price', 'sale_price', 'full_price', 'price_low', 'list_price'] as const

/** What a row is to the product above: a variant of it, more that is said of it, or another product. */
function standingTo(
  above: readonly string[],
  cells: readonly string[],
  plan: ColumnPlan,
): 'variant' | 'more' | 'other' {
  const at = (of: readonly string[], column: number) => of[column]?.trim() ?? ''
  const has = (of: readonly string[], column: number) => at(of, column) !== ''
  const columnsOf = (fields: readonly ColumnField[]) =>
    fields.flatMap((field) => plan.fields.get(field) ?? [])
  const titles = columnsOf(['title'])
  if (titles.some((column) => has(cells, column)) || !titles.some((column) => has(above, column)))
    return 'other'
  if (columnsOf(['slug']).some((column) => has(cells, column) && at(cells, column) !== at(above, column)))
    return 'other'
  const isPaired = plan.pairs.some(
    ({ name, value }) => has(cells, value) && (has(cells, name) || has(above, name)),
  )
  const isOptioned = plan.options.some(({ column }) => has(cells, column))
  const keys = columnsOf(KEYS)
  const parent = plan.group ? at(cells, plan.group.column) : ''
  const isChild = parent !== '' && keys.some((column) => at(above, column) === parent)
  const isSame = keys.some((column) => has(cells, column) && at(cells, column) === at(above, column))
  const isPriced = columnsOf(PRICES).some((column) => has(cells, column))
  // Beside columns for the options of variations, rows of pairs only list what there is.
  if (isPaired && (isPriced || plan.options.length === 0)) return 'variant'
  if ((isChild || isSame) && (isOptioned || isPriced || !isSame)) return 'variant'
  // What a product has is said anew of another one, whose title is missing.
  const isEmpty = [...plan.fields.values()].flat().every((column) => !has(cells, column))
  return isSame || isEmpty ? 'more' : 'other'
}

/** Numbers, stock and pictures are a row's own; what is said of the product is said of its variants. */
const OF_THE_ROW: ReadonlySet<ColumnField> = new Set<ColumnField>([
  ...([
    'id',
    'sku',
    'gtin',
    'mpn',
    'availability',
    'images',
    'sale_price',
    'full_price',
    'list_price',
  ] as const),
])

function inherited(above: readonly string[], cells: readonly string[], plan: ColumnPlan): string[] {
  const own = new Set([...plan.fields].flatMap(([field, columns]) => (OF_THE_ROW.has(field) ? columns : [])))
  for (const { value } of plan.pairs) own.add(value)
  if (plan.id !== null) own.add(plan.id)
  return above.map((text, column) =>
    cells[column]?.trim() || own.has(column) ? (cells[column] ?? '') : text,
  )
}

/** The row above is a variant too where it has one of the options, and not a list of them all. */
function joinAbove(above: Variant, variant: Variant): void {
  const { id, slug = id, title } = above.product
  if (id !== undefined && variant.product.id === id)
    variant.product.id = [id, ...Object.values(variant.options)].join(' / ')
  const lists = Object.entries(above.options).some(([name, text]) => isListOf(text, variant.options[name]))
  if (above.product.group === undefined && !lists && Object.keys(above.options).length > 0)
    asVariant(above, String(slug ?? title))
  asVariant(variant, String(above.product.group ?? `id:${String(id ?? slug ?? title)}`))
}

type Variant = { product: Record<string, unknown>; options: Readonly<Record<string, string>> }

function asVariant({ product, options }: Variant, group: string): void {
  const { specs } = product
  if (typeof specs === 'object' && specs !== null)
    product.specs = Object.fromEntries(
      Object.entries(specs).filter(([name]) => !Object.hasOwn(options, name)),
    )
  Object.assign(product, { group, options })
}

/** Whether a text lists the value among others: "#fff:White;#000:Black", "S, M, L". */
function isListOf(text: unknown, value: unknown): boolean {
  const parts = String(text).split(/[;,|]/)
  return parts.length > 1 && parts.some((part) => part.replace(/^\s*#[\da-f]{3,8}:/i, '').trim() === value)
}

export function cellsOf(rows: readonly DelimitedRow[]): string[][] {
  return rows.flatMap((row) => ('cells' in row ? [row.cells] : []))
}

/** The header and the first rows of a sheet, as its cells mean them. The rows behind them are still to be taken. */
export async function takeSample(
  rows: AsyncGenerator<DelimitedRow>,
): Promise<{ header: DelimitedRow | null; held: DelimitedRow[] }> {
  const { value, done } = await rows.next()
  const held: DelimitedRow[] = []
  let size = 0
  while (!done && 'cells' in value && held.length < SAMPLE_ROWS && size < SAMPLE_SIZE) {
    const next = await rows.next()
    if (next.done) break
    held.push(withoutGuards(next.value))
    if ('cells' in next.value) size += next.value.cells.join('').length
  }
  return { header: done ? null : withoutGuards(value), held }
}

function withoutGuards<Row extends DelimitedRow>(row: Row): Row {
  return 'cells' in row ? { ...row, cells: row.cells.map(withoutGuard) } : row
}

function notifyOwner({ found, unused, fields }: ColumnPlan, onNotice: ReaderOptions['onNotice']): void {
  if (found.length > 0) {
    const [first = '', ...others] = found
    const words = [first.charAt(0).toUpperCase() + first.slice(1), ...others]
    onNotice?.(`${words.join('; ')}. Map other columns if this is wrong.`)
  }
  if (unused.length > 0) {
    onNotice?.(
      `Columns not used: ${listNames(unused)}. Name a column "spec:Weight" to keep it as the spec "Weight", or map it.`,
    )
  }
  if (!fields.has('title')) onNotice?.('No column has the title, which every product needs. Map one to it.')
}

/** What programs and forms write where there is nothing. Of a spec, "None" says something, and "Nan" is also a bread. */
const SAYS_NOTHING = /^(?:none|null|nan|undefined|#?n\/a|not applicable|does not apply)$/i

export function readRow({ line, cells, notes }: CellRow, plan: ColumnPlan): SourceRow {
  const cell = (column: number): string => cells[column]?.trim() ?? ''
  const texts = (field: ColumnField): string[] =>
    (plan.fields.get(field) ?? [])
      .map(cell)
      .filter((text) => text !== '' && (field === 'title' || !SAYS_NOTHING.test(text)))
  const text = (field: ColumnField): string | undefined => texts(field)[0]

  /** With the usual marks between its parts; a number behind a pair is its place. */
  const listed = (field: 'category' | 'specs') =>
    plan.commas.has(field)
      ? text(field)
          ?.replaceAll(',', field === 'category' ? ' > ' : ' | ')
          .replace(/:\d+(?=\s*(?:\||$))/g, '')
      : text(field)

  const product: Record<string, unknown> = {}
  const set = (field: string, value: unknown) => {
    if (value !== undefined && value !== '') product[field] = value
  }
  set('id', plan.id === null ? undefined : cell(plan.id))
  const slug = text('slug')
  // A handle is the shop's own, and is a slug here only where it can be one.
  if (slug !== undefined && (plan.hasSlug || (slug.length <= 80 && SLUG.test(slug)))) product.slug = slug
  for (const field of TEXT_FIELDS) set(field, text(field))
  const levels = plan.levels.map(cell).filter((name) => name !== '')
  set('category', levels.length > 0 ? levels : categoryPath(listed('category') ?? '', plan))

  Object.assign(product, readPrices(text, plan))

  for (const field of ['rating', 'review_count'] as const) {
    const number = text(field)
    // "No rating available" and "n/a" say nothing.
    if (number === undefined || !/\d/.test(number)) continue
    set(field, field === 'rating' ? ratingIn(number, plan.mark) : countIn(number))
  }
  const discontinued = text('discontinued')
  set('discontinued', discontinued && (parseFlag(discontinued) ?? discontinued))

  const images = texts('images').flatMap(splitUrls)
  if (images.length > 0) product.images = imagesOf(images)
  const sellers = texts('where_to_buy').flatMap(splitUrls)
  if (sellers.length > 0) product.where_to_buy = sellers.map(readSeller)
  for (const field of ['best_for', 'not_for'] as const) {
    const list = texts(field).flatMap(splitList)
    if (list.length > 0) product[field] = list
  }
  const themes = text('themes')
  set('themes', themes && (parseJson(themes) ?? themes))

  const paired = pairsAt(cells, plan)
  const options = joinGroup(product, paired, cell, plan)
  if (options) set('availability', availabilityOf(text('availability') ?? ''))
  set('specs', readSpecs(listed('specs'), cell, { ...plan, paired: options ? {} : paired }, options))
  return { line, product, ...(notes && { notes }) }
}

/** "4.5 out of 5", "4,2 / 5". What is out of ten is not taken for five. */
function ratingIn(text: string, mark: ColumnPlan['mark']): number | string {
  const [, of5 = text] =
    /^(\d(?:[.,]\d{1,3})?)\s*(?:\/|out of|of|von|de|su|sur|av|z|van)\s*5(?:[.,]0)?\b/i.exec(text) ?? []
  return parseNumber(of5, mark) ?? parseNumber(of5.replace(',', '.')) ?? text
}

/** "(87)", "1,204 reviews", "1.2k". What says more is given back, for the check to refuse. */
function countIn(text: string): number | string {
  const [, digits, unit] =
    /^\(?([\d.,]{1,20})\s?(k|m)?\+?(?:\s(?!mi|tho|tau|t[yi]s|lakh)\p{L}{3,20})?\)?$/iu.exec(text) ?? []
  if (digits === undefined) return parseNumber(text) ?? text
  const plain = unit ? Number(digits.replace(',', '.')) : parseNumber(digits)
  if (plain === null || Number.isNaN(plain)) return text
  return unit ? Math.round(plain * (/k/i.test(unit) ? 1_000 : 1_000_000)) : plain
}

/** Answers the options that tell the row apart in its group; null for a row of its own. */
function joinGroup(
  product: Record<string, unknown>,
  paired: Readonly<Record<string, string>>,
  cell: (column: number) => string,
  { id, group, options: columns }: ColumnPlan,
): Record<string, unknown> | null {
  const shared = group ? cell(group.column) : ''
  const isOwnId = group?.column === id
  if (!group || shared === '' || (shared === product.id && !isOwnId)) return null
  const options: Record<string, unknown> = { ...paired }
  for (const { name, column } of columns) if (cell(column) !== '') setOwn(options, name, cell(column))
  if (group.key === '' && Object.keys(options).length === 0) return null
  if (isOwnId) product.id = [shared, ...Object.values(options)].join(' / ')
  product.group = `${group.key}${shared}`
  product.options = options
  return options
}

/** What tells a row apart, wherever its columns say it. */
function optionsAt(cells: readonly string[], plan: ColumnPlan): Record<string, string> {
  const found = pairsAt(cells, plan)
  for (const { name, column } of plan.options) {
    const text = cells[column]?.trim() ?? ''
    if (text !== '') setOwn(found, name, text)
  }
  return found
}

/** What columns of names and values say, by name. "Size|RAM" beside "13 inch|8 GB" are two. */
function pairsAt(cells: readonly string[], { pairs, optionLists }: ColumnPlan): Record<string, string> {
  const found: Record<string, string> = {}
  for (const column of optionLists)
    for (const entry of (cells[column] ?? '').split(/[|;\n]|,(?=[^,:]{1,60}:)/)) {
      const [, name, text] = /^\s*([^:]{1,60}):\s*(\S.*?)\s*$/s.exec(entry) ?? []
      if (name !== undefined && text !== undefined) setOwn(found, name.trim(), text)
    }
  for (const { name, value } of pairs) {
    const [names = '', values = ''] = [cells[name]?.trim(), cells[value]?.trim()]
    const [each, all] = [splitList(names), splitList(values)]
    const parts = each.length === all.length ? each.map((one, at) => [one, all[at]]) : [[names, values]]
    for (const [one = '', text = ''] of parts) if (one !== '' && text !== '') setOwn(found, one, text)
  }
  return found
}

function readPrices(text: (field: ColumnField) => string | undefined, plan: ColumnPlan) {
  const money = createMoneyReader(plan.mark)
  const amount = (field: ColumnField) => {
    const cell = text(field)
    return cell === undefined ? undefined : money.amount(cell)
  }
  const prices: Record<string, unknown> = {}
  const low = amount('price_low')
  const top = amount('price_high')
  const whole = low === undefined && top === undefined ? text('full_price') : undefined
  const usual = text('price') ?? whole ?? (plan.sellsAtList ? text('list_price') : undefined)
  const sale = text('sale_price')
  const current = sale ?? usual
  if (current !== undefined) prices.price = money.range(current)
  else if (low !== undefined || top !== undefined) prices.price = { low: low ?? top, high: top ?? low }

  const before = text('full_price') ?? (sale === undefined ? undefined : usual)
  const usualRange = before === undefined ? undefined : money.range(before)
  const list = amount('list_price') ?? (typeof usualRange === 'object' ? usualRange.high : usualRange)
  // A price standing alone is no list price of itself, and a usual price below the price is an old one.
  const { price } = prices as { price?: { high?: unknown } | string }
  const high = typeof price === 'object' && typeof price.high === 'number' ? price.high : 0
  const isAbove = before !== current && !(typeof list === 'number' && list <= high)
  if (list !== undefined && !plan.sellsAtList && (text('list_price') !== undefined || isAbove))
    prices.list_price = list
  const stated = text('currency')
  const currency = money.currency() ?? (stated && (currencyNamed(stated) ?? stated)) ?? plan.currency
  return currency === null ? prices : { ...prices, currency }
}

/** "Shop name https://…" or the address alone, when its host is the name. */
function readSeller(entry: string): { name: string; url: string } {
  const start = Math.max(entry.search(/https?:\/\//i), 0)
  const url = entry.slice(start)
  const name = entry.slice(0, start).trim().replace(/[:=]$/, '').trim()
  return { name: name || hostOf(url) || url, url }
}

/** A `specs` cell is a JSON object or "Weight: 2 kg | Color: red"; columns of their own add to it. */
function readSpecs(
  cell: string | undefined,
  cellAt: (column: number) => string,
  plan: Pick<ColumnPlan, 'specs'> & { paired: Readonly<Record<string, string>> },
  options: Record<string, unknown> | null,
): unknown {
  const specs: Record<string, unknown> = {}
  const put = (name: string, value: unknown) => {
    if (!Object.hasOwn(specs, name) && !(options && Object.hasOwn(options, name))) setOwn(specs, name, value)
  }
  if (cell !== undefined) {
    const object = parseJson(cell)
    if (object === cell) return cell
    const pairs = splitList(cell).map((entry) => /^([^:]+):\s*(.+)$/s.exec(entry))
    const listed = pairsIn(object)
    if (listed) for (const [name, value] of listed) put(name, value)
    else if (pairs.every((pair) => pair !== null)) {
      for (const pair of pairs) put((pair[1] ?? '').trim(), pair[2])
    } else return cell
  }
  for (const [name, value] of Object.entries(plan.paired)) put(name, value)
  for (const { name, column } of plan.specs) {
    const value = cellAt(column)
    if (value !== '') put(name, value)
  }
  return Object.keys(specs).length > 0 ? specs : undefined
}

/** {"Weight": "2 kg"}, [{"key": "Weight", "value": "2 kg"}], or an object with one such list or pair in it. */
function pairsIn(object: unknown): [string, unknown][] | null {
  if (typeof object !== 'object' || object === null) return null
  const entries = Object.entries(object)
  if (!Array.isArray(object)) {
    const inside = entries.length === 1 ? entries[0]?.[1] : null
    if (typeof inside !== 'object' || inside === null) return entries
    const pairs = pairsIn(Array.isArray(inside) ? inside : [inside])
    return pairs?.length || Array.isArray(inside) ? pairs : pairsIn(inside)
  }
  return object.flatMap((entry: unknown): [string, unknown][] => {
    if (typeof entry !== 'object' || entry === null) return []
    const { key, name = key, value } = entry as Record<string, unknown>
    return typeof name === 'string' && value != null ? [[name, value]] : []
  })
}

/** Undefined for what is not JSON. What passes a limit stays the text that it is, which the contract's check refuses. */
function parseJson(text: string): unknown {
  if (!/^[[{]/.test(text)) return undefined
  try {
    const parsed = parseBounded(text)
    return 'value' in parsed ? parsed.value : text
  } catch {
    return parseLoose(text)
  }
}
