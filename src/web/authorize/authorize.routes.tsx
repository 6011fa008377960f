/**
 * The authorization endpoint's pages: an error, sign-in, consent, or a redirect back to the client. The rules are in
 * src/oauth. Redirects are 303, so that a form's body never reaches the client (RFC 9700 4.12).
 */
import type { Context, Hono } from 'hono'
import { safeReturnTo } from '../../accounts/return-to.ts'
import { visitOf } from '../../http/client-ip.ts'
import type { HttpEnv } from '../../http/env.ts'
import { asAppError, STATUS } from '../../http/error-response.ts'
import { readParameters } from '../../http/form.ts'
import { requireSameOrigin } from '../../http/same-origin.ts'
import { allow, deny, mayLeaveUnasked, nextStep, refusalUrl } from '../../oauth/authorize.service.ts'
import { checkAuthorizeRequest } from '../../oauth/checks/authorize.ts'
import type { OauthContext } from '../../oauth/context.ts'
import { isFormToken, makeFormToken } from '../../oauth/form-token.ts'
import { OauthError } from '../../oauth/oauth.errors.ts'
import type { AuthorizeRequest, Client, ReturnAddress } from '../../oauth/oauth.schema.ts'
import { redirectHost, redirectKind } from '../../oauth/redirect-uris.ts'
import type { TraceOutcome } from '../../oauth/trace.service.ts'
import { type ActingOrg, actingOrg } from '../../orgs/producer.ts'
import type { PageDeps } from '../deps.ts'
import { sendPage } from '../page.http.ts'
import { renderMessagePage } from '../pages/message.tsx'
import { findSignedIn, onward, type SignedInBrowser } from '../signed-in.ts'
import type { Site } from '../site.ts'
import { FORM_TOKEN, renderConsentPage } from './consent.page.tsx'

const PATH = '/oauth/authorize'

type Deps = Pick<PageDeps, 'site' | 'oauth'>
type Step = 'authorize' | 'consent'

export function mountAuthorize(app: Hono<HttpEnv>, deps: Deps): void {
  app.get(PATH, (c) => faultsTraced(c, deps, 'authorize', authorize))
  app.post(PATH, (c) => faultsTraced(c, deps, 'consent', decide))
}

/** Traces errors that the app's own handler answers, such as a cross-site post or an internal error. */
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
  const params = requestOf(c)
  const request = await readRequest(c, deps, params, 'authorize')
  if (request instanceof Response) return request
  const session = await findSignedIn(c, ctx)
  try {
    const org = session && (await actingOrg(ctx, session.actor))
    const next = await nextStep(ctx, { request, user: session?.actor.user ?? null, orgId: org?.id ?? null })
    if (next.kind === 'answer') {
      trace(c, ctx, { step: 'authorize', outcome: 'ok', reason: 'allowed before', request })
      return goTo(c, next.location)
    }
    if (next.kind === 'sign_in' || session === null) {
      const returnTo = safeReturnTo(ownAddress(params))
      if (returnTo === null) throw new OauthError('invalid_request', 'the request is too long')
      trace(c, ctx, { step: 'authorize', outcome: 'ok', reason: 'sent to sign-in', request })
      return goTo(c, onward('/auth/signin', returnTo))
    }
    trace(c, ctx, { step: 'authorize', outcome: 'ok', reason: 'asked the person', request })
    return await ask(c, deps, { request, session, org, params })
  } catch (error) {
    if (!(error instanceof OauthError)) throw error
    trace(c, ctx, { step: 'authorize', outcome: 'refused', reason: said(error), request })
    return await refuse(c, deps, { client: request.client, back: request, error, params })
  }
}

async function decide(c: Context<HttpEnv>, deps: Deps): Promise<Response> {
  const ctx = deps.oauth
  requireSameOrigin(c, ctx.config.baseUrl)
  const form = await readParameters(c)
  const params = requestOf(c, form)
  const request = await readRequest(c, deps, params, 'consent')
  if (request instanceof Response) return request
  const session = await findSignedIn(c, ctx)
  const signIn = onward('/auth/signin', safeReturnTo(ownAddress(params)))
  if (session === null) return goTo(c, signIn)

  const orgId = (await actingOrg(ctx, session.actor))?.id ?? null
  if (!isAnswerToPage(c, form, { sessionToken: session.token, params, orgId, now: ctx.clock.now() })) {
    trace(c, ctx, { step: 'consent', outcome: 'refused', reason: 'not the page that was shown', request })
    return sorry(c, deps.site, {
      params,
      status: 403,
      title: 'This page has expired',
      text: 'Go back to the app and connect it again.',
    })
  }
  const [decision, ...more] = form.getAll('decision')
  if ((decision !== 'allow' && decision !== 'deny') || more.length > 0) {
    const text = 'Choose Allow or Deny.'
    return sorry(c, deps.site, { params, status: 400, title: 'Choose an option', text })
  }
  const input = { request, actor: session.actor, visit: visitOf(c, ctx.config) }
  const location = decision === 'allow' ? await allow(ctx, { ...input, orgId }) : await deny(ctx, input)
  if (location === null) return goTo(c, signIn)
  trace(c, ctx, {
    step: 'consent',
    outcome: decision === 'allow' ? 'ok' : 'refused',
    reason: decision,
    request,
  })
  if (decision === 'deny' && (await isUnknownApp(deps, request, session))) {
    const text = 'The app has no access to your account. Go back to let it know.'
    return sorry(c, deps.site, {
      params,
      status: 200,
      title: 'Not connected',
      text,
      way: wayTo(request, location),
    })
  }
  return goTo(c, location)
}

