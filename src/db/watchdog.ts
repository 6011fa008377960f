/**
 * Tells a database that hangs from one that is busy. A statement may take long for good reasons; but when one has had no
 * answer for a while, a connection of its own asks a question that takes no time. If that has no answer either, the
 * database is unavailable: waiting requests fail, and new ones are rejected immediately instead of joining the
 * queue, until it answers again.
 */

import pg from 'pg'
import { inBackground } from '../lib/background.ts'
import type { Log } from '../lib/log.ts'
import { gauge } from '../lib/metrics.ts'
import type { QueryObserver } from './observe-queries.ts'

export class DatabaseAway extends Error {
  constructor() {
    super('the database does not answer')
    this.name = 'DatabaseAway'
  }
}

export type WatchTimes = { lookEveryMs: number; suspiciousAfterMs: number; probeMs: number }

export const WATCH_TIMES: WatchTimes = { lookEveryMs: 500, suspiciousAfterMs: 2_000, probeMs: 2_000 }

export type Watchdog = { stop(): void }

/** A node has more than one pool, and is told of by one figure. */
const watched = new Set<() => boolean>()
gauge('souk_db_away', '1 while the database does not answer, else 0.', [], () =>
  Number([...watched].some((isAway) => isAway())),
)

export function startWatchdog(
  pool: pg.Pool,
  options: { connection: pg.PoolConfig; queries: QueryObserver; log: Log; times: WatchTimes },
): Watchdog {
  const { connection, queries, log, times } = options
  let away = false
  let looking = false
  let queuedSince: number | null = null
  const isAway = () => away
  refuseWhile(pool, isAway)
  watched.add(isAway)

  function isSuspicious(): boolean {
    const now = performance.now()
    queuedSince = pool.waitingCount > 0 ? (queuedSince ?? now) : null
    const since = Math.min(queries.oldest() ?? now, queuedSince ?? now)
    return now - since > times.suspiciousAfterMs
  }

  async function look(): Promise<void> {
    if (looking || !(away || isSuspicious())) return
    looking = true
    const answers = await answersAtAll(connection, times)
    looking = false
    if (away && answers) log.warn('the database answers again')
    if (!away && !answers) log.error('the database does not answer: rejecting requests that need it')
    away = !answers
    if (away) queries.breakWaiting(new DatabaseAway())
  }

  const timer = setInterval(() => inBackground(log, 'watching the database', look()), times.lookEveryMs)
  timer.unref()
  return {
    stop() {
      clearInterval(timer)
      watched.delete(isAway)
    },
  }
}

/** A refusal is an answer, too: a server that is full or starting up does not hang. */
async function answersAtAll(connection: pg.PoolConfig, { probeMs }: WatchTimes): Promise<boolean> {
  const client = new pg.Client({
    ...connection,
    application_name: `souk probe ${process.pid}`,
    connectionTimeoutMillis: probeMs,
    query_timeout: probeMs,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('select 1')
    return true
  } catch (error) {
    return error instanceof pg.DatabaseError
  } finally {
    // Not waited for: whom it would say goodbye to may be hanging.
    client.end().catch(() => {})
  }
}

type Done = (error: Error) => void

/** `pool.query` connects this way as well. */
function refuseWhile(pool: pg.Pool, isAway: () => boolean): void {
  const connect = pool.connect.bind(pool) as (done?: unknown) => unknown
  const guarded = (done?: Done): unknown => {
    if (!isAway()) return connect(done)
    if (!done) return Promise.reject(new DatabaseAway())
    process.nextTick(done, new DatabaseAway())
  }
  pool.connect = guarded as typeof pool.connect
}
