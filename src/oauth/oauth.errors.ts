/**
 * What a client is told when it is refused, in the codes of RFC 6749, 7591, 8707 and OpenID Connect. The description is
 * one plain sentence for the client's developer: it never repeats a code, a token, a verifier or a secret, because
 * the same sentence goes into the trace. Which HTTP status belongs to a code is the business of the routes.
 */
export type OauthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'invalid_scope'
  | 'invalid_target'
  | 'access_denied'
  | 'login_required'
  | 'consent_required'
  | 'invalid_redirect_uri'
  | 'invalid_client_metadata'
  | 'temporarily_unavailable'
  | 'server_error'

export class OauthError extends Error {
  readonly code: OauthErrorCode

  constructor(code: OauthErrorCode, description: string) {
    super(description)
    this.name = 'OauthError'
    this.code = code
  }
}