/** True if a denial must not redirect, because that would open an app the person never allowed. */
async function isUnknownApp(
  { oauth: ctx }: Deps,
  { client, redirectUri }: AuthorizeRequest,
  { actor }: SignedInBrowser,
): Promise<boolean> {
  if (redirectKind(redirectUri) !== 'app') return false
  return !(await mayLeaveUnasked(ctx, { client, redirectUri, user: actor.user }))
}

/** The checked request, or the response to an invalid one. */
async function readRequest(
  c: Context<HttpEnv>,
  deps: Deps,
  params: URLSearchParams,
  step: Step,
): Promise<AuthorizeRequest | Response> {
  const ctx = deps.oauth
  try {
    const checked = await checkAuthorizeRequest(ctx, params, visitOf(c, ctx.config).ip)
    if (checked.kind === 'good') return checked.request
    const { client, back, error } = checked
    trace(c, ctx, { step, outcome: 'refused', reason: said(error), request: { client, ...back } })
    return await refuse(c, deps, { client, back, error, params })
  } catch (error) {
    if (!(error instanceof OauthError)) throw error
    trace(c, ctx, { step, outcome: 'refused', reason: said(error), clientId: params.get('client_id') })
    const status = error.code === 'temporarily_unavailable' ? 503 : 400
    return sorry(c, deps.site, { params, status, ...cannotConnect(error) })
  }
}

/** Reports the error at the client's redirect address. A person who never allowed it gets a page with a link first. */
async function refuse(
  c: Context<HttpEnv>,
  { oauth: ctx, site }: Deps,
  input: { client: Client; back: ReturnAddress; error: OauthError; params: URLSearchParams },
): Promise<Response> {
  const { client, back, error, params } = input
  const { redirectUri } = back
  const user = (await findSignedIn(c, ctx))?.actor.user ?? null
  const href = refusalUrl(ctx, back, error)
  if (await mayLeaveUnasked(ctx, { client, redirectUri, user })) return goTo(c, href)
  return sorry(c, site, { params, status: 400, ...cannotConnect(error), way: wayTo(back, href) })
}

function wayTo({ redirectUri }: ReturnAddress, href: string): { href: string; label: string } {
  return { href, label: `Go back to ${redirectHost(redirectUri)}` }
}

function cannotConnect(error: OauthError): { title: string; text: string } {
  const text = `The app sent an invalid request: ${error.message}. Ask the app’s developer for help.`
  return { title: 'We can’t connect this app', text }
}

type Sorry = {
  status: 200 | 400 | 403 | 503
  title: string
  text: string
  params: URLSearchParams
  way?: { href: string; label: string }
}

function sorry(
  c: Context<HttpEnv>,
  site: Site,
  { params, way = { href: '/connect', label: 'How to connect an agent' }, ...message }: Sorry,
): Promise<Response> {
  const { status } = message
  return sendPage(c, renderMessagePage({ ...message, way }, site), { status, leadsTo: ownAddress(params) })
}

function ask(
  c: Context<HttpEnv>,
  { oauth: ctx, site }: Deps,
  input: {
    request: AuthorizeRequest
    session: SignedInBrowser
    org: ActingOrg | null
    params: URLSearchParams
  },
): Promise<Response> {
  const { request, session, org, params } = input
  const bound = { sessionToken: session.token, params, orgId: org?.id ?? null, now: ctx.clock.now() }
  const returnTo = ownAddress(params)
  const page = { request, user: session.actor.user, org, params, formToken: makeFormToken(bound), returnTo }
  return sendPage(c, renderConsentPage(page, site), { leadsTo: returnTo })
}

/**
 * True if the post answers the page that was shown. The page's form carries a token bound to its session and request. A
 * script has no page and sends no token and no `Sec-Fetch-Site`. The origin of both was checked before.
 */
function isAnswerToPage(
  c: Context<HttpEnv>,
  form: URLSearchParams,
  bound: Parameters<typeof isFormToken>[1],
): boolean {
  const given = form.get(FORM_TOKEN)
  return given === null ? c.req.header('sec-fetch-site') === undefined : isFormToken(given, bound)
}

/** The form repeats the request in its body; a script may post to the request's own address. */
function requestOf(c: Context<HttpEnv>, form?: URLSearchParams): URLSearchParams {
  const params = new URLSearchParams(form?.has('client_id') ? form : new URL(c.req.url).searchParams)
  // The form's own fields: a request that has them could answer for the person.
  params.delete('decision')
  params.delete(FORM_TOKEN)
  return params
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
  ctx.trace.record({ ...visitOf(c, ctx.config), clientId, step, outcome, reason, detail })
}
