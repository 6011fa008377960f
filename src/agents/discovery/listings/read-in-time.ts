/**
 * Reads that cannot hold up the listings: one that takes too long is ended by the database, and when the database itself
 * does not answer, it is no longer waited for. What comes of it later is dropped.
 */
import type { Db } from '../../../db/database.ts'
import { withinTime } from '../../../db/within-time.ts'
import { inTime } from '../../../lib/abort.ts'
import { AppError } from '../../../lib/errors.ts'

export type ReadContext = {
  db: Db
  /** Of one statement, in milliseconds. */
  longestReadMs?: number
}

const LONGEST_READ_MS = 10_000
/** For the database to say that it has ended the statement. */
const GRACE_MS = 1_000
const TOO_LONG = { message: 'reading the catalog took too long; try again' }

/** How something reads: each for itself, or several one after the other within one. */
export type Reads = <T>(work: (ctx: { db: Db }) => Promise<T>) => Promise<T>

export function readsInTime(ctx: ReadContext): Reads {
  return (work) => readInTime(ctx, work)
}

export function readInTime<T>(
  { db, longestReadMs = LONGEST_READ_MS }: ReadContext,
  work: (ctx: { db: Db }) => Promise<T>,
): Promise<T> {
  const read = withinTime(db, TOO_LONG, (tx) => work({ db: tx }), longestReadMs)
  return inTime(read, longestReadMs + GRACE_MS, () => new AppError('unavailable', TOO_LONG.message))
}
