/**
 * Feeds for price portals, each with elements of its own: Heureka's SHOPITEM, Ceneo's `o`, YML's `offer`. The element
 * that holds a product is found by looking at the start of the file; each such element becomes a record, attributes and
 * all, which is read like one of JSON. One item is in hand at a time, and the tree of categories where there is one.
 */
import type { SaxesTagNS } from 'saxes'
import type { ByteStream } from './bytes.ts'
import { withDifferences } from './groups.ts'
import { createRecordReader, type RecordReader, recordId } from './record.ts'
import { createNameReader } from './record-names.ts'
import {
  MAX_RECORD_SIZE,
  MAX_TEXT_SIZE,
  numbered,
  problemRow,
  type ReaderOptions,
  RUNAWAY_SIZE,
  type SourceRow,
  VALUE_COST,
} from './rows.ts'
import { setOwn } from './values.ts'
import { createParser, openXml, readXml, type XmlReader } from './xml.ts'

type Fields = Record<string, unknown>

/** How much is looked at to find the element. */
const START_SIZE = 512 * 1024

const MOST_PATHS = 2_000
const MOST_CATEGORIES = 20_000
const MAX_CATEGORY_NAME = 200
const MAX_LEVELS = 12

/** What stands in an element besides its children. */
const TEXT = 'value'

export async function* readPortalXml(
  input: ByteStream,
  options: ReaderOptions = {},
  runawaySize = RUNAWAY_SIZE,
): AsyncGenerator<SourceRow> {
  const opened = await openXml(input, START_SIZE, options)
  if ('problem' in opened) {
    yield opened.problem
    return
  }
  const { head, stream } = opened
  const path = findItems(head.toString('utf8'))
  if (path === null) {
    yield problemRow(
      1,
      null,
      'starts XML without repeated elements that look like products',
      'send a feed with one element per product, with its name and price as child elements',
    )
    return
  }
  const records = createRecordReader(options)
  yield* withDifferences(readXml(stream, readItems(path, records), runawaySize))
  records.finish()
}

type Seen = { count: number; names: Set<string>; fields: Set<string>; depth: number }

/**
 * The path of the element that holds products: one that has a title and something more, the outermost of those, the most
 * frequent of those; or else what is called a product, or the most frequent that has several parts.
 */
function findItems(start: string): string | null {
  const seen = new Map<string, Seen>()
  const path: string[] = []
  const isLeaf: boolean[] = []
  const nameOf = createNameReader()
  const parser = createParser()
  const at = () => path.join('/')
  const add = (owner: string, name: string) => {
    const entry = seen.get(owner)
    if (!entry || entry.names.size > 200) return
    entry.names.add(name)
    const means = nameOf(name)
    if (means.kind === 'column') entry.fields.add(means.field)
    else if (means.kind !== 'unknown' && means.kind !== 'spec') entry.fields.add(means.kind)
  }
  let hasFailed = false
  let supplied: string | null = null
  parser.on('opentag', (tag) => {
    if (SUPPLIER_ID.test(tag.local)) supplied ??= at()
    if (path.length > 0) isLeaf[path.length - 1] = false
    path.push(tag.name)
    isLeaf.push(true)
    const here = at()
    const entry = seen.get(here) ?? { count: 0, names: new Set(), fields: new Set(), depth: path.length }
    entry.count++
    if (seen.size < MOST_PATHS) seen.set(here, entry)
    for (const name of Object.keys(tag.attributes)) if (!name.startsWith('xmlns')) add(here, name)
  })
  parser.on('closetag', () => {
    const name = path.pop() ?? ''
    if (isLeaf.pop()) add(at(), name)
  })
  parser.on('error', () => {
    hasFailed = true
  })
  for (let from = 0; from < start.length && !hasFailed; from += 4096)
    parser.writeLoose(start.slice(from, from + 4096))

  if (supplied !== null) return supplied
  const candidates = [...seen].filter(([, { depth }]) => depth > 1)
  const isTitled = ({ fields }: Seen) => (fields.has('title') || fields.has('model')) && fields.size > 1
  const titled = candidates.filter(([, entry]) => isTitled(entry))
  const inOrder = (a: [string, Seen], b: [string, Seen]) => a[1].depth - b[1].depth || b[1].count - a[1].count
  // Books have their titles several elements deep.
  const called = candidates.filter(([name]) => /(?:^|[/:])(?:product|item|article|offer)$/i.test(name))
  const several = candidates.filter(([, { names, count }]) => names.size > 2 && count > 1)
  // The shop itself has a name and an address as well, but there is one of it.
  const repeated = titled.filter(([, { count }]) => count > 1)
  const [best] =
    repeated.length > 0
      ? repeated.toSorted(inOrder)
      : titled.length > 0
        ? titled.toSorted((a, b) => b[1].fields.size - a[1].fields.size)
        : called.length > 0
          ? called.toSorted(inOrder)
          : several.toSorted((a, b) => b[1].count - a[1].count)
  return best?.[0] ?? null
}

