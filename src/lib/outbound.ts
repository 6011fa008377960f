/**
 * The one module that opens connections to the outside world: client metadata documents, agent cards, RFQs, UCP
 * profiles, domain verification, push notifications, model endpoints. Most of those URLs come from strangers, so
 * each connection goes only to an address that was checked (outbound.target), dialled as a literal
 * (outbound.connect), and each answer is bounded in time and size (outbound.exchange). The check sits where the
 * connection is made, not before it: there is no second lookup that could give another answer.
 */
import { createSecureContext } from 'node:tls'
import { counter, histogram } from './metrics.ts'
import { type AllowIndex, type Inside, indexAllow, type OutboundAllow } from './outbound.allow.ts'
import { connectTo, type OpenSocket, openSocket } from './outbound.connect.ts'
import { OutboundError } from './outbound.errors.ts'
import { checkHeaders, exchange, wasNeverSent } from './outbound.exchange.ts'
import { createPool, type Opened } from './outbound.pool.ts'
import {
  aim,
  createDnsResolve,
  locate,
  type Resolve,
  type Scheme,
  systemResolve,
  type Target,
} from './outbound.target.ts'
import { inSpan } from './tracing.ts'

export type OutboundRequest = {
  url: string
  method?: 'GET' | 'POST' | 'HEAD'
  headers?: Record<string, string>
  body?: string | Uint8Array
  /** For all of it: waiting for a connection, DNS, connecting, TLS, sending, and the last byte of the answer. */
  timeoutMs: number
  maxBytes: number
  signal?: AbortSignal
  /** Only https unless said otherwise; http also goes to a `host:port` of the allow list. */
  schemes?: readonly Scheme[]
  /**
   * The operator's allow list does not count. For addresses that a stranger names and whose answer the stranger gets to
   * see: the list was opened for the service's own errands.
   */
  publicOnly?: boolean
  /**
   * How many redirects of a GET are followed; none unless said. Each is a request of its own, judged like the first, within
   * the same time. Another origin gets no headers but `accept`: they were meant for the first.
   */
  redirects?: number
  /** An answer packed with gzip is handed over as it came, for a caller that unpacks it within a bound of its own. */
  mayBeGzip?: boolean
}

export type OutboundResponse = {
  status: number
  /** Lower-case names; repeated headers are joined with a comma. */
  headers: Record<string, string>
  body: Buffer
  /** `connectMs` only when this request opened the connection. */
  timings: { totalMs: number; connectMs?: number }
  /** The address that answered. */
  address: string
}

export type Outbound = {
  /**
   * Rejects with an OutboundError and nothing else. Any status but 3xx is an answer, and 304 is one to a request with
   * `if-none-match` or `if-modified-since`.
   */
  request(input: OutboundRequest): Promise<OutboundResponse>
  /** Rejects with an OutboundError if the URL may not be reached. Resolves the name, opens no connection. */
  check(url: string | URL, options?: CheckOptions): Promise<void>
  /** What is open now, in use or kept for reuse. */
  size(): { origins: number; connections: number }
  /** Ends requests under way with reason `aborted`. */
  close(): Promise<void>
}

type CheckOptions = { schemes?: readonly Scheme[]; timeoutMs?: number; signal?: AbortSignal }

export type OutboundOptions = {
  allow: readonly OutboundAllow[]
  /** Servers that this process runs now, which the service's own errands reach and strangers' addresses never. */
  inside?: () => readonly Inside[]
  resolve?: Resolve
  open?: OpenSocket
  /** Trusted instead of the system's authorities. Unset, Node's own are used, NODE_EXTRA_CA_CERTS included. */
  ca?: string
}

const HTTPS_ONLY: readonly Scheme[] = ['https']
const CHECK_MS = 5_000

const requests = counter(
  'souk_outbound_requests_total',
  'Outbound requests, by status class (2xx …) or why there was no answer.',
  ['outcome'],
)
const durations = histogram(
  'souk_outbound_request_duration_seconds',
  'Duration of outbound requests, up to the last byte.',
  [],
)

