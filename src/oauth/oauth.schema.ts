/** The words of the authorization server: lifetimes, clients, a checked request. The numbers are the contract's. */
export const SCOPE = 'mcp'

export const CODE_MS = 60_000
export const ACCESS_TOKEN_MS = 3_600_000
export const REFRESH_TOKEN_MS = 30 * 86_400_000
/** A client that lost the answer to a refresh tries again at once; that is no theft. */
export const REUSE_GRACE_MS = 30_000

/** Prefixes tell people and secret scanners what a string is. */
export const CODE_PREFIX = 'souk_code'
export const ACCESS_PREFIX = 'souk_at'
export const REFRESH_PREFIX = 'souk_rt'

export type Client = {
  id: string
  /** Registered with us, or described by a document at the URL that is its id. */
  kind: 'registered' | 'document'
  /** What the client calls itself. Nobody has checked it. */
  name: string
  uri: string | null
  redirectUris: readonly string[]
}

/** Where an answer goes once client and redirect are proved good. */
export type ReturnAddress = { redirectUri: string; state: string | null }

export type AuthorizeRequest = ReturnAddress & {
  client: Client
  codeChallenge: string
  scope: string
  /** The tool server when the client named it (RFC 8707), else null. */
  resource: string | null
  prompt: ReadonlySet<string>
}
