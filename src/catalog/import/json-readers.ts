/**
 * JSON of strangers as rows, one object at a time: lines of JSON, a document of products (a list, an object with the
 * list in it such as Shopify's products.json, or one product), and pages of a shop with blocks of JSON-LD. An object
 * is a product in our names or theirs, or schema.org's description of some. Lines are cut from the bytes, so a line
 * that is not UTF-8 or not JSON costs that line only, and a line over the limit is passed over without being held.
 */

import { TextDecoder } from 'node:util'
import { Parser } from 'htmlparser2'
import { isRecord } from '../../lib/validate.ts'
import { type ByteStream, normalizeText, peek } from './bytes.ts'
import { type JsonForm, parseObject } from './json.ts'
import { findList, splitElements } from './json-elements.ts'
import { isLinkedData, productsIn, trailOf } from './jsonld.ts'
import { createRecordReader, recordId } from './record.ts'
import { MAX_RECORD_SIZE, numbered, problemRow, type ReaderOptions, type SourceRow } from './rows.ts'

export function createJsonReader(options: ReaderOptions) {
  const records = createRecordReader(options)
  let drafts = 0
  let trail: string[] = []
  return {
    isOwnRow: records.isOwnRow,
    read(line: number, value: Record<string, unknown>): SourceRow[] {
      if (isLinkedData(value)) {
        const rows = Array.from(productsIn(value, trail), (record) => records.read(line, record))
        // It is of the product that follows.
        trail = trailOf(value) ?? []
        return rows
      }
      if (isDraft(value)) {
        drafts++
        return []
      }
      return [records.read(line, withoutEnvelope(value))]
    },
    finish() {
      if (drafts > 0) options.onNotice?.(`Drafts are not imported: ${drafts} skipped.`)
      records.finish()
    },
  }
}

/** What interfaces and search engines wrap a product in: `{"product": …}`, `{"node": …}`, `{"_id": …, "_source": …}`. */
function withoutEnvelope(value: Record<string, unknown>): Record<string, unknown> {
  const { product, node, _source: source, _id: id } = value
  if (isRecord(source)) return { id, ...source }
  const inside = product ?? node
  return isRecord(inside) && Object.keys(value).length === 1 ? inside : value
}

/** As shops mark what nobody can buy yet. */
function isDraft({ status, handle, variants }: Record<string, unknown>): boolean {
  return status === 'draft' && typeof handle === 'string' && Array.isArray(variants)
}

const LF = 0x0a

type Line = { line: number; bytes: Buffer | null }

export async function* readJsonl(input: ByteStream, options: ReaderOptions = {}): AsyncGenerator<SourceRow> {
  const reader = createJsonReader(options)
  for await (const { line, bytes } of splitLines(normalizeText(input, options))) {
    if (bytes !== null && isBlank(bytes)) continue
    const read = parseObject(line, bytes, IN_LINES)
    if ('problem' in read) yield read
    else if (reader.isOwnRow(read.value)) yield { line, product: read.value }
    else for (const row of reader.read(line, read.value)) yield row
  }
  reader.finish()
}

const IN_LINES: JsonForm = {
  whole: 'write one product per line, as one JSON object',
  bare: 'write one JSON object per line, without a list around them or commas between them',
}

function isBlank(bytes: Buffer): boolean {
  return (bytes[0] ?? 0) <= 0x20 && bytes.every((byte) => byte <= 0x20)
}

/**
 * Each line that is not empty, without its end; null instead of one over the limit.
 * The bytes are good until the next line is taken.
 */
async function* splitLines(input: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  let line = 1
  let held = Buffer.allocUnsafe(64 * 1024)
  let size = 0
  let tooLong = false
  const hold = (part: Buffer) => {
    tooLong ||= size + part.length > MAX_RECORD_SIZE
    if (tooLong) return
    if (size + part.length > held.length) {
      const larger = Buffer.allocUnsafe(Math.max(held.length * 2, size + part.length))
      held.copy(larger, 0, 0, size)
      held = larger
    }
    part.copy(held, size)
    size += part.length
  }
  for await (const piece of input) {
    let from = 0
    for (let to = piece.indexOf(LF); to !== -1; to = piece.indexOf(LF, from)) {
      if (to > from) hold(piece.subarray(from, to))
      if (tooLong || size > 0) yield { line, bytes: tooLong ? null : held.subarray(0, size) }
      line += 1
      size = 0
      tooLong = false
      from = to + 1
    }
    hold(piece.subarray(from))
  }
  if (tooLong || size > 0) yield { line, bytes: tooLong ? null : held.subarray(0, size) }
}

/** How much is looked at to find the list of products. */
const START_SIZE = 256 * 1024

const IN_LIST: JsonForm = {
  whole: 'write each product as one JSON object',
  bare: 'write each product as one JSON object',
}

export async function* readJson(input: ByteStream, options: ReaderOptions = {}): AsyncGenerator<SourceRow> {
  const { head, stream } = await peek(normalizeText(input, options), START_SIZE)
  const reader = createJsonReader(options)
  for await (const element of splitElements(stream as AsyncIterable<Buffer>, findList(head))) {
    const { line } = element
    if ('end' in element) {
      yield problemRow(line, null, element.end, 'close every quote and bracket, or export the file again')
      continue
    }
    const { item } = element
    const read = parseObject(line, element.bytes, IN_LIST)
    if ('problem' in read) yield numbered(read, item)
    else {
      // What products are listed by identifies them, unless they say more.
      const value = element.key === undefined ? read.value : { id: element.key, ...read.value }
      for (const row of reader.read(line, value)) yield numbered(row, item, recordId(value))
    }
  }
  reader.finish()
}

const IN_PAGE: JsonForm = {
  whole: 'correct the JSON in the page',
  bare: 'write one JSON object, or a list of them',
}

export async function* readPage(input: ByteStream, options: ReaderOptions = {}): AsyncGenerator<SourceRow> {
  const reader = createJsonReader(options)
  let blocks: { line: number; text: string | null }[] = []
  let open: { line: number; text: string } | null = null
  let line = 1
  const parser = new Parser({
    onopentag(name, { type }) {
      if (name === 'script' && /^\s*application\/ld\+json/i.test(type ?? '')) open = { line, text: '' }
    },
    ontext(text) {
      if (open && open.text.length <= MAX_RECORD_SIZE) open.text += text
    },
    onclosetag(name) {
      if (name !== 'script' || !open) return
      blocks.push({ line: open.line, text: open.text.length > MAX_RECORD_SIZE ? null : open.text })
      open = null
    },
  })
  const decoder = new TextDecoder()
  let item = 0
  function* take(): Generator<SourceRow> {
    for (const block of blocks) {
      // A list is wrapped, so that each form of a block is one object.
      const text = block.text === null ? null : `{"@graph":${block.text.trim().replace(/;$/, '')}}`
      const read = parseObject(block.line, text === null ? null : Buffer.from(text), IN_PAGE)
      if ('problem' in read) yield numbered(read, ++item)
      else for (const row of reader.read(block.line, read.value)) yield numbered(row, ++item)
    }
    blocks = []
  }
  for await (const piece of normalizeText(input, options)) {
    for (const part of decoder.decode(piece, { stream: true }).split(/(?<=\n)/)) {
      parser.write(part)
      if (part.endsWith('\n')) line++
    }
    yield* take()
  }
  parser.end()
  yield* take()
  if (item === 0)
    yield problemRow(1, null, 'starts a page without a product', 'use a page with Product JSON-LD')
  reader.finish()
}