type Open = { name: string; fields: Fields; text: string; hasParts: boolean }

type Item = { line: number; size: number; isUtf8: boolean; tooLong: string | null; open: Open[] }

function readItems(itemPath: string, records: RecordReader): XmlReader {
  const path: string[] = []
  const categories = createCategoryTree()
  let items = 0
  let item: Item | null = null

  const addTo = (item: Item, owner: Open, name: string, value: unknown) => {
    item.size += VALUE_COST + name.length
    owner.hasParts = true
    const before = Object.hasOwn(owner.fields, name) ? owner.fields[name] : undefined
    if (Array.isArray(before)) before.push(value)
    else setOwn(owner.fields, name, before === undefined ? value : [before, value])
  }
  const openElement = (item: Item, tag: SaxesTagNS) => {
    const open: Open = { name: tag.local, fields: {}, text: '', hasParts: false }
    item.open.push(open)
    for (const [name, { value }] of Object.entries(tag.attributes)) {
      if (name.startsWith('xmlns') || value === '') continue
      item.size += value.length
      if (item.size <= MAX_RECORD_SIZE) addTo(item, open, name, value)
    }
  }
  const closeElement = (item: Item) => {
    const closed = item.open.pop()
    const owner = item.open.at(-1)
    if (!closed || !owner || item.size > MAX_RECORD_SIZE) return
    const text = closed.text.trim()
    if (closed.hasParts && text !== '') addTo(item, closed, TEXT, text)
    if (closed.hasParts) addTo(item, owner, closed.name, closed.fields)
    else if (text !== '') addTo(item, owner, closed.name, text)
    else item.size += VALUE_COST
  }
  const finish = (item: Item): SourceRow => {
    items++
    const { line } = item
    const record = item.open[0]?.fields ?? {}
    const problem = (field: string | null, words: string, fix: string) =>
      numbered(problemRow(line, field, words, fix), items, recordId(record))
    if (item.size > MAX_RECORD_SIZE) return problem(null, 'is over 1 MB', 'keep a product under 1 MB')
    if (item.tooLong !== null) return problem(item.tooLong, 'is over 256 KB', 'keep a text under 256 KB')
    if (!item.isUtf8) return problem(null, 'has characters that are not UTF-8', 'save the feed as UTF-8')
    return numbered(records.read(line, withOwnWords(record, categories.pathOf)), items)
  }

  return {
    open(tag, _depth, line) {
      path.push(tag.name)
      if (item) openElement(item, tag)
      else if (path.join('/') === itemPath) {
        item = { line, size: 0, isUtf8: true, tooLong: null, open: [] }
        openElement(item, tag)
      } else categories.open(tag)
      return null
    },
    text(text) {
      if (!item) {
        categories.text(text)
        return
      }
      const open = item.open.at(-1)
      item.size += text.length
      if (text.includes('\ufffd')) item.isUtf8 = false
      if (!open || item.size > MAX_RECORD_SIZE) return
      if (open.text.length + text.length > MAX_TEXT_SIZE) item.tooLong ??= open.name
      else open.text += text
    },
    close() {
      path.pop()
      if (!item) {
        categories.close()
        return null
      }
      if (item.open.length > 1) {
        closeElement(item)
        return null
      }
      const row = finish(item)
      item = null
      return row
    },
  }
}

