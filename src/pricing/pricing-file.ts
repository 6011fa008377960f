/**
 * A file of prices: one product a row, or one of its variants, a rule a column, under whatever names spreadsheets and shop
 * systems give them. An empty cell leaves a rule as it is, "none" clears it. Limits are not read: a file is passed around, and they are secret.
 */
import type { z } from 'zod'
import { MAX_VARIANT } from '../catalog/chosen-variant.ts'
import type { ByteStream } from '../catalog/import/bytes.ts'
import { parseNumber } from '../catalog/import/money.ts'
import { dollarsIn, isCleared, readSheet, type SheetRow } from '../catalog/import/sheet.ts'
import { excerpt, parseFlag, plainName } from '../catalog/import/values.ts'
import { invalidInput } from '../lib/validate.ts'
import { FLOORS, ProductRules, type ShownRules } from './pricing.schema.ts'

export const MAX_FILE_BYTES = 2 * 1024 * 1024
export const MAX_FILE_ROWS = 5_000

/** What a product is called: its slug, or a number that its maker or seller gave it. */
export type ProductName = { by: 'slug' | 'number'; name: string }
/** `variant`: however the row names one; its rules are then that variant's price and stock. */
export type FileRow = { line: number; product: ProductName; variant: string | null; rules: ShownRules }
export type FileProblem = { line: number; product: string | null; field: string | null; problem: string }
export type ReadFile = {
  rows: FileRow[]
  problems: FileProblem[]
  /** What each column was read as; null for one that was not. */
  columns: Array<{ name: string; field: string | null }>
}

/** Prices of variants are rows of their own. */
type Rule = Exclude<keyof ShownRules, 'variant_prices'>
type ColumnField = Rule | 'product_slug' | 'sku' | 'variant'

const NAMES: Record<ColumnField, string> = {
  product_slug: 'product_slug slug product product_id handle souk_slug',
  sku: 'sku gtin ean upc mpn article article_number item_number part_number',
  variant: 'variant variant_id variant_name variant_title variant_sku',
  price_usd: 'price_usd price base_price unit_price your_price selling_price net_price amount usd',
  stock: 'stock stock_level quantity qty inventory inventory_quantity on_hand units available_quantity',
  in_stock: 'in_stock availability available is_in_stock',
  max_discount_pct: 'max_discount_pct max_discount maximum_discount discount_limit',
  lead_time_days: 'lead_time_days lead_time delivery_days delivery_time shipping_days days_to_deliver',
  return_policy_days: 'return_policy_days returns return_days return_policy',
  delivery_regions: 'delivery_regions regions ships_to delivers_to delivery_region countries',
  shipping_cost_usd: 'shipping_cost_usd shipping_cost shipping shipping_usd shipping_price postage',
  free_shipping_above_usd: 'free_shipping_above_usd free_shipping_above free_shipping_from free_above',
  shipping_by_region: 'shipping_by_region regional_shipping',
}
const NAMING = new Set<string>(['product_slug', 'sku', 'variant'])
/** What a variant may have of its own. */
const OF_VARIANT = new Set<string>(['price_usd', 'stock'])
const SECRET = new Set(FLOORS.map(plainName))

export async function readPricingFile(input: ByteStream): Promise<ReadFile> {
  const sheet = await readSheet(input, { names: NAMES, maxRows: MAX_FILE_ROWS, check: headerProblem })
  const rows: FileRow[] = []
  const problems = sheet.problems.map(
    ({ name: product, ...problem }): FileProblem => ({ ...problem, product }),
  )
  for (const row of sheet.rows) readRow(row, { rows, problems })
  return { rows, problems, columns: sheet.columns }
}

function headerProblem(fields: ReadonlySet<string>, names: readonly string[]): string | null {
  if (names.some((name) => SECRET.has(plainName(name))))
    return 'limits are not taken from a file; remove their columns and set them one by one'
  if (!fields.has('product_slug') && !fields.has('sku'))
    return 'no column names the product; call one product_slug or sku'
  return [...fields].every((field) => NAMING.has(field))
    ? 'no column has a rule, such as price_usd, stock or shipping_cost_usd'
    : null
}

