/** SQL of the trace. */
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'

export type TraceOutcome = 'ok' | 'refused' | 'failed'
export type TraceRow = {
  id: string
  at: Date
  clientId: string | null
  step: string
  outcome: TraceOutcome
  reason: string | null
  detail: Record<string, unknown>
  ip: string | null
  userAgent: string | null
  requestId: string | null
}

export async function insertTrace(db: Db, rows: TraceRow[]): Promise<void> {
  await db
    .insertInto('oauth_trace')
    .values(
      rows.map((row) => ({
        id: row.id,
        at: row.at,
        client_id: row.clientId,
        step: row.step,
        outcome: row.outcome,
        reason: row.reason,
        detail: JSON.stringify(row.detail),
        ip: row.ip,
        user_agent: row.userAgent,
        request_id: row.requestId,
      })),
    )
    .execute()
}

/** Newest first. Served by oauth_trace_by_time; the table is small by construction. */
export async function findTrace(
  db: Db,
  filter: { clientId: string | null; outcome: TraceOutcome | null; limit: number },
): Promise<TraceRow[]> {
  const { rows } = await sql<TraceRow>`
    select id, at, client_id as "clientId", step, outcome, reason, detail, ip, user_agent as "userAgent",
      request_id as "requestId"
    from oauth_trace
    where (${filter.clientId}::text is null or client_id = ${filter.clientId})
      and (${filter.outcome}::text is null or outcome = ${filter.outcome})
    order by at desc, id desc limit ${filter.limit}`.execute(db)
  return rows
}

export async function trimTrace(db: Db, keep: { rows: number; since: Date }): Promise<number> {
  const result = await sql`
    delete from oauth_trace
    where at < ${keep.since}
      or at < (select at from oauth_trace order by at desc offset ${keep.rows} - 1 limit 1)`.execute(db)
  return Number(result.numAffectedRows ?? 0)
}
