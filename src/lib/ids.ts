/**
 * UUIDv7 (RFC 9562): sorts by time, so primary keys stay clustered and "newest first" needs no second column.
 * Within one millisecond a 12-bit counter keeps the order of this process.
 */
import { randomFillSync } from 'node:crypto'

/** Random bytes for many ids at once: asking the system for eight at a time costs more than all the rest. */
const pool = Buffer.alloc(8 * 512)
let used = pool.length
let lastMs = 0
let counter = 0

export function newId(nowMs = Date.now()): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const random = pool.subarray(used, used + 8)
  used += 8
  if (nowMs > lastMs) {
    lastMs = nowMs
    counter = ((random[6] ?? 0) << 3) | ((random[7] ?? 0) >> 5)
  } else if (++counter > 0xfff) {
    // 4,096 ids in one millisecond: borrow the next one rather than repeat.
    lastMs += 1
    counter = 0
  }
  const time = lastMs.toString(16).padStart(12, '0')
  const sequence = counter.toString(16).padStart(3, '0')
  random[0] = ((random[0] ?? 0) & 0x3f) | 0x80
  const tail = random.toString('hex')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${sequence}-${tail.slice(0, 4)}-${tail.slice(4)}`
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Ids from callers go through this before they reach SQL: a malformed uuid is "not found", never a database error. */
export function isUuid(value: string): boolean {
  return UUID.test(value)
}
