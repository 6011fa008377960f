/** SQL of the bundles and edits of a day: each statement is atomic, so that nodes and parallel requests share one count. */
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'

/** What is counted: new plans, and edits of plans. */
export type CountedAs = 'served' | 'edited'
/** `day` is YYYY-MM-DD, in UTC. */
type UserDay = { userId: string; day: string; as: CountedAs }

/** False when the day's limit is reached, and then nothing is counted. */
export async function takeOne(db: Db, { userId, day, as, max }: UserDay & { max: number }): Promise<boolean> {
  const column = sql.ref(as)
  const { rows } = await sql`
    insert into bundle_days as d (user_id, day, ${column}) values (${userId}, ${day}::date, 1)
    on conflict (user_id, day) do update set ${column} = d.${column} + 1
    where d.${column} < ${max}
    returning d.${column}`.execute(db)
  return rows.length > 0
}

export async function countTaken(db: Db, { userId, day, as }: UserDay): Promise<number> {
  const { rows } = await sql<{ taken: number }>`
    select ${sql.ref(as)} as taken from bundle_days where user_id = ${userId} and day = ${day}::date`.execute(
    db,
  )
  return rows[0]?.taken ?? 0
}

export async function returnOne(db: Db, { userId, day, as }: UserDay): Promise<void> {
  const column = sql.ref(as)
  await sql`
    update bundle_days set ${column} = ${column} - 1
    where user_id = ${userId} and day = ${day}::date and ${column} > 0`.execute(db)
}

export async function deleteDaysBefore(db: Db, day: string): Promise<number> {
  const { numAffectedRows } = await sql`delete from bundle_days where day < ${day}::date`.execute(db)
  return Number(numAffectedRows ?? 0)
}
