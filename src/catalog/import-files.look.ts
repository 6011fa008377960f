/**
 * Looks into a file for the catalog without importing it: what kind it is, how its first products come in, which
 * categories and currencies it names. Pure, and run in a thread of its own (see file-readings). Of a very large file only
 * the start is read; the check reads all of it.
 */
import { AppError } from '../lib/errors.ts'
import type { CatalogAsk, CatalogBatch, CatalogRow } from './file-readings.ts'
import { encodingOf } from './import/bytes.ts'
import type { Rates } from './import/currency.ts'
import { lookAtMoney } from './import/look-at-money.ts'
import { detectFormat, isPacked } from './import/read-rows.ts'
import type { ImportFormat, ReadingRules } from './import/rows.ts'
import { type Content, sheetOf, startOf, startOfSheet } from './import-drafts.reading.ts'
import { asWritten } from './import-drafts.schema.ts'
import { type CatalogLook, LOOK_BOUNDS, type LookedProduct } from './import-files.schema.ts'

export type CatalogLookAsk = {
  fileName: string
  /** Null: found out from what the file starts with, and from its name. */
  format: ImportFormat | null
  mapping: Record<string, string>
  reading: ReadingRules
  /** What somebody chose for amounts that name no currency, and what is taken when nobody did. */
  currency: string | null
  ownCurrency: string
  rates: Rates
  defaultCategory: string | undefined
}

type ReadCatalog = (content: Content, ask: CatalogAsk) => AsyncGenerator<CatalogBatch>

const words = (text: string) => asWritten(text, LOOK_BOUNDS.text)

export async function lookAtCatalog(
  content: Content,
  ask: CatalogLookAsk,
  read: ReadCatalog,
): Promise<CatalogLook> {
  const start = await startOf(content)
  const format = ask.format ?? detectFormat(ask.fileName, start)
  const look: CatalogLook = {
    format,
    encoding: ask.reading.encoding ?? (isPacked(start) ? null : encodingOf(start)),
    rows: 0,
    isWhole: true,
    refused: 0,
    products: [],
    categories: [],
    otherCategories: 0,
    currencies: {},
    saidCurrencies: [],
    someSayNone: false,
    currency: ask.currency ?? ask.ownCurrency,
    notices: [],
    problem: null,
    sheet: null,
  }
  if (format === null) return { ...look, problem: 'the format of this file could not be detected; choose it' }
  try {
    const { mapping, reading, defaultCategory } = ask
    const said = await lookAtMoney(content, { format, mapping, reading })
    look.saidCurrencies = said.currencies.slice(0, 20).map(words)
    look.someSayNone = said.hasAmounts && said.someSayNone
    if (ask.currency === null && said.isContract) look.currency = 'USD'
    const money = { currency: look.currency, rates: ask.rates }
    await readStart(read(content, { format, mapping, defaultCategory, money, reading, after: 0 }), look)
    if (look.rows === 0) look.problem = 'no products could be read in this format'
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    look.problem = words(error.message)
  }
  if (format === 'csv')
    look.sheet = { ...(await sheetOf({ content, mapping: ask.mapping })), ...(await startOfSheet(content)) }
  return look
}

async function readStart(batches: AsyncGenerator<CatalogBatch>, look: CatalogLook): Promise<void> {
  const categories = new Map<string, { path: string[]; rows: number; titles: string[] }>()
  for await (const { rows, notices, readTo } of batches) {
    for (const notice of notices)
      if (look.notices.length < LOOK_BOUNDS.notices) look.notices.push(words(notice))
    look.rows = readTo
    for (const row of rows) {
      if (look.products.length < LOOK_BOUNDS.products) look.products.push(shownOf(row))
      if ('problem' in row) {
        look.refused++
        continue
      }
      if (row.currency) look.currencies[row.currency] = (look.currencies[row.currency] ?? 0) + 1
      const path = [...row.input.categoryPath, row.input.category]
      const key = JSON.stringify(path)
      const known = categories.get(key)
      if (known) known.rows++
      else if (categories.size >= LOOK_BOUNDS.categories) look.otherCategories++
      const category = known ?? { path, rows: 1, titles: [] }
      if (!known && categories.size < LOOK_BOUNDS.categories) categories.set(key, category)
      if (category.titles.length < LOOK_BOUNDS.titles) category.titles.push(words(row.input.facts.title))
    }
    if (readTo >= LOOK_BOUNDS.rows) {
      look.isWhole = false
      break
    }
  }
  look.categories = [...categories.values()].map(({ titles, ...category }, at) =>
    at < LOOK_BOUNDS.titled ? { ...category, titles } : category,
  )
}

function shownOf(row: CatalogRow): LookedProduct {
  const place = { row: row.row, line: row.line }
  if ('problem' in row) return { ...place, ...wordsOf(row.problem) }
  const { brand, category, categoryPath, facts, original } = row.input
  return {
    ...place,
    title: words(facts.title),
    brand: brand ? words(brand) : null,
    path: [...categoryPath, category].map(words),
    image: facts.images?.find(({ url }) => url.startsWith('https:'))?.url ?? null,
    variants: facts.variants?.length ?? 0,
    original: original && { currency: original.currency, low: original.low, high: original.high },
    lowCents: facts.priceLowCents ?? null,
    highCents: facts.priceHighCents ?? null,
    notes: row.notes.slice(0, LOOK_BOUNDS.notes).map(wordsOf),
  }
}

function wordsOf({ field, problem, fix }: { field: string | null; problem: string; fix: string }) {
  return { field: field && words(field), problem: words(problem), fix: words(fix) }
}
