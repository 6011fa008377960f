/**
 * Spans of what is being worked on, for a collector that speaks OpenTelemetry's protocol. Off unless the standard
 * variables name one: then nothing of it is loaded, and asking for a span costs one look at a variable. The span that is
 * open belongs to the scope (request-scope.ts), so there is one store for the log and the trace.
 */
import type { Log } from './log.ts'
import { currentScope, inScope } from './request-scope.ts'

type Attributes = Record<string, string | number>

export type SpanOptions = { kind?: 'internal' | 'server' | 'client' | 'consumer'; attributes?: Attributes }

export type Span = {
  traceId: string
  spanId: string
  /** False when the sampler has left this trace out: then its children need not be made. */
  recording: boolean
  child(name: string, options: SpanOptions): Span
  rename(name: string): void
  set(attributes: Attributes): void
  /** By its kind alone: messages of errors repeat what people have sent. */
  fail(type: string): void
  end(): void
}

/** The caller's place in its own trace, by the `traceparent` header of W3C Trace Context. */
export type RemoteParent = { traceId: string; spanId: string; sampled: boolean; state?: string }

export type Tracer = {
  /** Whether a caller's trace is continued. */
  continues: boolean
  root(name: string, options: SpanOptions, parent: RemoteParent | null): Span
  /** Sends what is left. */
  stop(): Promise<void>
}

let tracer: Tracer | null = null

export function wantsTracing(env: Record<string, string | undefined>): boolean {
  if (env.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true') return false
  const exporters = (env.OTEL_TRACES_EXPORTER ?? '').split(',').map((name) => name.trim())
  if (exporters.some((name) => name !== '')) return exporters.some((name) => name !== '' && name !== 'none')
  return Boolean(env.OTEL_EXPORTER_OTLP_ENDPOINT || env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT)
}

export async function startTracing(log: Log): Promise<void> {
  if (tracer || !wantsTracing(process.env)) return
  const { createOtelTracer } = await import('./tracing.otel.ts')
  tracer = createOtelTracer(log)
}

export async function stopTracing(): Promise<void> {
  const stopped = tracer
  tracer = null
  await stopped?.stop()
}

/** For who would have to prepare what a span is made of. */
export function isTracing(): boolean {
  return tracer !== null
}

/** The first span of a request or a job; null when nothing is traced. */
export function rootSpan(
  name: string,
  options: SpanOptions,
  parent: RemoteParent | null = null,
): Span | null {
  if (!tracer) return null
  return tracer.root(name, options, tracer.continues ? parent : null)
}

/** A child of the open span, which the caller ends; null when nothing is traced. */
export function childSpan(name: string, options: SpanOptions): Span | null {
  if (!tracer) return null
  const open = currentScope()?.span
  return open?.recording ? open.child(name, options) : null
}

/** Does the work within a span of its own, which fails with it. Without tracing it is the work alone. */
export function inSpan<T>(
  name: string,
  options: SpanOptions,
  work: (span: Span | null) => Promise<T>,
): Promise<T> {
  const span = childSpan(name, options)
  const scope = currentScope()
  if (!span || !scope) return work(null)
  const done = inScope({ ids: scope.ids, span }, () => work(span))
  return done
    .catch((error: unknown) => {
      span.fail(typeOfError(error))
      throw error
    })
    .finally(() => span.end())
}

export function typeOfError(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown }
  return typeof code === 'string' ? code : typeof name === 'string' ? name : 'Error'
}

const TRACEPARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:-.*)?$/
const LONGEST_STATE = 512

/** Null for what is not valid: then a trace of our own begins. */
export function readTraceparent(traceparent: string, tracestate?: string): RemoteParent | null {
  const [, version, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(traceparent) ?? []
  // Version 00 ends with its flags; later ones may say more. Version ff and ids of zeroes are never valid.
  if (version === undefined || version === 'ff' || (version === '00' && traceparent.length !== 55))
    return null
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null
  const sampled = (Number.parseInt(flags, 16) & 1) === 1
  const state = tracestate !== undefined && tracestate.length <= LONGEST_STATE ? tracestate : undefined
  return { traceId, spanId, sampled, ...(state !== undefined && { state }) }
}
