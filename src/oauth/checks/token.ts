/**
 * The checks of a token request, each a small function, so that the service reads like RFC 6749 4.1.3 and 6. What
 * belongs to the request alone is checked before anything is looked up: a malformed request uses up no code.
 */
import { equalInConstantTime, sha256 } from '../../lib/crypto.ts'
import { OauthError } from '../oauth.errors.ts'
import { requireParameter } from './parameters.ts'

/** RFC 7636 4.1. */
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/

export function requireVerifier(params: URLSearchParams): string {
  const verifier = requireParameter(params, 'code_verifier')
  if (!VERIFIER.test(verifier))
    throw new OauthError(
      'invalid_request',
      'code_verifier must be 43 to 128 characters of A-Z a-z 0-9 - . _ ~',
    )
  return verifier
}

export function requireAlive(until: Date, now: Date, revokedAt: Date | null, what: string): void {
  if (revokedAt !== null) throw new OauthError('invalid_grant', `the ${what} was revoked`)
  if (until <= now) throw new OauthError('invalid_grant', `the ${what} has expired`)
}

export function requireSameClient(issuedTo: string, clientId: string, what: string): void {
  if (issuedTo !== clientId) throw new OauthError('invalid_grant', `the ${what} was issued to another client`)
}

export function requireSameRedirect(issuedFor: string, redirectUri: string): void {
  if (issuedFor !== redirectUri)
    throw new OauthError('invalid_grant', 'redirect_uri differs from the authorization request')
}

export function requireProof(codeChallenge: string, verifier: string): void {
  if (!equalInConstantTime(sha256(verifier).toString('base64url'), codeChallenge))
    throw new OauthError('invalid_grant', 'code_verifier does not match the code_challenge')
}
