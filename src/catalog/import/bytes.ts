/**
 * The byte end of every reader. Text arrives in any of the dress spreadsheets give it (byte order marks,
 * UTF-16 from "Unicode text", three kinds of line end) and leaves as plain UTF-8 with LF, so that the parsers
 * behind need not care. Nothing here ever holds more than a piece of the file.
 */
import { TextDecoder } from 'node:util'

export type ByteStream = AsyncIterable<Uint8Array>

const LF = 0x0a
const CR = 0x0d

/** Small, because a parser turns a whole piece into rows before the first of them can be taken. */
const PIECE_SIZE = 16 * 1024

/** The first bytes of a stream (fewer when it is shorter), and the stream as if it had not been touched. */
export async function peek(input: ByteStream, size: number): Promise<{ head: Buffer; stream: ByteStream }> {
  const source = input[Symbol.asyncIterator]()
  const parts: Uint8Array[] = []
  let held = 0
  while (held < size) {
    const next = await source.next()
    if (next.done) break
    parts.push(next.value)
    held += next.value.length
  }
  const head = Buffer.concat(parts)
  let isHeadGiven = head.length === 0
  // Written out, because a generator that was never started does not close what it reads from.
  const whole: AsyncIterator<Uint8Array> = {
    next: async () => {
      if (isHeadGiven) return source.next()
      isHeadGiven = true
      return { done: false, value: head }
    },
    return: async () => {
      await source.return?.()
      return { done: true, value: undefined }
    },
  }
  return { head: head.subarray(0, size), stream: { [Symbol.asyncIterator]: () => whole } }
}

/** UTF-8 without a byte order mark, lines ended by LF alone, in small pieces. Doing it twice changes nothing. */
export async function* normalizeText(input: ByteStream): AsyncGenerator<Buffer> {
  const { head, stream } = await peek(input, 3)
  let afterCr = false
  for await (const chunk of withoutByteOrderMark(head, stream)) {
    for (let from = 0; from < chunk.length; from += PIECE_SIZE) {
      const piece = Buffer.from(
        chunk.buffer,
        chunk.byteOffset + from,
        Math.min(PIECE_SIZE, chunk.length - from),
      )
      const unified = unifyNewlines(piece, afterCr)
      afterCr = piece.at(-1) === CR
      if (unified.length > 0) yield unified
    }
  }
}

/** The encoding a byte order mark announces, or null when there is none. */
export function byteOrderMark(head: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' | null {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return 'utf-8'
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le'
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be'
  return null
}

async function* withoutByteOrderMark(head: Buffer, stream: ByteStream): AsyncGenerator<Uint8Array> {
  const encoding = byteOrderMark(head)
  if (encoding === null || encoding === 'utf-8') {
    let skip = encoding === null ? 0 : 3
    for await (const chunk of stream) {
      yield chunk.subarray(skip)
      skip = 0
    }
    return
  }
  const decoder = new TextDecoder(encoding)
  for await (const chunk of stream) yield Buffer.from(decoder.decode(chunk, { stream: true }))
  yield Buffer.from(decoder.decode())
}

/** A CR becomes an LF at once and the LF after it is dropped, so a CRLF cut in two needs no waiting. */
function unifyNewlines(piece: Buffer, afterCr: boolean): Buffer {
  if (!piece.includes(CR)) return afterCr && piece[0] === LF ? piece.subarray(1) : piece
  const unified = Buffer.allocUnsafe(piece.length)
  let size = 0
  let previousIsCr = afterCr
  for (const byte of piece) {
    const isSecondHalf = byte === LF && previousIsCr
    previousIsCr = byte === CR
    if (!isSecondHalf) unified[size++] = previousIsCr ? LF : byte
  }
  return unified.subarray(0, size)
}
