/**
 * Google Merchant feeds, in XML (RSS or Atom) or as a sheet, read with one item in hand. Google's attributes are for
 * one seller's listing: the seller's page becomes the place to buy, and the colour, size and the like of the listed
 * variant become specs, and its options where it is one of a group.
 */

import type { SaxesTagNS } from 'saxes'
import { availabilityOf } from './availability.ts'
import type { ByteStream } from './bytes.ts'
import { readDelimited } from './delimited.ts'
import { withDifferences } from './groups.ts'
import { createMoneyReader } from './money.ts'
import {
  MAX_RECORD_SIZE,
  MAX_TEXT_SIZE,
  numbered,
  problemRow,
  type ReaderOptions,
  type RowNote,
  RUNAWAY_SIZE,
  type SourceRow,
  VALUE_COST,
} from './rows.ts'
import { categoryPath, excerpt, hostOf, imagesOf, isInEffect, setOwn, splitUrls } from './values.ts'
import { GOOGLE_NAMESPACE, openXml, readXml, type XmlReader } from './xml.ts'

export async function* readGoogle(input: ByteStream, options: ReaderOptions = {}): AsyncGenerator<SourceRow> {
  const now = options.now ?? new Date()
  const opened = await openXml(input, 256, options)
  if ('problem' in opened) {
    yield opened.problem
    return
  }
  const { head, stream } = opened
  const isXml = head.toString('latin1').trimStart().startsWith('<')
  yield* withDifferences(isXml ? readGoogleXml(stream, now) : readText(stream, now))
}

/** "Product detail(section_name:attribute_name:attribute_value)", "g:image link" and "image_link" are all in use. */
export function googleAttribute(column: string): string {
  const [name = ''] = column.toLowerCase().split(/[([]/)
  return name.trim().replace(/^g:/, '').replace(/\s+/g, '_')
}

async function* readText(input: ByteStream, now: Date): AsyncGenerator<SourceRow> {
  let attributes: string[] | null = null
  for await (const row of readDelimited(input)) {
    if ('problem' in row) yield row
    else if (attributes)
      yield { ...googleRow(readItem(row.line, row.cells, attributes), now), ...notesOf(row) }
    else attributes = row.cells.map(googleAttribute)
  }
}

function notesOf({ notes }: { notes?: RowNote[] }): { notes?: RowNote[] } {
  return notes ? { notes } : {}
}

function readItem(line: number, cells: readonly string[], attributes: readonly string[]): GoogleItem {
  const fields = new Map<string, string[]>()
  const details: GoogleDetail[] = []
  attributes.forEach((attribute, column) => {
    const text = cells[column]?.trim() ?? ''
    if (text === '') return
    if (attribute === 'product_detail') details.push(...splitQuoted(text).flatMap(readDetail))
    else if (GOOGLE_FIELDS.has(attribute)) {
      const values = fields.get(attribute) ?? []
      values.push(...splitValues(attribute, text))
      fields.set(attribute, values)
    }
  })
  return { line, fields, details }
}

function splitValues(attribute: string, text: string): string[] {
  if (attribute === 'additional_image_link') return splitUrls(text)
  if (attribute === 'product_highlight' && text.startsWith('"')) return splitQuoted(text)
  return [text]
}

/** A repeated value within one cell: `"one","two, with a comma"` or `one,two`. */
function splitQuoted(text: string): string[] {
  return [...text.matchAll(/"((?:[^"]|"")*)"|[^",]+/g)]
    .map(([whole, quoted]) => (quoted ?? whole).replaceAll('""', '"').trim())
    .filter((entry) => entry !== '')
}

function readDetail(text: string): GoogleDetail[] {
  const [section = '', name = '', ...value] = text.split(':').map((part) => part.trim())
  return name !== '' && value.length > 0 ? [{ section, name, value: value.join(':') }] : []
}

type GoogleDetail = { section: string; name: string; value: string }

type GoogleItem = {
  line: number
  /** Attribute name to its values in the order of the feed, none of them empty. */
  fields: ReadonlyMap<string, readonly string[]>
  details: readonly GoogleDetail[]
}

const SPEC_NAMES: Readonly<Record<string, string>> = {
  color: 'Color',
  size: 'Size',
  material: 'Material',
  pattern: 'Pattern',
  gender: 'Gender',
  age_group: 'Age group',
}