/** What is wrong with the rules of a variant's row; null if nothing is. */
export function variantRowProblem(rules: ShownRules): { field: string; problem: string } | null {
  const said = Object.entries(rules).flatMap(([name, value]) => (value === undefined ? [] : [name]))
  const other = said.find((name) => !OF_VARIANT.has(name))
  if (other !== undefined)
    return {
      field: other,
      problem: 'is set for the whole product; a row of a variant has price_usd and stock',
    }
  return said.length === 0 ? { field: 'price_usd', problem: 'is missing' } : null
}

function readRow({ line, cells }: SheetRow, { rows, problems }: Pick<ReadFile, 'rows' | 'problems'>): void {
  const said: Record<string, unknown> = {}
  const [slug, number, variant] = [...NAMING].map((field) => cells.get(field) ?? '') as [
    string,
    string,
    string,
  ]
  for (const [field, text] of cells)
    if (!NAMING.has(field) && text !== '')
      said[field] = isCleared(text) ? null : readCell(field as Rule, text)
  const product: ProductName = slug === '' ? { by: 'number', name: number } : { by: 'slug', name: slug }
  const refuse = (field: string | null, problem: string) =>
    problems.push({ line, product: excerpt(product.name) || null, field, problem })
  if (product.name === '') {
    refuse('product_slug', 'names no product')
    return
  }
  if (variant.length > MAX_VARIANT) {
    refuse('variant', `must be at most ${MAX_VARIANT} characters`)
    return
  }
  const parsed = ProductRules.safeParse(said, { reportInput: true })
  if (parsed.success) rows.push({ line, product, variant: variant || null, rules: parsed.data })
  else refuseAll(parsed.error, refuse)
}

function refuseAll(error: z.ZodError, refuse: (field: string | null, problem: string) => void): void {
  const { field = '', message } = invalidInput(error)
  const isAmount = error.issues[0]?.code === 'invalid_type' && field.endsWith('_usd')
  const problem = message.startsWith(`${field}: `) ? message.slice(field.length + 2) : message
  refuse(field.split('.')[0] || null, isAmount ? 'must be US dollars, such as 49.99' : problem)
}

const LONGEST_CELL = 10_000
const UNIT = /^(?:(?:business|working)?days?|pcs|pieces|units?)?$/i

/** What cannot be read stays text, which the schema refuses. */
function readCell(field: Rule, text: string): unknown {
  if (text.length > LONGEST_CELL) return text
  if (field === 'in_stock') return readFlag(text)
  // No region is every region.
  if (field === 'delivery_regions') return /^everywhere$/i.test(text) ? [] : listed(text, /[|;,\n]/)
  if (field === 'shipping_by_region') return listed(text, /[|;\n]/).map(readEntry)
  if (field.endsWith('_usd')) return dollarsIn(text)
  const [number = '', ...unit] = text.replace(/%$/, '').split(' ')
  return (UNIT.test(unit.join('')) ? parseNumber(number) : null) ?? text
}

function listed(text: string, between: RegExp): string[] {
  return text
    .split(between)
    .map((one) => one.trim())
    .filter((one) => one !== '')
}

function readFlag(text: string): boolean | string {
  const word = plainName(text)
  if (['instock', 'available', 'onstock'].includes(word)) return true
  if (['outofstock', 'soldout', 'unavailable'].includes(word)) return false
  return parseFlag(text) ?? text
}

/** "CA-US 5", "US: $7.50 / 4": region, cost and, if there is one, days. */
function readEntry(text: string): unknown {
  const [said = '', days] = text.split('/')
  const words = said.trim().split(/[:=\s]+/)
  const cost = words.pop() ?? ''
  return {
    region: words.join(' '),
    cost_usd: dollarsIn(cost),
    ...(days !== undefined && { lead_time_days: parseNumber(days) ?? days }),
  }
}
