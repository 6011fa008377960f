/** The organization's own history: who did what for it, without where from. */
import { type AuditFilter, type AuditRecord, listAudit } from '../accounts/audit.service.ts'
import type { OrgsContext } from './context.ts'
import { type AuditQuery, OPERATOR_ACTIONS, SUBJECTS_OF } from './history.schema.ts'
import { linkTokenNames, listEveryLinkToken } from './link-tokens.queries.ts'
import { listMembers, memberNames } from './members.queries.ts'
import { type Caller, requireProducer } from './producer.ts'

const DAY_MS = 86_400_000
const ACTORS_MAX = 200

/** `name`: of a member or a link token; who is neither is only an id. */
export type HistoryEntry = Pick<AuditRecord, 'id' | 'at' | 'actor' | 'action' | 'detail'> & {
  name: string | null
}

/** Newest first; `next` is what to send as `before` for the page after this one. */
export async function listHistory(
  ctx: OrgsContext,
  caller: Caller,
  query: AuditQuery,
): Promise<{ entries: HistoryEntry[]; next: string | null }> {
  const { limit, before } = query
  const { org } = await requireProducer(ctx, caller, 'oversee', { orLinkToken: true })
  const found = await listAudit(ctx, { orgId: org.id, limit: limit + 1, before, filter: filterOf(query) })
  const page = found.slice(0, limit)
  const actors = (kind: string) => [
    ...new Set(page.flatMap(({ actor }) => (actor.kind === kind ? (actor.id ?? []) : []))),
  ]
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

function filterOf({ actor, kind, from, to }: AuditQuery): AuditFilter {
  return {
    ...(actor !== undefined && actorFilter(actor)),
    ...(kind !== undefined && { subjects: SUBJECTS_OF[kind] }),
    ...(from !== undefined && { from: new Date(from) }),
    ...(to !== undefined && { until: new Date(Date.parse(to) + DAY_MS) }),
  }
}

function actorFilter(actor: string): AuditFilter {
  if (actor === 'operator') return { operatorActions: OPERATOR_ACTIONS }
  return actor === 'system' ? { actorKind: 'system' } : { actorId: actor }
}

/** The same for one entry as the filter is for all; see AuditFilter. */
export function isByOperator({ actor, action, detail }: Omit<HistoryEntry, 'name'>): boolean {
  if (actor.kind !== 'user') return actor.kind === 'operator'
  const { reason = null, via, verified_via } = detail
  return (
    reason === null &&
    (OPERATOR_ACTIONS.includes(action) || via === 'operator' || verified_via === 'operator')
  )
}

export type HistoryActors = {
  people: Array<{ id: string; name: string }>
  tokens: Array<{ id: string; name: string }>
}

/** Whom a history can be asked for by name: the members of now, and every link token there was. */
export async function listHistoryActors(ctx: OrgsContext, caller: Caller): Promise<HistoryActors> {
  const { org } = await requireProducer(ctx, caller, 'oversee')
  const [members, tokens] = await Promise.all([
    listMembers(ctx.db, org.id),
    listEveryLinkToken(ctx.db, org.id, ACTORS_MAX),
  ])
  const people = members.map(({ userId, name, email }) => ({ id: userId, name: name || email }))
  return { people, tokens }
}
