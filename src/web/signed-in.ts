/** Who is signed in: the person behind a page request with their session token, which a consent is bound to, as the header shows them, and the way to sign in. */
import type { Context } from 'hono'
import type { Person, SessionActor } from '../accounts/actor.ts'
import type { SessionsContext } from '../accounts/context.ts'
import { findSession } from '../accounts/sessions.service.ts'
import { markSignedIn, readSessionCookie, rememberAccount } from '../http/session-cookie.ts'

export type SignedInBrowser = { actor: SessionActor; token: string }

export async function findSignedIn(
  c: Context,
  ctx: SessionsContext & { config: { baseUrl: string } },
  options: { orDemo?: boolean } = {},
): Promise<SignedInBrowser | null> {
  const token = readSessionCookie(c, ctx.config.baseUrl)
  const actor = token === null ? null : await findSession(ctx, token, options)
  markSignedIn(c, ctx.config.baseUrl, actor !== null)
  if (actor && actor.user.demo === undefined) rememberAccount(c, ctx.config.baseUrl, actor.user.id)
  return actor && token ? { actor, token } : null
}

export function onward(path: string, returnTo: string | null): string {
  if (returnTo === null) return path
  return `${path}${path.includes('?') ? '&' : '?'}return_to=${encodeURIComponent(returnTo)}`
}

export type Viewer = { name: string; initials: string; isOperator: boolean }

/** People without a name are known by what stands before the @. */
export function viewerOf({ name, email, isAdmin }: Pick<Person, 'name' | 'email' | 'isAdmin'>): Viewer {
  const shown = name.trim() || (email.split('@')[0] ?? email)
  const words = shown.split(/[\s._-]+/).filter((word) => word !== '')
  const ends = words.length > 1 ? [words[0], words.at(-1)] : words
  const initials = ends.map((word) => [...(word ?? '')][0]).join('')
  return { name: shown, initials: initials.toUpperCase(), isOperator: isAdmin }
}
