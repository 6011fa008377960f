/**
 * The tool server's answer to an HTTP request, whatever brought it: guard, token, quota, body, dispatch. Plain JSON for
 * everybody who reads it; a stream only for clients that read nothing else, or that asked to hear of progress and
 * hear of some. The older family's handshake is given a session's id, because some of its clients look for one;
 * nothing hangs on it, and a client that sends none is served as well.
 *
 * Every answer carries the two headers of the quota, refusals included. They are written last, from what the account of
 * the token has left then: other requests may have been counted while this one was answered.
 */

import type { AccessTokenActor } from '../../accounts/actor.ts'
import { ClientGone } from '../../http/body.ts'
import { asAppError } from '../../http/error-response.ts'
import type { EventStream, FastRequest } from '../../http/fast-lane.ts'
import { readBoundedJson } from '../../lib/bounded-json.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { asAddressed, isLoopback } from '../../lib/loopback.ts'
import { waitWords } from '../../lib/rate-limit.ts'
import { identify } from '../../lib/request-scope.ts'
import { isRecord } from '../../lib/validate.ts'
import { protectedResourceChallenge } from '../../oauth/metadata.ts'
import { badTokenChallenge, bearerToken, isForUs } from '../bearer.ts'
import { type Answer, createDispatch, idOf } from './dispatch.ts'
import {
  CODES,
  type Exchange,
  errorText,
  LATEST_LEGACY,
  type Methods,
  type Notify,
  progressTokenOf,
} from './protocol.ts'
import { REQUESTS_A_DAY, type Spent, type Standing, type ToolQuota } from './quota.ts'

export const LARGEST_BODY = 4 * 1024 * 1024

/** Headers are names and values in turn, as node:http takes them. */
type McpReply = { status: number; headers: string[]; body: string | null | EventStream }

export type ToolServer = { handle(request: FastRequest): Promise<McpReply> }

type ToolServerDeps = {
  methods: Methods
  guard: Guard
  quota: ToolQuota
  /** Known at once, or to be looked up. */
  findToken(token: string): AccessTokenActor | Promise<AccessTokenActor | null>
  /** Whose token it is or was, also when it is good for nothing any more. */
  findOwner(token: string): Promise<string | null>
  /** The audience of the tokens. */
  resource: string
  /** What somebody over quota can do until the next day. */
  instead: string
  /** May tell something before the result although nobody asked for progress (the conformance kit's tools). */
  talkative?: boolean
}

const EXPOSED =
  'WWW-Authenticate, Retry-After, Mcp-Session-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id'
const ALLOWED =
  'Authorization, Content-Type, Accept, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, Last-Event-ID, *'
const OPEN = ['Access-Control-Allow-Origin', '*', 'Access-Control-Expose-Headers', EXPOSED]
const JSON_TYPE = ['Content-Type', 'application/json']
const NOT_POST = { code: CODES.invalidRequest, message: 'Method not allowed: use POST' }
const FAULT = {
  code: CODES.internal,
  message: 'something went wrong on our side; if it keeps happening, contact support with X-Request-Id',
}
const GONE = { code: CODES.invalidRequest, message: 'the request was not sent completely' }

/** Whose request it turns out to be; null for nobody's. */
type Caller = { userId: string | null }
/** Who asks, and how many requests they have left after this one. */
type Asking = Pick<Exchange, 'actor' | 'remaining'>

