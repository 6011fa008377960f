/**
 * Link tokens: what a shop's plugin sends to act for its organization. Shown once, kept as a hash, named, revocable; when
 * one was last used is written at most once a minute, so that a busy plugin does not turn every read into a write.
 */
import type { LinkTokenActor, SessionActor } from '../accounts/actor.ts'
import { holdSession } from '../accounts/sessions.service.ts'
import type { Db } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { hashToken, newToken } from '../lib/crypto.ts'
import { conflict, notFound } from '../lib/errors.ts'
import { isUuid, newId } from '../lib/ids.ts'
import { identify } from '../lib/request-scope.ts'
import type { OrgsContext } from './context.ts'
import {
  findLiveLinkToken,
  insertLinkToken,
  type LinkToken,
  listLiveLinkTokens,
  revokeLinkTokensBy,
  revokeLiveLinkToken,
  touchLinkToken,
} from './link-tokens.queries.ts'
import {
  type Act,
  type Doing,
  lockManaged,
  recordAction,
  recordActions,
  requireProducer,
  together,
  unknownCaller,
} from './producer.ts'

export type { LinkToken }

const LINK_TOKEN_PREFIX = 'souk_link'
const TOUCH_EVERY_MS = 60_000
const LIVE_MAX = 20
const HINT_LENGTH = 4

/** Which organization a token acts for, if any. The one way from a link token to a caller. */
export async function findLinkToken(
  ctx: { db: Db; clock: Clock },
  token: string,
): Promise<LinkTokenActor | null> {
  if (!token.startsWith(`${LINK_TOKEN_PREFIX}_`)) return null
  const found = await findLiveLinkToken(ctx.db, hashToken(token))
  if (!found) return null
  const now = ctx.clock.now()
  if (found.lastUsedAt === null || now.getTime() - found.lastUsedAt.getTime() >= TOUCH_EVERY_MS)
    await touchLinkToken(ctx.db, found.id, now)
  identify({ orgId: found.orgId })
  return { kind: 'link_token', tokenId: found.id, orgId: found.orgId }
}

type SessionAct = Act & { caller: SessionActor }

export async function listLinkTokens(ctx: OrgsContext, { caller }: SessionAct): Promise<LinkToken[]> {
  const { org } = await requireProducer(ctx, caller, 'oversee')
  return listLiveLinkTokens(ctx.db, org.id)
}

/** The only time the token itself is seen. */
export async function createLinkToken(
  ctx: OrgsContext,
  act: SessionAct,
  { name }: { name: string },
): Promise<{ id: string; token: string; name: string }> {
  return together(ctx, async (inTx) => {
    if (!(await holdSession(inTx, act.caller))) throw unknownCaller()
    const producer = await lockManaged(inTx, act.caller)
    const orgId = producer.org.id
    if ((await listLiveLinkTokens(inTx.db, orgId)).length >= LIVE_MAX)
      throw conflict(`an organization can have ${LIVE_MAX} link tokens; revoke one first`, { max: LIVE_MAX })
    const now = ctx.clock.now()
    const id = newId()
    const token = newToken(LINK_TOKEN_PREFIX)
    await insertLinkToken(inTx.db, {
      id,
      orgId,
      name,
      tokenHash: hashToken(token),
      hint: token.slice(-HINT_LENGTH),
      createdBy: act.caller.user.id,
      createdAt: now,
    })
    await recordAction(inTx.db, { producer, act, at: now }, 'token.created', { token_id: id, name })
    return { id, token, name }
  })
}

/** From the moment it returns the token does nothing; what it was doing is done. */
export async function revokeLinkToken(ctx: OrgsContext, act: SessionAct, id: string): Promise<void> {
  await together(ctx, async (inTx) => {
    const producer = await lockManaged(inTx, act.caller)
    const now = ctx.clock.now()
    const revoked = isUuid(id)
      ? await revokeLiveLinkToken(inTx.db, { id, orgId: producer.org.id, now })
      : null
    if (!revoked) throw notFound('the organization has no link token with this id', { field: 'id' })
    const detail = { token_id: id, name: revoked.name }
    await recordAction(inTx.db, { producer, act, at: now }, 'token.revoked', detail)
  })
}

/** Why tokens end without being revoked one by one; it stands in the record of each. */
type MakerLost =
  | { reason: 'maker_removed' | 'maker_demoted' | 'maker_left' | 'account_deleted' }
  | { via: 'operator'; because: 'maker_deactivated' }

/**
 * Ends what this person made, in the transaction that takes their right to make tokens. The organization is locked, so
 * a token that is being made at this moment is either seen here or refused. Returns how many ended.
 */
export async function endLinkTokensOf(tx: Db, doing: Doing, userId: string, why: MakerLost): Promise<number> {
  const ended = await revokeLinkTokensBy(tx, { orgId: doing.producer.org.id, userId, now: doing.at })
  const records = ended.map(({ id, name }) => {
    return { action: 'token.revoked', detail: { token_id: id, name, ...why } }
  })
  if (records.length > 0) await recordActions(tx, doing, records)
  return ended.length
}
