/** How the findings of health are asked for and worded. */
import type { Db } from '../../../db/database.ts'
import { withinTime } from '../../../db/within-time.ts'
import type { Finding } from '../../../lib/checks.ts'
import { countOf } from '../../format.ts'

export type Check = Finding & { name: string }

export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const DAY = 1_440 * MINUTE
const MB = 1024 ** 2
const LONGEST_MS = 5_000

export function reading<T>(ctx: { db: Db }, work: (tx: Db) => Promise<T>): Promise<T> {
  return withinTime(ctx.db, { message: 'the database took too long to say' }, work, LONGEST_MS)
}

export function megabytes(bytes: number): string {
  return bytes >= 1024 * MB ? `${(bytes / MB / 1024).toFixed(1)} GB` : `${Math.round(bytes / MB)} MB`
}

/** "3 days", "5 minutes", "12 seconds" */
export function span(ms: number): string {
  const units = [
    ['day', DAY],
    ['hour', 60 * MINUTE],
    ['minute', MINUTE],
  ] as const
  const [unit, size] = units.find(([, one]) => ms >= one) ?? ['second', SECOND]
  return countOf(Math.floor(ms / size), unit)
}
