/**
 * `POST /a2a/`, the HTTP+JSON addresses below it, and the agent cards. The protocol library reads and writes both versions
 * of the wire; here is what comes before it (which operation, which version, who calls) and after it (HTTP status, one
 * answer or a stream of them). A binding is how the request is read and the answer is written; all else is shared.
 * Browsers of any site may call: the face knows no cookies, so a page can do nothing here that its server could not.
 */
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server'
import { A2AError, VersionNotSupportedError } from '@a2a-js/sdk/errors'
import { type A2ARequestHandler, JsonRpcTransportHandler } from '@a2a-js/sdk/server'
import type { Context, Hono } from 'hono'
import { cors } from 'hono/cors'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { A2aProtocol } from '../../db/tables.ts'
import { readBody } from '../../http/body.ts'
import { visitOf } from '../../http/client-ip.ts'
import type { HttpEnv } from '../../http/env.ts'
import { asAppError, logFault } from '../../http/error-response.ts'
import { joinAbort } from '../../lib/abort.ts'
import { AppError } from '../../lib/errors.ts'
import type { AgentsContext } from '../context.ts'
import { admit, type Call, toCallContext } from './call.ts'
import { CARD_PATHS, createCard, createCardSender } from './card.ts'
import {
  type RpcError,
  type RpcId,
  rpcError,
  statusOf,
  toA2aError,
  UNAUTHENTICATED,
  wellFormed,
} from './errors.ts'
import { createA2aHandler } from './handler.ts'
import { MEDIA_TYPE, REST_ROUTES, type RestCall, readRest, restError, routeRest } from './rest.ts'
import {
  type Envelope,
  hasWrongHistoryLength,
  knowsMethod,
  PROTOCOLS,
  protocolOfMethod,
  readEnvelope,
  readVersion,
} from './rpc.ts'
import { SSE_HEADERS, toSse } from './sse.ts'

const CORS = cors({
  origin: '*',
  allowMethods: ['GET', 'POST', 'DELETE', 'OPTIONS'],
  allowHeaders: ['A2A-Version', 'A2A-Extensions', 'X-A2A-Extensions', 'Authorization', 'Content-Type'],
  exposeHeaders: ['Retry-After', 'WWW-Authenticate', 'X-Request-Id'],
  maxAge: 86_400,
})

type Transport = JsonRpcTransportHandler | LegacyJsonRpcTransportHandler
type Wire = {
  transport: Transport
  toError(error: unknown): RpcError['error']
}
type Wires = Record<A2aProtocol, Wire>

/** What is known of an answer beside its body. */
type Circumstances = Partial<Pick<Call, 'retryAfterSeconds' | 'protocol'>> & { http?: number }

type Binding = {
  versions: readonly A2aProtocol[]
  read(body: Buffer): Envelope | RpcError
  respond(c: Context<HttpEnv>, answer: unknown, about?: Circumstances): Response
  /** An answer as one event of a stream. */
  event(answer: unknown): unknown
}

export function mountA2a(app: Hono<HttpEnv>, ctx: AgentsContext): void {
  const card = createCard(ctx.config)
  const handler = createA2aHandler(ctx, card)
  const wires = ctx.config.testFixtures
    ? import('../../../test/kits/a2a.ts').then(({ withTestKit }) => createWires(withTestKit(handler, ctx)))
    : createWires(handler)
  const sendCard = createCardSender(card, ctx.config, ctx.clock.now())
  for (const path of CARD_PATHS) {
    app.use(path, CORS)
    // The official kit for 1.0 names no version and takes no field of 0.3; the one for 0.3 asks below the endpoint.
    app.get(path, sendCard(ctx.config.testFixtures && !path.startsWith('/a2a') ? '1.0' : 'hybrid'))
  }
  app.use('/a2a/*', CORS)
  const serve = async (c: Context<HttpEnv>, binding: Binding) =>
    answer(c, ctx, { wires: await wires, binding }).catch((error: unknown) => respondFault(c, binding, error))
  app.post('/a2a', (c) => serve(c, JSON_RPC))
  const serveRest = (c: Context<HttpEnv>) => {
    const routed = routeRest(c.req.method, new URL(c.req.url).pathname)
    return 'allow' in routed ? unrouted(c, routed.allow) : serve(c, httpJson(c, routed))
  }
  for (const { route, methods } of REST_ROUTES)
    for (const method of Object.keys(methods)) app.on(method, `/a2a${route}`, serveRest)
  app.all('/a2a/:rest{.+}', (c, next) => (c.req.path.startsWith('/a2a/.well-known/') ? next() : serveRest(c)))
}

const JSON_RPC: Binding = {
  versions: PROTOCOLS,
  read: readEnvelope,
  respond(c, answer, { retryAfterSeconds, protocol, http } = {}) {
    sayWhen(c, retryAfterSeconds)
    if (!isError(answer)) return c.json(answer as object)
    const status = statusOf(answer.error.code, { passes: retryAfterSeconds !== undefined, protocol })
    return c.json(wellFormed(answer), (http as ContentfulStatusCode) ?? status)
  },
  event: (answer) => answer,
}

function httpJson(c: Context<HttpEnv>, call: RestCall): Binding {
  return {
    versions: ['1.0'],
    read: (body) => readRest(c.req, call, body),
    respond: respondRest,
    event: (answer) =>
      isError(answer) ? restError(answer.error, {}) : (answer as { result: unknown }).result,
  }
}

function respondRest(c: Context<HttpEnv>, answer: unknown, about: Circumstances = {}): Response {
  sayWhen(c, about.retryAfterSeconds)
  if (isError(answer)) {
    const body = restError(answer.error, about)
    return c.json(body, body.error.code as ContentfulStatusCode)
  }
  const { result } = answer as { result: unknown }
  return c.body(JSON.stringify(result ?? {}), 200, { 'Content-Type': MEDIA_TYPE })
}

