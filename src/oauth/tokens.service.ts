/**
 * Tokens: opaque, random, stored as hashes. All that comes from one consent screen is a family; ending the family ends
 * all of it at once, because every look-up asks the family. A code is used once and a refresh token rotates at each
 * use; presenting either a second time means that two parties hold it, so the family ends (RFC 9700 4.14), unless a
 * refresh is repeated so soon that it is a client which lost the answer.
 */
import type { AccessTokenActor } from '../accounts/actor.ts'
import { recordAudit } from '../accounts/audit.service.ts'
import type { Visit } from '../accounts/context.ts'
import { personFromRow } from '../accounts/people.service.ts'
import type { Tx } from '../db/database.ts'
import { hashToken, newToken } from '../lib/crypto.ts'
import { isUuid } from '../lib/ids.ts'
import { identify } from '../lib/request-scope.ts'
import { readParameter, readScope, refuseDuplicates, requireParameter } from './checks/parameters.ts'
import {
  requireAlive,
  requireProof,
  requireSameClient,
  requireSameRedirect,
  requireVerifier,
} from './checks/token.ts'
import { touchClient } from './clients.queries.ts'
import { requireClientId } from './clients.service.ts'
import type { OauthContext } from './context.ts'
import { touchGrant } from './grants.queries.ts'
import { OauthError } from './oauth.errors.ts'
import {
  ACCESS_PREFIX,
  ACCESS_TOKEN_MS,
  REFRESH_PREFIX,
  REFRESH_TOKEN_MS,
  REUSE_GRACE_MS,
} from './oauth.schema.ts'
import { bindResource } from './resources.ts'
import {
  deleteAccessToken,
  type Family,
  findAccessTokenFamily,
  findCode,
  findLiveAccessToken,
  findRefreshToken,
  insertTokens,
  revokeFamily,
  rotateRefreshToken,
  useCode,
} from './tokens.queries.ts'

type TokenAnswer = {
  access_token: string
  token_type: 'Bearer'
  expires_in: number
  refresh_token: string
  scope: string
}

/** Enough to look an access token up. */
export type TokenContext = Pick<OauthContext, 'pool' | 'clock' | 'config'>

type Input = { params: URLSearchParams; visit: Visit }

/** The token endpoint: throws an OauthError with the reason when nothing is issued. */
export async function answerTokenRequest(ctx: OauthContext, input: Input): Promise<TokenAnswer> {
  refuseDuplicates(input.params)
  const grantType = requireParameter(input.params, 'grant_type')
  if (grantType === 'authorization_code') return await exchangeCode(ctx, input)
  if (grantType === 'refresh_token') return await refresh(ctx, input)
  throw new OauthError('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token')
}

async function exchangeCode(ctx: OauthContext, { params, visit }: Input): Promise<TokenAnswer> {
  const hash = hashToken(requireParameter(params, 'code'))
  const redirectUri = requireParameter(params, 'redirect_uri')
  const verifier = requireVerifier(params)
  const clientId = await requireClientId(ctx, requireParameter(params, 'client_id'))
  bindResource(ctx.resource, params.getAll('resource'))

  const now = ctx.clock.now()
  const code = await findCode(ctx.db, hash)
  if (!code) throw new OauthError('invalid_grant', 'the code is not valid')
  // A reused code has leaked, whether or not the proof is right.
  if (code.usedAt !== null) throw await endReused(ctx, code, 'code', visit)
  requireAlive(code.expiresAt, now, code.revokedAt, 'code')
  requireSameClient(code.clientId, clientId, 'code')
  requireSameRedirect(code.redirectUri, redirectUri)
  requireProof(code.codeChallenge, verifier)
  const issued = await issueOnce(ctx, code, now, (tx) => useCode(tx, hash, now))
  if (!issued) throw await endReused(ctx, code, 'code', visit)
  return issued
}

async function refresh(ctx: OauthContext, { params, visit }: Input): Promise<TokenAnswer> {
  const hash = hashToken(requireParameter(params, 'refresh_token'))
  const clientId = await requireClientId(ctx, requireParameter(params, 'client_id'))
  readScope(params)
  bindResource(ctx.resource, params.getAll('resource'))

  const now = ctx.clock.now()
  const token = await findRefreshToken(ctx.db, hash)
  if (!token) throw new OauthError('invalid_grant', 'the refresh token is not valid')
  if (token.rotatedAt !== null) {
    if (now.getTime() - token.rotatedAt.getTime() > REUSE_GRACE_MS)
      throw await endReused(ctx, token, 'refresh token', visit)
    throw alreadyUsed()
  }
  requireAlive(token.expiresAt, now, token.revokedAt, 'refresh token')
  requireSameClient(token.clientId, clientId, 'refresh token')
  const issued = await issueOnce(ctx, token, now, (tx) => rotateRefreshToken(tx, hash, now))
  if (!issued) throw alreadyUsed()
  return issued
}