export function createToolServer(deps: ToolServerDeps): ToolServer {
  const { guard, quota, findToken, findOwner, resource, talkative = false } = deps
  // Behind a proxy the server's address may have a path before ours.
  const prefix = new URL(resource).pathname.slice(0, -'/mcp'.length)
  const dispatch = createDispatch(deps.methods)

  async function handle(request: FastRequest): Promise<McpReply> {
    const caller: Caller = { userId: null }
    let given: McpReply
    let standing: Standing
    try {
      given = await serve(request, caller)
      const left = standingOf(caller.userId)
      standing = left instanceof Promise ? await left : left
    } catch (error) {
      const gone = error instanceof ClientGone
      if (!gone) request.logFault(error)
      given = gone ? refuse(499, GONE) : fault(error)
      standing = await standingOf(caller.userId, { fromMemory: isAway(error) })
    }
    given.headers.push(...quotaHeaders(standing))
    // Only browsers say where they come from, and only they ask whether they may read the answer.
    if (request.header('origin') !== undefined) given.headers.push(...OPEN)
    return given
  }

  function standingOf(userId: string | null, { fromMemory = false } = {}): Standing | Promise<Standing> {
    return userId === null ? quota.untouched() : quota.standing(userId, { fromMemory })
  }

  /** Whose request it is, as far as its token tells. Only for the headers: it opens nothing. */
  async function ownerOf(request: FastRequest): Promise<string | null> {
    const token = bearerToken(request.header('authorization') ?? '')
    if (token === null) return null
    const actor = await findToken(token)
    return actor ? actor.user.id : findOwner(token)
  }

  async function serve(request: FastRequest, caller: Caller): Promise<McpReply> {
    const refused = refusalOf(request)
    if (refused) {
      caller.userId = await ownerOf(request)
      return refused
    }
    const authorization = request.header('authorization')
    const token = authorization === undefined ? null : bearerToken(authorization)
    const found = token === null ? null : findToken(token)
    const actor = found instanceof Promise ? await found : found
    if (!actor || !isForUs(actor, resource)) {
      caller.userId = actor?.user.id ?? (token === null ? null : await findOwner(token))
      return unauthenticated(request)
    }
    // Tokens that are remembered are not looked up, so it is said here.
    identify({ userId: actor.user.id })
    const now = quota.spend(actor.user.id)
    const spent = now instanceof Promise ? await now : now
    if (spent === null) return unauthenticated(request)
    caller.userId = actor.user.id
    if (!spent.allowed) return overQuota(spent, await idOfSmall(request), deps.instead)
    const body = await readBody(request)
    if ('refused' in body) return refuse(body.status, body.refused)
    return answer(request, { actor, remaining: spent.remaining }, body.value)
  }

  /** What is answered before the token counts. */
  function refusalOf({ method, header }: FastRequest): McpReply | null {
    if (method === 'OPTIONS') return preflight()
    const turnedAway = guard.refusal(header('host'), header('origin'))
    if (turnedAway !== null)
      return refuse(403, { code: CODES.invalidRequest, message: `Forbidden: ${turnedAway}` })
    return method === 'POST' ? null : refuse(405, NOT_POST, ['Allow', 'POST, OPTIONS'])
  }

  function unauthenticated(request: FastRequest): McpReply {
    const authorization = request.header('authorization')
    const path = prefix + request.path
    const named = asAddressed(resource, request.header('host'))
    // Without a token there is no error to name (RFC 6750 3.1).
    const challenge =
      authorization === undefined
        ? protectedResourceChallenge({ resource: named }, path)
        : badTokenChallenge(named, path)
    const message =
      authorization === undefined
        ? 'Authentication required: get an access token with OAuth 2.1, see WWW-Authenticate'
        : 'The access token is not valid, has expired or is for another service'
    return refuse(401, { code: CODES.invalidRequest, message }, ['WWW-Authenticate', challenge])
  }

  async function answer(request: FastRequest, caller: Asking, body: unknown): Promise<McpReply> {
    const accept = request.header('accept')
    const readsEvents = accept?.includes(SSE_TYPE) ?? false
    const stream = readsEvents && (talkative || asksForProgress(body)) ? createLateStream() : null
    const answered = dispatch(body, exchangeOf(request, caller, stream && (stream.notify as Notify)))
    if (stream) {
      const streaming = await stream.startedBefore(Promise.resolve(answered))
      if (streaming) return { status: 200, headers: ['Content-Type', SSE_TYPE], body: streaming }
    }
    const given = reply(answered instanceof Promise ? await answered : answered, accept)
    if (given.status === 200 && isRecord(body) && body.method === 'initialize')
      given.headers.push('Mcp-Session-Id', newId())
    return given
  }

  return { handle }
}

