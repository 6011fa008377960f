/** SQL of the trace. */
import { sql } from 'kysely'
import { insertRows, type Row, selected } from '../db/columns.ts'
import type { Db } from '../db/database.ts'
import { holds, type Searched } from '../db/like.ts'
import { all, changed } from '../db/rows.ts'

export type TraceOutcome = 'ok' | 'refused' | 'failed'
export type TraceRow = Omit<Row<'oauth_trace'>, 'detail'> & { detail: Record<string, unknown> }
const TRACE = [
  'id',
  'at',
  'clientId',
  'step',
  'outcome',
  'reason',
  'detail',
  'ip',
  'userAgent',
  'requestId',
] as const satisfies ReadonlyArray<keyof TraceRow>

export function insertTrace(db: Db, rows: readonly TraceRow[]): Promise<void> {
  return insertRows(
    db,
    'oauth_trace',
    rows.map((row) => ({ ...row, detail: JSON.stringify(row.detail) })),
  )
}

/** Newest first. Served by oauth_trace_by_time; the table is small by construction. */
export function findTrace(
  db: Db,
  filter: { clientId: string | null; outcome: TraceOutcome | null } & Required<Searched>,
) {
  return all<TraceRow>(db)`
    select ${selected(TRACE, 'oauth_trace')} from oauth_trace
    where (${filter.clientId}::text is null or client_id = ${filter.clientId})
      and (${filter.outcome}::text is null or outcome = ${filter.outcome})
      and ${holds(sql`concat_ws(' ', step, reason, client_id, ip, user_agent, detail::text)`, filter.search)}
    order by at desc, id desc limit ${filter.limit} offset ${filter.offset}`
}

export function trimTrace(db: Db, keep: { rows: number; since: Date }) {
  return changed(db)`
    delete from oauth_trace
    where at < ${keep.since}
      or at < (select at from oauth_trace order by at desc offset ${keep.rows} - 1 limit 1)`
}
