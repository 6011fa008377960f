/**
 * The import contract's own form: one JSON object a line. Lines are cut from the bytes, so a line that is not
 * UTF-8 or not JSON costs that line only, and a line over the limit is passed over without being held.
 */
import { isUtf8 } from 'node:buffer'
import { type ByteStream, normalizeText } from './bytes.ts'
import { parseBounded } from './json.ts'
import { MAX_RECORD_SIZE, problemRow, type SourceRow } from './rows.ts'

const LF = 0x0a

type Line = { line: number; bytes: Buffer | null }

export async function* readJsonl(input: ByteStream): AsyncGenerator<SourceRow> {
  for await (const { line, bytes } of splitLines(normalizeText(input))) {
    const row = readLine(line, bytes)
    if (row) yield row
  }
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

function readLine(line: number, bytes: Buffer | null): SourceRow | null {
  if (bytes === null) {
    return problemRow(
      line,
      null,
      'is over 1 MB',
      'keep a product under 1 MB, and link to images instead of embedding them',
    )
  }
  if (!isUtf8(bytes)) {
    return problemRow(line, null, 'is not valid UTF-8', 'save the file as UTF-8')
  }
  const text = bytes.toString('utf8')
  if (text.trim() === '') return null
  let parsed: ReturnType<typeof parseBounded>
  try {
    parsed = parseBounded(text)
  } catch {
    // The parser's own words quote the file, and whoever reads them may not be who may read the file.
    return problemRow(line, null, 'is not JSON', 'write one whole product a line, as one JSON object')
  }
  if ('problem' in parsed)
    return problemRow(line, null, parsed.problem, 'write one product a line, in the fields of the contract')
  const { value } = parsed
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const kind = Array.isArray(value) ? 'a list' : value === null ? 'null' : `a ${typeof value}`
    return problemRow(
      line,
      null,
      `is ${kind}, not an object`,
      'write one JSON object a line, with no list around them and no commas between them',
    )
  }
  return { line, product: value as Record<string, unknown> }
}