/** The grant's row is locked first and by everybody, so that a revocation sees all that was issued before it. */
function issueOnce(
  { db }: OauthContext,
  family: Family,
  now: Date,
  use: (tx: Tx) => Promise<boolean>,
): Promise<TokenAnswer | false> {
  return db.transaction().execute(async (tx) => {
    if ((await touchGrant(tx, family.grantId, now)) === null)
      throw new OauthError('invalid_grant', 'the access was revoked')
    return (await use(tx)) && issue(tx, family, now)
  })
}

async function issue(tx: Tx, family: Family, now: Date): Promise<TokenAnswer> {
  const access = newToken(ACCESS_PREFIX)
  const next = newToken(REFRESH_PREFIX)
  await insertTokens(tx, {
    familyId: family.familyId,
    accessHash: hashToken(access),
    accessUntil: new Date(now.getTime() + ACCESS_TOKEN_MS),
    refreshHash: hashToken(next),
    refreshUntil: new Date(now.getTime() + REFRESH_TOKEN_MS),
    now,
  })
  if (isUuid(family.clientId)) await touchClient(tx, family.clientId, now)
  return {
    access_token: access,
    token_type: 'Bearer',
    expires_in: ACCESS_TOKEN_MS / 1000,
    refresh_token: next,
    scope: family.scope,
  }
}

function alreadyUsed(): OauthError {
  return new OauthError('invalid_grant', 'the refresh token was already used')
}

type EndReason = 'code_reused' | 'refresh_reused' | 'revoked'

/** Ends the family and tells its owner in the audit log. */
async function endFamily(ctx: OauthContext, family: Family, reason: EndReason, visit: Visit): Promise<void> {
  const now = ctx.clock.now()
  await ctx.db.transaction().execute(async (tx) => {
    const ended = await revokeFamily(tx, family.familyId, reason, now)
    if (!ended) return
    await recordAudit(tx, {
      actor: { kind: 'system', id: null },
      action: `token.${reason}`,
      at: now,
      userId: family.userId,
      detail: { client_id: family.clientId, client_name: ended.clientName },
      visit,
    })
  })
}

/** Gives back what to tell the caller. */
async function endReused(
  ctx: OauthContext,
  family: Family,
  what: 'code' | 'refresh token',
  visit: Visit,
): Promise<OauthError> {
  await endFamily(ctx, family, what === 'code' ? 'code_reused' : 'refresh_reused', visit)
  return new OauthError(
    'invalid_grant',
    `the ${what} was already used; all tokens issued from it are revoked`,
  )
}

/**
 * RFC 7009. A refresh token takes its family along; an access token goes alone, since its client may go on. A token that
 * is not known is revoked as far as anybody can tell.
 */
export async function revokeToken(ctx: OauthContext, { params, visit }: Input): Promise<void> {
  refuseDuplicates(params)
  const hash = hashToken(requireParameter(params, 'token'))
  const asked = readParameter(params, 'client_id')
  const clientId = asked === null ? null : await requireClientId(ctx, asked)
  const refreshToken = await findRefreshToken(ctx.db, hash)
  const family = refreshToken ?? (await findAccessTokenFamily(ctx.db, hash))
  if (!family) return
  if (clientId !== null) requireSameClient(family.clientId, clientId, 'token')
  if (refreshToken) await endFamily(ctx, family, 'revoked', visit)
  else await deleteAccessToken(ctx.db, hash)
}

/**
 * Whose token it is, revoked, run out or not, for telling its holder of the account's quota. It proves nothing: what is
 * swept is forgotten.
 */
export async function findTokenOwner(
  { db }: Pick<OauthContext, 'db'>,
  token: string,
): Promise<string | null> {
  if (!token.startsWith(`${ACCESS_PREFIX}_`)) return null
  return (await findAccessTokenFamily(db, hashToken(token)))?.userId ?? null
}

/** Who an access token speaks for, if anybody: not expired, not revoked, its owner still there. */
export async function findAccessToken(ctx: TokenContext, token: string): Promise<AccessTokenActor | null> {
  const found = await findLiveToken(ctx, token)
  if (found) identify({ userId: found.actor.user.id })
  return found?.actor ?? null
}

/** The same, with the moment from which it speaks for nobody. */
export async function findLiveToken(
  ctx: TokenContext,
  token: string,
): Promise<{ actor: AccessTokenActor; expiresAt: Date } | null> {
  if (!token.startsWith(`${ACCESS_PREFIX}_`)) return null
  const row = await findLiveAccessToken(ctx.pool, hashToken(token), ctx.clock.now())
  return (
    row && {
      expiresAt: row.expires_at,
      actor: {
        kind: 'access_token',
        user: personFromRow(row, ctx.config),
        clientId: row.client_id,
        clientName: row.client_name,
        selectedOrgId: row.org_id,
        scope: row.scope,
        resource: row.resource,
      },
    }
  )
}