/** What YML says by the number of a category, and by a maker and a model instead of a name. */
function withOwnWords(record: Fields, pathOf: (id: string) => string[]): Fields {
  const { categoryId, name, title, typePrefix, vendor, model } = record
  const [id] = [categoryId].flat()
  const path = typeof id === 'string' ? pathOf(id) : []
  const isNamed = typeof name === 'string' || typeof title === 'string' || typeof model !== 'string'
  const words = [typePrefix, vendor, model].filter((word) => typeof word === 'string')
  return {
    ...(catalogWords(record) ?? record),
    ...(path.length > 0 && { category: path }),
    ...(!isNamed && { title: words.join(' ') }),
  }
}

/** What suppliers' catalogs (BMEcat) call a product: an article of the supplier's, in either version. */
const SUPPLIER_ID = /^SUPPLIER_[AP]ID$/

/** Null for a record of anything else. */
function catalogWords(record: Fields): Fields | null {
  const part = (of: Fields, name: string) => [of[`ARTICLE_${name}`] ?? of[`PRODUCT_${name}`]].flat()[0]
  const inside = (value: unknown): Fields =>
    typeof value === 'object' && value !== null ? (value as Fields) : {}
  const [id] = [record.SUPPLIER_AID ?? record.SUPPLIER_PID].flat()
  const details = inside(part(record, 'DETAILS'))
  if (id === undefined || details.DESCRIPTION_SHORT === undefined) return null
  const price = inside(part(inside(part(record, 'PRICE_DETAILS')), 'PRICE'))
  const pictures = [inside(record.MIME_INFO).MIME].flat().map((mime) => inside(mime).MIME_SOURCE)
  const words: Fields = {
    id,
    title: details.DESCRIPTION_SHORT,
    description: details.DESCRIPTION_LONG,
    brand: details.MANUFACTURER_NAME,
    mpn: details.MANUFACTURER_AID ?? details.MANUFACTURER_PID,
    gtin: details.EAN ?? details.INTERNATIONAL_PID,
    price: price.PRICE_AMOUNT,
    currency: price.PRICE_CURRENCY,
    images: pictures.filter((address) => /^https?:/.test(String(address))),
    specs: [inside(part(record, 'FEATURES')).FEATURE ?? []].flat(),
  }
  return Object.fromEntries(Object.entries(words).filter(([, value]) => [value].flat()[0] !== undefined))
}

/** `<category id="2" parentId="1">Kettles</category>`, before the products. */
function createCategoryTree() {
  const known = new Map<string, { name: string; parent: string | null }>()
  let open: { id: string; parent: string | null; text: string } | null = null
  return {
    open({ local, attributes }: SaxesTagNS) {
      const id = attributes.id?.value
      open =
        /^category$/i.test(local) && id !== undefined && id.length <= 100
          ? { id, parent: (attributes.parentId ?? attributes.parent_id)?.value ?? null, text: '' }
          : null
    },
    text(text: string) {
      if (open && open.text.length < MAX_CATEGORY_NAME)
        open.text += text.slice(0, MAX_CATEGORY_NAME - open.text.length)
    },
    close() {
      if (open && open.text.trim() !== '' && known.size < MOST_CATEGORIES)
        known.set(open.id, { name: open.text.trim(), parent: open.parent })
      open = null
    },
    /** Outermost first. A tree that goes in circles ends somewhere. */
    pathOf(id: string): string[] {
      const path: string[] = []
      for (let at: string | null = id; at !== null && path.length < MAX_LEVELS; ) {
        const category = known.get(at)
        if (!category) break
        path.unshift(category.name)
        at = category.parent
      }
      return path
    },
  }
}
