/**
 * The cookie that remembers what somebody asked to plan before they could: signing in may lead back here from a mail, and
 * such a request looks like one from another site, which plans nothing. It holds a hash of the words and signs nobody in.
 */
import type { Context } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { sha256 } from '../lib/crypto.ts'
import { cookieAttributes, hostCookieName } from './session-cookie.ts'

const NAME = 'souk_wish'
/** As long as a link to confirm an email lasts. */
const MAX_AGE_SECONDS = 86_400

export function rememberWish(c: Context, baseUrl: string, wish: string): void {
  setCookie(c, hostCookieName(NAME, baseUrl), hashOf(wish), {
    ...cookieAttributes(baseUrl),
    maxAge: MAX_AGE_SECONDS,
  })
}

/** True once for what this browser asked. */
export function takeWish(c: Context, baseUrl: string, wish: string): boolean {
  const name = hostCookieName(NAME, baseUrl)
  if (getCookie(c, name) !== hashOf(wish)) return false
  deleteCookie(c, name, cookieAttributes(baseUrl))
  return true
}

function hashOf(wish: string): string {
  return sha256(wish).toString('base64url')
}
