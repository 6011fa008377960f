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

export async function insertQueries(db: Db, entries: QueryEntry[]): Promise<void> {
  await db
    .insertInto('search_queries')
    .values(
      entries.map((entry) => ({
        id: entry.id,
        at: entry.at,
        query: storable(entry.query),
        filters: JSON.stringify(entry.filters),
        session_id: entry.sessionId === null ? null : storable(entry.sessionId),
        face: entry.face,
        mode: entry.mode,
        product_ids: entry.productIds,
        offset_by: entry.offset,
        ms: entry.ms,
      })),
    )
    .execute()
}

/** PostgreSQL's text holds no NUL; one such query would take the others written with it out of the log. */
function storable(text: string): string {
  return text.replaceAll('\0', '\ufffd')
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
