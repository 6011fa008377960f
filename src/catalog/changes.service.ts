/** How features above the catalog append to its log of changes: in the transaction of their own write. */
import type { Db } from '../db/database.ts'
import type { Log } from '../lib/log.ts'
import { type ChangeRecord, insertChanges } from './upsert.queries.ts'

export type { ChangeRecord }

export function recordChanges(tx: Db, changes: ChangeRecord[], at: Date): Promise<void> {
  return insertChanges(tx, changes, at)
}

const SHOWN_WITHIN_MS = 1_000

/**
 * Resolves when this node shows what was just committed, so that whoever wrote sees their own change in the next
 * answer. It does not wait long: the write is done either way, and the follower comes to it by itself.
 */
export function createShown(catchUp: () => Promise<void>, log: Log): () => Promise<void> {
  return async () => {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, SHOWN_WITHIN_MS)
    })
    const caughtUp = catchUp().catch((error) => log.warn({ err: error }, 'could not follow changes'))
    await Promise.race([caughtUp, late])
    clearTimeout(timer)
  }
}
