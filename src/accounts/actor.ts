/**
 * Who is calling, whatever they came with: the cookie of a signed-in browser, an access token of the tool server, or an
 * organization's link token. One resolver for all faces, so that none has rules of its own; each look-up belongs to
 * the feature that issued the credential and is handed in.
 */
import type { AccountType } from '../db/tables.ts'

export type Person = {
  id: string
  email: string
  name: string
  emailVerified: boolean
  accountType: AccountType
  /** May use the operator's pages: named in SOUK_ADMIN_EMAILS or made so by the command line. */
  isAdmin: boolean
  /** An account of the demo, which visits confined pages only; absent for everybody real. */
  demo?: 'seller' | 'operator'
}

export type SessionActor = {
  kind: 'session'
  user: Person
  sessionId: string
  selectedOrgId: string | null
}
export type AccessTokenActor = {
  kind: 'access_token'
  user: Person
  clientId: string
  /** As its owner saw it when consenting. */
  clientName: string
  /** The organization they acted for when consenting; null when there was none, or it was not kept yet. */
  selectedOrgId: string | null
  scope: string
  resource: string | null
}
export type LinkTokenActor = { kind: 'link_token'; tokenId: string; orgId: string }
export type Actor = { kind: 'anonymous' } | SessionActor | AccessTokenActor | LinkTokenActor

const ANONYMOUS: Actor = { kind: 'anonymous' }

type Credentials = { sessionToken: string | null; bearerToken: string | null }

type ActorLookups = {
  session(token: string): Promise<SessionActor | null>
  accessToken?(token: string): Promise<AccessTokenActor | null>
  linkToken?(token: string): Promise<LinkTokenActor | null>
}

type ActorResolver = (credentials: Credentials) => Promise<Actor>

/**
 * A bearer token decides alone: a wrong one is nobody, even beside a good cookie, because the caller meant to act as
 * the token and must not silently act as somebody else.
 */
export function createActorResolver(lookups: ActorLookups): ActorResolver {
  return async ({ sessionToken, bearerToken }) => {
    if (bearerToken !== null)
      return (
        (await lookups.accessToken?.(bearerToken)) ?? (await lookups.linkToken?.(bearerToken)) ?? ANONYMOUS
      )
    return (sessionToken !== null ? await lookups.session(sessionToken) : null) ?? ANONYMOUS
  }
}