/** The attributes the mapping below reads; a reader may forget all others. */
const GOOGLE_FIELDS: ReadonlySet<string> = new Set([
  ...['id', 'title', 'description', 'link', 'image_link', 'additional_image_link', 'price', 'sale_price'],
  ...['sale_price_effective_date', 'brand', 'gtin', 'mpn', 'product_type', 'google_product_category'],
  ...['product_highlight', 'availability', 'item_group_id', ...Object.keys(SPEC_NAMES)],
])

function googleRow(item: GoogleItem, now: Date): SourceRow {
  const { line } = item
  const all = (field: string): readonly string[] => item.fields.get(field) ?? []
  const first = (field: string): string | undefined => all(field)[0]

  const product: Record<string, unknown> = {}
  const set = (field: string, value: unknown) => {
    if (value !== undefined && value !== '') product[field] = value
  }
  const brand = first('brand')
  set('id', first('id'))
  set('sku', first('id'))
  set('title', first('title'))
  set('brand', brand)
  set('gtin', first('gtin'))
  set('mpn', first('mpn'))
  const named = [all('product_type'), all('google_product_category').filter((text) => /\p{L}/u.test(text))]
  set('category', named.map((texts) => categoryPath(texts.join('\n'))).find(Boolean))
  const highlights = all('product_highlight').map((highlight) => `• ${highlight}`)
  set('description', [first('description') ?? '', highlights.join('\n')].filter(Boolean).join('\n\n'))

  const money = createMoneyReader()
  const usual = first('price')
  const sale = isSaleOn(first('sale_price_effective_date'), now) ? first('sale_price') : undefined
  const current = sale ?? usual
  if (current !== undefined) product.price = money.range(current)
  if (sale !== undefined && usual !== undefined) product.list_price = money.amount(usual)
  set('currency', money.currency() ?? undefined)

  const images = [...all('image_link'), ...all('additional_image_link')]
  if (images.length > 0) product.images = imagesOf(images)
  const link = first('link')
  if (link !== undefined) {
    const price = current === undefined ? undefined : money.amount(current)
    product.where_to_buy = [
      { name: hostOf(link) ?? brand ?? link, url: link, ...(typeof price === 'number' ? { price } : {}) },
    ]
  }
  // Out of stock passes, so it says nothing about the product; only the end of the product does.
  if (first('availability')?.toLowerCase() === 'discontinued') product.discontinued = true

  const specs = readSpecs(item, first)
  if (Object.keys(specs).length > 0) product.specs = specs
  const group = first('item_group_id')
  if (group !== undefined) {
    product.group = group
    set('availability', availabilityOf(first('availability') ?? ''))
    product.options = Object.fromEntries(
      Object.values(SPEC_NAMES).flatMap((name) => (Object.hasOwn(specs, name) ? [[name, specs[name]]] : [])),
    )
  }
  return { line, product }
}

function readSpecs(item: GoogleItem, first: (field: string) => string | undefined): Record<string, unknown> {
  const specs: Record<string, unknown> = {}
  for (const [field, name] of Object.entries(SPEC_NAMES)) {
    const value = first(field)
    if (value !== undefined) specs[name] = value
  }
  for (const { section, name, value } of item.details) {
    const isTaken = Object.hasOwn(specs, name) && specs[name] !== value
    setOwn(specs, isTaken && section !== '' ? `${section}: ${name}` : name, value)
  }
  return specs
}

/** "2026-02-24T13:00-0800/2026-02-29T15:30-0800". A sale without readable dates is on. */
function isSaleOn(interval: string | undefined, now: Date): boolean {
  const [from = '', to = ''] = (interval ?? '').split('/')
  return isInEffect(from, to, now)
}

type OpenItem = {
  line: number
  /** Its number in the file. */
  item: number
  uri: string
  size: number
  isUtf8: boolean
  /** The first attribute whose text passes the limit. */
  tooLong: string | null
  fields: Map<string, string[]>
  details: GoogleDetail[]
  /** The attribute being read, and its text so far; null inside anything that is not read. */
  field: string | null
  text: string
  /** The part of a product_detail being read, and the parts read so far. */
  part: string | null
  parts: Map<string, string>
}

export function readGoogleXml(
  input: ByteStream,
  now: Date,
  runawaySize = RUNAWAY_SIZE,
): AsyncGenerator<SourceRow> {
  return readXml(input, readItems(now), runawaySize)
}

