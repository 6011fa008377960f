/**
 * The cookie that carries a session's token. Over https it has the `__Host-` prefix, which browsers accept only with
 * Secure, Path=/ and no Domain, so that no subdomain can plant one. The row in the database decides how long a session
 * lives and slides with use; the cookie is given the longest life browsers allow, so that it never has to be sent again.
 */
import type { Context } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { sha256 } from '../lib/crypto.ts'

const NAME = 'souk_session'
/** Says that there is a session, and nothing of it: pages' scripts may read it, to ask who is signed in only then. */
const MARK = 'souk_signed_in'
const MAX_AGE_SECONDS = 400 * 86_400
/** Whose session it is or was, as a hash: it outlives the session, signs nobody in, and no script reads it. */
const ACCOUNT = 'souk_account'
const ACCOUNT_SECONDS = 30 * 86_400
/** Longer than any token of ours: what is longer is not looked up. */
const MAX_TOKEN_LENGTH = 128

function isSecure(baseUrl: string): boolean {
  return baseUrl.startsWith('https:')
}

export function hostCookieName(name: string, baseUrl: string): string {
  return isSecure(baseUrl) ? `__Host-${name}` : name
}

export function sessionCookieName(baseUrl: string): string {
  return hostCookieName(NAME, baseUrl)
}

export function readSessionCookie(c: Context, baseUrl: string): string | null {
  const token = getCookie(c, sessionCookieName(baseUrl))
  return token && token.length <= MAX_TOKEN_LENGTH ? token : null
}

export function setSessionCookie(c: Context, baseUrl: string, token: string): void {
  setCookie(c, sessionCookieName(baseUrl), token, {
    ...cookieAttributes(baseUrl),
    maxAge: MAX_AGE_SECONDS,
  })
  markSignedIn(c, baseUrl, true)
}

/** Sets or clears the mark where it is not as it must be: a session may have ended elsewhere. */
export function markSignedIn(c: Context, baseUrl: string, isSignedIn: boolean): void {
  const name = hostCookieName(MARK, baseUrl)
  if ((getCookie(c, name) !== undefined) === isSignedIn) return
  const attributes = { ...cookieAttributes(baseUrl), httpOnly: false }
  if (isSignedIn) setCookie(c, name, '1', { ...attributes, maxAge: MAX_AGE_SECONDS })
  else deleteCookie(c, name, attributes)
}

/** How an account is named in its browser after its session has ended. */
export function accountMark(userId: string): string {
  return sha256(`account ${userId}`).toString('base64url')
}

export function rememberAccount(c: Context, baseUrl: string, userId: string): void {
  const [name, mark] = [hostCookieName(ACCOUNT, baseUrl), accountMark(userId)]
  if (getCookie(c, name) === mark) return
  setCookie(c, name, mark, { ...cookieAttributes(baseUrl), maxAge: ACCOUNT_SECONDS })
}

/** The mark of the account that was last signed in here; null when none is known. */
export function rememberedAccount(c: Context, baseUrl: string): string | null {
  const mark = getCookie(c, hostCookieName(ACCOUNT, baseUrl))
  return mark !== undefined && /^[\w-]{43}$/.test(mark) ? mark : null
}

export function clearSessionCookie(c: Context, baseUrl: string): void {
  deleteCookie(c, sessionCookieName(baseUrl), cookieAttributes(baseUrl))
  markSignedIn(c, baseUrl, false)
}

export function cookieAttributes(baseUrl: string) {
  return { path: '/', httpOnly: true, sameSite: 'Lax', secure: isSecure(baseUrl) } as const
}
