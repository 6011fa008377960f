/**
 * What ties files of an index to a database and to its history. A mark is committed after everything that the files know
 * of, so a database that has the mark has all of it too, whatever it was restored from or failed over to. A row that was
 * copied into another database was written there by another transaction than the one it names.
 */
import { sql } from 'kysely'
import type { ChangeEvent } from '../../catalog/changes.follower.ts'
import type { Db } from '../../db/database.ts'

/** The log of changes reaches back further. */
const KEPT_DAYS = 30

const HERE = sql`(select oid::text from pg_database where datname = current_database())`

export async function placeMark(db: Db, id: string): Promise<void> {
  await sql`insert into index_marks (id, xid, database) values (${id}, pg_current_xact_id()::text, ${HERE})`.execute(
    db,
  )
}

/** Of files that are no more, and of nodes that are no more. */
export async function removeMarks(db: Db, id: string | null): Promise<void> {
  await sql`
    delete from index_marks where id = ${id} or at < now() - make_interval(days => ${KEPT_DAYS})`.execute(db)
}

/** Whether all that these files know of is in this database, and all that came after is in its log of changes. */
export async function hasMark(db: Db, id: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from index_marks
    where id = ${id} and at > now() - make_interval(days => ${KEPT_DAYS - 1}) and database = ${HERE}
      and xmin::text = (xid::numeric % 4294967296)::text`.execute(db)
  return rows.length > 0
}

/** Each thing that changed since once; null when there are more. Offers and sellers are looked up when they are asked for. */
export async function findChangedSince(
  db: Db,
  position: string,
  most: number,
): Promise<ChangeEvent[] | null> {
  const { rows } = await sql<Pick<ChangeEvent, 'productId' | 'categoryId'> & { embedded: boolean }>`
    select distinct product_id as "productId", aspect = 'embedded' as embedded,
      case when product_id is null then category_id end as "categoryId"
    from changes where xid >= ${position}::xid8 and aspect not in ('offers', 'sellers')
    limit ${most + 1}`.execute(db)
  if (rows.length > most) return null
  return rows.map(({ embedded, ...thing }) => ({
    ...thing,
    seq: 0,
    xid: position,
    aspect: embedded ? 'embedded' : 'text',
  }))
}
