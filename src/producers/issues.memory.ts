/**
 * What was found a moment ago, for the pages after the first: judging thousands of products again for each of them would
 * cost seconds, and the pages might not fit together. A first page is never taken from here, so whoever mends something
 * and looks again sees it mended. Kept by this node alone, for seconds, and bounded by how many issues there are in all.
 */
import type { Db } from '../db/database.ts'
import type { Severity } from './issue-rule.ts'
import type { Issue } from './issues.ts'

export type Judged = {
  /** Worst first. */
  issues: readonly Issue[]
  counts: Record<Severity, number>
  judged: number
  products: number
}

const KEPT_MS = 10_000
const MOST_ISSUES = 200_000

type Kept = Judged & { at: number }
/** By database: tests have several in one process. */
const memories = new WeakMap<Db, Map<string, Kept>>()

export function recall(db: Db, key: string, now: Date): Judged | null {
  const kept = memories.get(db)?.get(key)
  return kept && isFresh(kept, now) ? kept : null
}

export function remember(db: Db, key: string, judged: Judged, now: Date): void {
  const memory = memories.get(db) ?? new Map<string, Kept>()
  memories.set(db, memory)
  memory.delete(key)
  let room = MOST_ISSUES - judged.issues.length
  // The newest are last: what is old, and what has no room beside newer ones, goes.
  for (const [other, kept] of [...memory].reverse()) {
    room -= kept.issues.length
    if (room < 0 || !isFresh(kept, now)) memory.delete(other)
  }
  if (judged.issues.length <= MOST_ISSUES) memory.set(key, { ...judged, at: now.getTime() })
}

function isFresh({ at }: Kept, now: Date): boolean {
  return Math.abs(now.getTime() - at) < KEPT_MS
}
