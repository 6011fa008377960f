/**
 * SQL of what sellers are told about requests. Each look goes through the organizations that answer requests and reads
 * a few rows of each by index, however many requests there are.
 */
import { sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { all } from '../db/rows.ts'

export type FirstRequest = { orgId: string; rfqId: string; productTitle: string }

/** Organizations whose first request came since then (rfq_attempts_by_org). `rfqId` is that of its session. */
export function findFirstRequests(db: Db, since: Date) {
  return all<FirstRequest>(db)`
    select i.org_id as "orgId", r.session_id as "rfqId", p.title as "productTitle"
    from agent_integrations i
      cross join lateral (
        select a.rfq_id, a.started_at from rfq_attempts a where a.org_id = i.org_id
        order by a.started_at limit 1) first
      join rfqs r on r.id = first.rfq_id join products p on p.id = r.product_id
    where first.started_at > ${since}
      -- Attempts are deleted in time, quotes are not.
      and not exists (
        select 1 from rfq_quotes q where q.org_id = i.org_id and q.received_at < first.started_at)`
}

/**
 * Organizations whose last quotes all ranked below another's, within the time given (rfq_quotes_by_org). One that was
 * told before is told again only after it ranked first in between.
 */
export function findLosing(db: Db, { losses, since }: { losses: number; since: Date }) {
  return all<{ orgId: string; byStrangers: boolean }>(db)`
    select i.org_id as "orgId", last.strangers as "byStrangers"
    from agent_integrations i
      cross join lateral (
        select count(*) as quotes, bool_and(q.rank > 1) as lost, min(q.received_at) as oldest,
          bool_or(r.anonymous) as strangers
        from (select rank, received_at, rfq_id from rfq_quotes
            where org_id = i.org_id and rank is not null
            order by received_at desc limit ${losses}) q
          join rfqs r on r.id = q.rfq_id) last
      cross join lateral (
        select max(n.created_at) as at from notices n
        where n.org_id = i.org_id and n.kind = 'loss_streak') told
    where last.quotes = ${losses} and last.lost and last.oldest > ${since}
      and (told.at is null or (told.at <= ${since} and exists (
        select 1 from rfq_quotes w where w.org_id = i.org_id and w.received_at > told.at and w.rank = 1)))`
}

/** False when this day, or a later one, was taken before. */
export async function takeDigestDay(tx: Tx, day: string): Promise<boolean> {
  const { rows } = await sql`
    insert into settings (name, value) values ('notices.digest_day', to_jsonb(${day}::text))
    on conflict (name) do update set value = excluded.value, updated_at = now()
    where settings.value #>> '{}' < excluded.value #>> '{}'
    returning 1`.execute(tx)
  return rows.length > 0
}

export type RequestCounts = { orgId: string; requests: number; quoted: number; first: number }

/** Of each organization that got any. */
export function countRequests(db: Db, { from, to }: { from: Date; to: Date }) {
  return all<RequestCounts>(db)`
    select i.org_id as "orgId", asked.requests, quoted.quoted, quoted.first
    from agent_integrations i
      cross join lateral (
        select count(distinct a.rfq_id)::int as requests from rfq_attempts a
        where a.org_id = i.org_id and a.started_at >= ${from} and a.started_at < ${to}) asked
      cross join lateral (
        select count(*)::int as quoted, (count(*) filter (where q.rank = 1))::int as first from rfq_quotes q
        where q.org_id = i.org_id and q.received_at >= ${from} and q.received_at < ${to}) quoted
    where asked.requests > 0`
}
