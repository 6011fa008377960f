/** How often agents read products, by the day, the face and the agent. */
import { type Kysely, sql } from 'kysely'
import type { ReadFace } from '../db/tables.tools.ts'
import type { Tables } from '../db/tables.ts'

type Db = Kysely<Tables>

export type CountedReads = { productId: string; day: string; face: ReadFace; agent: string; reads: number }

/**
 * A product deleted meanwhile is passed over; the lock keeps the others until this is done, or one deletion would lose
 * every other count. Products and rows are taken in one order everywhere, so that two nodes never wait for each other.
 */
export async function addReads(db: Db, counted: CountedReads[]): Promise<void> {
  const products = [...new Set(counted.map(({ productId }) => productId))]
  await sql`
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
    on conflict (product_id, day, face, agent) do update set reads = product_reads.reads + excluded.reads`.execute(
    db,
  )
}

export async function deleteReadsBefore(db: Db, day: string): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('product_reads')
    .where('day', '<', day)
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}
