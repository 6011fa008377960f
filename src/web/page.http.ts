/** Sends private pages and files, which are never cached. */
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { pageHeaders } from './page-headers.ts'

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
