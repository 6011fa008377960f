/**
 * Where a person was going before they had to sign in. Only a path of ours is followed: whatever a browser could read
 * as another host (`//host`, `/\host`, a scheme, a hidden control character) is dropped, and so are the sign-in pages
 * themselves, since a link could otherwise chain a visitor through a stranger's sign-in link, and the links to sellers
 * (`/go/`), which lead to an address that somebody else chose: nobody expects that at the end of a sign-in.
 */

/** Requests of agents are long: their id is an address, so is where they return, and their `state` may hold a lot. */
const MAX_LENGTH = 8_000
const SAFE = /^\/(?![/\\])[!-[\]-~]*$/
const ANYWHERE = 'http://souk.invalid'

export const HOME = '/account'

export function safeReturnTo(given: string | null | undefined): string | null {
  if (!given || given.length > MAX_LENGTH || !SAFE.test(given)) return null
  const url = URL.parse(given, ANYWHERE)
  if (!url || url.origin !== ANYWHERE || url.pathname.startsWith('//')) return null
  return /^\/(?:auth|go)(\/|$)/i.test(decoded(url.pathname)) ? null : given
}

function decoded(pathname: string): string {
  try {
    return decodeURIComponent(pathname)
  } catch {
    return pathname
  }
}
