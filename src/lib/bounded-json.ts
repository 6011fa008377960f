/**
 * JSON from outside, looked over before it is parsed. Who reads a value goes one call deeper for each level, and calls
 * have an end; and a body has room for a million values that nobody asked for. One pass over the bytes, which jumps over
 * texts, so a large text costs next to nothing.
 */
import { isUtf8 } from 'node:buffer'

/** Deeper than anything that is asked for, far from what calls can follow. */
export const MAX_DEPTH = 100
/** More values than any request of ours has: two thousand rows of an import, each with its fields. */
export const MAX_VALUES = 100_000

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const BYTE_ORDER_MARK = 0xfeff

/** What is wrong with it, or null. What is no JSON at all may pass: parsing tells. */
export function flawOfJson(
  bytes: Buffer,
  { maxDepth = MAX_DEPTH, maxValues = MAX_VALUES } = {},
): string | null {
  let depth = 0
  let values = 1
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number
    if (byte === QUOTE) {
      at = endOfText(bytes, at + 1)
    } else if (byte === COMMA) {
      values++
    } else if ((byte | 0x20) === 0x7b) {
      // `{` and `[` differ in one bit, as do their ends.
      depth++
      values++
      if (depth > maxDepth) return `the body is nested more than ${maxDepth} levels deep`
    } else if ((byte | 0x20) === 0x7d) {
      depth--
    }
    if (values > maxValues) return `the body has more than ${maxValues.toLocaleString('en-US')} values`
  }
  return null
}

/** The place of its closing quote; the end of the bytes when it has none. */
function endOfText(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(QUOTE, from); at >= 0; at = bytes.indexOf(QUOTE, at + 1)) {
    let slashes = 0
    while (at - slashes > from && bytes[at - slashes - 1] === BACKSLASH) slashes++
    if (slashes % 2 === 0) return at
  }
  return bytes.length
}

/** Undefined for what is no JSON. The parser's message is dropped: it quotes what it could not read. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true })

/** Likewise of bytes, which must be UTF-8. */
export function parseJsonBytes(body: Uint8Array): unknown {
  try {
    return JSON.parse(UTF8.decode(body))
  } catch {
    return undefined
  }
}

type ReadJson = { value: unknown } | { flaw: string } | { notJson: true }

export function readBoundedJson(bytes: Buffer): ReadJson {
  const flaw = flawOfJson(bytes)
  if (flaw !== null) return { flaw }
  if (!isUtf8(bytes)) return { notJson: true }
  const text = bytes.toString('utf8')
  const value = parseJson(text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text)
  return value === undefined ? { notJson: true } : { value }
}
