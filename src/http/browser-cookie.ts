/**
 * The cookie that tells in which browser a mail was asked for. It signs nobody in: a link in a mail acts when it is opened
 * in the browser that asked for it, and shows a button in any other, which may be a scanner's. Callers get the hash of the
 * cookie, which is what the table keeps.
 */
import type { Context } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'
import { hashToken, newToken } from '../lib/crypto.ts'
import { cookieAttributes, hostCookieName } from './session-cookie.ts'

const NAME = 'souk_browser'
const SHAPE = /^souk_browser_[\w-]{43}$/
/** As long as the rows of links are kept after they ran out. */
const MAX_AGE_SECONDS = 7 * 86_400

function readCookie(c: Context, baseUrl: string): string | null {
  const value = getCookie(c, hostCookieName(NAME, baseUrl))
  return value !== undefined && SHAPE.test(value) ? value : null
}

/** Null for a browser that has asked for no mail. */
export function knownBrowser(c: Context, baseUrl: string): string | null {
  const value = readCookie(c, baseUrl)
  return value === null ? null : hashToken(value)
}

/** For who asks for a mail. The cookie stays the same, so that links of earlier mails still act. */
export function rememberBrowser(c: Context, baseUrl: string): string {
  const value = readCookie(c, baseUrl) ?? newToken(NAME)
  setCookie(c, hostCookieName(NAME, baseUrl), value, {
    ...cookieAttributes(baseUrl),
    maxAge: MAX_AGE_SECONDS,
  })
  return hashToken(value)
}
