/**
 * What the exports of shop systems have in common: columns with fixed names, variants below a product, and prices with a
 * sale. Each reader says which column is which; money, pictures and variants are put together here.
 */

import { invalid } from '../../lib/errors.ts'
import type { ByteStream } from './bytes.ts'
import { type DelimitedRow, readDelimited } from './delimited.ts'
import { createMoneyReader } from './money.ts'
import { MAX_RECORD_SIZE, type ReaderOptions, type SourceRow, VALUE_COST } from './rows.ts'
import { hostOf, isInEffect, listNames, plainName, setOwn } from './values.ts'

/** The most that the check behind takes of one product. */
export const MOST_VARIANTS = 500
export const MOST_IMAGES = 100

export type Cell<Column extends string> = (column: Column) => string

/** A row of cells that can be read. */
type ShopRow = Extract<DelimitedRow, { cells: string[] }>

type ShopReader<Header> = {
  readHeader(names: readonly string[]): Header
  /** What a row below the header comes to: nothing yet, or products that are whole now. */
  take(row: ShopRow, header: Header): Iterable<SourceRow>
  /** What was held back; nothing more comes. */
  end(): Iterable<SourceRow>
}

/** Goes through an export; rows that cannot be read are given as the problems they are. */
export async function* readShop<Header>(
  input: ByteStream,
  options: ReaderOptions,
  { readHeader, take, end }: ShopReader<Header>,
): AsyncGenerator<SourceRow> {
  let header: { of: Header } | null = null
  for await (const row of readDelimited(input, options)) {
    if ('problem' in row) yield row
    else if (header) yield* take(row, header.of)
    else header = { of: readHeader(row.cells) }
  }
  yield* end()
}

/** Where each column stands; of several names the first that is there. Throws where one is missing that is needed. */
export function findColumns<Column extends string>(
  header: readonly string[],
  known: Readonly<Record<Column, readonly string[]>>,
  needed: { columns: readonly Column[]; system: string },
): ReadonlyMap<Column, number> {
  const plain = header.map(plainName)
  const columns = new Map<Column, number>()
  for (const [column, names] of Object.entries(known) as [Column, readonly string[]][]) {
    const index = names.map((name) => plain.indexOf(name)).find((found) => found !== -1)
    if (index !== undefined) columns.set(column, index)
  }
  const missing = needed.columns.find((column) => !columns.has(column))
  if (missing === undefined) return columns
  throw invalid(
    'header',
    `This is not a ${needed.system} product export: it has no ${missing} column, only ${listNames(header)}.`,
  )
}

export function cellsBy<Column extends string>(
  cells: readonly string[],
  columns: ReadonlyMap<Column, number>,
): Cell<Column> {
  return (column) => cells[columns.get(column) ?? -1]?.trim() ?? ''
}

/** The price now and the one before it, of a regular price and a sale that may have dates. */
export function readSale(
  { regular, sale, from = '', to = '' }: { regular: string; sale: string; from?: string; to?: string },
  now: Date,
): Record<string, unknown> {
  const money = createMoneyReader()
  const usual = regular === '' ? undefined : money.amount(regular)
  const reduced = sale === '' || !isInEffect(from, to, now) ? undefined : money.amount(sale)
  // Shops leave a sale price of nothing, and one that is no lower, standing.
  const isOn = typeof reduced === 'number' && reduced > 0 && (typeof usual !== 'number' || reduced < usual)
  const price = isOn ? reduced : usual
  const currency = money.currency()
  return {
    ...(price !== undefined && { price }),
    ...(isOn && typeof usual === 'number' && { list_price: usual }),
    ...(currency !== null && { currency }),
  }
}

/** Only what is there: a field that is empty says nothing. */
export function filled(fields: Record<string, unknown>): Record<string, unknown> {
  const product: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined || value === '' || (Array.isArray(value) && value.length === 0)) continue
    if (typeof value === 'object' && value !== null && Object.keys(value).length === 0) continue
    setOwn(product, name, value)
  }
  return product
}

/** The page of a product in a shop whose address somebody gave. */
export function pageIn(
  storeUrl: string | undefined,
  path: string,
  price: unknown,
): Record<string, unknown>[] | undefined {
  const base = storeUrl === undefined ? null : URL.parse(storeUrl)
  if (!base || path === '') return undefined
  const url = new URL(base)
  url.pathname = `${base.pathname.replace(/\/$/, '')}/${path.split('/').map(encodeURIComponent).join('/')}`
  return [{ name: hostOf(url.href) ?? url.host, url: url.href, ...(typeof price === 'number' && { price }) }]
}

/** How much of a product is held; past the limit it is only followed to its end. */
export function createWeight() {
  let size = 0
  return {
    add(...texts: readonly string[]): void {
      for (const text of texts) size += text.length + VALUE_COST
    },
    isOver: () => size > MAX_RECORD_SIZE,
  }
}

/** The last of many names; what is beyond the number is forgotten, the oldest first. */
export function createMemory(most: number) {
  const names = new Set<string>()
  return {
    add(name: string): void {
      names.delete(name)
      names.add(name)
      const [oldest] = names
      if (names.size > most && oldest !== undefined) names.delete(oldest)
    },
    has: (name: string) => names.has(name),
  }
}

/** Addresses that are whole; those of a shop's own folders are, where its address is known. */
export function wholeUrls(urls: readonly string[], storeUrl: string | undefined, folder = ''): string[] {
  return urls.flatMap((url) => {
    if (/^https?:/i.test(url)) return [url]
    const base = storeUrl === undefined ? null : URL.parse(storeUrl)
    if (!base || url === '' || url === 'no_selection') return []
    return [new URL(`${folder}/${url.replace(/^\/+/, '')}`, base).href]
  })
}

/** "color=Red,size=M": a comma counts before the next name, since values may hold it. Pairs may stand in quotes. */
export function readPairs(text: string): [string, string][] {
  const pairs = text.startsWith('"')
    ? [...text.matchAll(/"((?:[^"]|"")*)"/g)].map(([, pair = '']) => pair.replaceAll('""', '"'))
    : text.split(/,(?=[\p{L}_][\p{L}\p{N}_ ]{0,60}=)/u)
  return pairs.flatMap((pair): [string, string][] => {
    const at = pair.indexOf('=')
    const name = pair.slice(0, at).trim()
    const value = pair.slice(at + 1).trim()
    const isQuoted = value.length > 1 && value.startsWith('"') && value.endsWith('"')
    const plain = isQuoted ? value.slice(1, -1).replaceAll('""', '"') : value
    return at > 0 && name !== '' && plain !== '' ? [[name, plain]] : []
  })
}
