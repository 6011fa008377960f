/**
 * The HTTP+JSON binding of A2A 1.0 (section 11 of its specification), as another way to say what JSON-RPC says: an address
 * and a method name an operation, and what that operation answers in JSON-RPC goes out without its envelope. So both
 * bindings share all that lies behind them. Errors have the form of AIP-193, with the protocol's own statuses.
 */
import { type A2AError, ContentTypeNotSupportedError } from '@a2a-js/sdk/errors'
import { JsonRpcTransportHandler } from '@a2a-js/sdk/server'
import type { HonoRequest } from 'hono'
import { readBoundedJson } from '../../lib/bounded-json.ts'
import { isRecord } from '../../lib/validate.ts'
import { invalidParams, type RpcError, rpcError } from './errors.ts'
import type { Envelope } from './rpc.ts'

/** Its errors are plain JSON: who cannot read A2A can read them. */
export const MEDIA_TYPE = 'application/a2a+json'
const ACCEPTED: ReadonlySet<string> = new Set(['', 'application/json', MEDIA_TYPE])

type Verb = 'GET' | 'POST' | 'DELETE'
type RestRoute = {
  /** As the router has it. */
  route: string
  path: RegExp
  methods: Partial<Record<Verb, string>>
}

/** The first that fits counts; a task's id may hold a colon, as far as anybody knows. */
export const REST_ROUTES: RestRoute[] = [
  { route: '/:call{message:send}', path: /^\/message:send$/, methods: { POST: 'SendMessage' } },
  { route: '/:call{message:stream}', path: /^\/message:stream$/, methods: { POST: 'SendStreamingMessage' } },
  { route: '/tasks', path: /^\/tasks$/, methods: { GET: 'ListTasks' } },
  { route: '/tasks/:id', path: /^\/tasks\/(?<id>[^/]+):cancel$/, methods: { POST: 'CancelTask' } },
  {
    route: '/tasks/:id',
    path: /^\/tasks\/(?<id>[^/]+):subscribe$/,
    methods: { GET: 'SubscribeToTask', POST: 'SubscribeToTask' },
  },
  { route: '/tasks/:id', path: /^\/tasks\/(?<id>[^/]+)$/, methods: { GET: 'GetTask' } },
  {
    route: '/tasks/:taskId/pushNotificationConfigs',
    path: /^\/tasks\/(?<taskId>[^/]+)\/pushNotificationConfigs$/,
    methods: { POST: 'CreateTaskPushNotificationConfig', GET: 'ListTaskPushNotificationConfigs' },
  },
  {
    route: '/tasks/:taskId/pushNotificationConfigs/:id',
    path: /^\/tasks\/(?<taskId>[^/]+)\/pushNotificationConfigs\/(?<id>[^/]+)$/,
    methods: { GET: 'GetTaskPushNotificationConfig', DELETE: 'DeleteTaskPushNotificationConfig' },
  },
  { route: '/extendedAgentCard', path: /^\/extendedAgentCard$/, methods: { GET: 'GetExtendedAgentCard' } },
]

export type RestCall = { method: string; ids: Record<string, string> }
type Unrouted = { allow: string[] }

/** What a request asks for; otherwise the methods that its address takes, none when it leads nowhere. */
export function routeRest(verb: string, pathname: string): RestCall | Unrouted {
  // Each id is decoded once, so the path is read as it was sent.
  const path = pathname.replace(/^\/a2a(?=\/)/, '').replace(/(?<=.)\/$/, '')
  for (const { path: pattern, methods } of REST_ROUTES) {
    const match = pattern.exec(path)
    const ids = match && decodeAll(match.groups ?? {})
    if (!ids) continue
    const method = methods[(verb === 'HEAD' ? 'GET' : verb) as Verb]
    return method === undefined ? { allow: Object.keys(methods) } : { method, ids }
  }
  return { allow: [] }
}

function decodeAll(groups: Record<string, string>): Record<string, string> | null {
  try {
    return Object.fromEntries(Object.entries(groups).map(([name, text]) => [name, decodeURIComponent(text)]))
  } catch {
    return null
  }
}

