/**
 * From a checked request and the person who is signed in to what happens next: sign in, ask, or send a code. A person is
 * asked once for a client and a redirect address; after that the answer is the same without asking. Every answer to a
 * client names us as `iss` (RFC 9207), so that a client with several servers cannot be led to mix them up.
 */
import type { Person, SessionActor } from '../accounts/actor.ts'
import { recordAudit } from '../accounts/audit.service.ts'
import type { Visit } from '../accounts/context.ts'
import { holdSession } from '../accounts/sessions.service.ts'
import type { Tx } from '../db/database.ts'
import { hashToken, newToken } from '../lib/crypto.ts'
import { isUuid, newId } from '../lib/ids.ts'
import { touchClient } from './clients.queries.ts'
import type { OauthContext } from './context.ts'
import { findGrant, touchGrant, upsertGrant } from './grants.queries.ts'
import { OauthError } from './oauth.errors.ts'
import {
  type AuthorizeRequest,
  type Client,
  CODE_MS,
  CODE_PREFIX,
  type ReturnAddress,
} from './oauth.schema.ts'
import { isAllowedRedirect, redirectHost, redirectKind } from './redirect-uris.ts'
import { insertCode, insertFamily } from './tokens.queries.ts'

type NextStep = { kind: 'sign_in' } | { kind: 'ask' } | { kind: 'answer'; location: string }

/** `orgId`: the organization the person acts for at that moment, so that the client's tokens stay with it. */
type Consenting = { request: AuthorizeRequest; user: Person; orgId: string | null }

/** Throws an OauthError for the client when nobody may be asked and asking is needed (prompt=none). */
export async function nextStep(
  ctx: OauthContext,
  { request, user, orgId }: { request: AuthorizeRequest; user: Person | null; orgId: string | null },
): Promise<NextStep> {
  const silent = request.prompt.has('none')
  if (user === null) {
    if (silent) throw new OauthError('login_required', 'no user is signed in')
    return { kind: 'sign_in' }
  }
  const location = wantsPage(request.prompt) ? null : await approveAgain(ctx, { request, user, orgId })
  if (location !== null) return { kind: 'answer', location }
  if (silent) throw new OauthError('consent_required', 'the user has not allowed this client yet')
  return { kind: 'ask' }
}

/** Null when there is no consent to this client at this redirect address. */
async function approveAgain(ctx: OauthContext, { request, user, orgId }: Consenting): Promise<string | null> {
  const grant = await findGrant(ctx.db, user.id, request.client.id)
  if (!grant || grant.scope !== request.scope) return null
  if (!isAllowedRedirect(grant.redirectUris, request.redirectUri)) return null
  const now = ctx.clock.now()
  const code = await ctx.db.transaction().execute(async (tx) => {
    if ((await touchGrant(tx, grant.id, now)) === null) return null
    return await issueCode(tx, { request, user, orgId, grantId: grant.id, now })
  })
  return code && answerUrl(ctx, request, { code })
}

type Decision = { request: AuthorizeRequest; actor: SessionActor; visit: Visit }

/** The person pressed "Allow". Null when their session ended at the same moment. */
export async function allow(
  ctx: OauthContext,
  { request, actor, orgId, visit }: Decision & { orgId: string | null },
): Promise<string | null> {
  const now = ctx.clock.now()
  const { client } = request
  const { user } = actor
  const code = await ctx.db.transaction().execute(async (tx) => {
    if (!(await holdSession({ db: tx }, actor))) return null
    const grantId = await upsertGrant(tx, {
      id: newId(),
      userId: user.id,
      clientId: client.id,
      clientName: client.name,
      clientHost: clientHost(client, request.redirectUri),
      scope: request.scope,
      redirectUri: request.redirectUri,
      now,
    })
    await recordAudit(tx, { ...decision(request, user, visit), action: 'grant.given', at: now })
    return await issueCode(tx, { request, user, orgId, grantId, now })
  })
  return code && answerUrl(ctx, request, { code })
}

/** The person pressed "Deny". */
export async function deny(ctx: OauthContext, { request, actor, visit }: Decision): Promise<string> {
  await recordAudit(ctx.db, {
    ...decision(request, actor.user, visit),
    action: 'grant.denied',
    at: ctx.clock.now(),
  })
  return refusalUrl(ctx, request, new OauthError('access_denied', 'the user denied access'))
}

export function refusalUrl(ctx: OauthContext, back: ReturnAddress, error: OauthError): string {
  return answerUrl(ctx, back, { error: error.code, error_description: error.message })
}

/**
 * Whether an error is taken to the client at once. Anybody can register any address, so sending people on to it unasked
 * would lend our name to every phishing site (OAuth 2.1 7.12.2, RFC 9700 4.11.2), or start a program of theirs with a
 * stranger's words. A loopback address is neither, and one that the person has allowed is no stranger's.
 */
export async function mayLeaveUnasked(
  ctx: OauthContext,
  { client, redirectUri, user }: { client: Client; redirectUri: string; user: Person | null },
): Promise<boolean> {
  if (redirectKind(redirectUri) === 'loopback') return true
  const grant = user && (await findGrant(ctx.db, user.id, client.id))
  return grant !== null && isAllowedRedirect(grant.redirectUris, redirectUri)
}

/** The host a person knows the client by: that of its document, or the one its codes go to. */
export function clientHost(client: Client, redirectUri: string): string {
  return client.kind === 'document' ? new URL(client.id).host : redirectHost(redirectUri)
}

async function issueCode(
  tx: Tx,
  { request, user, orgId, grantId, now }: Consenting & { grantId: string; now: Date },
): Promise<string> {
  const { client, scope, resource, redirectUri, codeChallenge } = request
  const code = newToken(CODE_PREFIX)
  const familyId = newId()
  await insertFamily(tx, {
    id: familyId,
    grantId,
    userId: user.id,
    orgId,
    clientId: client.id,
    scope,
    resource,
    createdAt: now,
  })
  await insertCode(tx, {
    codeHash: hashToken(code),
    familyId,
    redirectUri,
    codeChallenge,
    expiresAt: new Date(now.getTime() + CODE_MS),
  })
  if (isUuid(client.id)) await touchClient(tx, client.id, now)
  return code
}

/** Appended as text: parsing and writing the address anew could change what the client registered. */
function answerUrl(
  ctx: OauthContext,
  { redirectUri, state }: ReturnAddress,
  fields: Record<string, string>,
): string {
  const query = new URLSearchParams({
    ...fields,
    ...(state !== null && { state }),
    iss: ctx.config.baseUrl,
  })
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${query}`
}

/** A request for a new sign-in or another account shows the page, which says who is signed in. */
function wantsPage(prompt: ReadonlySet<string>): boolean {
  return prompt.has('consent') || prompt.has('login') || prompt.has('select_account')
}

function decision(request: AuthorizeRequest, user: Person, visit: Visit) {
  return {
    actor: { kind: 'user', id: user.id } as const,
    userId: user.id,
    detail: {
      client_id: request.client.id,
      client_name: request.client.name,
      redirect_host: redirectHost(request.redirectUri),
      scope: request.scope,
    },
    visit,
  }
}
