/**
 * The guard of a busy node: who is let in first, and what the others hear. Each face is answered in its own form, so
 * that a client which understands errors understands this one: the envelope, an error of JSON-RPC, a page, or a line. When
 * to come back is spread over some seconds, or all who were turned away would come back at once.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { performance } from 'node:perf_hooks'
import type { Log } from '../lib/log.ts'
import { counter, gauge } from '../lib/metrics.ts'
import { type Bounds, createAdmission, type Kind, type Pressure } from './admission.ts'
import { type FastReply, headersWith, textReply } from './fast-lane.ts'
import { PAGE_HEADERS } from './middleware.ts'

const LONGEST_WAIT_SECONDS = 5
/** A body that is larger is not waited for: the connection ends with the answer. */
const SMALL_BODY = 64 * 1024
const TEXT = 'the service is very busy; try again shortly'
/** As the tool server and the A2A face number what is refused for now. */
const JSON_RPC_CODE = -32_603

/** Cheap, and needed most when it is busy: who watches the node must see it, and a page needs its style. */
const ALWAYS = /^\/(?:healthz|readyz|metrics|assets\/[^?]*)(?:\?|$)/
/** What people and clients are in the middle of: turned away here, they would begin again from the start. */
const MIDWAY = /^\/(?:auth|oauth|api\/oauth)\//
const JSON_RPC = /^\/(?:mcp|sse|a2a)(?:[/?]|$)/
/** A2A by HTTP+JSON. */
const A2A_REST = /^\/a2a\/[^?]/
const FORM = /^(?:application\/x-www-form-urlencoded|multipart\/form-data)/i

const shedTotal = counter('souk_shed_total', 'Requests rejected because the node was overloaded.', ['reason'])

/**
 * A node serves all, however many they are, until they wait for most of a second. Of a turn of the loop that takes so long
 * the timer sees a good half on average.
 */
export function boundsFor({ poolSize }: { poolSize: number }): Bounds {
  return { delayMs: 500, waiting: 10 * poolSize, underWay: 1_000, queueMs: 600 }
}

export function kindOf({ method, url = '', headers }: IncomingMessage): Kind {
  const changes = method !== 'GET' && method !== 'HEAD'
  if (changes && (MIDWAY.test(url) || FORM.test(headers['content-type'] ?? ''))) return 'midway'
  return headers.authorization === undefined && headers.cookie === undefined ? 'stranger' : 'known'
}

type Guard = {
  /** Null when the request may be worked on. */
  refusal(request: IncomingMessage, response: ServerResponse): FastReply | null
  /** Whose new connections are watched, too. */
  watch(server: Server): void
  pressure(): Pressure
  stop(): void
}

export function createGuard(input: {
  bounds: Bounds
  line(): { waiting: number; handedOut: number }
  https: boolean
  log: Log
}): Guard {
  const { bounds, line, https, log } = input
  const crowd = createCrowdWatch()
  const admission = createAdmission({
    bounds,
    line,
    loop: crowd.loop,
    onChange: ({ shedding, level, reason }) =>
      shedding
        ? log.warn({ reason, level }, 'overloaded: rejecting requests')
        : log.info('no longer overloaded: accepting requests'),
  })
  gauge(
    'souk_pressure',
    'Load as a share of capacity; above 1, requests are rejected.',
    [],
    () => admission.pressure().level,
  )

  return {
    refusal(request, response) {
      const { url = '', headers } = request
      if (ALWAYS.test(url)) return null
      const reason = admission.refuses(response, () => kindOf(request))
      if (reason === null) return null
      shedTotal.inc(reason)
      const length = Number(headers['content-length'] ?? (headers['transfer-encoding'] ? Number.NaN : 0))
      if (!(length <= SMALL_BODY)) response.shouldKeepAlive = false
      const seconds = 1 + Math.floor(Math.random() * LONGEST_WAIT_SECONDS)
      const { type, body, more = {} } = formOf(url, headers.accept ?? '', seconds)
      const said = { 'Retry-After': String(seconds), 'Cache-Control': 'no-store', 'Content-Type': type }
      return textReply(503, headersWith(https, { ...more, ...said }), body)
    },
    watch: crowd.watch,
    pressure: admission.pressure,
    stop: admission.stop,
  }
}

type Form = { type: string; body: string; more?: Record<string, string> }

function formOf(path: string, accept: string, seconds: number): Form {
  if (A2A_REST.test(path))
    return json({ error: { code: 503, status: 'UNAVAILABLE', message: TEXT, details: [] } })
  if (JSON_RPC.test(path))
    return json({
      jsonrpc: '2.0',
      id: null,
      error: { code: JSON_RPC_CODE, message: TEXT, data: { retry_after_seconds: seconds } },
    })
  if (path.startsWith('/api/') || path.startsWith('/catalog/')) return json({ error: TEXT })
  if (!accept.includes('text/html')) return { type: 'text/plain; charset=UTF-8', body: `${TEXT}\n` }
  return { type: 'text/html; charset=UTF-8', body: PAGE, more: PAGE_HEADERS }
}

function json(value: object): Form {
  return { type: 'application/json', body: JSON.stringify(value) }
}

/** Made without the site's frame: a refusal costs as little as can be. */
const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Very busy · Souk</title>
<h1>We're very busy right now</h1>
<p>Nothing was changed. Please try again in a few seconds.</p>
</html>
`

/**
 * Whether new connections wait in the system's line, which no delay of ours shows: the loop takes one of them in each of
 * its turns, so that a crowd of new clients makes many short turns and a long line that nobody sees. What can be seen is a
 * loop that never rests and finds a new connection in every turn.
 */
const NEVER_RESTS = 0.97
const EVERY_TURN = 0.8

type CrowdWatch = {
  watch(server: Server): void
  /** Since it was last asked: how much of the time the loop did not rest, and whether a crowd waits. */
  loop(): { used: number; crowded: boolean }
}

function createCrowdWatch(): CrowdWatch {
  let accepted = 0
  let turns = turnsSoFar()
  let used = performance.eventLoopUtilization()
  return {
    watch(server) {
      server.on('connection', () => {
        accepted++
      })
    },
    loop() {
      const now = performance.eventLoopUtilization()
      const { utilization } = performance.eventLoopUtilization(now, used)
      const turned = turnsSoFar() - turns
      const crowded = turned > 0 && utilization >= NEVER_RESTS && accepted >= EVERY_TURN * turned
      accepted = 0
      turns += turned
      used = now
      return { used: utilization, crowded }
    },
  }
}

function turnsSoFar(): number {
  return performance.nodeTiming.uvMetricsInfo.loopCount
}
