/** How imports write: many rows in one transaction, and when the database refuses that, only the row at fault is lost. */
import { type Db, isConnectionLost, type Tx } from '../db/database.ts'

/** A dry run does all of it and keeps nothing. */
export async function inTransaction<Result>(
  db: Db,
  { dryRun }: { dryRun: boolean },
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  const tx = await db.startTransaction().execute()
  try {
    const result = await work(tx)
    await (dryRun ? tx.rollback() : tx.commit()).execute()
    return result
  } catch (error) {
    await tx
      .rollback()
      .execute()
      .catch(() => {})
    throw error
  }
}

/**
 * A refusal that says nothing about what was to be written, and may not come again: a deadlock, no room, a wait that took
 * too long, a disk. SQLSTATE classes 40, 53 and 58, lock_not_available and query_canceled.
 */
export function isPassing(error: unknown): boolean {
  const { code = '' } = error as { code?: string }
  return /^(40|53|58)...$|^55P03$|^57014$/.test(code)
}

/** `refused` tells of a row that cannot be written even alone; it throws what no row is to blame for. */
export async function togetherOrOneByOne<Row, Result>(
  rows: Row[],
  write: (rows: Row[]) => Promise<Result[]>,
  refused: (row: Row, error: unknown) => Result,
  isFatal: (error: unknown) => boolean = isConnectionLost,
): Promise<Result[]> {
  const [first, ...others] = rows
  if (first === undefined) return []
  try {
    return await write(rows)
  } catch (error) {
    if (isFatal(error)) throw error
    if (others.length === 0) return [refused(first, error)]
    const results: Result[] = []
    for (const row of rows) results.push(...(await togetherOrOneByOne([row], write, refused, isFatal)))
    return results
  }
}
