/**
 * How every import goes: the rows of a file, batch by batch, to one of two ends, where they are written or proposed. A
 * batch is one transaction, and when the database refuses it, only the row at fault is lost. What no row is to blame for
 * (a full disk, a database that is away) stops the import where it is instead, with that reason: row by row it would be
 * told of every row that follows.
 */
import type { ControlledTransaction } from 'kysely'
import { type Db, isClash, serviceFault, type Tx } from '../db/database.ts'
import type { Tables } from '../db/tables.ts'
import { awaitLater } from '../lib/background.ts'
import { AppError, unavailable } from '../lib/errors.ts'
import type { Log } from '../lib/log.ts'
import { type BatchSize, createBatch } from './import/rows.ts'

const TRIES = 3
const AGAIN_AFTER_SECONDS = 60

type ImportEnd<Row, Result> = {
  most: BatchSize
  /** Writes the rows in one transaction. */
  write(rows: Row[]): Promise<Result[]>
  /** What is said of a row that cannot be stored even alone. */
  refused(row: Row): Result
  /** After each batch; the next one waits for it. */
  written(rows: Row[], results: Result[]): void | Promise<void>
}

/** The database writes one batch while the next is read and checked; batches still commit one after the other. */
export async function writeRows<Row extends { weight: number; line: number }, Result>(
  { log }: { log: Log },
  rows: Iterable<Row> | AsyncIterable<Row>,
  end: ImportEnd<Row, Result>,
): Promise<void> {
  const batch = createBatch<Row>(end.most)
  let writing: Promise<void> = Promise.resolve()
  const refused = (row: Row, error: unknown) => {
    log.warn({ err: error, line: row.line }, 'the database rejected an imported row')
    return end.refused(row)
  }
  const write = async (full: Row[]) =>
    end.written(full, await togetherOrOneByOne(full, (some) => end.write(some), refused))
  const flush = async () => {
    const full = batch.take()
    await writing
    // Awaited before the next batch or at the end.
    writing = awaitLater(write(full))
  }
  try {
    for await (const row of rows) if (batch.add(row)) await flush()
    await flush()
  } finally {
    await writing
  }
}

/** A part of a transaction that can fail by itself. */
export async function inSavepoint<Result>(
  tx: ControlledTransaction<Tables>,
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  const held = await tx.savepoint('part').execute()
  try {
    const result = await work(held)
    await held.releaseSavepoint('part').execute()
    return result
  } catch (error) {
    await held
      .rollbackToSavepoint('part')
      .execute()
      .catch(() => {})
    throw error
  }
}

/** A dry run does all of it and keeps nothing; whether it is one may depend on what came of it. */
export async function inTransaction<Result>(
  db: Db,
  { dryRun }: { dryRun: boolean | ((result: Result) => boolean) },
  work: (tx: ControlledTransaction<Tables>) => Promise<Result>,
): Promise<Result> {
  const tx = await db.startTransaction().execute()
  try {
    const result = await work(tx)
    const isDry = typeof dryRun === 'boolean' ? dryRun : dryRun(result)
    await (isDry ? tx.rollback() : tx.commit()).execute()
    return result
  } catch (error) {
    await tx
      .rollback()
      .execute()
      .catch(() => {})
    throw error
  }
}

/** `refused` tells of a row that cannot be written even alone. What no row is to blame for is thrown. */
async function togetherOrOneByOne<Row, Result>(
  rows: Row[],
  write: (rows: Row[]) => Promise<Result[]>,
  refused: (row: Row, error: unknown) => Result,
): Promise<Result[]> {
  const [first, ...others] = rows
  if (first === undefined) return []
  try {
    return await tryAgain(() => write(rows))
  } catch (error) {
    if (error instanceof AppError || serviceFault(error) !== null) throw error
    if (others.length === 0) return [refused(first, error)]
    const results: Result[] = []
    for (const row of rows) results.push(...(await togetherOrOneByOne([row], write, refused)))
    return results
  }
}

/** For a write that another one stands in the way of. */
export async function tryAgain<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (!isClash(error) || tries === TRIES) throw error
    }
  }
}

/** What is thrown instead of `error` when an import stops for a reason that is not its rows'. `how` says how to go on. */
export function asStopped(error: unknown, { after, how }: { after: string; how: string }): unknown {
  const reason = error instanceof AppError ? null : serviceFault(error)
  if (reason === null) return error
  return unavailable(
    `the import stopped after ${after}, because ${reason}; ${how}`,
    AGAIN_AFTER_SECONDS,
    error,
  )
}