function unrouted(c: Context<HttpEnv>, allow: string[]): Response {
  if (allow.length === 0)
    return respondRest(c, rpcError(null, -32601, 'there is no such operation; see the agent card'), {
      http: 404,
    })
  c.header('Allow', [...allow, 'OPTIONS'].join(', '))
  return respondRest(c, rpcError(null, -32601, `this address takes ${allow.join(', ')}`), { http: 405 })
}

function sayWhen(c: Context, retryAfterSeconds: number | undefined): void {
  if (retryAfterSeconds !== undefined) c.header('Retry-After', String(retryAfterSeconds))
}

/** A client of a protocol reads no other kind of error than the protocol's. */
function respondFault(c: Context<HttpEnv>, { respond }: Binding, raised: unknown): Response {
  const error = asAppError(raised)
  logFault(c, error)
  return respond(c, rpcError(null, -32603, error.message), error)
}

function createWires(handler: A2ARequestHandler): Wires {
  return {
    '1.0': {
      transport: new JsonRpcTransportHandler(handler),
      toError: JsonRpcTransportHandler.mapToJSONRPCError,
    },
    '0.3': {
      transport: new LegacyJsonRpcTransportHandler(handler),
      toError: LegacyJsonRpcTransportHandler.mapToLegacyJSONRPCError,
    },
  }
}

async function answer(
  c: Context<HttpEnv>,
  ctx: AgentsContext,
  { wires, binding }: { wires: Wires; binding: Binding },
): Promise<Response> {
  c.header('Cache-Control', 'no-store')
  const { versions, respond } = binding
  let body: Buffer
  try {
    body = await readBody(c)
  } catch (error) {
    if (error instanceof AppError && error.kind === 'too_large')
      return respond(c, rpcError(null, -32600, error.message), { http: 413 })
    throw error
  }
  const envelope = binding.read(body)
  const asked = readVersion(c.req.header('a2a-version') ?? c.req.query('A2A-Version'))
  // Without a version and a method it is 0.3: clients of 1.0 always name theirs.
  if ('error' in envelope) return respond(c, envelope, { protocol: asked ?? '0.3' })
  const { id, method } = envelope
  if (asked === null || (asked !== undefined && !versions.includes(asked)))
    return respond(c, unknownVersion(id, wires, versions))
  const protocol = asked ?? protocolOfMethod(method)
  if (!knowsMethod(protocol, method))
    return respond(c, rpcError(id, -32601, `A2A ${protocol} has no method ${method.slice(0, 100)}`))
  const admission = await admit(ctx, {
    authorization: c.req.header('authorization'),
    visit: visitOf(c, ctx.config),
  })
  if ('challenge' in admission) {
    c.header('WWW-Authenticate', admission.challenge)
    return respond(c, rpcError(id, UNAUTHENTICATED, 'the token is not valid; send a valid one, or none'))
  }
  const gone = joinAbort([c.req.raw.signal, ctx.stopping])
  const hangUp = () => {
    gone.letGo()
    gone.abort()
  }
  const call: Call = {
    caller: admission.caller,
    protocol,
    signal: gone.signal,
    reached: false,
    logFault: (error) => logFault(c, error),
  }
  return carry(c, { wire: wires[protocol], binding }, { envelope, call, hangUp })
}

type Carried = {
  envelope: Envelope
  call: Call
  /** When the answer is out, or nobody waits for it any more. */
  hangUp(): void
}

async function carry(
  c: Context<HttpEnv>,
  { wire: { transport, toError }, binding: { respond, event } }: { wire: Wire; binding: Binding },
  carried: Carried,
): Promise<Response> {
  const { envelope, call, hangUp } = carried
  const { id, method, request } = envelope
  if (hasWrongHistoryLength(request.params))
    return respond(c, rpcError(id, -32602, 'historyLength must be a whole number, 0 or more'), call)
  let result: unknown
  try {
    result = await transport.handle(envelope.request, toCallContext(call))
  } finally {
    if (!isStream(result)) hangUp()
  }
  if (!isStream(result)) return respond(c, settled(result, carried), call)
  const events = result
  const failed = (error: unknown): RpcError => ({
    jsonrpc: '2.0',
    id,
    error: toError(error instanceof A2AError ? error : toA2aError(error, call)),
  })
  const sse = (first?: IteratorResult<unknown, void>) =>
    c.body(
      toSse(events, { first, write: event, toError: (error) => event(failed(error)), hangUp }),
      200,
      SSE_HEADERS,
    )
  // Its clients, from 0.3 on, take errors of this method from the stream alone.
  if (method === 'tasks/resubscribe') return sse()
  try {
    return sse(await events.next())
  } catch (error) {
    hangUp()
    return respond(c, failed(error), call)
  }
}

/** What the library could not translate is the client's mistake; it would call it a fault, and tell what broke inside. */
function settled(result: unknown, { envelope: { id }, call }: Carried): unknown {
  if (!isError(result) || result.error.code !== -32603 || call.reached) return result
  return rpcError(id, -32602, 'params are not valid for this method')
}

function unknownVersion(id: RpcId, wires: Wires, versions: readonly A2aProtocol[]): RpcError {
  const error = new VersionNotSupportedError({
    message: `this version of A2A is not supported here; send A2A-Version ${versions.join(' or ')}`,
    metadata: { supportedVersions: versions.join(',') },
  })
  return { jsonrpc: '2.0', id, error: wires['1.0'].toError(error) }
}

function isStream(value: unknown): value is AsyncGenerator<unknown, void, undefined> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

function isError(value: unknown): value is RpcError {
  return typeof value === 'object' && value !== null && 'error' in value
}
