/**
 * Who did what, written in the transaction of the action: what is in the log happened, and what happened is in the log.
 * A row names people by id only, so that a deleted account leaves no name behind; `detail` never holds a secret or an
 * address. Features add their own actions, named `thing.verb`.
 */
import type { Row } from '../db/columns.ts'
import type { Db } from '../db/database.ts'
import { withinTime } from '../db/within-time.ts'
import { isUuid, newId } from '../lib/ids.ts'
import type { Actor } from './actor.ts'
import {
  type AuditFilter,
  type AuditSearch,
  countAudit,
  findAudit,
  findAuditBatch,
  insertAudit,
  searchAudit,
} from './audit.queries.ts'
import type { Visit } from './context.ts'

export type AuditActor = { kind: 'user' | 'link_token' | 'operator' | 'system'; id: string | null }

type AuditEntry = {
  actor: AuditActor
  /** `signin.failed`, `grant.revoked`: what the history shows. */
  action: string
  at: Date
  /** Whose history it belongs to. */
  userId?: string | null
  orgId?: string | null
  detail?: Record<string, unknown>
  visit?: Pick<Visit, 'ip' | 'requestId'>
}

export async function recordAudit(tx: Db, entry: AuditEntry): Promise<void> {
  await recordAudits(tx, [entry])
}

/** What a person did with what is their own. */
export async function recordOwn(
  tx: Db,
  { userId, ...when }: { userId: string; at: Date; visit: Visit },
  action: string,
  detail: Record<string, unknown> = {},
): Promise<void> {
  await recordAudit(tx, { ...when, actor: { kind: 'user', id: userId }, userId, action, detail })
}

/** Many at once, in the order given: an action on thousands of things costs no thousands of statements. */
export async function recordAudits(tx: Db, entries: readonly AuditEntry[]): Promise<void> {
  const rows = entries.map((entry) => ({
    id: newId(),
    at: entry.at,
    actorKind: entry.actor.kind,
    actorId: entry.actor.id,
    userId: entry.userId ?? null,
    orgId: entry.orgId ?? null,
    action: entry.action,
    detail: entry.detail ?? {},
    ip: entry.visit?.ip ?? null,
    requestId: entry.visit?.requestId ?? null,
  }))
  await insertAudit(tx, rows)
}

export function auditActor(actor: Actor): AuditActor {
  if (actor.kind === 'anonymous') return { kind: 'system', id: null }
  if (actor.kind === 'link_token') return { kind: 'link_token', id: actor.tokenId }
  return { kind: 'user', id: actor.user.id }
}

export type AuditRecord = Pick<Row<'audit_log'>, 'id' | 'at' | 'userId' | 'orgId' | 'action' | 'ip'> & {
  actor: AuditActor
  detail: Record<string, unknown>
}

export type { AuditFilter }

export const AUDIT_PAGE = 50

/** Newest first; `before` is the id of the last one seen. */
export async function listAudit(
  ctx: { db: Db },
  input: ({ userId: string } | { orgId: string }) & {
    limit?: number
    before?: string
    filter?: AuditFilter
  },
): Promise<AuditRecord[]> {
  const { limit = AUDIT_PAGE, before, filter } = input
  const beforeId = before !== undefined && isUuid(before) ? before : null
  return (await findAudit(ctx.db, input, { limit, beforeId, filter })).map(recordOf)
}

/** What one action over many things recorded; nothing where there is no such batch. */
export async function listAuditBatch(ctx: { db: Db }, batch: string): Promise<AuditRecord[]> {
  return isUuid(batch) ? (await findAuditBatch(ctx.db, batch)).map(recordOf) : []
}

function recordOf(row: Awaited<ReturnType<typeof findAudit>>[number]): AuditRecord {
  return {
    id: row.id,
    at: row.at,
    actor: { kind: row.actor_kind, id: row.actor_id },
    userId: row.user_id,
    orgId: row.org_id,
    action: row.action,
    detail: row.detail,
    ip: row.ip,
  }
}

/** For the operator: what everybody did. */
export function listAllAudit(
  ctx: { db: Db },
  search: AuditSearch,
  { limit, before }: { limit: number; before: string | null },
): Promise<AuditRecord[]> {
  const beforeId = before !== null && isUuid(before) ? before : null
  const tooLong = { message: 'searching the audit log took too long; choose a time, or search for less' }
  return withinTime(ctx.db, tooLong, async (tx) =>
    (await searchAudit(tx, search, { limit, beforeId })).map(recordOf),
  )
}

/** How often an organization did something since then, and when for the first time; for actions that are limited. */
export { countAudit as countActions }
