/**
 * What the account routes share: how a page is sent, how a form is read, and how a refusal comes back: as the same
 * form with its errors for people, as the interface's envelope for callers that ask for JSON.
 */
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { z } from 'zod'
import type { SessionActor } from '../../accounts/actor.ts'
import type { AccountsContext, Visit } from '../../accounts/context.ts'
import { findSession } from '../../accounts/sessions.service.ts'
import type { Config } from '../../config.ts'
import { clientIp } from '../../http/client-ip.ts'
import type { HttpEnv } from '../../http/env.ts'
import { respondEnvelope, STATUS } from '../../http/error-response.ts'
import { PAGE_HEADERS } from '../../http/middleware.ts'
import { readSessionCookie } from '../../http/session-cookie.ts'
import { AppError } from '../../lib/errors.ts'
import type { Site } from '../site.ts'
import type { AccountSection } from './account.routes.tsx'
import type { FormState } from './fields.tsx'

export type AccountDeps = {
  config: Config
  site: Site
  accounts: AccountsContext
  /** Further parts of the account page, such as the apps somebody has connected. */
  accountSections?: AccountSection[]
}

export type SignedInBrowser = { actor: SessionActor; token: string }

export function wantsJson(c: Context): boolean {
  const accept = c.req.header('accept') ?? ''
  return accept.includes('application/json') && !accept.includes('text/html')
}

/** Nobody keeps a copy, and no other site learns the address, which may hold a token. */
export async function sendPage(
  c: Context,
  html: string,
  { status = 200, leadsTo = null }: { status?: ContentfulStatusCode; leadsTo?: string | null } = {},
): Promise<Response> {
  return c.html(html, status, {
    ...PAGE_HEADERS,
    'Content-Security-Policy': policyFor(leadsTo),
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'same-origin',
  })
}

/**
 * Browsers hold a form to `form-action` through every redirect that follows it. Signing in on the way to an agent ends
 * at the agent's own address, so a form that leads to the authorization page names that address too.
 */
function policyFor(returnTo: string | null): string {
  const policy = PAGE_HEADERS['Content-Security-Policy'] ?? ''
  const target = returnTo === null ? null : agentSource(returnTo)
  return target === null ? policy : policy.replace(`form-action 'self'`, `form-action 'self' ${target}`)
}

function agentSource(returnTo: string): string | null {
  const page = URL.parse(returnTo, 'http://souk.invalid')
  if (!page || !/^\/oauth\/authorize\/?$/.test(page.pathname)) return null
  const redirect = URL.parse(page.searchParams.get('redirect_uri') ?? '')
  if (!redirect) return null
  if (/^https?:\/\/[a-z0-9.-]+(:\d+)?$/.test(redirect.origin)) return redirect.origin
  return /^(javascript|data|blob|file|vbscript):$/.test(redirect.protocol) ? null : redirect.protocol
}

export function visitOf(c: Context<HttpEnv>, config: Config): Visit {
  return {
    ip: clientIp(c, config.trustProxy),
    userAgent: c.req.header('user-agent') ?? null,
    requestId: c.get('requestId'),
  }
}

export async function signedInBrowser(c: Context, deps: AccountDeps): Promise<SignedInBrowser | null> {
  const token = readSessionCookie(c, deps.config.baseUrl)
  const actor = token === null ? null : await findSession(deps.accounts, token)
  return actor && token ? { actor, token } : null
}

export type FormRoute<Output> = {
  schema: z.ZodType<Output>
  /** What the form is shown again with. */
  render(state: FormState): string | Promise<string>
  act(input: Output): Promise<Response>
  /** Where the form will lead, when that is not here. */
  leadsTo?: string | null
}

const SECRET_FIELDS = new Set(['password', 'current', 'token'])

/** Reads, checks and acts; what is wrong with the input comes back with the form. */
export async function answerForm<Output>(
  c: Context<HttpEnv>,
  form: Record<string, string>,
  route: FormRoute<Output>,
): Promise<Response> {
  const parsed = route.schema.safeParse(form)
  if (parsed.success) {
    try {
      return await route.act(parsed.data)
    } catch (error) {
      if (!(error instanceof AppError) || error.kind === 'internal') throw error
      return refuse(c, form, route, error, { [error.field ?? '']: error.message })
    }
  }
  const errors: Record<string, string> = {}
  for (const issue of parsed.error.issues) errors[String(issue.path[0] ?? '')] ??= issue.message
  const [[field, message] = ['', 'the form is not complete']] = Object.entries(errors)
  return refuse(c, form, route, new AppError('invalid', message, { field }), errors)
}

async function refuse<Output>(
  c: Context<HttpEnv>,
  form: Record<string, string>,
  route: FormRoute<Output>,
  error: AppError,
  errors: Record<string, string>,
): Promise<Response> {
  if (wantsJson(c)) return respondEnvelope(c, error)
  if (error.retryAfterSeconds !== undefined) c.header('Retry-After', String(error.retryAfterSeconds))
  const values = Object.fromEntries(Object.entries(form).filter(([name]) => !SECRET_FIELDS.has(name)))
  const html = await route.render({ values, errors })
  return sendPage(c, html, { status: STATUS[error.kind], leadsTo: route.leadsTo })
}