/** The operation as JSON-RPC would have it. What the address says wins over the body. */
export function readRest(request: HonoRequest, { method, ids }: RestCall, body: Buffer): Envelope | RpcError {
  const params = request.method === 'POST' ? readParams(request, body) : readQuery(request.query())
  if ('error' in params) return params
  const all = { ...params.values, ...ids }
  return { id: null, method, request: { jsonrpc: '2.0', id: null, method, params: all } }
}

type Params = { values: Record<string, unknown> } | RpcError

/** An operation that needs nothing beyond its address may have no body. */
function readParams(request: HonoRequest, body: Buffer): Params {
  if (body.length === 0) return { values: {} }
  const [type = ''] = (request.header('content-type') ?? '').split(';')
  if (!ACCEPTED.has(type.trim().toLowerCase()))
    return refused(new ContentTypeNotSupportedError(`send ${MEDIA_TYPE} or application/json`))
  const read = readBoundedJson(body)
  if ('flaw' in read) return rpcError(null, -32600, read.flaw)
  if ('notJson' in read) return rpcError(null, -32700, 'the body is not valid JSON')
  return isRecord(read.value)
    ? { values: read.value }
    : rpcError(null, -32600, 'the body must be a JSON object')
}

/** Texts, as all of a query is; the operation reads its numbers from them. An empty one counts as not given. */
function readQuery(query: Record<string, string>): Params {
  const { includeArtifacts, ...texts } = Object.fromEntries(
    Object.entries(query).filter(([, text]) => text !== ''),
  )
  if (includeArtifacts === undefined) return { values: texts }
  if (includeArtifacts === 'true' || includeArtifacts === 'false')
    return { values: { ...texts, includeArtifacts: includeArtifacts === 'true' } }
  return refused(invalidParams('includeArtifacts must be true or false', 'includeArtifacts'))
}

function refused(error: A2AError): RpcError {
  return { jsonrpc: '2.0', id: null, error: JsonRpcTransportHandler.mapToJSONRPCError(error) }
}

/** By the code in JSON-RPC; sections 5.4 and 11.6. */
const STATUSES: Record<number, [http: number, status: string]> = {
  [-32700]: [400, 'INVALID_ARGUMENT'],
  [-32600]: [400, 'INVALID_ARGUMENT'],
  [-32602]: [400, 'INVALID_ARGUMENT'],
  [-32001]: [404, 'NOT_FOUND'],
  [-32002]: [409, 'FAILED_PRECONDITION'],
  [-32003]: [400, 'UNIMPLEMENTED'],
  [-32004]: [400, 'UNIMPLEMENTED'],
  [-32005]: [415, 'INVALID_ARGUMENT'],
  [-32007]: [400, 'FAILED_PRECONDITION'],
  [-32009]: [400, 'UNIMPLEMENTED'],
  [-32029]: [429, 'RESOURCE_EXHAUSTED'],
  [-32041]: [401, 'UNAUTHENTICATED'],
}

/** For what has no code of its own in JSON-RPC. */
const OF_HTTP: Record<number, string> = {
  404: 'NOT_FOUND',
  405: 'UNIMPLEMENTED',
  413: 'INVALID_ARGUMENT',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
}

type RestError = { error: { code: number; status: string; message: string; details: unknown[] } }

/** `http` is the status when the code does not decide it. */
export function restError(
  { code, message, data }: RpcError['error'],
  { http, retryAfterSeconds }: { http?: number; retryAfterSeconds?: number },
): RestError {
  const fallback = http ?? (retryAfterSeconds === undefined ? 500 : 503)
  const decided = http === undefined ? STATUSES[code] : undefined
  const [status, name] = decided ?? [fallback, OF_HTTP[fallback] ?? 'UNKNOWN']
  const details = Array.isArray(data) ? [...data] : []
  if (retryAfterSeconds !== undefined)
    details.push({
      '@type': 'type.googleapis.com/google.rpc.RetryInfo',
      retryDelay: `${retryAfterSeconds}s`,
    })
  return { error: { code: status, status: name, message: message.toWellFormed(), details } }
}