function readItems(now: Date): XmlReader {
  let items = 0
  let item: OpenItem | null = null
  let itemDepth = 0
  return {
    open(tag, depth, line) {
      if (depth === 1 && !/^(rss|feed|rdf)$/i.test(tag.local)) {
        return {
          problem: `opens <${excerpt(tag.name)}>, which is not a product feed`,
          fix: 'send RSS (<rss>) or Atom (<feed>)',
        }
      }
      if (item) {
        openElement(item, tag, depth - itemDepth)
      } else if (depth > 1 && (tag.local === 'item' || tag.local === 'entry')) {
        item = openItem(line, ++items, tag.uri)
        itemDepth = depth
      }
      return null
    },
    text(text) {
      if (item) addText(item, text)
    },
    close(depth) {
      if (!item) return null
      if (depth > itemDepth) {
        closeElement(item, depth - itemDepth)
        return null
      }
      const closed = item
      item = null
      return closeItem(closed, now)
    },
  }
}

function openItem(line: number, item: number, uri: string): OpenItem {
  return {
    line,
    item,
    uri,
    size: 0,
    isUtf8: true,
    tooLong: null,
    fields: new Map(),
    details: [],
    field: null,
    text: '',
    part: null,
    parts: new Map(),
  }
}

/** Level 1 is an attribute of the item, level 2 a part of one: a price within `shipping` is not the price. */
function openElement(item: OpenItem, tag: SaxesTagNS, level: number): void {
  if (level === 1) {
    // Atom's own words for a description.
    const name = tag.local === 'summary' || tag.local === 'content' ? 'description' : tag.local
    const isOurs = tag.uri === GOOGLE_NAMESPACE || tag.uri === item.uri
    item.field = isOurs && (name === 'product_detail' || GOOGLE_FIELDS.has(name)) ? name : null
    item.text = name === 'link' ? atomLink(tag) : ''
    item.size += item.text.length
    item.parts.clear()
  } else if (level === 2 && item.field === 'product_detail') {
    item.part = /^(section_name|attribute_name|attribute_value)$/.test(tag.local) ? tag.local : null
  }
}

function addText(item: OpenItem, text: string): void {
  if (item.field === null) return
  item.size += text.length
  if (text.includes('\ufffd')) item.isUtf8 = false
  const held = item.field === 'product_detail' ? (item.parts.get(item.part ?? '') ?? '') : item.text
  if (held.length + text.length > MAX_TEXT_SIZE) item.tooLong ??= item.field
  if (item.size > MAX_RECORD_SIZE || item.tooLong !== null) return
  if (item.field !== 'product_detail') item.text += text
  else if (item.part !== null) item.parts.set(item.part, (item.parts.get(item.part) ?? '') + text)
}

function closeElement(item: OpenItem, level: number): void {
  if (level === 2) item.part = null
  if (level !== 1 || item.field === null) return
  item.size += VALUE_COST
  if (item.size <= MAX_RECORD_SIZE) {
    if (item.field === 'product_detail') storeDetail(item)
    else storeValue(item, item.field, item.text.trim())
  }
  item.field = null
}

function storeValue(item: OpenItem, field: string, text: string): void {
  if (text === '') return
  const values = item.fields.get(field) ?? []
  values.push(text)
  item.fields.set(field, values)
}

function storeDetail(item: OpenItem): void {
  const part = (name: string) => item.parts.get(name)?.trim() ?? ''
  const detail = {
    section: part('section_name'),
    name: part('attribute_name'),
    value: part('attribute_value'),
  }
  if (detail.name !== '' && detail.value !== '') item.details.push(detail)
}

/** Atom writes `<link rel="alternate" href="…"/>`, and links to other things besides. */
function atomLink(tag: SaxesTagNS): string {
  const rel = tag.attributes.rel?.value ?? 'alternate'
  return rel === 'alternate' ? (tag.attributes.href?.value ?? '') : ''
}

function closeItem(item: OpenItem, now: Date): SourceRow {
  const problem = (field: string | null, problem: string, fix: string): SourceRow =>
    numbered(problemRow(item.line, field, problem, fix), item.item, item.fields.get('id')?.[0])
  if (item.size > MAX_RECORD_SIZE) return problem(null, 'is over 1 MB', 'keep a product under 1 MB')
  if (item.tooLong !== null) return problem(item.tooLong, 'is over 256 KB', 'keep a text under 256 KB')
  if (!item.isUtf8) return problem(null, 'has characters that are not UTF-8', 'save the feed as UTF-8')
  return numbered(googleRow(item, now), item.item)
}
