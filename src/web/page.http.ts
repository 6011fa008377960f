/**
 * Sends private pages and files, which are never cached and tell other sites no referrer, because the address may hold a
 * token. Pages that lead to an agent differ in two ways. `form-action` covers every redirect after a form, so it must
 * allow the agent's address. The opener policy is off, because an agent may have opened the page in a window and wait.
 */
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { PAGE_HEADERS } from '../http/middleware.ts'
import { redirectUriProblem } from '../oauth/redirect-uris.ts'

export function wantsJson(c: Context): boolean {
  const accept = c.req.header('accept') ?? ''
  return accept.includes('application/json') && !accept.includes('text/html')
}

/** The words for what an address says was just done; null for what it cannot have been. */
export function doneWords<Words>(
  words: Readonly<Record<string, Words>>,
  asked: string | undefined,
): Words | null {
  return asked !== undefined && Object.hasOwn(words, asked) ? (words[asked] ?? null) : null
}

export async function sendPage(
  c: Context,
  html: string,
  { status = 200, leadsTo = null }: { status?: ContentfulStatusCode; leadsTo?: string | null } = {},
): Promise<Response> {
  return c.html(html, status, pageHeaders(leadsTo))
}

/** `name` has only letters, digits, dots and dashes. */
export function sendCsv(c: Context, name: string, text: string): Response {
  return c.body(text, 200, {
    'Cache-Control': 'no-store',
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': `attachment; filename="${name}"`,
  })
}

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
