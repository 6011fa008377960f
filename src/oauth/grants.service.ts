/** Consents a person has given: listed and taken back on the account page. Taking one back ends every token under it. */
import { recordAudit, recordOwn } from '../accounts/audit.service.ts'
import type { Visit } from '../accounts/context.ts'
import type { Db } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { wireOf } from '../lib/entity.ts'
import { isUuid } from '../lib/ids.ts'
import {
  findGrants,
  type GrantRow,
  markAllGrantsRevoked,
  markGrantRevoked,
  revokeFamiliesOfGrants,
} from './grants.queries.ts'

export type Grant = GrantRow

type Context = { db: Db; clock: Clock }

/** Last used first. */
export async function listGrants(ctx: { db: Db }, userId: string): Promise<Grant[]> {
  return await findGrants(ctx.db, userId)
}

/** False when the person has no such grant. */
export async function revokeGrant(
  ctx: Context,
  { userId, grantId, visit }: { userId: string; grantId: string; visit: Visit },
): Promise<boolean> {
  if (!isUuid(grantId)) return false
  const now = ctx.clock.now()
  return await ctx.db.transaction().execute(async (tx) => {
    const grant = await markGrantRevoked(tx, { id: grantId, userId, now })
    if (!grant) return false
    await revokeFamiliesOfGrants(tx, { ids: [grantId], reason: 'grant_revoked', now })
    const client = { client_id: grant.clientId, client_name: grant.clientName }
    await recordOwn(tx, { userId, at: now, visit }, 'grant.revoked', client)
    return true
  })
}

/** For account hooks, in their transaction: a password was reset, so whatever acts for this person ends. */
export async function revokeAllGrants(ctx: Context, userId: string): Promise<number> {
  const now = ctx.clock.now()
  const ids = await markAllGrantsRevoked(ctx.db, userId, now)
  if (ids.length === 0) return 0
  await revokeFamiliesOfGrants(ctx.db, { ids, reason: 'account_secured', now })
  await recordAudit(ctx.db, {
    actor: { kind: 'system', id: null },
    action: 'grant.all_revoked',
    at: now,
    userId,
    detail: { count: ids.length },
  })
  return ids.length
}

/** The part of "export my data" that is about connected apps. */
export async function exportGrants(ctx: { db: Db }, userId: string): Promise<Record<string, unknown>> {
  const grants = await findGrants(ctx.db, userId)
  return {
    connected_apps: grants.map((grant) =>
      wireOf(grant, ['clientId', 'clientName', 'scope', 'createdAt', 'lastUsedAt']),
    ),
  }
}
