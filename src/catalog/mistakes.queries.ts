/** SQL of reported mistakes. */
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { holds, type Searched } from '../db/like.ts'
import { all, count, hasChanged, one, run } from '../db/rows.ts'
import { batchOf, type SweepBatch } from '../jobs/sweep.ts'
import type { MistakeClosing, MistakeKind, MistakeOutcome, MistakeReport } from './mistakes.schema.ts'

/** Held until the transaction ends: reports are counted and added one at a time, so no burst passes a bound. */
export function lockReporting(db: Db) {
  return run(db)`select pg_advisory_xact_lock(hashtextextended('reporting a mistake', 0))`
}

export function findOpenOf(db: Db, productId: string) {
  return all<Pick<MistakeReport, 'kind' | 'text'>>(db)`
    select kind, text from mistake_reports where product_id = ${productId} and closed_at is null`
}

/** Counts no further than `most`. */
export function countOpen(db: Db, most: number) {
  return count(db)`
    select count(*)::int as count
    from (select 1 from mistake_reports where closed_at is null limit ${most}) open`
}

type NewReport = MistakeReport & { id: string; productId: string; userId: string | null; at: Date }

/** False when the product was deleted meanwhile. */
export function insertReport(db: Db, report: NewReport) {
  const { id, productId, userId, kind, text, email, at } = report
  return hasChanged(db)`
    with product as (select id from products where id = ${productId} for key share)
    insert into mistake_reports (id, product_id, kind, text, email, user_id, created_at)
    select ${id}, id, ${kind}, ${text}, ${email}, ${userId}, ${at} from product`
}

export type ReportedMistake = {
  id: string
  kind: MistakeKind
  text: string
  email: string | null
  userId: string | null
  /** `<category>/<slug>` */
  productSlug: string
  title: string
  createdAt: Date
  closedAt: Date | null
  outcome: MistakeOutcome | null
  note: string | null
}

const REPORT = sql`
  select r.id, r.kind, r.text, r.email, r.user_id as "userId", c.slug || '/' || p.slug as "productSlug", p.title,
    r.created_at as "createdAt", r.closed_at as "closedAt", r.outcome, r.note
  from mistake_reports r join products p on p.id = r.product_id join categories c on c.id = p.category_id`

export type ReportFilter = Searched & { outcome?: MistakeOutcome | null; kind?: MistakeKind | null }

/** Without an outcome those that are open, the oldest first; else the latest closed first. */
export function findReports(db: Db, asked: ReportFilter) {
  const { outcome = null, kind = null, search = null, limit, offset = 0 } = asked
  const [state, order] =
    outcome === null
      ? [sql`r.closed_at is null`, sql`r.created_at, r.id`]
      : [sql`r.closed_at is not null and r.outcome = ${outcome}`, sql`r.closed_at desc, r.id desc`]
  const text = sql`concat_ws(' ', p.title, c.slug || '/' || p.slug, r.text, r.email)`
  return all<ReportedMistake>(db)`
    ${REPORT} where ${state} and ${kind === null ? sql`true` : sql`r.kind = ${kind}`} and ${holds(text, search)}
    order by ${order} limit ${limit} offset ${offset}`
}

export function findOwnReports(db: Db, userId: string) {
  return all<ReportedMistake>(db)`
    ${REPORT} where r.user_id = ${userId} order by r.created_at, r.id`
}

export function findReport(db: Db, id: string) {
  return one<ReportedMistake>(db)`${REPORT} where r.id = ${id}`
}

/** False when it is closed already, or gone. */
export function closeReport(
  db: Db,
  { id, by, at, outcome, note }: MistakeClosing & { id: string; by: string | null; at: Date },
) {
  return hasChanged(db)`
    update mistake_reports set closed_at = ${at}, closed_by = ${by}, outcome = ${outcome}, note = ${note}
    where id = ${id} and closed_at is null`
}

export async function deleteReportsBefore(
  db: Db,
  { closed, open, rows }: { closed: Date; open: Date; rows: number },
): Promise<SweepBatch> {
  const { numAffectedRows } = await sql`
    delete from mistake_reports where id in (
      select id from mistake_reports
      where closed_at < ${closed} or (closed_at is null and created_at < ${open}) limit ${rows})`.execute(db)
  return batchOf(numAffectedRows, rows)
}
