/** SQL of the messages sent in an hour. */
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'

/** Counts one message, unless the hour is full: then nothing is counted and it is false. One statement, so it is exact. */
export async function countWithin(
  db: Db,
  { key, hour, max }: { key: string; hour: Date; max: number },
): Promise<boolean> {
  const { rows } = await sql`
    insert into a2a_hours as h (network, hour, messages) values (${key}, ${hour}, 1)
    on conflict (network, hour) do update set messages = h.messages + 1 where h.messages < ${max}
    returning 1`.execute(db)
  return rows.length === 1
}

export async function deleteOldHours(db: Db, before: Date): Promise<number> {
  const { numAffectedRows } = await sql`delete from a2a_hours where hour < ${before}`.execute(db)
  return Number(numAffectedRows ?? 0)
}
