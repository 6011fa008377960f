/** SQL of the audit log: rows are added and read, never changed, and deleted when their time is over. */
import { type Selectable, sql } from 'kysely'
import type { Row } from '../db/columns.ts'
import type { Db } from '../db/database.ts'
import { holds } from '../db/like.ts'
import { all, changed, run } from '../db/rows.ts'
import type { AuditLogTable } from '../db/tables.ts'

type AuditRow = Selectable<AuditLogTable>
type NewAuditRow = Omit<Row<'audit_log'>, 'detail'> & { detail: Record<string, unknown> }

export async function insertAudit(db: Db, rows: readonly NewAuditRow[]): Promise<void> {
  if (rows.length === 0) return
  await run(db)`
    insert into audit_log (id, at, actor_kind, actor_id, user_id, org_id, action, detail, ip, request_id)
    select id, at, "actorKind", "actorId", "userId", "orgId", action, detail, ip, "requestId"
    from json_to_recordset(${JSON.stringify(rows)}::json) as r(id uuid, at timestamptz, "actorKind" text, "actorId" uuid,
      "userId" uuid, "orgId" uuid, action text, detail jsonb, ip text, "requestId" text)`
}

/** What a history is narrowed to; each that is given holds. */
export type AuditFilter = {
  actorKind?: AuditLogTable['actor_kind']
  actorId?: string
  /**
   * Only what an operator did: at the command line, or signed in, when the row names the person as it names anybody.
   * Then it is known by the action, or by what it says of how something was verified. One with a reason followed from
   * something else that a person did.
   */
  operatorActions?: readonly string[]
  /** What the action or its details hold. */
  search?: string
  /** What stands before the dot of an action. */
  subjects?: readonly string[]
  from?: Date
  /** The first moment that is no part of it. */
  until?: Date
}

function byOperator(actions: readonly string[]) {
  return sql`(actor_kind = 'operator' or (actor_kind = 'user' and detail->>'reason' is null and
    (action = any(${actions}) or detail->>'via' = 'operator' or detail->>'verified_via' = 'operator')))`
}

/** Along the index by owner and time (audit_by_user, audit_by_org), however it is narrowed. */
export function findAudit(
  db: Db,
  of: { userId: string } | { orgId: string },
  page: { limit: number; beforeId: string | null; filter?: AuditFilter },
) {
  const whose = 'userId' in of ? sql`user_id = ${of.userId}` : sql`org_id = ${of.orgId}`
  const { actorKind, actorId, operatorActions, search, subjects, from, until } = page.filter ?? {}
  const narrowed = [
    whose,
    ...(actorKind === undefined ? [] : [sql`actor_kind = ${actorKind}`]),
    ...(actorId === undefined ? [] : [sql`actor_id = ${actorId}`]),
    ...(operatorActions === undefined ? [] : [byOperator(operatorActions)]),
    ...(search === undefined
      ? []
      : [holds(sql`translate(action, '._', '  ') || ' ' || action || ' ' || detail::text`, search)]),
    ...(subjects === undefined ? [] : [sql`split_part(action, '.', 1) = any(${subjects})`]),
    ...(from === undefined ? [] : [sql`at >= ${from}`]),
    ...(until === undefined ? [] : [sql`at < ${until}`]),
  ]
  // By row, not by time: what one transaction wrote has one time, and a page may end between two of them.
  const older = sql`(at, id) < (select b.at, b.id from audit_log b where b.id = ${page.beforeId})`
  return all<AuditRow>(db)`
    select * from audit_log where ${sql.join(narrowed, sql` and `)} and ${page.beforeId === null ? sql`true` : older}
    order by at desc, id desc limit ${page.limit}`
}

export type AuditSearch = Pick<AuditFilter, 'actorKind' | 'from' | 'until'> & {
  /** Ids of people and organizations: who did it, or whose history it belongs to; null for everything. */
  about: readonly string[] | null
  /** What an action begins with, such as "offer" or "offer.created". */
  action: string | null
}

/** Over all people and organizations, along audit_by_time. */
export function searchAudit(
  db: Db,
  { about, action, actorKind, from, until }: AuditSearch,
  { limit, beforeId }: { limit: number; beforeId: string | null },
) {
  const rules = [
    sql`true`,
    ...(about === null
      ? []
      : [sql`(user_id = any(${about}) or org_id = any(${about}) or actor_id = any(${about}))`]),
    ...(action === null ? [] : [sql`starts_with(action, ${action})`]),
    ...(actorKind === undefined ? [] : [sql`actor_kind = ${actorKind}`]),
    ...(from === undefined ? [] : [sql`at >= ${from}`]),
    ...(until === undefined ? [] : [sql`at < ${until}`]),
    ...(beforeId === null
      ? []
      : [sql`(at, id) < (select b.at, b.id from audit_log b where b.id = ${beforeId})`]),
  ]
  return all<AuditRow>(db)`
    select * from audit_log where ${sql.join(rules, sql` and `)}
    order by at desc, id desc limit ${limit}`
}

export async function countAudit(
  db: Db,
  { orgId, action, since }: { orgId: string; action: string; since: Date },
): Promise<{ count: number; oldest: Date | null }> {
  const rows = await all<{ count: number; oldest: Date | null }>(db)`
    select count(*) as count, min(at) as oldest from audit_log
    where org_id = ${orgId} and at > ${since} and action = ${action}`
  return rows[0] ?? { count: 0, oldest: null }
}

/** Only what is in nobody's history: tries at addresses that have no account, of which anybody can cause any number. */
export function deleteNobodysTries(db: Db, actions: string[], before: Date) {
  return changed(db)`
    delete from audit_log
    where user_id is null and org_id is null and action = any(${actions}) and at < ${before}`
}

/** What one action over many rows recorded, in order. Served by audit_by_batch. */
export function findAuditBatch(db: Db, batch: string) {
  return all<AuditRow>(db)`
    select * from audit_log where detail->>'batch' = ${batch} order by at, id`
}
