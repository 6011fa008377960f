/**
 * Keeps one node's caches and index in step with what any node commits. Woken by NOTIFY, by its own writes, and
 * by a poll for the day a notification is lost. Each event is given once, in an order that respects commits.
 */
import type { Db } from '../db/database.ts'
import type { Log } from '../lib/log.ts'
import { type ChangeEvent, currentPosition, readChangesFrom } from './changes.queries.ts'

export { type ChangeEvent, currentPosition }

export type ChangeFollower = {
  /** Takes the position; what is read from the database after this is at least as new. */
  start(): Promise<void>
  /** Resolves when everything committed before the call has been applied. */
  catchUp(): Promise<void>
  wake(): void
  /** How long ago all that was committed by then had been applied; null before the start. */
  behindMs(): number | null
  stop(): void
}

const PAGE = 1_000

export function createChangeFollower(options: {
  db: Db
  log: Log
  /** Awaited: when it fails, the same events are given again, and those of the same read before them. */
  apply: (events: ChangeEvent[]) => void | Promise<void>
  pollMs?: number
  pageSize?: number
}): ChangeFollower {
  const { db, log, apply, pollMs = 1_000, pageSize = PAGE } = options
  let position: string | null = null
  let seen = new Set<number>()
  let running: Promise<void> | null = null
  let queued: Promise<void> | null = null
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  let inStepAt: number | null = null

  /** Page by page: a large import leaves tens of thousands, and who is served by this node has turns between them. */
  async function readAll(from: string, take: (fresh: ChangeEvent[]) => void | Promise<void>): Promise<void> {
    let page = await readChangesFrom(db, { position: from, limit: pageSize })
    const { next, until } = page
    const boundary = BigInt(next)
    const ahead = new Set<number>()
    for (;;) {
      const fresh = page.events.filter(({ seq }) => !seen.has(seq))
      if (fresh.length > 0) await take(fresh)
      for (const { xid, seq } of page.events) if (BigInt(xid) >= boundary) ahead.add(seq)
      const last = page.events.at(-1)
      if (!last || page.events.length < pageSize) break
      page = await readChangesFrom(db, { position: from, after: { ...last, until }, limit: pageSize })
    }
    position = next
    seen = ahead
  }

  async function readOnce(): Promise<void> {
    if (position === null) return
    const began = performance.now()
    await readAll(position, apply)
    inStepAt = began
  }

  /** A read under way may have begun before the caller's commit: then a second one is needed, shared by all waiting. */
  function catchUp(): Promise<void> {
    if (!running) {
      running = readOnce().finally(() => {
        running = null
      })
      return running
    }
    queued ??= running
      .catch(() => {})
      .then(() => {
        queued = null
        return catchUp()
      })
    return queued
  }

  function poll(): void {
    if (stopped) return
    catchUp()
      .catch((error) => log.warn({ err: error }, 'could not follow changes'))
      .finally(() => {
        if (!stopped) timer = setTimeout(poll, pollMs)
      })
  }

  return {
    async start() {
      // A transaction open in any database of the cluster holds xmin back: what is visible past it was read already.
      const began = performance.now()
      await readAll(await currentPosition(db), () => {})
      inStepAt = began
      timer = setTimeout(poll, pollMs)
    },
    catchUp,
    wake() {
      catchUp().catch((error) => log.warn({ err: error }, 'could not follow changes'))
    },
    behindMs: () => (inStepAt === null ? null : performance.now() - inStepAt),
    stop() {
      stopped = true
      clearTimeout(timer)
    },
  }
}
