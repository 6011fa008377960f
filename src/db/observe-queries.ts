/**
 * Sees every statement of a pool from the outside: how long it took, and which are still without an answer. Those that
 * come often are sent by the name they were prepared under. They are counted, and are spans where somebody's request is traced: nobody wants a trace of a node that looks for work. Wrapped
 * around each connection when it is made, because the query builder and plain SQL both end there.
 */
import type pg from 'pg'
import { counter, type HistogramChild, histogram } from '../lib/metrics.ts'
import { currentScope, inScope } from '../lib/request-scope.ts'
import { childSpan, typeOfError } from '../lib/tracing.ts'
import { createPreparer } from './prepare-often.ts'

/** A statement that has ended. The text has placeholders: values never come this way. */
export type FinishedQuery = { text: string; ms: number; error: unknown }

export type QueryObserver = {
  /** When the oldest statement without an answer was sent, by `performance.now()`; null without one. */
  oldest(): number | null
  /** Breaks every connection that waits for an answer. */
  breakWaiting(reason: Error): void
}

type Statement = string | { text?: string; submit?: unknown }
type Callback = (error: unknown, ...rest: unknown[]) => void

const durations = histogram('souk_db_query_duration_seconds', 'Time statements took, by their first word.', [
  'operation',
])
const errors = counter(
  'souk_db_errors_total',
  'Statements that failed, by SQLSTATE class; connection when there was no SQLSTATE.',
  ['class'],
)
const OPERATIONS = new Map<string, HistogramChild>(
  ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'WITH', 'BEGIN', 'COMMIT', 'ROLLBACK'].map((name) => [
    name,
    durations.of(name.toLowerCase()),
  ]),
)
const OTHER = durations.of('other')
const LONGEST_TEXT = 2_000

export function observeQueries(pool: pg.Pool, onFinished: (query: FinishedQuery) => void): QueryObserver {
  const waiting = new Map<object, { client: pg.PoolClient; since: number }>()
  const nameOf = createPreparer()

  pool.on('connect', (client) => {
    const send = client.query.bind(client) as (...args: unknown[]) => unknown
    const observed = (statement: Statement, ...rest: unknown[]): unknown => {
      // Cursors and copies answer piece by piece, as fast as they are read.
      if (typeof statement !== 'string' && statement.submit) return send(statement, ...rest)
      const text = typeof statement === 'string' ? statement : (statement.text ?? '')
      const since = performance.now()
      const mark = {}
      waiting.set(mark, { client, since })
      const operation = operationOf(text)
      const span = childSpan(operation, {
        kind: 'client',
        attributes: {
          'db.system.name': 'postgresql',
          'db.operation.name': operation,
          'db.query.text': text.slice(0, LONGEST_TEXT),
        },
      })
      // The answer may arrive in the async context that opened the connection, long ago.
      const scope = currentScope()
      const done = (error: unknown) => {
        waiting.delete(mark)
        const ms = performance.now() - since
        const duration = OPERATIONS.get(operation) ?? OTHER
        duration.observe(ms / 1_000)
        if (error) errors.inc(errorClass(error))
        if (error) span?.fail(typeOfError(error))
        span?.end()
        const finished = { text, ms, error }
        if (scope) inScope(scope, () => onFinished(finished))
        else onFinished(finished)
      }
      const [values] = rest
      const name = typeof statement === 'string' && Array.isArray(values) ? nameOf(text) : undefined
      const sent = name === undefined ? statement : { name, text, values }
      if (name !== undefined) rest.shift()
      const last = rest.at(-1)
      if (typeof last === 'function') {
        const callback = last as Callback
        rest[rest.length - 1] = (error: unknown, ...answer: unknown[]) => {
          done(error)
          callback(error, ...answer)
        }
        return send(sent, ...rest)
      }
      const answer = send(sent, ...rest) as Promise<unknown>
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

function operationOf(text: string): string {
  return /^\s*([a-z]+)/i.exec(text)?.[1]?.toUpperCase() ?? ''
}

/** Its first two characters: what kind of trouble, of which there are some forty. */
function errorClass(error: unknown): string {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && /^[\dA-Z]{5}$/.test(code) ? code.slice(0, 2) : 'connection'
}

/** The driver has no way to end a connection that does not answer but to let its socket go. */
export function socketOf(client: pg.ClientBase): { destroy(error: Error): void } {
  return (client as unknown as { connection: { stream: { destroy(error: Error): void } } }).connection.stream
}
