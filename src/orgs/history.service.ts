/** The organization's own history: who did what for it, without where from. */
import { type AuditRecord, listAudit } from '../accounts/audit.service.ts'
import type { OrgsContext } from './context.ts'
import { linkTokenNames } from './link-tokens.queries.ts'
import { memberNames } from './members.queries.ts'
import type { AuditQuery } from './orgs.input.ts'
import { type Caller, requireProducer } from './producer.ts'

/** `name`: of a member or a link token; who is neither is only an id. */
export type HistoryEntry = Pick<AuditRecord, 'id' | 'at' | 'actor' | 'action' | 'detail'> & {
  name: string | null
}

/** Newest first; `next` is what to send as `before` for the page after this one. */
export async function listHistory(
  ctx: OrgsContext,
  caller: Caller,
  { limit, before }: AuditQuery,
): Promise<{ entries: HistoryEntry[]; next: string | null }> {
  const { org } = await requireProducer(ctx, caller, 'oversee')
  const found = await listAudit(ctx, { orgId: org.id, limit: limit + 1, before })
  const page = found.slice(0, limit)
  const actors = (kind: string) => page.flatMap(({ actor }) => (actor.kind === kind ? (actor.id ?? []) : []))
  const [people, tokens] = await Promise.all([
    memberNames(ctx.db, org.id, actors('user')),
    linkTokenNames(ctx.db, org.id, actors('link_token')),
  ])
  const entries = page.map(({ id, at, actor, action, detail }) => {
    const name = people.get(actor.id ?? '') ?? tokens.get(actor.id ?? '') ?? null
    return { id, at, actor, action, detail, name }
  })
  return { entries, next: found.length > limit ? (page.at(-1)?.id ?? null) : null }
}
