/** Units of the daily quota: taken in blocks, given back when unused. */
import pg from 'pg'
import type { Db } from '../../db/database.ts'
import { changed, count, run } from '../../db/rows.ts'

type UserDay = { userId: string; day: string }

/** It stands in the way of tool calls, so it goes past the query builder. */
const TAKE_UNITS = `
  insert into tool_days as d (user_id, day, taken) values ($1, $2, $3)
  on conflict (user_id, day) do update set taken = d.taken + $3 where d.taken + $3 <= $4
  returning taken`

/** All of the block or nothing; how many were taken in all, or null when the block does not fit any more. */
export async function takeUnits(
  pool: pg.Pool,
  { userId, day, block, max }: UserDay & { block: number; max: number },
): Promise<number | null> {
  const { rows } = await pool.query<{ taken: number }>(TAKE_UNITS, [userId, day, block, max])
  return rows[0]?.taken ?? null
}

/** The account was deleted between the look at its token and this. */
export function isUnknownPerson(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '23503'
}

export function findTaken(db: Db, { userId, day }: UserDay) {
  return count(db)`
    select taken from tool_days where user_id = ${userId} and day = ${day}`
}

export function giveUnitsBack(db: Db, unused: ReadonlyArray<UserDay & { units: number }>) {
  // Locked in one order everywhere, so that two nodes never wait for each other.
  return run(db)`
    with g as (
      select * from unnest(${unused.map(({ userId }) => userId)}::uuid[], ${unused.map(({ day }) => day)}::date[],
        ${unused.map(({ units }) => units)}::int[]) as g (user_id, day, units)),
    locked as (
      select d.user_id, d.day, g.units from tool_days d join g on g.user_id = d.user_id and g.day = d.day
      order by d.user_id, d.day for update of d)
    update tool_days d set taken = greatest(0, d.taken - l.units)
    from locked l where d.user_id = l.user_id and d.day = l.day`
}

export function deleteDaysBefore(db: Db, day: string) {
  return changed(db)`delete from tool_days where day < ${day}`
}
