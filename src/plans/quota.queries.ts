/** SQL of the bundles and edits of a day: each statement is atomic, so that nodes and parallel requests share one count. */
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { changed, count, exists, run } from '../db/rows.ts'

/** What is counted: new plans, and edits of plans. */
export type CountedAs = 'served' | 'edited'
/** `day` is YYYY-MM-DD, in UTC. */
type UserDay = { userId: string; day: string; as: CountedAs }

/** False when the day's limit is reached, and then nothing is counted. */
export function takeOne(db: Db, { userId, day, as, max }: UserDay & { max: number }): Promise<boolean> {
  const column = sql.ref(as)
  return exists(db)`
    insert into bundle_days as d (user_id, day, ${column}) values (${userId}, ${day}::date, 1)
    on conflict (user_id, day) do update set ${column} = d.${column} + 1
    where d.${column} < ${max}
    returning d.${column}`
}

export function countTaken(db: Db, { userId, day, as }: UserDay): Promise<number> {
  return count(db)`select ${sql.ref(as)} from bundle_days where user_id = ${userId} and day = ${day}::date`
}

export function returnOne(db: Db, { userId, day, as }: UserDay): Promise<void> {
  const column = sql.ref(as)
  return run(db)`
    update bundle_days set ${column} = ${column} - 1
    where user_id = ${userId} and day = ${day}::date and ${column} > 0`
}

export function deleteDaysBefore(db: Db, day: string): Promise<number> {
  return changed(db)`delete from bundle_days where day < ${day}::date`
}
