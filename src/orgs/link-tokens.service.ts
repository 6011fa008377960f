/**
 * Link tokens: what a shop's plugin sends to act for its organization. Shown once, kept as a hash, named, revocable; when
 * one was last used is written at most once a minute, so that a busy plugin does not turn every read into a write.
 */
import type { LinkTokenActor } from '../accounts/actor.ts'
import type { Db } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { hashToken } from '../lib/crypto.ts'
import { findLiveLinkToken, touchLinkToken } from './link-tokens.queries.ts'

export const LINK_TOKEN_PREFIX = 'souk_link'
const TOUCH_EVERY_MS = 60_000

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
  return { kind: 'link_token', tokenId: found.id, orgId: found.orgId }
}
