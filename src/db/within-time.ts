/**
 * For reads whose cost grows with what somebody has stored: all statements see the same moment, and one that takes too
 * long is ended by the database rather than waited for. The caller gets an error that says to ask for less.
 */
import { AppError } from '../lib/errors.ts'
import type { Db } from './database.ts'
import { run } from './rows.ts'

const LONGEST_MS = 10_000
const TIMED_OUT = '57014'

export type TooLong = { message: string; field?: string }

export async function withinTime<T>(
  db: Db,
  { message, field }: TooLong,
  work: (tx: Db) => Promise<T>,
  longestMs = LONGEST_MS,
): Promise<T> {
  const done = db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (tx) => {
      await run(tx)`select set_config('statement_timeout', ${String(longestMs)}, true)`
      return work(tx)
    })
  return done.catch((error: unknown) => {
    if ((error as { code?: string }).code !== TIMED_OUT) throw error
    throw new AppError('unavailable', message, { field, cause: error })
  })
}
