/**
 * The authorization endpoint as a person meets it: an error page, the sign-in, the question, or straight back to the
 * client. The rules are in src/oauth; here they become pages and redirects. Redirects are 303, so that a form's body
 * is never sent on to the client (RFC 9700 4.12).
 */
import type { Context, Hono } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { readBody } from '../../http/body.ts'
import type { HttpEnv } from '../../http/env.ts'
import { asAppError, STATUS } from '../../http/error-response.ts'
import { PAGE_HEADERS } from '../../http/middleware.ts'
import { requireSameOrigin } from '../../http/same-origin.ts'
import { hashToken } from '../../lib/crypto.ts'
import { allow, deny, nextStep, refusalUrl } from '../../oauth/authorize.service.ts'
import { checkAuthorizeRequest } from '../../oauth/checks/authorize.ts'
import type { OauthContext } from '../../oauth/context.ts'
import { isFormToken, makeFormToken } from '../../oauth/form-token.ts'
import { OauthError } from '../../oauth/oauth.errors.ts'
import { visitOf } from '../../oauth/oauth.routes.ts'
import type { AuthorizeRequest } from '../../oauth/oauth.schema.ts'
import { redirectHost } from '../../oauth/redirect-uris.ts'
import type { TraceOutcome } from '../../oauth/trace.service.ts'
import { renderMessagePage } from '../pages/message.tsx'
import type { Site } from '../site.ts'
import { FORM_TOKEN, renderConsentPage } from './consent.page.tsx'
import { findSignedIn, type SignedIn, signInUrl } from './signed-in.ts'

const PATH = '/oauth/authorize'
const MAX_FORM = 64 * 1024
const FORM_TOKEN_SECONDS = 1_800

type Deps = { oauth: OauthContext; site: Site }
type Step = 'authorize' | 'consent'

export function mountAuthorize(app: Hono<HttpEnv>, deps: Deps): void {
  app.get(PATH, (c) => faultsTraced(c, deps, 'authorize', authorize))
  app.post(PATH, (c) => faultsTraced(c, deps, 'consent', decide))
}

/** What goes wrong beyond OAuth (a post from another site, a fault of ours) is told by the app, but traced here. */
async function faultsTraced(
  c: Context<HttpEnv>,
  deps: Deps,
  step: Step,
  handler: (c: Context<HttpEnv>, deps: Deps) => Promise<Response>,
): Promise<Response> {
  try {
    return await handler(c, deps)
  } catch (error) {
    const { kind, message } = asAppError(error)
    const outcome = STATUS[kind] >= 500 ? 'failed' : 'refused'
    const clientId = new URL(c.req.url).searchParams.get('client_id')
    trace(c, deps.oauth, { step, outcome, reason: message, clientId })
    throw error
  }
}

async function authorize(c: Context<HttpEnv>, deps: Deps): Promise<Response> {
  const ctx = deps.oauth
  const params = new URL(c.req.url).searchParams
  const request = await readRequest(c, deps, params, 'authorize')
  if (request instanceof Response) return request
  const session = await findSignedIn(c, ctx)
  try {
    const next = await nextStep(ctx, { request, user: session?.user ?? null })
    if (next.kind === 'answer') {
      trace(c, ctx, { step: 'authorize', outcome: 'ok', reason: 'allowed before', request })
      return goTo(c, next.location)
    }
    if (next.kind === 'sign_in' || session === null) {
      trace(c, ctx, { step: 'authorize', outcome: 'ok', reason: 'sent to sign-in', request })
      return goTo(c, signInUrl(ownAddress(params)))
    }
    trace(c, ctx, { step: 'authorize', outcome: 'ok', reason: 'asked the person', request })
    return ask(c, deps, { request, session, params })
  } catch (error) {
    if (!(error instanceof OauthError)) throw error
    trace(c, ctx, { step: 'authorize', outcome: 'refused', reason: said(error), request })
    return goTo(c, refusalUrl(ctx, request, error))
  }
}

async function decide(c: Context<HttpEnv>, deps: Deps): Promise<Response> {
  const ctx = deps.oauth
  requireSameOrigin(c, ctx.config.baseUrl)
  const form = new URLSearchParams((await readBody(c, MAX_FORM)).toString('utf8'))
  const decision = form.get('decision')
  const params = requestOf(c, form)
  const request = await readRequest(c, deps, params, 'consent')
  if (request instanceof Response) return request
  const session = await findSignedIn(c, ctx)
  if (session === null) return goTo(c, signInUrl(ownAddress(params)))

  const { user, sessionToken } = session
  const given = form.get(FORM_TOKEN) ?? getCookie(c, tokenCookie(ctx, params)) ?? ''
  if (!isFormToken(given, { sessionToken, params, now: ctx.clock.now() })) {
    trace(c, ctx, { step: 'consent', outcome: 'refused', reason: 'not the page that was shown', request })
    return sorry(c, deps.site, {
      status: 403,
      title: 'Please start again',
      text: 'This answer does not belong to the question you were shown, or came too late. Go back to the app and connect it once more.',
    })
  }
  if (decision !== 'allow' && decision !== 'deny') {
    const text = 'The decision must be allow or deny.'
    return sorry(c, deps.site, { status: 400, title: 'That did not work', text })
  }
  deleteCookie(c, tokenCookie(ctx, params), { path: '/', secure: isSecure(ctx) })
  const input = { request, user, visit: visitOf(c, ctx) }
  const location = decision === 'allow' ? await allow(ctx, input) : await deny(ctx, input)
  trace(c, ctx, {
    step: 'consent',
    outcome: decision === 'allow' ? 'ok' : 'refused',
    reason: decision,
    request,
  })
  return goTo(c, location)
}

