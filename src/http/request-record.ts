/**
 * The record of one request, the same for the router and the fast lane: its id, when it began, its line in the log, its
 * count and its span. The fast lane answers in microseconds, so a record is a few fields, and what it counts in is looked
 * up by one text.
 */
import { randomUUID } from 'node:crypto'
import { createAccessLog, type Log } from '../lib/log.ts'
import { type CounterChild, counter, gauge, type HistogramChild, histogram } from '../lib/metrics.ts'
import type { Scope } from '../lib/request-scope.ts'
import { isTracing, type RemoteParent, readTraceparent, rootSpan, type Span } from '../lib/tracing.ts'
import { loggedPath } from './secret-path.ts'

export type RequestRecord = Scope & {
  id: string
  method: string
  /** As it is logged: without its query, which may hold tokens and search words, and without secret ids. */
  path: string
  /** By `performance.now()`. */
  started: number
}

type RequestRecords = {
  begin(about: { method: string; path: string; header: Header; started?: number }): RequestRecord
  /** `route` is a pattern of the router, never the path: there are few of them. */
  end(record: RequestRecord, route: string, status: number): void
}

const SANE_REQUEST_ID = /^[\w.-]{8,64}$/
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
/** What matches no route: strangers choose methods and paths, and each would be a label for ever. */
const OTHER = 'other'
const LONGEST_AGENT = 200

const LABELS = ['method', 'route', 'status'] as const
const requests = counter('souk_http_requests_total', 'Requests answered.', LABELS)
const durations = histogram(
  'souk_http_request_duration_seconds',
  'From the first look at a request to its answer, or to the head of an answer that is streamed.',
  LABELS,
)
let inFlight = 0
gauge('souk_http_requests_in_flight', 'Requests in progress.', [], () => inFlight)

type Meter = { count: CounterChild; duration: HistogramChild }
/** By route, then method, then status: texts that exist already are found faster than one that is made to be looked up. */
const meters = new Map<string, Map<string, Meter[]>>()

export function createRequestRecords({ trustProxy, log }: { trustProxy: boolean; log: Log }): RequestRecords {
  const logAccess = createAccessLog(log)
  return {
    begin({ method, path: asked, header, started = performance.now() }) {
      const path = loggedPath(asked)
      inFlight++
      const id = requestIdFor(header('x-request-id'), trustProxy)
      const given = header('traceparent')
      const parent = given === undefined ? null : readTraceparent(given, header('tracestate'))
      const span = isTracing() ? serverSpan(method, path, header, parent) : null
      const ids = parent ? { requestId: id, traceId: parent.traceId } : { requestId: id }
      return { id, method, path, started, ids, span }
    },
    end(record, matched, status) {
      inFlight--
      const { id: requestId, method, path, span, ids } = record
      const route = matched === '' || matched === '*' || matched === '/*' ? OTHER : matched
      const ms = performance.now() - record.started
      const meter = meterOf(method, route, status)
      meter.count.add(1)
      meter.duration.observe(ms / 1000)
      const line = { requestId, method, path, status, ms }
      if (!span) return logAccess(line, ids)
      logAccess(line, { ...ids, traceId: span.traceId, spanId: span.spanId })
      span.rename(`${METHODS.has(method) ? method : 'HTTP'} ${route}`)
      span.set({ 'http.route': route, 'http.response.status_code': status })
      if (status >= 500) span.fail(String(status))
      span.end()
    },
  }
}

/** An id given by a proxy in front is kept, so that one request can be followed through both logs. */
function requestIdFor(given: string | undefined, trustProxy: boolean): string {
  return trustProxy && given !== undefined && SANE_REQUEST_ID.test(given) ? given : randomUUID()
}

type Header = (name: string) => string | undefined

function serverSpan(method: string, path: string, header: Header, parent: RemoteParent | null): Span | null {
  const span = rootSpan(method, { kind: 'server' }, parent)
  if (!span?.recording) return span
  const agent = header('user-agent')
  span.set({
    'http.request.method': METHODS.has(method) ? method : '_OTHER',
    'url.path': path,
    ...(agent !== undefined && { 'user_agent.original': agent.slice(0, LONGEST_AGENT) }),
  })
  return span
}

function meterOf(method: string, route: string, status: number): Meter {
  return meters.get(route)?.get(method)?.[status] ?? newMeter(method, route, status)
}

function newMeter(given: string, route: string, status: number): Meter {
  const method = METHODS.has(given) ? given : OTHER
  const ofRoute = meters.get(route) ?? new Map<string, Meter[]>()
  const ofMethod = ofRoute.get(method) ?? []
  const labels = [method, route, String(status)] as const
  const meter = ofMethod[status] ?? { count: requests.of(...labels), duration: durations.of(...labels) }
  ofMethod[status] = meter
  meters.set(route, ofRoute.set(method, ofMethod))
  return meter
}