const READS_JSON = /application\/json|\*\/\*|application\/\*/

function exchangeOf(request: FastRequest, { actor, remaining }: Asking, notify: Notify | null): Exchange {
  let signal: AbortSignal | null = null
  return {
    family: 'legacy',
    version: LATEST_LEGACY,
    inBatch: false,
    actor,
    remaining,
    notify,
    header: request.header,
    logFault: request.logFault,
    visit: request.visit,
    signal() {
      signal ??= request.signal()
      return signal
    },
  }
}

/** A client that can read events only gets its answer as one; everybody else gets plain JSON, whatever they accept. */
function reply({ status, text }: Answer, accept: string | undefined): McpReply {
  if (text === null) return { status, headers: [], body: null }
  const eventsOnly = accept?.includes(SSE_TYPE) && !READS_JSON.test(accept)
  if (eventsOnly && status === 200)
    return { status, headers: ['Content-Type', SSE_TYPE], body: oneEvent(text) }
  return { status, headers: [...JSON_TYPE], body: text }
}

type Body = { value: unknown } | { status: number; refused: { code: number; message: string } }

async function readBody(request: FastRequest): Promise<Body> {
  const type = request.header('content-type')
  if (type !== undefined && !/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type))
    return {
      status: 415,
      refused: { code: CODES.invalidRequest, message: 'Content-Type must be application/json' },
    }
  try {
    const read = readBoundedJson(await request.readBody(LARGEST_BODY))
    if ('flaw' in read)
      return {
        status: 400,
        refused: { code: CODES.invalidRequest, message: `Invalid request: ${read.flaw}` },
      }
    return 'notJson' in read ? NOT_JSON : read
  } catch (error) {
    if (error instanceof AppError && error.kind === 'too_large')
      return { status: 413, refused: { code: CODES.invalidRequest, message: error.message } }
    throw error
  }
}

const NOT_JSON: Body = {
  status: 400,
  refused: { code: CODES.parse, message: 'Parse error: the body is not valid JSON' },
}

function overQuota(spent: Spent, id: string | number | null, instead: string): McpReply {
  const message = `Over quota: you have used all ${REQUESTS_A_DAY} requests for today; ${REQUESTS_A_DAY} more at 00:00 UTC, in ${waitWords(spent.retryAfterSeconds)}. ${instead}`
  const data = { code: 'quota_exceeded', max: REQUESTS_A_DAY, retry_after_seconds: spent.retryAfterSeconds }
  const error = { code: CODES.quotaExceeded, message, data }
  return refuse(429, error, ['Retry-After', String(spent.retryAfterSeconds)], id)
}

function isAway(raised: unknown): boolean {
  return asAppError(raised).kind === 'unavailable'
}

function fault(raised: unknown): McpReply {
  const { kind, message, retryAfterSeconds = 1 } = asAppError(raised)
  if (kind !== 'unavailable') return refuse(500, FAULT)
  return refuse(503, { code: CODES.internal, message }, ['Retry-After', String(retryAfterSeconds)])
}

function refuse(
  status: number,
  error: { code: number; message: string; data?: unknown },
  more: string[] = [],
  id: string | number | null = null,
): McpReply {
  return {
    status,
    headers: [...more, ...JSON_TYPE],
    body: errorText(id, error),
  }
}

function preflight(): McpReply {
  // GET and DELETE too, although they are refused: a browser's client must see that they are.
  const allow = [
    'Access-Control-Allow-Methods',
    'GET, POST, DELETE, OPTIONS',
    'Access-Control-Allow-Headers',
    ALLOWED,
  ]
  return {
    status: 204,
    headers: [...allow, 'Access-Control-Max-Age', '86400'],
    body: null,
  }
}

/** What every answer has. */
function quotaHeaders({ remaining, resetAt }: Standing): string[] {
  return [
    'Cache-Control',
    'no-store',
    'X-RateLimit-Limit',
    String(REQUESTS_A_DAY),
    'X-RateLimit-Remaining',
    String(remaining),
    'X-RateLimit-Reset',
    String(resetAt),
  ]
}

