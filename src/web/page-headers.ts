/**
 * Headers of private pages: no caching, and no referrer to other sites, because the address may hold a token. Pages
 * that lead to an agent differ in two ways. `form-action` covers every redirect after a form, so it must allow the
 * agent's address. The opener policy is off, because an agent may have opened the page in a window and wait for it.
 */
import { PAGE_HEADERS } from '../http/middleware.ts'
import { redirectUriProblem } from '../oauth/redirect-uris.ts'

const PRIVATE = { ...PAGE_HEADERS, 'Cache-Control': 'no-store', 'Referrer-Policy': 'same-origin' }
const POLICY = PAGE_HEADERS['Content-Security-Policy'] ?? ''

/** `leadsTo` is the local path that the page's form ends at, if not its own. */
export function pageHeaders(leadsTo: string | null): Record<string, string> {
  const page = leadsTo === null ? null : URL.parse(leadsTo, 'http://souk.invalid')
  if (!page || !/^\/oauth\/authorize\/?$/.test(page.pathname)) return PRIVATE
  const targets = formTargets(page.searchParams.get('redirect_uri') ?? '')
  return {
    ...PRIVATE,
    'Content-Security-Policy': POLICY.replace(`form-action 'self'`, `form-action 'self'${targets}`),
    'Cross-Origin-Opener-Policy': 'unsafe-none',
  }
}

/** CSP sources. Any https host is allowed, because any may follow. CSP cannot express an IPv6 address. */
function formTargets(redirectUri: string): string {
  if (redirectUriProblem(redirectUri) !== null) return ''
  const { protocol, hostname, origin } = new URL(redirectUri)
  if (protocol === 'https:') return ' https:'
  return protocol === 'http:' && !hostname.startsWith('[') ? ` ${origin} https:` : ` ${protocol} https:`
}
