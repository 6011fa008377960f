/**
 * Which redirect addresses a client may have, and when the one in a request is one of them. Comparison is of the
 * text, character by character (RFC 9700 4.1.3): everything cleverer has been an open redirect somewhere. The one
 * exception is the port of a loopback address, which an app cannot know in advance (RFC 8252 7.3).
 */
import { appSchemeProblem } from './app-schemes.ts'

const MAX_REDIRECT_URI = 1_000

const LOOPBACK = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::(\d{1,5}))?([/?].*)?$/
/** Printable ASCII that means the same to every parser: no blanks, double quotes, angle brackets or backslashes. */
const PLAIN = /^[!$-;=?-Z_a-z~[\]#@]+$/
const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:]+\])$/
const SCHEME = /^([a-z][a-z0-9+.-]*):/

type RedirectKind = 'web' | 'loopback' | 'app'

/** Null when the address is acceptable, else why it is not. */
export function redirectUriProblem(uri: string): string | null {
  if (uri.length > MAX_REDIRECT_URI) return `a redirect URI has at most ${MAX_REDIRECT_URI} characters`
  if (!PLAIN.test(uri)) return 'a redirect URI must be ASCII, with other characters percent-encoded'
  if (uri.includes('#')) return 'a redirect URI must not have a fragment'
  const scheme = SCHEME.exec(uri)?.[1]
  const url = URL.parse(uri)
  if (scheme === undefined || url === null || url.protocol !== `${scheme}:`)
    return 'a redirect URI must be absolute, with its scheme in lower case'
  if (url.username !== '' || url.password !== '')
    return 'a redirect URI must not contain a user name or password'
  if (scheme === 'https') return webProblem(uri, url)
  if (scheme === 'http') {
    return isLoopback(uri) ? null : 'plain http is only for 127.0.0.1, [::1] and localhost; use https'
  }
  return appSchemeProblem(scheme, uri)
}

/** `uri` is one the client may use. */
export function isAllowedRedirect(allowed: readonly string[], uri: string): boolean {
  if (redirectUriProblem(uri) !== null) return false
  return allowed.some((candidate) => candidate === uri || isSameButPort(candidate, uri))
}

export function redirectKind(uri: string): RedirectKind {
  if (uri.startsWith('https:')) return 'web'
  return isLoopback(uri) ? 'loopback' : 'app'
}

/** What a person is shown of the address: the host, or the scheme of an app. */
export function redirectHost(uri: string): string {
  const url = new URL(uri)
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.host : url.protocol
}

/** Parsers let through more than names and addresses: `*`, `;` or a third slash. None of that is one host. */
function webProblem(uri: string, url: URL): string | null {
  const written = /^https:\/\/[^/?]/.test(uri) && HOST.test(url.hostname)
  return written ? null : 'a redirect URI must have one host'
}

function isLoopback(uri: string): boolean {
  const found = LOOPBACK.exec(uri)
  return found !== null && isPort(found[2])
}

function isSameButPort(registered: string, asked: string): boolean {
  const [ours, theirs] = [LOOPBACK.exec(registered), LOOPBACK.exec(asked)]
  if (!ours || !theirs || !isPort(theirs[2])) return false
  return ours[1] === theirs[1] && ours[3] === theirs[3]
}

function isPort(text: string | undefined): boolean {
  return text === undefined || (Number(text) >= 1 && Number(text) <= 65_535)
}
