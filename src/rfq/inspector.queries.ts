/** SQL of what one producer may see of requests: its own attempts and its own quote, never a competitor's. */
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { RfqState } from '../db/tables.rfq.ts'
import type { AttemptRow } from './attempts.queries.ts'

export const OUTCOMES = ['won', 'lost', 'declined', 'failed', 'waiting', 'canceled'] as const
export type Outcome = (typeof OUTCOMES)[number]

export type ReceivedRfqRow = {
  id: string
  productSlug: string
  productTitle: string
  quantity: number
  deliveryRegion: string | null
  deadlineIso: string | null
  state: RfqState
  askedAt: Date
  kind: AttemptRow['kind']
  tries: number
  verdict: string | null
  reason: string | null
  responseMs: number | null
  answer: Record<string, unknown> | null
  rank: number | null
  quotes: number
  lossReason: string | null
  clicks: number
  outcome: Outcome
}

export type RfqFilter = {
  id: string | null
  productId: string | null
  since: Date | null
  outcome: Outcome | null
  beforeId: string | null
  limit: number
}

/** Newest first. The last try is the one that counts. */
export async function findReceivedRfqs(db: Db, orgId: string, filter: RfqFilter): Promise<ReceivedRfqRow[]> {
  const { id, productId, since, outcome, beforeId, limit } = filter
  const { rows } = await sql<ReceivedRfqRow>`
    with received as (
      select r.id, c.slug || '/' || p.slug as "productSlug", p.title as "productTitle", r.quantity,
        r.delivery_region as "deliveryRegion", r.deadline_iso as "deadlineIso", r.state, r.created_at as "askedAt",
        a.kind, a.try as tries, a.verdict, a.reason, a.response_ms as "responseMs", q.answer, q.rank,
        (select count(*)::int from rfq_quotes every where every.rfq_id = r.id) as quotes, q.loss_reason as "lossReason",
        (select count(*)::int from link_clicks l where l.link_id = q.id) as clicks,
        case when q.rank is not null and q.loss_reason is null then 'won' when q.rank is not null then 'lost'
          when r.state = 'canceled' or a.verdict = 'canceled' then 'canceled'
          when a.verdict = 'declined' then 'declined'
          when a.verdict is null or r.state = 'submitted' then 'waiting' else 'failed' end as outcome
      from (select distinct on (rfq_id) * from rfq_attempts where org_id = ${orgId} order by rfq_id, try desc) a
        join rfqs r on r.id = a.rfq_id join products p on p.id = r.product_id join categories c on c.id = p.category_id
        left join rfq_quotes q on q.rfq_id = r.id and q.org_id = ${orgId}
      where (${id}::uuid is null or r.id = ${id}) and (${productId}::uuid is null or r.product_id = ${productId})
        and (${since}::timestamptz is null or r.created_at >= ${since})
        and (${beforeId}::uuid is null
          or (r.created_at, r.id) < (select b.created_at, b.id from rfqs b where b.id = ${beforeId})))
    select * from received where ${outcome}::text is null or outcome = ${outcome}
    order by "askedAt" desc, id desc limit ${limit}`.execute(db)
  return rows
}

export async function findAttempts(db: Db, rfqId: string, orgId: string): Promise<AttemptRow[]> {
  const { rows } = await sql<AttemptRow>`
    select * from rfq_attempts where rfq_id = ${rfqId} and org_id = ${orgId} order by try`.execute(db)
  return rows
}
