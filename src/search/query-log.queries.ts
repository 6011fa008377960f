/** The log of searches and the clicks that followed. */
import { type Kysely, sql } from 'kysely'
import type { SearchFace } from '../db/tables.search.ts'
import type { Tables } from '../db/tables.ts'
import { batchOf, type SweepBatch } from '../jobs/sweep.ts'

type Db = Kysely<Tables>

export type AnswerEntry = {
  id: string
  at: Date
  query: string
  filters: Record<string, unknown>
  face: SearchFace
  mode: 'semantic' | 'keyword'
  productIds: string[]
  offset: number
  /** Left out of a set, which is not judged so. */
  match?: 'good' | 'near' | 'none' | undefined
  /** The product that comes closest when nothing fits. */
  closestId?: string | undefined
}

/** One asking of an answer. */
export type AskingEntry = {
  id: string
  at: Date
  answerId: string
  sessionId: string | null
  ms: number
}

/** How often a product was shown on a day. */
export type Impressions = { productId: string; day: string; times: number }

/**
 * A parameter a column, for all rows: binding each value would cost more than the answers they tell of. Counts are added
 * in one order everywhere, so that two nodes never wait for each other; of a product deleted meanwhile there are none.
 */
export async function insertQueries(
  db: Db,
  { answers, askings, shown }: { answers: AnswerEntry[]; askings: AskingEntry[]; shown: Impressions[] },
): Promise<void> {
  const rows = answers.map((answer) => ({
    ...answer,
    query: storable(answer.query),
    product_ids: `{${answer.productIds.join()}}`,
  }))
  const sessions = askings.some(({ sessionId }) => sessionId !== null)
    ? askings.map(({ sessionId }) => sessionId && storable(sessionId))
    : []
  await sql`
    with answers as (
      insert into search_answers (id, at, query, filters, face, mode, product_ids, offset_by, match, closest_id)
      select a.id, a.at, a.query, a.filters, a.face, a.mode, a.product_ids::uuid[], a."offset", a.match,
        a."closestId"
      from json_to_recordset(${JSON.stringify(rows)}::json) as a (
        id uuid, at timestamptz, query text, filters jsonb, face text, mode text, product_ids text, "offset" int,
        match text, "closestId" uuid)
      on conflict do nothing
    ), alive as (
      select id from products where id = any(${arrayOf(shown, ({ productId }) => productId)}::uuid[])
      order by id for key share
    ), counted as (
      insert into product_impressions as i (product_id, day, impressions)
      select s.product_id, s.day, s.times
      from unnest(
        ${arrayOf(shown, ({ productId }) => productId)}::uuid[],
        ${arrayOf(shown, ({ day }) => day)}::date[],
        ${arrayOf(shown, ({ times }) => times)}::bigint[]) as s (product_id, day, times)
      join alive on alive.id = s.product_id
      order by s.product_id, s.day
      on conflict (product_id, day) do update set impressions = i.impressions + excluded.impressions)
    insert into search_queries (id, at, answer_id, ms, session_id)
    select id, to_timestamp(at_ms / 1000.0), answer_id, ms, session_id
    from unnest(
      ${arrayOf(askings, ({ id }) => id)}::uuid[],
      ${arrayOf(askings, ({ at }) => at.getTime())}::bigint[],
      ${arrayOf(askings, ({ answerId }) => answerId)}::uuid[],
      ${arrayOf(askings, ({ ms }) => ms)}::real[],
      ${sessions}::text[]) as asking (id, at_ms, answer_id, ms, session_id)`.execute(db)
}

/** As PostgreSQL reads an array; for values that need no quotes. */
function arrayOf<T>(rows: T[], value: (row: T) => string | number): string {
  let text = ''
  for (const row of rows) text += `,${value(row)}`
  return `{${text.slice(1)}}`
}

/** PostgreSQL's text holds no NUL and no half characters; one such query would take its neighbours out of the log. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd')
}

/** Nobody looks at more results of one search; anybody can say they did. */
export const MOST_CLICKS = 100

/** False when there is no such search. */
export async function insertClick(
  db: Db,
  click: { id: string; at: Date; queryId: string; productId: string },
): Promise<boolean> {
  const { rows } = await sql<{ known: boolean }>`
    with asked as (
      select q.id, a.offset_by + array_position(a.product_ids, ${click.productId}::uuid) as position
      from search_queries q join search_answers a on a.id = q.answer_id where q.id = ${click.queryId}),
    clicked as (
      insert into search_clicks (id, at, query_id, product_id, position)
      select ${click.id}, ${click.at}, asked.id, ${click.productId}, asked.position from asked
      where (select count(*) from search_clicks c where c.query_id = asked.id) < ${MOST_CLICKS})
    select exists (select 1 from asked) as known`.execute(db)
  return rows[0]?.known ?? false
}

export async function deleteImpressionsBefore(db: Db, day: string, rows: number): Promise<SweepBatch> {
  const { numAffectedRows } = await sql`
    delete from product_impressions where ctid = any(array(
      select ctid from product_impressions where day < ${day}::date limit ${rows} for update skip locked))`.execute(
    db,
  )
  return batchOf(numAffectedRows, rows)
}
