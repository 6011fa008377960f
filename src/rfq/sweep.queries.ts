/** SQL of what is deleted of requests for quote in time. */
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { batchOf, type SweepBatch } from '../jobs/sweep.ts'

/** What one request leaves may be a thousand rows and more, so a batch is of few requests. */
const ROWS_A_REQUEST = 50

/**
 * What producers were sent and answered, of the requests that ended first, along rfqs_with_attempts. A request is marked in
 * the statement that takes its attempts, so none is ever without both; one that another node is at is left to it.
 */
export async function deleteAttemptsOfEnded(db: Db, before: Date, rows: number): Promise<SweepBatch> {
  const most = Math.max(1, Math.floor(rows / ROWS_A_REQUEST))
  const { rows: counted } = await sql<{ requests: number; attempts: number }>`
    with old as (
      select id from rfqs where finished_at < ${before} and not attempts_deleted
      order by finished_at limit ${most} for no key update skip locked),
    gone as (delete from rfq_attempts a using old where a.rfq_id = old.id returning 1),
    marked as (update rfqs r set attempts_deleted = true from old where r.id = old.id returning 1)
    select (select count(*)::int from marked) as requests, (select count(*)::int from gone) as attempts`.execute(
    db,
  )
  const [{ requests, attempts } = { requests: 0, attempts: 0 }] = counted
  return { removed: attempts, more: requests >= most }
}

/** Strangers' requests that nobody quoted for, along rfqs_of_strangers. A quote is a promise, and keeps its request. */
export async function deleteUnquoted(db: Db, before: Date, rows: number): Promise<SweepBatch> {
  const { numAffectedRows } = await sql`
    delete from rfqs where id in (
      select r.id from rfqs r
      where r.anonymous and r.finished_at < ${before} and not exists (select 1 from rfq_quotes q where q.rfq_id = r.id)
      limit ${rows} for update skip locked)`.execute(db)
  return batchOf(numAffectedRows, rows)
}
