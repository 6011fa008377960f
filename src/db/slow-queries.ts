/** Statements that take long are a line in the log each, with their text as it was sent: placeholders, no values. */
import type { Log } from '../lib/log.ts'
import type { FinishedQuery } from './observe-queries.ts'

const LONGEST_TEXT = 2_000

/** Nothing is logged when `slowMs` is 0. */
export function createSlowQueryLog(log: Log, slowMs: number): (query: FinishedQuery) => void {
  if (slowMs === 0) return () => {}
  return ({ text, ms, error }) => {
    if (ms < slowMs) return
    const sql = text.replaceAll(/\s+/g, ' ').trim().slice(0, LONGEST_TEXT)
    log.warn({ sql, ms: Math.round(ms), failed: error !== null || undefined }, 'slow query')
  }
}
