/**
 * UUIDv7 (RFC 9562): sorts by time, so primary keys stay clustered and "newest first" needs no second column.
 * Within one millisecond a 12-bit counter keeps the order of this process.
 */
import { randomBytes } from 'node:crypto'

/** Random hexadecimal digits for many ids at once: asking the system for a few at a time costs more than all the rest. */
const DIGITS = 8_192
const TAIL = 16
let digits = ''
let used = DIGITS
let lastMs = 0
/** `lastMs` as an id writes it, with its hyphen. */
let time = ''
let counter = 0

export function newId(nowMs = Date.now()): string {
  if (used >= DIGITS) {
    digits = randomBytes(DIGITS / 2).toString('hex')
    used = 0
  }
  const tail = digits.slice(used, used + TAIL)
  used += TAIL
  if (nowMs > lastMs) {
    setTime(nowMs)
    counter = Number.parseInt(tail.slice(13), 16) >> 1
  } else if (++counter > 0xfff) {
    // 4,096 ids in one millisecond: borrow the next one rather than repeat.
    setTime(lastMs + 1)
    counter = 0
  }
  const sequence = counter.toString(16).padStart(3, '0')
  return `${time}-7${sequence}-${variantOf(tail)}${tail.slice(1, 4)}-${tail.slice(4)}`
}

function setTime(ms: number): void {
  lastMs = ms
  const hex = ms.toString(16).padStart(12, '0')
  time = `${hex.slice(0, 8)}-${hex.slice(8)}`
}

/** Two of the digit's four bits are random, the others say which kind of UUID it is. */
function variantOf(tail: string): string {
  return '89ab'.charAt(Number.parseInt(tail.charAt(0), 16) & 3)
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Ids from callers go through this before they reach SQL: a malformed uuid is "not found", never a database error. */
export function isUuid(value: string): boolean {
  return UUID.test(value)
}

export function idsOf(rows: ReadonlyArray<{ id: string }>): string[] {
  return rows.map(({ id }) => id)
}
