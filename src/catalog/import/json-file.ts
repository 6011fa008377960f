/** A JSON document of products: a list, an object with the list in it such as Shopify's products.json, or one product. */
import { type ByteStream, normalizeText, peek } from './bytes.ts'
import { type JsonForm, parseObject } from './json.ts'
import { findList, splitElements } from './json-elements.ts'
import { createJsonReader } from './json-record.ts'
import { recordId } from './record.ts'
import { numbered, problemRow, type ReaderOptions, type SourceRow } from './rows.ts'

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
    else for (const row of reader.read(line, read.value)) yield numbered(row, item, recordId(read.value))
  }
  reader.finish()
}