/** The checked request, or the answer to one that is refused. */
async function readRequest(
  c: Context<HttpEnv>,
  { oauth: ctx, site }: Deps,
  params: URLSearchParams,
  step: Step,
): Promise<AuthorizeRequest | Response> {
  try {
    const checked = await checkAuthorizeRequest(ctx, params)
    if (checked.kind === 'good') return checked.request
    const { client, back, error } = checked
    trace(c, ctx, { step, outcome: 'refused', reason: said(error), request: { client, ...back } })
    return goTo(c, refusalUrl(ctx, back, error))
  } catch (error) {
    if (!(error instanceof OauthError)) throw error
    trace(c, ctx, { step, outcome: 'refused', reason: said(error), clientId: params.get('client_id') })
    const text = `The app that sent you here made a request that cannot be answered: ${error.message}.`
    const status = error.code === 'temporarily_unavailable' ? 503 : 400
    return sorry(c, site, { status, title: 'This app cannot be connected', text })
  }
}

function sorry(
  c: Context<HttpEnv>,
  site: Site,
  message: { status: 400 | 403 | 503; title: string; text: string },
): Response {
  return c.html(renderMessagePage(message, site), message.status, pageHeaders())
}

function ask(
  c: Context<HttpEnv>,
  { oauth: ctx, site }: Deps,
  { request, session, params }: { request: AuthorizeRequest; session: SignedIn; params: URLSearchParams },
): Response {
  const { user, sessionToken } = session
  const formToken = makeFormToken({ sessionToken, params, now: ctx.clock.now() })
  // Also as a cookie, for scripts that post nothing but the decision the contract names.
  setCookie(c, tokenCookie(ctx, params), formToken, {
    path: '/',
    httpOnly: true,
    sameSite: 'Strict',
    secure: isSecure(ctx),
    maxAge: FORM_TOKEN_SECONDS,
  })
  const page = { request, user, params, formToken, returnTo: ownAddress(params) }
  return c.html(renderConsentPage(page, site), 200, pageHeaders(request.redirectUri))
}

/**
 * Chromium holds form-action against every hop of the redirects that follow a form, so the client's address must be
 * allowed, and https beyond it, because many clients send the browser on. A client may have opened this page in a window
 * of its own and wait for it: the opener policy of other pages would make that window look closed.
 */
function pageHeaders(redirectUri?: string): Record<string, string> {
  const policy = PAGE_HEADERS['Content-Security-Policy'] ?? ''
  return {
    ...PAGE_HEADERS,
    'Cache-Control': 'no-store',
    'Cross-Origin-Opener-Policy': 'unsafe-none',
    ...(redirectUri !== undefined && {
      'Content-Security-Policy': policy.replace(
        `form-action 'self'`,
        `form-action 'self' ${formTarget(redirectUri)}`,
      ),
    }),
  }
}

/** A CSP source: the origin, or the bare scheme where there is none to name (apps, and IPv6, which CSP cannot write). */
function formTarget(redirectUri: string): string {
  const url = new URL(redirectUri)
  if (url.protocol === 'https:') return `${url.origin} https:`
  return url.protocol === 'http:' && !url.hostname.startsWith('[')
    ? `${url.origin} https:`
    : `${url.protocol} https:`
}

/** The form repeats the request in its body; a script may as well post to the address it was shown. */
function requestOf(c: Context<HttpEnv>, form: URLSearchParams): URLSearchParams {
  if (!form.has('client_id')) return new URL(c.req.url).searchParams
  const params = new URLSearchParams(form)
  params.delete('decision')
  params.delete(FORM_TOKEN)
  return params
}

/** One cookie a request, so that two tabs do not answer for each other. */
function tokenCookie(ctx: OauthContext, params: URLSearchParams): string {
  const sorted = new URLSearchParams(params)
  sorted.sort()
  return `${isSecure(ctx) ? '__Host-' : ''}souk_consent_${hashToken(String(sorted)).slice(0, 16)}`
}

function isSecure(ctx: OauthContext): boolean {
  return ctx.config.baseUrl.startsWith('https:')
}

function ownAddress(params: URLSearchParams): string {
  return `${PATH}/?${params}`
}

function goTo(c: Context<HttpEnv>, location: string): Response {
  c.header('Cache-Control', 'no-store')
  return c.redirect(location, 303)
}

function said(error: OauthError): string {
  return `${error.code}: ${error.message}`
}

function trace(
  c: Context<HttpEnv>,
  ctx: OauthContext,
  entry: {
    step: Step
    outcome: TraceOutcome
    reason: string
    clientId?: string | null
    request?: Pick<AuthorizeRequest, 'client' | 'redirectUri'>
  },
): void {
  const { step, outcome, reason, request } = entry
  const clientId = request?.client.id ?? entry.clientId ?? null
  const detail = request && { name: request.client.name, redirect: redirectHost(request.redirectUri) }
  ctx.trace.record({ ...visitOf(c, ctx), clientId, step, outcome, reason, detail })
}
