/**
 * How well searches are answered, from the log of them. Only first pages count: turning the page is no new search. Clicks
 * are known of the website alone; agents take what they need and click nothing. No session is read.
 */
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'

/** Served by search_queries_by_time, the key of search_answers, and search_clicks_by_query. */
const asked = (since: Date) => sql`
  asked as materialized (
    select lower(left(a.query, 200)) as query, q.ms, cardinality(a.product_ids) = 0 as empty, a.face = 'web' as web,
      a.face = 'web' and exists (select 1 from search_clicks c where c.query_id = q.id) as clicked
    from search_queries q join search_answers a on a.id = q.answer_id
    where q.at >= ${since} and a.offset_by = 0)`

export type SearchTotals = {
  searches: number
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

export type QueryList = 'top' | 'empty' | 'slow' | 'unclicked'
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
    (select 'empty', * from by_query where empty > 0 order by empty desc, query limit ${limit})
    union all
    (select 'slow', * from by_query order by "slowestMs" desc, query limit ${limit})
    union all
    (select 'unclicked', * from by_query where clickable > 0 and clicked = 0
     order by clickable desc, query limit ${limit})`.execute(db)
  return rows
}
