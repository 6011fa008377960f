/**
 * Who a bearer token speaks for, on every face for agents. Tokens are those of the tool server (RFC 8707): the faces are
 * one service, and one consent covers them.
 */
import type { AccessTokenActor } from '../accounts/actor.ts'
import { protectedResourceChallenge } from '../oauth/metadata.ts'

type FindToken = (token: string) => Promise<AccessTokenActor | null>

const BEARER = /^Bearer +(\S+) *$/i

/** Null without a token in it. */
export function bearerToken(authorization: string): string | null {
  return BEARER.exec(authorization)?.[1] ?? null
}

/** A token bound to no resource is good for all that its scope names. */
export function isForUs(actor: AccessTokenActor, resource: string): boolean {
  return actor.resource === null || actor.resource === resource
}

export async function findBearer(
  { findAccessToken, resource }: { findAccessToken: FindToken; resource: string },
  authorization: string,
): Promise<AccessTokenActor | null> {
  const token = bearerToken(authorization)
  const actor = token === null ? null : await findAccessToken(token)
  return actor && isForUs(actor, resource) ? actor : null
}

/** WWW-Authenticate for a token that was sent and is not good. */
export function badTokenChallenge(resource: string, path: string): string {
  return protectedResourceChallenge({ resource }, path, {
    code: 'invalid_token',
    description: 'the token is not valid, has expired or is for another service',
  })
}
