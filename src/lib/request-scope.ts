/**
 * What is being worked on: a request, or the run of a job. Every line of the log that is written meanwhile carries its
 * ids, from however deep inside, and nobody has to pass a log along to say so.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Span } from './tracing.ts'

type ScopeIds = {
  requestId?: string
  job?: string
  jobId?: string
  attempt?: number
  /** Known once the caller has been looked up. */
  userId?: string
  orgId?: string
  /** Of the trace that the caller sent; where a span is open here, its own ids are told. */
  traceId?: string
}

export type Scope = {
  /** Shared by all spans of one request, so that who is calling is known in all of them. */
  ids: ScopeIds
  /** The innermost span that is open; null when nothing is traced. */
  span: Span | null
}

const scopes = new AsyncLocalStorage<Scope>()

export function currentScope(): Scope | undefined {
  return scopes.getStore()
}

export function inScope<T>(scope: Scope, work: () => T): T {
  return scopes.run(scope, work)
}

/** For what belongs to the node although somebody's request was there when it began: a connection that lives on. */
export function outsideScope<T>(work: () => T): T {
  return scopes.exit(work)
}

/** From here on the log says who is calling. Outside a request there is nobody to name. */
export function identify(caller: { userId?: string; orgId?: string }): void {
  const ids = scopes.getStore()?.ids
  if (ids) Object.assign(ids, caller)
}

/** For one line of the log; an object of its own each time, because the line is put together in it. */
export function scopeFields(): object {
  const scope = scopes.getStore()
  if (!scope) return {}
  const { ids, span } = scope
  return span ? { ...ids, traceId: span.traceId, spanId: span.spanId } : { ...ids }
}