function asksForProgress(body: unknown): boolean {
  return isRecord(body) && progressTokenOf(body.params) !== undefined
}

const SMALL_BODY = 4_096

/** For an answer that refuses: the id of a request that is quickly read, so that its sender can tell which it was. */
async function idOfSmall(request: FastRequest): Promise<string | number | null> {
  const length = Number(request.header('content-length') ?? Number.NaN)
  if (!(length <= SMALL_BODY)) return null
  const body = await readBody(request)
  return 'value' in body ? idOf(body.value) : null
}

/**
 * Streams of server-sent events that begin late: a request is answered in plain JSON unless something is said before its
 * result; from that moment it is a stream, which ends with the result.
 */
const SSE_TYPE = 'text/event-stream'

const KEEP_ALIVE_MS = 15_000

function oneEvent(message: string): string {
  return `event: message\ndata: ${message}\n\n`
}

function createLateStream() {
  let started: () => void = () => {}
  const begun = new Promise<void>((resolve) => {
    started = resolve
  })
  let send: ((text: string) => void) | null = null
  const waiting: string[] = []

  return {
    notify(method: string, params: Record<string, unknown>): void {
      const event = oneEvent(JSON.stringify({ jsonrpc: '2.0', method, params }))
      if (send) send(event)
      else waiting.push(event)
      started()
    },
    /** The stream, if something is said before the answer is there; null if the answer comes first. */
    async startedBefore(answer: Promise<Answer>): Promise<EventStream | null> {
      const streams = await Promise.race([begun.then(() => true), answer.then(() => waiting.length > 0)])
      if (!streams) return null
      return async (write) => {
        send = write
        for (const event of waiting.splice(0)) write(event)
        // Proxies cut connections that are silent for a minute or so.
        const timer = setInterval(() => write(': still working\n\n'), KEEP_ALIVE_MS)
        try {
          const { text } = await answer
          if (text !== null) write(oneEvent(text))
        } finally {
          clearInterval(timer)
        }
      }
    },
  }
}

/**
 * Before anything is read: is the request meant for this server, and may a page of that origin send it? A page whose
 * name was made to resolve to our address (DNS rebinding) sends its own name as Host, and is turned away by that.
 * Pages of other sites may call when they come over https or from the reader's own machine: they need a token like
 * everybody, and no cookie is looked at here.
 */
type Guard = {
  /** Null when it may come in, else why not. */
  refusal(host: string | undefined, origin: string | undefined): string | null
}

const MOST_REMEMBERED = 1_000

export function createGuard(config: { baseUrl: string; mcpUrl: string; host: string }): Guard {
  const own = [config.baseUrl, config.mcpUrl].map((address) => new URL(address))
  const names = new Set(own.map(({ hostname }) => hostname.toLowerCase()))
  const origins = new Set(own.map(({ origin }) => origin))
  /** A server that only this machine reaches is called by any of the machine's own names. */
  const local = isLoopback(config.host) || own.some(({ hostname }) => isLoopback(hostname))
  const known = new Map<string, boolean>()

  function isOurs(host: string): boolean {
    const remembered = known.get(host)
    if (remembered !== undefined) return remembered
    const name = URL.parse(`http://${host}`)?.hostname.toLowerCase() ?? ''
    const ours = names.has(name) || (local && isLoopback(name))
    if (known.size >= MOST_REMEMBERED) known.clear()
    known.set(host, ours)
    return ours
  }

  function mayCall(origin: string): boolean {
    if (origins.has(origin)) return true
    const url = URL.parse(origin)
    return (
      url !== null && (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname)))
    )
  }

  return {
    refusal(host, origin) {
      if (host === undefined || !isOurs(host))
        return 'this host name does not belong to the server; its operator can set SOUK_BASE_URL or SOUK_MCP_URL'
      if (origin !== undefined && !mayCall(origin))
        return 'this origin is not allowed; only https sites and this machine are'
      return null
    },
  }
}
