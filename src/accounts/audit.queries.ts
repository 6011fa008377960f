/** SQL of the audit log: rows are added and read, never changed. */
import { type Selectable, sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { AuditLogTable } from '../db/tables.ts'

export type AuditRow = Selectable<AuditLogTable>

export type NewAuditRow = {
  id: string
  at: Date
  actorKind: AuditLogTable['actor_kind']
  actorId: string | null
  userId: string | null
  orgId: string | null
  action: string
  detail: Record<string, unknown>
  ip: string | null
  requestId: string | null
}

export async function insertAudit(db: Db, row: NewAuditRow): Promise<void> {
  await db
    .insertInto('audit_log')
    .values({
      id: row.id,
      at: row.at,
      actor_kind: row.actorKind,
      actor_id: row.actorId,
      user_id: row.userId,
      org_id: row.orgId,
      action: row.action,
      detail: JSON.stringify(row.detail),
      ip: row.ip,
      request_id: row.requestId,
    })
    .execute()
}

export async function findAudit(
  db: Db,
  of: { userId: string } | { orgId: string },
  page: { limit: number; before: Date | null },
): Promise<AuditRow[]> {
  const whose = 'userId' in of ? sql`user_id = ${of.userId}` : sql`org_id = ${of.orgId}`
  const { rows } = await sql<AuditRow>`
    select * from audit_log
    where ${whose} and (${page.before}::timestamptz is null or at < ${page.before})
    order by at desc, id desc limit ${page.limit}`.execute(db)
  return rows
}

/** For tries only, which are many and which anybody can cause; what was really done stays. */
export async function deleteOldFailures(db: Db, actions: string[], before: Date): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from audit_log where action = any(${actions}) and at < ${before}`.execute(db)
  return Number(numAffectedRows ?? 0)
}
