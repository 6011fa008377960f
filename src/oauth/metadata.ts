/**
 * The two documents a client discovers us by: the authorization server (RFC 8414) and the tool server as a protected
 * resource (RFC 9728). Pure functions of the configuration. Endpoint URLs are the contract's, trailing slash included.
 */
import { SCOPE } from './oauth.schema.ts'
import { resourceAt } from './resources.ts'

export const RESOURCE_METADATA = '/.well-known/oauth-protected-resource'

export function authorizationServerMetadata(issuer: string): Record<string, unknown> {
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize/`,
    token_endpoint: `${issuer}/api/oauth/token/`,
    registration_endpoint: `${issuer}/api/oauth/register/`,
    revocation_endpoint: `${issuer}/api/oauth/revoke/`,
    scopes_supported: [SCOPE],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true,
  }
}

/** `path` is the tool server's as the client asked for it, or null for the document at the root. */
export function protectedResourceMetadata(
  { issuer, resource }: { issuer: string; resource: string },
  path: string | null,
): Record<string, unknown> | null {
  const named = path === null ? resource : resourceAt(resource, path)
  if (named === null) return null
  return {
    resource: named,
    authorization_servers: [issuer],
    scopes_supported: [SCOPE],
    bearer_methods_supported: ['header'],
    resource_name: 'Souk',
  }
}

/**
 * WWW-Authenticate of the tool server's 401 at `path`. Without a token there is no error to name (RFC 6750 3.1); a bad
 * one is `invalid_token`.
 */
export function protectedResourceChallenge(
  ctx: { resource: string },
  path: string,
  error?: { code: 'invalid_token' | 'insufficient_scope'; description: string },
): string {
  const parts = [
    ...(error ? [`error="${error.code}"`, `error_description="${error.description}"`] : []),
    `resource_metadata="${new URL(ctx.resource).origin}${RESOURCE_METADATA}${path}"`,
    `scope="${SCOPE}"`,
  ]
  return `Bearer ${parts.join(', ')}`
}
