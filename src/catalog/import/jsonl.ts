/**
 * The import contract's own form: one JSON object a line, in our names or others (see record). Lines are cut from the
 * bytes, so a line that is not UTF-8 or not JSON costs that line only, and a line over the limit is passed over without
 * being held.
 */
import { type ByteStream, normalizeText } from './bytes.ts'
import { type JsonForm, parseObject } from './json.ts'
import { createJsonReader } from './json-record.ts'
import { MAX_RECORD_SIZE, type ReaderOptions, type SourceRow } from './rows.ts'

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
  whole: 'write one whole product a line, as one JSON object',
  bare: 'write one JSON object a line, with no list around them and no commas between them',
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
