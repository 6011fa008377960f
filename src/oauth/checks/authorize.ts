/**
 * The checks of an authorization request, in the order of their danger. Until client and redirect address are proved
 * good, an error may only be shown to the person (RFC 6749 4.1.2.1: no open redirect); from then on the client is told
 * at its redirect address.
 */
import { requireClient } from '../clients.service.ts'
import type { OauthContext } from '../context.ts'
import { OauthError } from '../oauth.errors.ts'
import type { AuthorizeRequest, Client, ReturnAddress } from '../oauth.schema.ts'
import { isAllowedRedirect } from '../redirect-uris.ts'
import { bindResource } from '../resources.ts'
import { readParameter, readScope, refuseDuplicates, requireParameter } from './parameters.ts'

const S256_CHALLENGE = /^[A-Za-z0-9_-]{43}$/

type CheckedRequest =
  | { kind: 'good'; request: AuthorizeRequest }
  | { kind: 'refused'; client: Client; back: ReturnAddress; error: OauthError }

/** Throws an OauthError when it must not leave our own pages. */
export async function checkAuthorizeRequest(
  ctx: OauthContext,
  params: URLSearchParams,
  ip: string | null,
): Promise<CheckedRequest> {
  const client = await requireClient(ctx, requireParameter(params, 'client_id'), ip)
  const redirectUri = requireRedirectUri(params, client)
  const back = { redirectUri, state: readState(params) }
  try {
    refuseDuplicates(params)
    requireCodeResponse(params)
    requireQueryMode(params)
    return {
      kind: 'good',
      request: {
        ...back,
        client,
        codeChallenge: requireS256Challenge(params),
        scope: readScope(params),
        resource: bindResource(ctx.resource, params.getAll('resource')),
        prompt: readPrompt(params),
      },
    }
  } catch (error) {
    if (!(error instanceof OauthError)) throw error
    return { kind: 'refused', client, back, error }
  }
}

function requireRedirectUri(params: URLSearchParams, client: Client): string {
  const uri = requireParameter(params, 'redirect_uri')
  if (!isAllowedRedirect(client.redirectUris, uri))
    throw new OauthError('invalid_request', 'the redirect_uri is not registered for this client')
  return uri
}

/** Given twice there is no telling which is meant; the answer then carries none. */
function readState(params: URLSearchParams): string | null {
  const states = params.getAll('state')
  return states.length === 1 ? (states[0] ?? null) : null
}

function requireCodeResponse(params: URLSearchParams): void {
  if (requireParameter(params, 'response_type') !== 'code')
    throw new OauthError('unsupported_response_type', 'response_type must be code')
}

function requireQueryMode(params: URLSearchParams): void {
  if ((readParameter(params, 'response_mode') ?? 'query') !== 'query')
    throw new OauthError('invalid_request', 'response_mode must be query')
}

/** RFC 7636 4.4.1; a missing method would mean `plain`, which is not accepted. */
function requireS256Challenge(params: URLSearchParams): string {
  const challenge = readParameter(params, 'code_challenge')
  if (challenge === null)
    throw new OauthError('invalid_request', 'PKCE is required: code_challenge is missing')
  if (readParameter(params, 'code_challenge_method') !== 'S256')
    throw new OauthError('invalid_request', 'code_challenge_method must be S256')
  if (!S256_CHALLENGE.test(challenge))
    throw new OauthError(
      'invalid_request',
      'code_challenge must be the base64url of a SHA-256: 43 characters',
    )
  return challenge
}

function readPrompt(params: URLSearchParams): ReadonlySet<string> {
  const prompt = new Set((readParameter(params, 'prompt') ?? '').split(/ +/).filter(Boolean))
  if (prompt.has('none') && prompt.size > 1)
    throw new OauthError('invalid_request', 'prompt=none cannot be combined with other values')
  return prompt
}
