/**
 * The JSON endpoints of the authorization server and the documents it is found by. They are asked by programs on any
 * origin, without cookies, so any origin may read the answers. Errors are RFC 6749's, and every exchange leaves a row in
 * the trace, whatever its outcome.
 */
import type { Context, Hono } from 'hono'
import { cors } from 'hono/cors'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { readBody } from '../http/body.ts'
import { visitOf } from '../http/client-ip.ts'
import type { HttpEnv } from '../http/env.ts'
import { asAppError, logFault, STATUS, sayWhen } from '../http/error-response.ts'
import { readParameters } from '../http/form.ts'
import { requireLeft } from '../http/rate-limit-headers.ts'
import { readBoundedJson } from '../lib/bounded-json.ts'
import { AppError } from '../lib/errors.ts'
import { asAddressed } from '../lib/loopback.ts'
import { registerClient } from './clients.service.ts'
import type { OauthContext } from './context.ts'
import { authorizationServerMetadata, protectedResourceMetadata, RESOURCE_METADATA } from './metadata.ts'
import { OauthError, type OauthErrorCode } from './oauth.errors.ts'
import { resourcePaths } from './resources.ts'
import { answerTokenRequest, revokeToken } from './tokens.service.ts'
import type { TraceEntry } from './trace.service.ts'

const MAX_BODY = 64 * 1024
const SERVER_METADATA = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration']
const NO_STORE = { 'Cache-Control': 'no-store', Pragma: 'no-cache' }
/** A change of address or endpoint is rare; a client that starts often need not ask each time. */
const SHORTLY = { 'Cache-Control': 'public, max-age=300' }

const OAUTH_STATUS: Partial<Record<OauthErrorCode, ContentfulStatusCode>> = {
  invalid_client: 401,
  server_error: 500,
  temporarily_unavailable: 503,
}

/** What a handler knows of an exchange by the time it ends. */
type Note = Pick<TraceEntry, 'clientId' | 'step'> & { detail: NonNullable<TraceEntry['detail']> }
type Handler = (c: Context<HttpEnv>, note: Note) => Promise<Response>

export function mountOauth(app: Hono<HttpEnv>, ctx: OauthContext): void {
  mountMetadata(app, ctx)
  mountEndpoints(app, ctx)
}

function mountEndpoints(app: Hono<HttpEnv>, ctx: OauthContext): void {
  const open = cors({
    origin: '*',
    allowMethods: ['POST'],
    exposeHeaders: ['WWW-Authenticate', 'Retry-After', 'RateLimit', 'RateLimit-Policy'],
  })
  const post = (path: string, step: string, handler: Handler) => {
    app.use(path, open)
    app.post(path, (c) => traced(c, ctx, step, handler))
  }
  post('/api/oauth/token', 'token', async (c, note) => {
    const params = await readTokenForm(c, note)
    const answer = await answerTokenRequest(ctx, { params, visit: visitOf(c, ctx.config) })
    return c.json(answer, 200, NO_STORE)
  })
  post('/api/oauth/revoke', 'revoke', async (c, note) => {
    const params = await readTokenForm(c, note)
    await revokeToken(ctx, { params, visit: visitOf(c, ctx.config) })
    return c.body(null, 200, NO_STORE)
  })
  const register: Handler = async (c, note) => {
    requireLeft(c, ctx.registrations.take(visitOf(c, ctx.config).ip))
    const client = await registerClient(ctx, await readJsonBody(c))
    note.clientId = client.client_id
    note.detail.name = client.client_name
    return c.json(client, 201, NO_STORE)
  }
  post('/api/oauth/register', 'register', register)
  // Where clients of the oldest revision register, whatever the metadata says.
  post('/register', 'register', register)
}

