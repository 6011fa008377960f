/**
 * Who changed an offer last, for somebody whose own change came too late. Read from the organization's history, and only
 * from the latest of it: a change that somebody has just run into is not far back.
 */
import { listAudit } from '../accounts/audit.service.ts'
import type { OrgsContext } from '../orgs/context.ts'
import { type Caller, requireProducer } from '../orgs/producer.ts'
import { listTeam } from '../orgs/team.service.ts'

const LOOKED_AT = 100

/** `userId` is null for a link token; `name` for whoever is not a member any more. Null when it is not known. */
export async function lastChangeOf(
  ctx: OrgsContext,
  caller: Caller,
  offerId: string,
): Promise<{ userId: string | null; name: string | null } | null> {
  const { org } = await requireProducer(ctx, caller, 'read')
  const entries = await listAudit(ctx, { orgId: org.id, limit: LOOKED_AT })
  const found = entries.find(({ detail }) => detail.offer_id === offerId)
  if (!found) return null
  if (found.actor.kind === 'link_token') return { userId: null, name: 'A program with a link token' }
  const { members } = await listTeam(ctx, caller)
  const member = members.find(({ userId }) => userId === found.actor.id)
  return { userId: found.actor.id, name: member?.name ?? null }
}
