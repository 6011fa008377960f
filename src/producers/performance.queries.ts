/**
 * SQL of how an organization's products do: how often searches showed them, agents read them, buyers asked for quotes and
 * followed links. Always for products with a verified relationship, and of quotes and clicks only the organization's own;
 * of the others' quotes only how many there are and how many are cheaper.
 * Impressions and reads are found by their key, the words of searches by search_answers_by_product or the time, the rest
 * by the organization and time.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { all, one } from '../db/rows.ts'

export type Span = {
  orgId: string
  /** Days in UTC, both within it. */
  from: string
  to: string
}

/** For what only the log of searches can tell. */
type LoggedSpan = Span & {
  /** It has few products among many answers, so that the index finds theirs; else reading all answers of the time is faster. */
  byIndex: boolean
}

export type Figures = {
  impressions: number
  reads: number
  rfqs: number
  quotes: number
  /** Quotes that came first. */
  rankedFirst: number
  /** Quotes that the buyer chose, and what these came to. */
  wins: number
  wonCents: number
  clicks: number
  /** Its average place by price among the quotes of the same request, 1 for the cheapest; null without such a quote. */
  priceRank: number | null
  /** Average number of quotes in these requests. */
  priceRankOf: number | null
  /** Average time its quotes took; null without a quote. */
  responseMs: number | null
}

/** What only requests, and what follows from them, have. */
type RequestFigures = Omit<Figures, 'impressions' | 'reads' | 'clicks'>

type Counted<Figure extends keyof Figures = keyof Figures> = Pick<Figures, Figure> & {
  key: string
  /** How many keys there are, those that the limit leaves out included. */
  groups: number
}

const FEW_PRODUCTS = 50
/**
 * Below it reading all is as fast. And a table that was never analyzed counts as shorter: without statistics the plan by
 * the index compares every answer with every asking, which took 25 s at 8,000 of each, in place of 0.1 s.
 */
const MANY_ANSWERS = 100_000

export async function indexPays(db: Db, orgId: string): Promise<boolean> {
  const rows = await all<{ pays: boolean }>(db)`
    select count(*) <= ${FEW_PRODUCTS}
      and (select sum(c.reltuples) from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = 'search_answers'::regclass) >= ${MANY_ANSWERS} as pays
    from product_relationships where org_id = ${orgId} and status = 'verified'`
  return rows[0]?.pays ?? false
}

const REQUEST_SUMS = sql`
  coalesce(sum(rfqs), 0)::bigint as rfqs, coalesce(sum(quotes), 0)::bigint as quotes,
  coalesce(sum(ranked_first), 0)::bigint as "rankedFirst", coalesce(sum(wins), 0)::bigint as wins,
  coalesce(sum(won_cents), 0)::bigint as "wonCents", round(avg(response_ms))::float8 as "responseMs",
  round(avg(place), 1)::float8 as "priceRank", round(avg(places), 1)::float8 as "priceRankOf"`

const SUMS = sql`
  coalesce(sum(impressions), 0)::bigint as impressions, coalesce(sum(reads), 0)::bigint as reads,
  coalesce(sum(clicks), 0)::bigint as clicks, ${REQUEST_SUMS}`

export async function findTotals(db: Db, span: Span): Promise<Figures> {
  const totals = await one<Figures>(db)`${facts(span)} select ${SUMS} from facts`
  if (!totals) throw new Error('a sum without a group is one row')
  return totals
}

/** Newest first; a day on which nothing happened is left out. */
export function findByDay(db: Db, span: Span, limit: number) {
  return all<Counted>(db)`
    ${facts(span)}
    select day::text as key, ${SUMS}, count(*) over () as groups from facts
    group by day order by day desc limit ${limit}`
}

export function findByProduct(db: Db, span: Span, limit: number) {
  return all<Counted & { title: string }>(db)`
    ${facts(span)}, products_of as (
      select product_id, ${SUMS}, count(*) over () as groups from facts group by product_id)
    select c.slug || '/' || p.slug as key, p.title, f.impressions, f.reads, f.rfqs, f.quotes, f."rankedFirst", f.wins, f."wonCents", f.clicks,
      f."priceRank", f."priceRankOf", f."responseMs", f.groups
    from products_of f join products p on p.id = f.product_id join categories c on c.id = p.category_id
    order by f.impressions + f.reads desc, f.rfqs desc, f.clicks desc, p.id limit ${limit}`
}

/** By where buyers want it delivered, as it was asked; the empty key is a request without a place. */
export function findByRegion(db: Db, span: Span, limit: number) {
  return all<Pick<Counted, keyof RequestFigures | 'key' | 'groups'>>(db)`
    ${facts(span)}
    select coalesce(region, '') as key, ${REQUEST_SUMS}, count(*) over () as groups from facts where asked
    group by 1 order by rfqs desc, key limit ${limit}`
}

/** By who asked for the buyer: what an app calls itself, or the way it came. */
export function findByClient(db: Db, span: Span, limit: number) {
  return all<Pick<Counted, keyof RequestFigures | 'key'> & { face: string }>(db)`
    ${facts(span)}
    select coalesce(max(o.client_name), '') as key, face, ${REQUEST_SUMS}
    from facts left join oauth_clients o on o.client_id::text = facts.client_id where asked
    group by face, facts.client_id order by rfqs desc, face limit ${limit}`
}

export function findReadsByAgent(db: Db, span: Span, limit: number) {
  return all<Counted<'reads'>>(db)`
    with ${own(span)}
    select agent as key, sum(reads)::bigint as reads, count(*) over () as groups from product_reads
    where product_id in (select id from own) and day between ${span.from} and ${span.to}
    group by agent order by 2 desc, 1 limit ${limit}`
}