function mountMetadata(app: Hono<HttpEnv>, ctx: OauthContext): void {
  const open = cors({ origin: '*', allowMethods: ['GET'] })
  const issuer = ctx.config.baseUrl
  const serverDocument = authorizationServerMetadata(issuer)
  const paths = resourcePaths(ctx.resource)
  const get = (path: string, find: (asked: string, host: string) => Record<string, unknown> | null) => {
    app.use(path, open)
    app.get(path, (c) =>
      traced(c, ctx, 'discovery', async (_c, note) => {
        // The router's path has lost its trailing slash, which is what a client may compare.
        const { pathname: asked, host } = new URL(c.req.url)
        note.detail.path = asked.slice(0, 200)
        const document = find(asked, c.req.header('host') ?? host)
        if (document === null) throw new AppError('not_found', 'there is no OAuth document at this path')
        return c.json(document, 200, SHORTLY)
      }),
    )
  }
  for (const base of SERVER_METADATA) {
    get(base, () => serverDocument)
    get(`${base}.json`, () => serverDocument)
    for (const path of paths) {
      get(base + path, () => serverDocument)
      get(path + base, () => serverDocument)
    }
    get(`${base}/*`, () => null)
  }
  const resourceDocument = (path: string | null, host: string) =>
    protectedResourceMetadata({ issuer, resource: asAddressed(ctx.resource, host) }, path)
  get(`${RESOURCE_METADATA}.json`, (_asked, host) => resourceDocument(null, host))
  get(RESOURCE_METADATA, (_asked, host) => resourceDocument(null, host))
  for (const path of paths) get(path + RESOURCE_METADATA, (_asked, host) => resourceDocument(path, host))
  get(`${RESOURCE_METADATA}/*`, (asked, host) =>
    resourceDocument(asked.slice(RESOURCE_METADATA.length), host),
  )
}

/** Runs the handler, turns what it throws into an OAuth answer, and leaves a row in the trace. */
async function traced(
  c: Context<HttpEnv>,
  ctx: OauthContext,
  step: string,
  handler: Handler,
): Promise<Response> {
  const note: Note = { clientId: null, step, detail: {} }
  const visit = visitOf(c, ctx.config)
  const record = (outcome: TraceEntry['outcome'], reason: string | null) =>
    ctx.trace.record({ ...note, ...visit, outcome, reason })
  try {
    const answer = await handler(c, note)
    record('ok', null)
    return answer
  } catch (error) {
    if (error instanceof OauthError) {
      record('refused', `${error.code}: ${error.message}`)
      return refuse(c, error.code, error.message, OAUTH_STATUS[error.code] ?? 400)
    }
    const fault = asAppError(error)
    logFault(c, fault)
    const status = STATUS[fault.kind]
    record(status >= 500 ? 'failed' : 'refused', fault.message)
    sayWhen(c, fault)
    return refuse(c, nameOf(fault, status), fault.message, status)
  }
}

function nameOf(fault: AppError, status: number): string {
  if (fault.kind === 'not_found') return 'not_found'
  if (fault.kind === 'rate_limited' || fault.kind === 'unavailable') return 'temporarily_unavailable'
  return status >= 500 ? 'server_error' : 'invalid_request'
}

function refuse(
  c: Context<HttpEnv>,
  error: string,
  description: string,
  status: ContentfulStatusCode,
): Response {
  if (status === 401) c.header('WWW-Authenticate', 'Basic realm="souk"')
  return c.json({ error, error_description: description }, status, NO_STORE)
}

/**
 * Clients here are public: one that authenticates with a header has been set up for another server and is told so (RFC
 * 6749 5.2). A `client_secret` in the body is passed over, because many libraries send an empty or invented one.
 */
async function readTokenForm(c: Context<HttpEnv>, note: Note): Promise<URLSearchParams> {
  if (/^basic /i.test(c.req.header('authorization') ?? ''))
    throw new OauthError(
      'invalid_client',
      'all clients are public: send client_id in the body and no credentials',
    )
  const params = await readParameters(c, MAX_BODY)
  note.clientId = params.get('client_id')
  if (params.get('grant_type') === 'refresh_token') note.step = 'refresh'
  return params
}

async function readJsonBody(c: Context<HttpEnv>): Promise<unknown> {
  const body = await readBody(c, MAX_BODY)
  const read = readBoundedJson(body)
  if ('value' in read) return read.value
  throw new OauthError('invalid_client_metadata', 'flaw' in read ? read.flaw : 'the body is not JSON')
}
