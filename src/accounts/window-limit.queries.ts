/**
 * SQL of what may be done so often in a window of time, over all nodes. The table is named after its first use, the
 * messages of an hour: renaming it would fail the nodes that still run an older version beside new ones.
 */
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'

/**
 * Counts one, unless the window is full: then nothing is counted and it is null. One statement, so it is exact: of
 * callers that come at once on any nodes, no more than `max` get through.
 */
export async function countWithin(
  db: Db,
  { key, from, max }: { key: string; from: Date; max: number },
): Promise<number | null> {
  const { rows } = await sql<{ messages: number }>`
    insert into a2a_hours as h (network, hour, messages) values (${key}, ${from}, 1)
    on conflict (network, hour) do update set messages = h.messages + 1 where h.messages < ${max}
    returning messages`.execute(db)
  return rows[0]?.messages ?? null
}

export async function deleteOldWindows(db: Db, before: Date): Promise<number> {
  const { numAffectedRows } = await sql`delete from a2a_hours where hour < ${before}`.execute(db)
  return Number(numAffectedRows ?? 0)
}
