/**
 * Anybody's spreadsheet, saved as CSV: one product a row, columns found by their names (see csv-columns).
 * Cells become what the import contract wants where they clearly are that; the schema judges the rest.
 */
import type { ByteStream } from './bytes.ts'
import { type ColumnField, type ColumnPlan, planColumns } from './csv-columns.ts'
import { readDelimited } from './delimited.ts'
import { withoutGuard } from './guarded-cells.ts'
import { parseBounded } from './json.ts'
import { createMoneyReader, parseNumber } from './money.ts'
import type { ReaderOptions, SourceRow } from './rows.ts'
import {
  hostOf,
  imagesOf,
  lastSegment,
  listNames,
  parseFlag,
  setOwn,
  splitList,
  splitUrls,
} from './values.ts'

const TEXT_FIELDS = [
  'slug',
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
  let plan: ColumnPlan | null = null
  for await (const row of readDelimited(input)) {
    if ('problem' in row) {
      yield row
    } else if (plan) {
      yield readRow(row.line, row.cells.map(withoutGuard), plan)
    } else {
      plan = planColumns(row.cells.map(withoutGuard), options.mapping ?? {})
      notifyOwner(plan, options.onNotice)
    }
  }
}

function notifyOwner(plan: ColumnPlan, onNotice: ReaderOptions['onNotice']): void {
  if (plan.unused.length > 0) {
    onNotice?.(
      `Columns not used: ${listNames(plan.unused)}. Name a column "spec:Weight" to keep it as the spec "Weight", or map it.`,
    )
  }
  for (const field of ['title', 'category'] as const) {
    if (!plan.fields.has(field))
      onNotice?.(`No column holds the ${field}, which every product needs. Map one to it.`)
  }
}

export function readRow(line: number, cells: readonly string[], plan: ColumnPlan): SourceRow {
  const texts = (field: ColumnField): string[] =>
    (plan.fields.get(field) ?? []).map((column) => cells[column]?.trim() ?? '').filter((text) => text !== '')
  const text = (field: ColumnField): string | undefined => texts(field)[0]

  const product: Record<string, unknown> = {}
  const set = (field: string, value: unknown) => {
    if (value !== undefined) product[field] = value
  }
  for (const field of TEXT_FIELDS) set(field, text(field))
  const category = text('category')
  set('category', category && lastSegment(category))

  Object.assign(product, readPrices(text))

  for (const field of ['rating', 'review_count'] as const) {
    const number = text(field)
    set(field, number && (parseNumber(number) ?? number))
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
  set('specs', readSpecs(text('specs'), cells, plan))
  return { line, product }
}

function readPrices(text: (field: ColumnField) => string | undefined) {
  const money = createMoneyReader()
  const amount = (field: ColumnField) => {
    const cell = text(field)
    return cell === undefined ? undefined : money.amount(cell)
  }
  const prices: Record<string, unknown> = {}
  const low = amount('price_low')
  const high = amount('price_high')
  const usual = text('price') ?? (low === undefined && high === undefined ? text('full_price') : undefined)
  const sale = text('sale_price')
  const current = sale ?? usual
  if (current !== undefined) prices.price = money.range(current)
  else if (low !== undefined || high !== undefined) prices.price = { low: low ?? high, high: high ?? low }

  const before = text('full_price') ?? (sale === undefined ? undefined : usual)
  const usualRange = before === undefined ? undefined : money.range(before)
  const list = amount('list_price') ?? (typeof usualRange === 'object' ? usualRange.high : usualRange)
  // A price standing alone is no list price of itself.
  if (list !== undefined && (text('list_price') !== undefined || before !== current)) prices.list_price = list
  const currency = money.currency()
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
function readSpecs(cell: string | undefined, cells: readonly string[], plan: ColumnPlan): unknown {
  const specs: Record<string, unknown> = {}
  if (cell !== undefined) {
    const object = parseJson(cell)
    if (object === cell) return cell
    const pairs = splitList(cell).map((entry) => /^([^:]+):\s*(.+)$/s.exec(entry))
    if (typeof object === 'object' && object !== null && !Array.isArray(object)) {
      for (const [name, value] of Object.entries(object)) setOwn(specs, name, value)
    } else if (pairs.every((pair) => pair !== null)) {
      for (const pair of pairs) setOwn(specs, (pair[1] ?? '').trim(), pair[2])
    } else {
      return cell
    }
  }
  for (const { name, column } of plan.specs) {
    const value = cells[column]?.trim() ?? ''
    if (value !== '') setOwn(specs, name, value)
  }
  return Object.keys(specs).length > 0 ? specs : undefined
}

/** Undefined for what is not JSON. What passes a limit stays the text that it is, which the contract's check refuses. */
function parseJson(text: string): unknown {
  if (!/^[[{]/.test(text)) return undefined
  try {
    const parsed = parseBounded(text)
    return 'value' in parsed ? parsed.value : text
  } catch {
    return undefined
  }
}
