/** A Google Merchant feed in XML: RSS (`item`) or Atom (`entry`), read as a stream with one item in hand. */
import type { SaxesTagNS } from 'saxes'
import type { ByteStream } from './bytes.ts'
import { GOOGLE_FIELDS, type GoogleDetail, googleRow } from './google-product.ts'
import {
  MAX_RECORD_SIZE,
  MAX_TEXT_SIZE,
  numbered,
  problemRow,
  RUNAWAY_SIZE,
  type SourceRow,
  VALUE_COST,
} from './rows.ts'
import { excerpt } from './values.ts'
import { GOOGLE_NAMESPACE, readXml, type XmlReader } from './xml.ts'

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
          problem: `opens <${excerpt(tag.name)}>, which is no product feed`,
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
  if (!item.isUtf8) return problem(null, 'holds characters that are not UTF-8', 'save the feed as UTF-8')
  return numbered(googleRow(item, now), item.item)
}
