/** SQL of the bundles served a day: each statement is atomic, so that nodes and parallel requests share one count. */
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'

/** `day` is YYYY-MM-DD, in UTC. */
type UserDay = { userId: string; day: string }

/** False when the day's limit is reached, and then nothing is counted. */
export async function takeOne(db: Db, { userId, day, max }: UserDay & { max: number }): Promise<boolean> {
  const { rows } = await sql`
    insert into bundle_days as d (user_id, day, served) values (${userId}, ${day}::date, 1)
    on conflict (user_id, day) do update set served = d.served + 1
    where d.served < ${max}
    returning d.served`.execute(db)
  return rows.length > 0
}

export async function returnOne(db: Db, { userId, day }: UserDay): Promise<void> {
  await sql`
    update bundle_days set served = served - 1
    where user_id = ${userId} and day = ${day}::date and served > 0`.execute(db)
}

export async function deleteDaysBefore(db: Db, day: string): Promise<number> {
  const { numAffectedRows } = await sql`delete from bundle_days where day < ${day}::date`.execute(db)
  return Number(numAffectedRows ?? 0)
}
