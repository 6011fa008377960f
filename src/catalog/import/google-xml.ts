/**
 * A Google Merchant feed in XML: RSS (`item`) or Atom (`entry`), read as a stream with one item in hand.
 * Feeds come from strangers. Entities a document declares for itself are never expanded (using one is an error
 * like any other), nothing is ever fetched, and depth, attributes, texts and the size of an item are bounded.
 * Past a syntax error XML has no meaning, so the reader keeps what came before, reports the line and ends.
 */
import { TextDecoder } from 'node:util'
import { SaxesParser, type SaxesTagNS } from 'saxes'
import { type ByteStream, normalizeText, peek } from './bytes.ts'
import { GOOGLE_FIELDS, type GoogleDetail, googleRow } from './google-product.ts'
import {
  MAX_ATTRIBUTES,
  MAX_DEPTH,
  MAX_RECORD_SIZE,
  MAX_TEXT_SIZE,
  problemRow,
  RUNAWAY_SIZE,
  type SourceRow,
  VALUE_COST,
} from './rows.ts'
import { excerpt } from './values.ts'

const GOOGLE_NAMESPACE = 'http://base.google.com/ns/1.0'

const MALFORMED_FIX = 'escape & and < in texts, write entities as numbers (&#160;), and close every tag'

type OpenItem = {
  line: number
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

/** Leaves the parser in the middle of a tag: what follows is not looked at. */
class EnoughRead extends Error {}

export async function* readGoogleXml(
  input: ByteStream,
  now: Date,
  runawaySize = RUNAWAY_SIZE,
): AsyncGenerator<SourceRow> {
  const { head, stream } = await peek(normalizeText(input), 256)
  const encoding =
    /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([^"']+)/.exec(head.toString('latin1'))?.[1] ?? 'utf-8'
  const decoder = createDecoder(encoding)
  const feed = openFeed(now, runawaySize)
  for await (const piece of stream) {
    if (!decoder) {
      yield problemRow(1, null, `is in the unknown encoding "${encoding}"`, 'save the feed as UTF-8')
      return
    }
    feed.write(decoder.decode(piece, { stream: true }))
    yield* feed.takeRows()
    if (feed.hasEnded()) return
  }
  feed.write(decoder?.decode() ?? '')
  feed.close()
  yield* feed.takeRows()
}

function createDecoder(encoding: string): InstanceType<typeof TextDecoder> | null {
  // UTF-16 has been turned into UTF-8 by now, whatever the declaration still says.
  if (/^utf-?16/i.test(encoding)) return new TextDecoder()
  try {
    return new TextDecoder(encoding)
  } catch {
    return null
  }
}

function openFeed(now: Date, runawaySize: number) {
  let rows: SourceRow[] = []
  let hasEnded = false
  let depth = 0
  let tagLine = 1
  let tagName = ''
  let attributes = 0
  let lastEvent = 0
  let item: OpenItem | null = null
  let itemDepth = 0

  const parser = new SaxesParser({
    xmlns: true,
    // Many feeds use g: without declaring it.
    resolvePrefix: (prefix: string) => (prefix === 'g' ? GOOGLE_NAMESPACE : `undeclared:${prefix}`),
  })
  const end = (line: number, problem: string, fix: string) => {
    if (!hasEnded) rows.push(problemRow(line, null, `${problem}, so nothing after it was read`, fix))
    hasEnded = true
    item = null
  }
  const endIfRunaway = (length: number) => {
    if (length <= runawaySize) return
    end(
      parser.line,
      `is within a text or tag of over ${runawaySize / MAX_RECORD_SIZE} MB`,
      'look for a tag, comment or CDATA that is not closed',
    )
  }
  const passed = () => {
    endIfRunaway(parser.position - lastEvent)
    lastEvent = parser.position
  }
  const onText = (text: string) => {
    passed()
    if (item) addText(item, text)
  }

  parser.on('opentagstart', ({ name }) => {
    // A name ended by a line break has been read past it.
    tagLine = parser.column === 0 ? parser.line - 1 : parser.line
    tagName = excerpt(name)
    attributes = 0
  })
  parser.on('attribute', () => {
    attributes += 1
    if (attributes <= MAX_ATTRIBUTES) return
    const fix = 'write each fact as an element of its own, as in <g:price>'
    end(tagLine, `gives the element "${tagName}" over ${MAX_ATTRIBUTES} attributes`, fix)
    // At once: a tag may go on for as long as the file does.
    throw new EnoughRead()
  })
  parser.on('opentag', (tag) => {
    passed()
    if (hasEnded) return
    depth += 1
    if (depth > MAX_DEPTH) {
      end(tagLine, `nests elements over ${MAX_DEPTH} deep`, 'send an RSS or Atom feed of products')
    } else if (depth === 1 && !/^(rss|feed|rdf)$/i.test(tag.local)) {
      end(
        tagLine,
        `opens <${excerpt(tag.name)}>, which is no product feed`,
        'send RSS (<rss>) or Atom (<feed>)',
      )
    } else if (item) {
      openElement(item, tag, depth - itemDepth)
    } else if (depth > 1 && (tag.local === 'item' || tag.local === 'entry')) {
      item = openItem(tagLine, tag.uri)
      itemDepth = depth
    }
  })
  parser.on('closetag', () => {
    passed()
    if (hasEnded) return
    if (item && depth > itemDepth) {
      closeElement(item, depth - itemDepth)
    } else if (item) {
      rows.push(closeItem(item, now))
      item = null
    }
    depth -= 1
  })
  parser.on('text', onText)
  parser.on('cdata', onText)
  parser.on('comment', passed)
  parser.on('doctype', passed)
  parser.on('processinginstruction', passed)
  parser.on('error', (error) => {
    // Without what it quotes: whoever reads it may not be who may read the file.
    const reason = error.message.replace(/^\d+:\d+: /, '').replace(/:.*$|\.$/s, '')
    end(parser.line, `is malformed XML (${reason})`, MALFORMED_FIX)
  })

  return {
    write(text: string) {
      if (hasEnded) return
      try {
        parser.write(text)
      } catch (error) {
        if (!(error instanceof EnoughRead)) throw error
      }
      endIfRunaway(parser.position - lastEvent)
    },
    close() {
      if (!hasEnded) parser.close()
    },
    takeRows(): SourceRow[] {
      const taken = rows
      rows = []
      return taken
    },
    hasEnded: () => hasEnded,
  }
}

function openItem(line: number, uri: string): OpenItem {
  return {
    line,
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
  if (item.size > MAX_RECORD_SIZE) {
    return problemRow(item.line, null, 'is over 1 MB', 'keep a product under 1 MB')
  }
  if (item.tooLong !== null) {
    return problemRow(item.line, item.tooLong, 'is over 256 KB', 'keep a text under 256 KB')
  }
  if (!item.isUtf8) {
    return problemRow(item.line, null, 'holds characters that are not UTF-8', 'save the feed as UTF-8')
  }
  return googleRow(item, now)
}
