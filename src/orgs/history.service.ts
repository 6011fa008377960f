/**
 * The organization's own history: who did what for it, without where from. It can be narrowed to a kind, which stands for
 * the subjects of actions (`offer` of `offer.created`), so that an action a feature adds later is found under its subject
 * without being named here.
 */

import { z } from 'zod'
import { type AuditFilter, type AuditRecord, listAudit } from '../accounts/audit.service.ts'
import { DAY_MS } from '../lib/clock.ts'
import { isUuid } from '../lib/ids.ts'
import type { OrgsContext } from './context.ts'
import { linkTokenNames, listEveryLinkToken } from './link-tokens.queries.ts'
import { listMembers, memberNames } from './members.queries.ts'
import { type Caller, requireProducer } from './producer.ts'

export const HISTORY_KINDS = ['offers', 'products', 'pricing', 'agent', 'team', 'organization'] as const
export type HistoryKind = (typeof HISTORY_KINDS)[number]

const SUBJECTS_OF: Record<HistoryKind, readonly string[]> = {
  offers: ['offer'],
  products: ['relationship', 'enrichment', 'submission', 'source'],
  pricing: ['pricing'],
  agent: ['integration', 'ucp', 'rfq'],
  team: ['team'],
  organization: ['org', 'token'],
}

/** Null for an action of a subject that no kind has. */
export function kindOf(action: string): HistoryKind | null {
  const subject = action.slice(0, action.indexOf('.'))
  return HISTORY_KINDS.find((kind) => SUBJECTS_OF[kind].includes(subject)) ?? null
}

/** Those who act without being a person or a link token. */
const NAMELESS_ACTORS = ['operator', 'system'] as const

/** What only an operator does, of all that is in an organization's history. */
const OPERATOR_ACTIONS: readonly string[] = [
  'enrichment.approved',
  'enrichment.rejected',
  'submission.approved',
  'submission.rejected',
  'relationship.rejected',
  'org.unverified',
  'org.renamed',
  'org.rename_declined',
  'org.deactivated',
  'org.reactivated',
  'org.support_viewed',
]

const LIMIT_MAX = 100
const AN_ACTOR = 'must be the id of a person or link token, operator, or system'
const Day = z.iso.date('must be a day such as 2026-11-05')

function isActor(text: string): boolean {
  return isUuid(text) || NAMELESS_ACTORS.some((name) => name === text)
}

/** Days are UTC, and both are part of it. */
export const AuditQuery = z
  .object({
    limit: z.coerce.number('must be a number').int().min(1).max(LIMIT_MAX).default(50),
    before: z.uuid('must be the id of an entry').optional(),
    kind: z.enum(HISTORY_KINDS).optional(),
    actor: z.string().refine(isActor, AN_ACTOR).optional(),
    from: Day.optional(),
    to: Day.optional(),
  })
  .refine(({ from, to }) => from === undefined || to === undefined || from <= to, {
    path: ['to'],
    error: 'must not be before the first day',
  })
export type AuditQuery = z.infer<typeof AuditQuery>

const ACTORS_MAX = 200

/** `name`: of a member or a link token; who is neither is only an id. */
export type HistoryEntry = Pick<AuditRecord, 'id' | 'at' | 'actor' | 'action' | 'detail'> & {
  name: string | null
}

/** Newest first; `next` is what to send as `before` for the page after this one. */
export async function listHistory(
  ctx: OrgsContext,
  caller: Caller,
  { search, ...query }: AuditQuery & { search?: string },
): Promise<{ entries: HistoryEntry[]; next: string | null }> {
  const { limit, before } = query
  const filter = { ...filterOf(query), ...(search !== undefined && { search }) }
  const { org } = await requireProducer(ctx, caller, 'oversee', { orLinkToken: true })
  const found = await listAudit(ctx, { orgId: org.id, limit: limit + 1, before, filter })
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
