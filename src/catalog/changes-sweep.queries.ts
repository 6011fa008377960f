/** SQL of what is deleted of the log of changes in time. */
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'

export type SweptChanges = {
  removed: number
  /** Where the next batch begins; null when all that is old has been looked at. */
  next: number | null
}

/**
 * One stretch of the log, from a position on, along its key, whose order is that of time but for a moment. What is asked
 * for at any age stays: the last that was said of a product's offers, and all since the day somebody saved the product,
 * who is told what has changed since (saved_products_by_product).
 */
export async function deleteOldChanges(
  db: Db,
  { after, before, rows }: { after: number; before: Date; rows: number },
): Promise<SweptChanges> {
  const { rows: found } = await sql<{ removed: number; looked: number; old: number; last: number | null }>`
    with stretch as materialized (
      select seq, at, aspect, product_id from changes where seq > ${after} order by seq limit ${rows}),
    gone as (
      delete from changes c using stretch s
      where c.seq = s.seq and s.at < ${before}
        and (s.aspect <> 'offers' or exists (
          select 1 from changes later where later.product_id = s.product_id and later.aspect = 'offers'
            and (later.at, later.seq) > (s.at, s.seq)))
        and not exists (
          select 1 from saved_products p where p.product_id = s.product_id and p.created_at < s.at)
      returning 1)
    select (select count(*)::int from gone) as removed, count(*)::int as looked,
      (count(*) filter (where at < ${before}))::int as old, max(seq) as last
    from stretch`.execute(db)
  const [{ removed, looked, old, last } = { removed: 0, looked: 0, old: 0, last: null }] = found
  return { removed, next: looked < rows || old === 0 ? null : last }
}
