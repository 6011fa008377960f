/** Pages of a shop, for the products that they describe in blocks of JSON-LD. A block is held at a time. */
import { TextDecoder } from 'node:util'
import { Parser } from 'htmlparser2'
import { type ByteStream, normalizeText } from './bytes.ts'
import { type JsonForm, parseObject } from './json.ts'
import { createJsonReader } from './json-record.ts'
import { MAX_RECORD_SIZE, numbered, problemRow, type ReaderOptions, type SourceRow } from './rows.ts'

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
    yield problemRow(
      1,
      null,
      'starts a page that describes no product',
      'give a page with JSON-LD of a Product in it',
    )
  reader.finish()
}
