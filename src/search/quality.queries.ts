/**
 * How well searches are answered, from the log of them. Only first pages count: turning the page is no new search. Clicks
 * are known of the website alone; agents take what they need and click nothing. No session is read.
 */
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'

/** An answer of before `match` was kept, or of an older node, is judged by its results. */
const NOTHING_FITS = sql`coalesce(a.match <> 'good', cardinality(a.product_ids) = 0)`

/** Served by search_queries_by_time, the key of search_answers, and search_clicks_by_query. */
const asked = (since: Date) => sql`
  asked as materialized (
    select lower(left(a.query, 200)) as query, q.ms, f.empty, a.face = 'web' as web,
      a.face = 'web' and not f.empty and exists (select 1 from search_clicks c where c.query_id = q.id) as clicked
    from search_queries q join search_answers a on a.id = q.answer_id
      cross join lateral (select ${NOTHING_FITS} as empty) f
    where q.at >= ${since} and a.offset_by = 0)`

export type SearchTotals = {
  searches: number
  /** Nothing fits. */
  empty: number
  /** On the website, with results. */
  clickable: number
  clicked: number
  medianMs: number | null
  p95Ms: number | null
}

export async function totalSearches(db: Db, since: Date): Promise<SearchTotals> {
  const { rows } = await sql<SearchTotals>`
    with ${asked(since)}
    select count(*) as searches, count(*) filter (where empty) as empty,
      count(*) filter (where web and not empty) as clickable, count(*) filter (where clicked) as clicked,
      percentile_cont(0.5) within group (order by ms) as "medianMs",
      percentile_cont(0.95) within group (order by ms) as "p95Ms"
    from asked`.execute(db)
  return rows[0] ?? { searches: 0, empty: 0, clickable: 0, clicked: 0, medianMs: null, p95Ms: null }
}

/** Served by search_queries_by_time. */
export async function countRecent(db: Db): Promise<{ count: number; p95Ms: number | null }> {
  const { rows } = await sql<{ count: number; p95Ms: number | null }>`
    select count(*)::int as count, percentile_cont(0.95) within group (order by ms) as "p95Ms"
    from search_queries where at >= now() - interval '1 minute'`.execute(db)
  return rows[0] ?? { count: 0, p95Ms: null }
}

export type QueryList = 'top' | 'slow' | 'unclicked'
export type QueryLine = {
  query: string
  searches: number
  empty: number
  clickable: number
  clicked: number
  slowestMs: number
}

export async function listQueries(
  db: Db,
  since: Date,
  limit: number,
): Promise<Array<QueryLine & { list: QueryList }>> {
  const { rows } = await sql<QueryLine & { list: QueryList }>`
    with ${asked(since)},
    by_query as materialized (
      select query, count(*) as searches, count(*) filter (where empty) as empty,
        count(*) filter (where web and not empty) as clickable, count(*) filter (where clicked) as clicked,
        max(ms) as "slowestMs"
      from asked where query <> '' group by query)
    (select 'top' as list, * from by_query order by searches desc, query limit ${limit})
    union all
    (select 'slow', * from by_query order by "slowestMs" desc, query limit ${limit})
    union all
    (select 'unclicked', * from by_query where clickable > 0 and clicked = 0
     order by clickable desc, query limit ${limit})`.execute(db)
  return rows
}

export type VainLine = {
  query: string
  /** How often nothing fit. */
  times: number
  /** How often of these a filter was set as well. */
  filtered: number
  lastAt: Date
  /** What came closest the last time, unless it is gone. */
  closest: { title: string; slug: string; category: { slug: string } } | null
}

/** What was looked for in vain, most often first. Served by search_queries_by_time and the key of search_answers. */
export async function listVain(db: Db, since: Date, limit: number): Promise<VainLine[]> {
  const { rows } = await sql<VainLine>`
    with vain as (
      select lower(left(a.query, 200)) as query, count(*) as times, max(q.at) as last_at,
        count(*) filter (where a.filters - 'sort' <> '{}') as filtered,
        (array_agg(a.closest_id order by q.at desc) filter (where a.closest_id is not null))[1] as closest_id
      from search_queries q join search_answers a on a.id = q.answer_id
      where q.at >= ${since} and a.offset_by = 0 and a.query <> '' and ${NOTHING_FITS}
      group by 1 order by times desc, last_at desc, query limit ${limit})
    select v.query, v.times, v.filtered, v.last_at as "lastAt",
      case when p.id is not null then
        json_build_object('title', p.title, 'slug', p.slug, 'category', json_build_object('slug', c.slug))
      end as closest
    from vain v left join products p on p.id = v.closest_id left join categories c on c.id = p.category_id
    order by v.times desc, v.last_at desc, v.query`.execute(db)
  return rows
}
