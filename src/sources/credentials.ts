/**
 * How a source signs in: one header, sealed. It is opened for the moment of a request, goes only to the origin of the
 * source's own address, and is never read for anything else.
 */
import { invalid } from '../lib/errors.ts'
import { checkHeaders } from '../lib/outbound.exchange.ts'
import type { SourcesContext } from './context.ts'
import type { Auth, SourceInput } from './sources.schema.ts'

const FORMS: Record<Exclude<Auth, 'none'>, string> = {
  basic: 'enter user:password',
  bearer: 'enter the token',
  header: 'enter Name: value',
}

/** Null for none. What was typed is never repeated in an error. */
export function sealCredentials(
  ctx: Pick<SourcesContext, 'credentials'>,
  { auth, credentials }: Pick<SourceInput, 'auth' | 'credentials'>,
): string | null {
  if (auth === 'none') return null
  const header = credentials === null ? null : headerOf(auth, credentials)
  if (header === null) throw invalid('credentials', FORMS[auth])
  return ctx.credentials.seal(JSON.stringify(header))
}

export function openCredentials(
  ctx: Pick<SourcesContext, 'credentials'>,
  box: string,
): Record<string, string> {
  const [name, value] = JSON.parse(ctx.credentials.open(box)) as [string, string]
  return { [name]: value }
}

function headerOf(auth: Exclude<Auth, 'none'>, credentials: string): [name: string, value: string] | null {
  const typed = credentials.trim()
  const colon = typed.indexOf(':')
  const header: [string, string] | null =
    auth === 'bearer'
      ? ['authorization', `Bearer ${typed}`]
      : colon < 1
        ? null
        : auth === 'basic'
          ? ['authorization', `Basic ${Buffer.from(typed).toString('base64')}`]
          : [typed.slice(0, colon).trim().toLowerCase(), typed.slice(colon + 1).trim()]
  if (!header || header[1] === '') return null
  try {
    checkHeaders({ [header[0]]: header[1] })
    return header
  } catch {
    return null
  }
}
