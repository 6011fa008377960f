/**
 * Remembers what was searched and what was answered, behind the answer: entries are gathered for a moment and written
 * together. When the database cannot keep up or does not answer, entries are dropped and counted, never waited for.
 */
import type { Db } from '../db/database.ts'
import type { Log } from '../lib/log.ts'
import { insertQueries, type QueryEntry } from './query-log.queries.ts'

export type { QueryEntry }
export type QueryLog = {
  add(entry: QueryEntry): void
  /** Resolves when what was added so far is written or given up. */
  settled(): Promise<void>
}

const GATHER_MS = 200
const MOST_WAITING = 20_000
const PIECE = 1_000

export function createQueryLog(ctx: { db: Db; log: Log }): QueryLog {
  const waiting: QueryEntry[] = []
  let dropped = 0
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()

  function write(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    writing = writing.then(async () => {
      while (waiting.length > 0) {
        const piece = waiting.splice(0, PIECE)
        try {
          await insertQueries(ctx.db, piece)
        } catch (error) {
          dropped += piece.length
          ctx.log.warn({ err: error }, 'searches could not be logged')
        }
      }
      if (dropped > 0) ctx.log.warn({ searches: dropped }, 'searches are missing from the log')
      dropped = 0
    })
    return writing
  }

  return {
    add(entry) {
      if (waiting.length >= MOST_WAITING) {
        dropped++
        return
      }
      waiting.push(entry)
      timer ??= setTimeout(write, GATHER_MS)
    },
    settled: write,
  }
}
