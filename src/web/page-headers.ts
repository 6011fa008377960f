/**
 * Headers of the pages people sign in and decide on. Nobody keeps a copy, and no other site learns the address, which
 * may hold a token. Pages on the way to an agent differ in two points. Browsers hold a form to `form-action` through
 * every redirect that follows it, and that way ends at the agent's own address and often goes on from there; and an
 * agent may have opened the page in a window of its own and wait for it, which the opener policy of other pages would
 * make look closed.
 */
import { PAGE_HEADERS } from '../http/middleware.ts'
import { redirectUriProblem } from '../oauth/redirect-uris.ts'

const PRIVATE = { ...PAGE_HEADERS, 'Cache-Control': 'no-store', 'Referrer-Policy': 'same-origin' }
const POLICY = PAGE_HEADERS['Content-Security-Policy'] ?? ''

/** `leadsTo` is the path of ours that the page's form ends at, when that is another page than its own. */
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

/** CSP sources. No host of the web is named, as every one may follow; CSP cannot write an IPv6 address. */
function formTargets(redirectUri: string): string {
  if (redirectUriProblem(redirectUri) !== null) return ''
  const { protocol, hostname, origin } = new URL(redirectUri)
  if (protocol === 'https:') return ' https:'
  return protocol === 'http:' && !hostname.startsWith('[') ? ` ${origin} https:` : ` ${protocol} https:`
}