/**
 * A null key is what too few asked for it to be told: people's words are theirs. It comes last. Who asked is known by
 * the session alone, so all askings without one are one asker's: any of them may be the same person again.
 */
export function findByQuery(
  db: Db,
  span: LoggedSpan,
  { limit, leastAskers, longest }: { limit: number; leastAskers: number; longest: number },
) {
  return all<Omit<Counted<'impressions'>, 'key'> & { key: string | null }>(db)`
    with ${own(span)}, ${shown(span)}, worded as (
      select lower(btrim(a.query)) as words, count(distinct coalesce('of ' || q.session_id, 'nobody known')) as askers,
        sum(s.products) as impressions
      from search_queries q
        join (select answer_id, count(*) as products from shown group by answer_id) s on s.answer_id = q.answer_id
        join search_answers a on a.id = q.answer_id
      where ${within(sql`q.at`, span)}
      group by 1
    ), told as (
      select case when askers >= ${leastAskers} then left(words, ${longest}) end as key,
        sum(impressions)::bigint as impressions
      from worded group by 1)
    select key, impressions, count(*) over () as groups from told
    order by (key is null), impressions desc, key limit ${limit}`
}

function own({ orgId }: Span): RawBuilder<unknown> {
  return sql`own as materialized (
    select distinct product_id as id from product_relationships where org_id = ${orgId} and status = 'verified')`
}

/** Which answers showed which of them. An answer is named by askings for up to a day after it was written. */
function shown({ from, to, byIndex }: LoggedSpan): RawBuilder<unknown> {
  const ofOwn = sql`a.product_ids && (select coalesce(array_agg(id), '{}') from own) and`
  return sql`shown as materialized (
    select a.id as answer_id, s.product_id
    from search_answers a cross join lateral unnest(a.product_ids) as s (product_id)
    where ${byIndex ? ofOwn : sql``}
      a.at >= ${startOf(from)} - interval '1 day' and a.at < ${startOf(to)} + interval '1 day'
      and s.product_id in (select id from own))`
}

/** One row each for what happened to a product on a day. A quote that was first only because nobody had stock does not count as first. */
function facts(span: Span): RawBuilder<unknown> {
  const { orgId, from, to } = span
  return sql`
    with ${own(span)}, facts (day, product_id, impressions, reads, clicks, asked, rfqs, quotes, ranked_first, wins, won_cents,
        response_ms, place, places, region, face, client_id) as (
      select day, product_id, impressions, 0, 0, ${NOT_ASKED}
      from product_impressions where product_id in (select id from own) and day between ${from} and ${to}
      union all
      select day, product_id, 0, reads, 0, ${NOT_ASKED} from product_reads
      where product_id in (select id from own) and day between ${from} and ${to}
      union all
      select ${dayOf(sql`l.at`)}, l.product_id, 0, 0, 1, ${NOT_ASKED} from link_clicks l
      where l.org_id = ${orgId} and ${within(sql`l.at`, span)} and l.product_id in (select id from own)
      union all
      select ${dayOf(sql`min(a.started_at)`)}, r.product_id, 0, 0, 0, true, 1, 0, 0, 0, 0::numeric,
        null, null, null, r.delivery_region, r.face, r.client_id
      from rfq_attempts a join rfqs r on r.id = a.rfq_id
      where a.org_id = ${orgId} and ${within(sql`a.started_at`, span)} and r.product_id in (select id from own)
      group by a.rfq_id, r.id
      union all
      select ${dayOf(sql`q.received_at`)}, r.product_id, 0, 0, 0, true, 0, 1,
        case when q.rank = 1 and q.loss_reason is null then 1 else 0 end,
        case when q.id = r.chosen_quote_id then 1 else 0 end,
        case when q.id = r.chosen_quote_id then round(100 * ${totalOf('q')}) else 0 end,
        q.response_ms, p.place, p.places, r.delivery_region, r.face, r.client_id
      from rfq_quotes q join rfqs r on r.id = q.rfq_id
        left join lateral (
          select 1 + count(*) filter (where ${totalOf('o')} < ${totalOf('q')}) as place, count(*) as places
          from rfq_quotes o where o.rfq_id = q.rfq_id and ${totalOf('o')} is not null
        ) p on r.state = 'completed' and ${totalOf('q')} is not null
      where q.org_id = ${orgId} and ${within(sql`q.received_at`, span)} and r.product_id in (select id from own))`
}

/** The columns of requests, of what is none. */
const NOT_ASKED = sql`false, 0, 0, 0, 0, 0::numeric, null::int, null::bigint, null::bigint, null::text, null::text, null::text`

/** What the buyer would pay by a quote, as the ranking adds it up: shipping that is not stated counts nothing. */
function totalOf(quote: 'o' | 'q'): RawBuilder<unknown> {
  const answer = sql.ref(`${quote}.answer`)
  return sql`((${answer}->>'price_usd')::numeric * r.quantity
    + coalesce((${answer}->>'shipping_cost_usd')::numeric, 0))`
}

function startOf(day: string): RawBuilder<unknown> {
  return sql`(${day}::date::timestamp at time zone 'UTC')`
}

function dayOf(at: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(${at} at time zone 'UTC')::date`
}

function within(at: RawBuilder<unknown>, { from, to }: Span): RawBuilder<unknown> {
  return sql`${at} >= ${startOf(from)} and ${at} < ${startOf(to)} + interval '1 day'`
}
