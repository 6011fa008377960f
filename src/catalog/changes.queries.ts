/**
 * Following, asking and sweeping the log of changes. A follower goes by transaction id: a row's `xid` is that of the
 * transaction that wrote it, and every transaction below the snapshot's xmin is over. So "everything at or after my
 * position" never misses a row, whatever the order of commits, and the position may advance to xmin. Rows above xmin
 * are visible already and are given too, so that a long transaction elsewhere does not hold back what others commit;
 * the follower skips those it has seen.
 */
import type { Db } from '../db/database.ts'
import { all } from '../db/rows.ts'
import type { ChangeAspect } from '../db/tables.ts'
import type { PriceChange } from './price-history.ts'

export type ChangeEvent = {
  seq: number
  xid: string
  productId: string | null
  categoryId: string | null
  aspect: ChangeAspect
  /** Of `sellers`, where all products of an organization are meant. */
  orgId?: string | null
}

/** Where a follower that has read everything up to now continues. */
export async function currentPosition(db: Db): Promise<string> {
  const rows = await all<{ xmin: string }>(db)`select pg_snapshot_xmin(pg_current_snapshot())::text as xmin`
  return rows[0]?.xmin ?? '0'
}

export type ChangesAsk = {
  position: string
  /** Goes on behind this one, as far as the first page could see. */
  after?: Pick<ChangeEvent, 'xid' | 'seq'> & { until: string }
  limit: number
}

/** One page, in the order in which transactions began. `next` is where a follower continues that has read every page. */
export async function readChangesFrom(db: Db, { position, after, limit }: ChangesAsk) {
  const rows = await all<ChangeEvent & { next: string; until: string }>(db)`
    with here as (
      select pg_snapshot_xmin(pg_current_snapshot()) as xmin, pg_snapshot_xmax(pg_current_snapshot()) as xmax)
    select c.seq, c.xid::text as xid, c.product_id as "productId", c.category_id as "categoryId", c.aspect,
      case when c.aspect = 'sellers' then c.after ->> 'org_id' end as "orgId", here.xmin::text as next,
      here.xmax::text as until
    from here left join lateral (
      select * from changes
      where xid >= ${after?.xid ?? position}::xid8 and xid < coalesce(${after?.until ?? null}::xid8, here.xmax)
        and (xid, seq) > (${after?.xid ?? '0'}::xid8, ${after?.seq ?? 0}::bigint)
      order by xid, seq limit ${limit}) c on true
    order by c.xid, c.seq`
  const { next, until } = rows[0] ?? { next: position, until: position }
  return { events: rows.filter((row) => row.seq !== null), next, until }
}

type ChangeRow = {
  at: Date
  aspect: ChangeAspect
  before: unknown
  after: unknown
  productSlug: string
  productTitle: string
  categorySlug: string
}

/** Every change of the things that changed last, oldest first; a thing is one aspect of one product. */
export function findChanges(
  db: Db,
  input: { productSlugs: string[] | null; categorySlug: string | null; since: Date; things: number },
) {
  return all<ChangeRow>(db)`
    with things as (
      select ch.product_id, ch.aspect
      from changes ch join shown_products p on p.id = ch.product_id
      where ch.at > ${input.since} and ch.aspect not in ('embedded', 'sellers')
        and (${input.productSlugs}::text[] is null or p.slug = any(${input.productSlugs}))
        and (${input.categorySlug}::text is null or ch.category_id = (select id from categories where slug = ${input.categorySlug}))
      group by ch.product_id, ch.aspect
      order by max(ch.at) desc, max(ch.seq) desc
      limit ${input.things})
    select ch.at, ch.aspect, ch.before, ch.after, p.slug as "productSlug", p.title as "productTitle", c.slug as "categorySlug"
    from things join changes ch using (product_id, aspect) join shown_products p on p.id = ch.product_id
      join categories c on c.id = p.category_id
    where ch.at > ${input.since}
    order by ch.at, ch.seq`
}

const MOST_PRICES = 500

/** The newest of its price changes within the time, oldest first. */
export async function findPriceChanges(db: Db, productId: string, since: Date): Promise<PriceChange[]> {
  const rows = await all<PriceChange>(db)`
    select at, aspect, before, after from changes
    where product_id = ${productId} and at > ${since} and aspect in ('created', 'price', 'offers')
    order by at desc, seq desc limit ${MOST_PRICES}`
  return rows.reverse()
}

type SweptChanges = {
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
  const found = await all<{ removed: number; looked: number; old: number; last: number | null }>(db)`
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
    from stretch`
  const [{ removed, looked, old, last } = { removed: 0, looked: 0, old: 0, last: null }] = found
  return { removed, next: looked < rows || old === 0 ? null : last }
}