export function createOutbound(options: OutboundOptions): Outbound {
  const usual = { allow: indexAllow(options.allow, options.inside), pool: createPool() }
  const insiders = createPool()
  // Its own connections: none that the list has opened is there to be reused.
  const strict = { allow: indexAllow([]), pool: createPool() }
  const open = options.open ?? openSocket
  const resolvers = {
    open: options.resolve ?? createDnsResolve(),
    vouched: options.resolve ?? systemResolve,
  }
  // Made once: loading the root certificates for each connection would cost more than the handshake.
  const context = createSecureContext({ ca: options.ca })
  const running = new Set<AbortController>()
  let closed = false

  /** Nothing is added to what is sent: what producers and others get is fixed by contract. */
  function request(input: OutboundRequest): Promise<OutboundResponse> {
    const { method = 'GET' } = input
    const host = URL.parse(input.url)?.hostname ?? ''
    const attributes = { 'http.request.method': method, 'server.address': host }
    const started = performance.now()
    return inSpan(method, { kind: 'client', attributes }, async (span) => {
      try {
        const response = await follow(input)
        span?.set({ 'http.response.status_code': response.status })
        if (response.status >= 400) span?.fail(String(response.status))
        requests.inc(`${Math.floor(response.status / 100)}xx`)
        return response
      } catch (error) {
        requests.inc(error instanceof OutboundError ? error.reason : 'fault')
        throw error
      } finally {
        durations.observe((performance.now() - started) / 1_000)
      }
    })
  }

  async function follow(input: OutboundRequest): Promise<OutboundResponse> {
    const endsAt = performance.now() + input.timeoutMs
    let next = input
    for (let left = input.redirects ?? 0; ; left--) {
      try {
        return await send(next)
      } catch (error) {
        const location = error instanceof OutboundError ? error.location : undefined
        const to = location === undefined ? null : URL.parse(location, next.url)
        if (left === 0 || to === null || (input.method ?? 'GET') !== 'GET') throw error
        const { accept } = next.headers ?? {}
        const headers =
          to.origin === new URL(next.url).origin ? next.headers : accept === undefined ? {} : { accept }
        next = { ...next, url: to.href, headers, timeoutMs: Math.max(1, endsAt - performance.now()) }
      }
    }
  }

  async function send(input: OutboundRequest): Promise<OutboundResponse> {
    const started = performance.now()
    const { allow, pool: outside } = input.publicOnly ? strict : usual
    const target = aim(input.url, input.schemes ?? HTTPS_ONLY, allow)
    const pool = target.isInside ? insiders : outside
    const message = {
      host: target.host,
      path: target.path,
      method: input.method ?? 'GET',
      headers: checkHeaders(input.headers ?? {}),
      body: input.body,
      maxBytes: input.maxBytes,
      mayBeGzip: input.mayBeGzip ?? false,
    }
    return await timed(target.host, input.timeoutMs, input.signal, async (signal) => {
      for (;;) {
        const connection = await pool.take(target.origin, () => connect(target, allow, signal), signal)
        const { address, reused, connectMs } = connection
        try {
          const answer = await exchange(connection, message, signal)
          pool.give(connection)
          const totalMs = performance.now() - started
          return { ...answer, timings: reused ? { totalMs } : { totalMs, connectMs }, address }
        } catch (error) {
          pool.drop(connection)
          if (!wasNeverSent(error, connection)) throw error
        }
      }
    })
  }

  async function connect(target: Target, allow: AllowIndex, signal: AbortSignal): Promise<Opened> {
    const started = performance.now()
    const addresses = await locate(target, resolvers, allow, signal)
    const opened = await connectTo(target, addresses, open, context, signal)
    return { ...opened, connectMs: performance.now() - started }
  }

  async function check(url: string | URL, { schemes, timeoutMs, signal }: CheckOptions = {}): Promise<void> {
    const target = aim(url, schemes ?? HTTPS_ONLY, usual.allow)
    await timed(target.host, timeoutMs ?? CHECK_MS, signal, (clock) =>
      locate(target, resolvers, usual.allow, clock),
    )
  }

  /** Whatever fails after the clock has run out, or after the caller gave up, failed because of that. */
  async function timed<T>(
    host: string,
    timeoutMs: number,
    caller: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const clock = new AbortController()
    const giveUp = () => clock.abort(new OutboundError('aborted', `The request to ${host} was canceled`))
    const late = () =>
      clock.abort(new OutboundError('timeout', `${host} did not answer within ${timeoutMs} ms`))
    if (closed || caller?.aborted) giveUp()
    const timer = setTimeout(late, timeoutMs)
    caller?.addEventListener('abort', giveUp, { once: true })
    running.add(clock)
    try {
      clock.signal.throwIfAborted()
      return await work(clock.signal)
    } catch (error) {
      clock.signal.throwIfAborted()
      throw error
    } finally {
      clearTimeout(timer)
      caller?.removeEventListener('abort', giveUp)
      running.delete(clock)
    }
  }

  async function close(): Promise<void> {
    closed = true
    for (const clock of running) clock.abort(new OutboundError('aborted', 'The service is stopping'))
    await Promise.all([usual, strict, { pool: insiders }].map(({ pool }) => pool.close()))
  }

  function size(): ReturnType<Outbound['size']> {
    const sizes = [usual.pool, strict.pool, insiders].map((pool) => pool.size())
    return {
      origins: sizes.reduce((sum, { origins }) => sum + origins, 0),
      connections: sizes.reduce((sum, { connections }) => sum + connections, 0),
    }
  }

  return { request, check, size, close }
}
