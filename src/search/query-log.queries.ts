/** The log of searches and the clicks that followed. */
import { type Kysely, sql } from 'kysely'
import type { SearchFace, Tables } from '../db/tables.ts'

type Db = Kysely<Tables>

export type QueryEntry = {
  id: string
  at: Date
  query: string
  filters: Record<string, unknown>
  sessionId: string | null
  face: SearchFace
  mode: 'semantic' | 'keyword'
  productIds: string[]
  offset: number
  ms: number
}

/**
 * Two parameters for all rows: binding ten for each would cost more than the answers they tell of. What repeated
 * questions share (the same list of results, remembered) is sent once.
 */
export async function insertQueries(db: Db, entries: QueryEntry[]): Promise<void> {
  const numbers = new Map<QueryEntry['productIds'], number>()
  const answers: Array<Record<string, unknown>> = []
  const rows = entries.map((entry) => {
    const { productIds, face } = entry
    let answer = numbers.get(productIds)
    if (answer === undefined || answers[answer]?.face !== face) {
      answer = answers.length
      numbers.set(productIds, answer)
      answers.push({
        answer,
        query: storable(entry.query),
        filters: entry.filters,
        face,
        mode: entry.mode,
        product_ids: `{${productIds.join()}}`,
        offset_by: entry.offset,
      })
    }
    const session_id = entry.sessionId === null ? null : storable(entry.sessionId)
    return { id: entry.id, at: entry.at, session_id, ms: entry.ms, answer }
  })
  await sql`
    insert into search_queries (id, at, query, filters, session_id, face, mode, product_ids, offset_by, ms)
    select r.id, r.at, a.query, a.filters, r.session_id, a.face, a.mode, a.product_ids::uuid[], a.offset_by, r.ms
    from json_to_recordset(${JSON.stringify(rows)}::json) as r (
      id uuid, at timestamptz, session_id text, ms real, answer int)
    join json_to_recordset(${JSON.stringify(answers)}::json) as a (
      answer int, query text, filters jsonb, face text, mode text, product_ids text, offset_by int)
      on a.answer = r.answer`.execute(db)
}

/** PostgreSQL's text holds no NUL and no half characters; one such query would take its neighbours out of the log. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd')
}

/** False when there is no such query. */
export async function insertClick(
  db: Db,
  click: { id: string; at: Date; queryId: string; productId: string },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into search_clicks (id, at, query_id, product_id, position)
    select ${click.id}, ${click.at}, q.id, ${click.productId},
           q.offset_by + array_position(q.product_ids, ${click.productId}::uuid)
    from search_queries q where q.id = ${click.queryId}`.execute(db)
  return (numAffectedRows ?? 0n) > 0n
}

export async function deleteQueriesBefore(db: Db, before: Date): Promise<void> {
  await db.deleteFrom('search_queries').where('at', '<', before).execute()
}
