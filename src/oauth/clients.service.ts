/**
 * Who a client is. Two kinds share one name space: a UUID was given out by dynamic registration (RFC 7591), anything
 * else must be the URL of a metadata document. Both are public: the name is the client's own word, and only the
 * redirect addresses are binding.
 */
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { isUuid } from '../lib/ids.ts'
import { cleanLine, shorten } from '../lib/text.ts'
import { invalidInput } from '../lib/validate.ts'
import { documentUrlProblem, MAX_CLIENT_NAME, webAddress } from './client-documents.ts'
import { findClientRow, insertClient } from './clients.queries.ts'
import type { OauthContext } from './context.ts'
import { OauthError } from './oauth.errors.ts'
import { type Client, SCOPE } from './oauth.schema.ts'
import { redirectHost, redirectUriProblem } from './redirect-uris.ts'

const MAX_REDIRECT_URIS = 20

/** Throws invalid_client when there is no such client, with the reason; `ip` is the caller's. */
export async function requireClient(ctx: OauthContext, clientId: string, ip: string | null): Promise<Client> {
  if (!isUuid(clientId)) return await ctx.documents.find(clientId, () => countFetch(ctx, ip))
  const row = await findClientRow(ctx.db, clientId)
  if (!row) throw unknownClient()
  return { id: clientId.toLowerCase(), kind: 'registered', ...row }
}

function countFetch({ documentFetches }: OauthContext, ip: string | null): void {
  const left = documentFetches.take(ip)
  if (left && !left.taken.allowed) throw left.refusal()
}

/**
 * For the token endpoint: a code or a refresh token is bound to its client already, so a document need not be there at
 * this moment; a registered client that is gone is told so, because clients register anew on invalid_client.
 */
export async function requireClientId(ctx: OauthContext, clientId: string): Promise<string> {
  if (isUuid(clientId)) {
    if (!(await findClientRow(ctx.db, clientId))) throw unknownClient()
    return clientId.toLowerCase()
  }
  const problem = documentUrlProblem(clientId)
  if (problem !== null) throw new OauthError('invalid_client', problem)
  return clientId
}

function unknownClient(): OauthError {
  return new OauthError('invalid_client', 'no client with this client_id is registered here; register again')
}

const text = (max: number) => z.string().max(max)

/** Fields outside this list are ignored, as RFC 7591 2 asks. */
const Registration = z.object({
  redirect_uris: z.array(z.string()).min(1).max(MAX_REDIRECT_URIS),
  client_name: text(1_000).optional(),
  client_uri: text(2_000).optional(),
  grant_types: z.array(text(100)).max(20).optional(),
  response_types: z.array(text(100)).max(20).optional(),
  token_endpoint_auth_method: text(100).optional(),
  scope: text(1_000).optional(),
  software_id: text(200).optional(),
  software_version: text(100).optional(),
})

/**
 * What a client asks for beyond what we have is answered with what it gets (RFC 7591 3.2.1), not refused: clients send
 * one registration to every server. Only a registration that could never work is an error.
 */
export async function registerClient(ctx: OauthContext, body: unknown) {
  const asked = readRegistration(body)
  const now = ctx.clock.now()
  const [first = ''] = asked.redirect_uris
  const name = shorten(cleanLine(asked.client_name ?? ''), MAX_CLIENT_NAME) || `App at ${redirectHost(first)}`
  const uri = webAddress(asked.client_uri)
  const id = randomUUID()
  const redirectUris = [...new Set(asked.redirect_uris)]
  await insertClient(ctx.db, { id, name, uri, redirectUris, metadata: storable(asked), now })
  return {
    client_id: id,
    client_id_issued_at: Math.floor(now.getTime() / 1000),
    client_name: name,
    ...(uri !== null && { client_uri: uri }),
    redirect_uris: redirectUris,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    scope: SCOPE,
  }
}

/** PostgreSQL's jsonb takes neither NUL nor half a surrogate pair. */
function storable(asked: z.output<typeof Registration>): Record<string, unknown> {
  const clean = (value: unknown): unknown =>
    typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '') : value
  return JSON.parse(JSON.stringify(asked, (_name, value) => clean(value)))
}

function readRegistration(body: unknown): z.output<typeof Registration> {
  const parsed = Registration.safeParse(body, { reportInput: true })
  if (!parsed.success) {
    const problem = invalidInput(parsed.error)
    const aboutRedirects = problem.field?.startsWith('redirect_uris') ?? false
    throw new OauthError(aboutRedirects ? 'invalid_redirect_uri' : 'invalid_client_metadata', problem.message)
  }
  for (const uri of parsed.data.redirect_uris) {
    const problem = redirectUriProblem(uri)
    if (problem !== null) throw new OauthError('invalid_redirect_uri', problem)
  }
  const { grant_types, response_types } = parsed.data
  if (grant_types && !grant_types.includes('authorization_code'))
    throw new OauthError('invalid_client_metadata', 'grant_types must include authorization_code')
  if (response_types && !response_types.includes('code'))
    throw new OauthError('invalid_client_metadata', 'response_types must include code')
  return parsed.data
}
