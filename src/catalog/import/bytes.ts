/**
 * The byte end of every reader. Text arrives in any of the dress spreadsheets give it (byte order marks, UTF-16 from
 * "Unicode text", encodings of Windows, three kinds of line end) and leaves as plain UTF-8 with LF, so that the
 * parsers behind need not care. Nothing here ever holds more than a piece of the file.
 */
import { TextDecoder } from 'node:util'
import { invalid } from '../../lib/errors.ts'
import type { ReaderOptions } from './rows.ts'

export type ByteStream = AsyncIterable<Uint8Array>

const LF = 0x0a
const CR = 0x0d

/** Small, because a parser turns a whole piece into rows before the first of them can be taken. */
const PIECE_SIZE = 16 * 1024

/** What the encoding is told from. */
const HEAD_SIZE = 64 * 1024

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

/**
 * UTF-8 without a byte order mark, lines ended by LF alone, in small pieces. Doing it twice changes nothing. Bytes that
 * are no UTF-8 in a file that otherwise is stay as they are; who decodes them sees a replacement character.
 */
export async function* normalizeText(
  input: ByteStream,
  { encoding: stated, onNotice }: Pick<ReaderOptions, 'encoding' | 'onNotice'> = {},
): AsyncGenerator<Buffer> {
  const { head, stream } = await peek(input, HEAD_SIZE)
  const encoding = stated === undefined ? encodingOf(head) : requireEncoding(stated)
  if (stated === undefined && !encoding.startsWith('utf-')) {
    const name = encoding.replace('windows', 'Windows')
    onNotice?.(`The file is not UTF-8; we read it as ${name}. Choose the encoding if letters look wrong.`)
  }
  let afterCr = false
  for await (const chunk of asUtf8(stream, encoding)) {
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

/** The start of a file as text, however it is written. */
export function decodeStart(bytes: Uint8Array): string {
  const head = bytes.subarray(0, HEAD_SIZE)
  return new TextDecoder(encodingOf(head)).decode(head)
}

const XML_ENCODING = /^\s*<\?xml[^>]*?\sencoding\s*=/

/** By the byte order mark, by the zero bytes that UTF-16 has in every other place, by whether it is UTF-8, or by its letters. */
export function encodingOf(head: Uint8Array): string {
  const marked = byteOrderMark(head)
  if (marked !== null) return marked
  // XML that says its encoding is left as it is: its reader goes by that.
  if (XML_ENCODING.test(Buffer.from(head.subarray(0, 256)).toString('latin1'))) return 'utf-8'
  const pairs = Math.floor(head.length / 2)
  const zeros = [0, 0]
  for (let at = 0; at < pairs * 2; at++) if (head[at] === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1
  const [even = 0, odd = 0] = zeros
  if (odd > pairs * 0.3 && even < pairs * 0.05) return 'utf-16le'
  if (even > pairs * 0.3 && odd < pairs * 0.05) return 'utf-16be'
  return isUtf8(head) ? 'utf-8' : encodingOfLetters(head)
}

/** A few bad bytes among letters that are right are damage; bad bytes alone are another encoding. */
function isUtf8(head: Uint8Array): boolean {
  const text = new TextDecoder().decode(head, { stream: true })
  let bad = 0
  let good = 0
  for (const letter of text) {
    if (letter === '\ufffd') bad++
    else if (letter > '\u007f') good++
  }
  return bad === 0 || good > bad
}

/** The encoding given by a byte order mark, or null without one. */
function byteOrderMark(head: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' | null {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return 'utf-8'
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le'
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be'
  return null
}

/** The encoding with this name; null if unknown. */
export function encodingNamed(name: string): string | null {
  try {
    return new TextDecoder(name).encoding
  } catch {
    return null
  }
}

function requireEncoding(name: string): string {
  const encoding = encodingNamed(name)
  if (encoding !== null) return encoding
  const problem = `There is no encoding "${name.slice(0, 40)}". UTF-8, Windows-1250 and Windows-1252 are some.`
  throw invalid('encoding', problem)
}

async function* asUtf8(stream: ByteStream, encoding: string): AsyncGenerator<Uint8Array> {
  if (encoding !== 'utf-8') {
    const decoder = new TextDecoder(encoding)
    for await (const chunk of stream) yield Buffer.from(decoder.decode(chunk, { stream: true }))
    yield Buffer.from(decoder.decode())
    return
  }
  const { head, stream: whole } = await peek(stream, 3)
  let skip = byteOrderMark(head) === 'utf-8' ? 3 : 0
  for await (const chunk of whole) {
    yield chunk.subarray(skip)
    skip = 0
  }
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

/** What Western spreadsheets write when they do not write Unicode. Latin-1 is a part of it. */
const FALLBACK = 'windows-1252'

/** Of languages that explain the same share the first counts. */
const LETTERS: ReadonlyArray<readonly [encoding: string, ...letters: string[]]> = [
  [
    FALLBACK,
    ...['àâæçèéêëîïôœùûüÿ', 'äöüßé', 'áéíñóúüªº', 'àèéìòùî', 'ãáàâçéêíóôõúü', 'éëïóöüèê'],
    ...['åäöéü', 'æøåéöä', 'áðéíóúýþæö', 'äõöüšž', 'àçèéíïòóúü'],
  ],
  ['windows-1250', 'áčďéěíňóřšťúůýž', 'áäčďéíĺľňóôŕšťúýž', 'ąćęłńóśźż', 'áéíóöőúüű', 'ăâîşţ', 'čšžćđ'],
  ['windows-1251', 'абвгдежзийклмнопрстуфхцчшщъыьэюяё', 'абвгґдеєжзиіїйклмнопрстуфхцчшщьюя'],
  ['windows-1253', 'αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώ'],
  ['windows-1254', 'çğıöşüâîû'],
]

const HIGH = Uint8Array.from({ length: 128 }, (_, at) => at + 128)

const decode = (encoding: string) => [...new TextDecoder(encoding).decode(HIGH)]

/** By encoding and language: whether each byte from 128 on is one of its letters. */
const ALPHABETS = LETTERS.flatMap(([encoding, ...languages]) => {
  const letters = decode(encoding)
  return languages.map((language) => {
    const own = new Set([...language, ...language.toUpperCase(), ...language.toLocaleUpperCase('tr')])
    return { encoding, isOwn: letters.map((letter) => own.has(letter)) }
  })
})

/** What is a letter in the West; other bytes, as in "5 m³", count as letters only inside of a word. */
const IS_WESTERN = decode(FALLBACK).map((letter) => /\p{L}/u.test(letter))

/**
 * Which encoding a text of single bytes is in: the one of the language whose letters explain most of its bytes. Encodings
 * of Windows share a byte among different letters, and no language uses all of them: "ì" and "ø" in one word are Czech.
 */
function encodingOfLetters(bytes: Uint8Array): string {
  const counts = new Uint32Array(128)
  bytes.forEach((byte, at) => {
    const isLetter = IS_WESTERN[byte - 128] || (byte >= 128 && isLetterByte(bytes[at + 1] ?? 0))
    if (isLetter) counts[byte - 128] = (counts[byte - 128] ?? 0) + 1
  })
  let best = { encoding: FALLBACK, explained: 0 }
  for (const { encoding, isOwn } of ALPHABETS) {
    const explained = counts.reduce((sum, count, at) => sum + (isOwn[at] ? count : 0), 0)
    if (explained > best.explained) best = { encoding, explained }
  }
  return best.encoding
}

function isLetterByte(byte: number): boolean {
  return byte >= 0xc0 || (byte >= 0x61 && byte <= 0x7a)
}
