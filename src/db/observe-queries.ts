/**
 * Sees every statement of a pool from the outside: how long it took, and which are still without an answer. Wrapped
 * around each connection when it is made, because the query builder and plain SQL both end there.
 */
import type pg from 'pg'

/** A statement that has ended. The text has placeholders: values never come this way. */
export type FinishedQuery = { text: string; ms: number; error: unknown }

export type QueryObserver = {
  /** When the oldest statement without an answer was sent, by `performance.now()`; null when there is none. */
  oldest(): number | null
  /** Breaks every connection that waits for an answer. */
  breakWaiting(reason: Error): void
}

type Statement = string | { text?: string; submit?: unknown }
type Callback = (error: unknown, ...rest: unknown[]) => void

export function observeQueries(pool: pg.Pool, onFinished: (query: FinishedQuery) => void): QueryObserver {
  const waiting = new Map<object, { client: pg.PoolClient; since: number }>()

  pool.on('connect', (client) => {
    const send = client.query.bind(client) as (...args: unknown[]) => unknown
    const observed = (statement: Statement, ...rest: unknown[]): unknown => {
      // Cursors and copies answer piece by piece, as fast as they are read.
      if (typeof statement !== 'string' && statement.submit) return send(statement, ...rest)
      const text = typeof statement === 'string' ? statement : (statement.text ?? '')
      const since = performance.now()
      const mark = {}
      waiting.set(mark, { client, since })
      const done = (error: unknown) => {
        waiting.delete(mark)
        onFinished({ text, ms: performance.now() - since, error })
      }
      const last = rest.at(-1)
      if (typeof last === 'function') {
        const callback = last as Callback
        rest[rest.length - 1] = (error: unknown, ...answer: unknown[]) => {
          done(error)
          callback(error, ...answer)
        }
        return send(statement, ...rest)
      }
      const answer = send(statement, ...rest) as Promise<unknown>
      answer.then(() => done(null), done)
      return answer
    }
    client.query = observed as typeof client.query
  })

  return {
    oldest() {
      let oldest: number | null = null
      for (const { since } of waiting.values()) if (oldest === null || since < oldest) oldest = since
      return oldest
    },
    breakWaiting(reason) {
      for (const { client } of waiting.values()) socketOf(client).destroy(reason)
    },
  }
}

/** The driver has no way to end a connection that does not answer but to let its socket go. */
function socketOf(client: pg.PoolClient): { destroy(error: Error): void } {
  return (client as unknown as { connection: { stream: { destroy(error: Error): void } } }).connection.stream
}
