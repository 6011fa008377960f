/** How often agents read products, by the day, the face and the agent. */

import type { Db } from '../db/database.ts'
import { changed, column, count, run } from '../db/rows.ts'
import type { ReadFace } from '../db/tables.ts'

export type CountedReads = { productId: string; day: string; face: ReadFace; agent: string; reads: number }

/**
 * A product deleted meanwhile is passed over; the lock keeps the others until this is done, or one deletion would lose
 * every other count. Products and rows are taken in one order everywhere, so that two nodes never wait for each other.
 */
export async function addReads(db: Db, counted: CountedReads[]): Promise<void> {
  const products = [...new Set(counted.map(({ productId }) => productId))]
  await run(db)`
    with alive as (
      select id from products where id = any(${products}::uuid[])
      order by id for key share)
    insert into product_reads (product_id, day, face, agent, reads)
    select r.product_id, r.day, r.face, r.agent, r.reads
    from unnest(
      ${counted.map(({ productId }) => productId)}::uuid[],
      ${counted.map(({ day }) => day)}::date[],
      ${counted.map(({ face }) => face)}::text[],
      ${counted.map(({ agent }) => agent)}::text[],
      ${counted.map(({ reads }) => reads)}::int[]) as r (product_id, day, face, agent, reads)
    join alive on alive.id = r.product_id
    order by r.product_id, r.day, r.face, r.agent
    on conflict (product_id, day, face, agent)
      do update set reads = product_reads.reads + excluded.reads`
}

export function deleteReadsBefore(db: Db, day: string) {
  return changed(db)`delete from product_reads where day < ${day}`
}

/** The days with names that are no family's, oldest first. */
export function findDaysOfOthers(db: Db, families: readonly string[]) {
  return column<string>(db)`
    select distinct day::text from product_reads where agent <> all(${families}::text[])
      order by 1`
}

export function findOthers(
  db: Db,
  { day, families, limit }: { day: string; families: readonly string[]; limit: number },
) {
  return column<string>(db)`
    select distinct agent from product_reads where day = ${day}::date and agent <> all(${families}::text[])
    limit ${limit}`
}

/** Adds what was counted for the names to their families. Returns how many rows are gone. */
export function foldAgents(
  db: Db,
  { day, names, families }: { day: string; names: readonly string[]; families: readonly string[] },
) {
  return count(db)`
    with gone as (
      delete from product_reads r
      using unnest(${names}::text[], ${families}::text[]) as n (name, family)
      where r.day = ${day}::date and r.agent = n.name
      returning r.product_id, r.face, n.family, r.reads),
    added as (
      insert into product_reads (product_id, day, face, agent, reads)
      select product_id, ${day}::date, face, family, least(sum(reads), 2147483647)::int from gone
      group by product_id, face, family order by product_id, face, family
      on conflict (product_id, day, face, agent) do update
        set reads = least(product_reads.reads::bigint + excluded.reads, 2147483647)::int)
    select count(*)::int as gone from gone`
}
