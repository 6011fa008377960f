/** SQL of the throttles table: each statement is atomic, so that nodes and parallel requests share one count. */
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'

/** Not blocked. Far back rather than "now": another node's clock may be a little behind. */
const NEVER = new Date(0)

export type Take = {
  key: string
  now: Date
  /** Tries before the first block, the one that brings it included. */
  free: number
  firstBlockMs: number
  longestBlockMs: number
  /** One try is forgotten each time this has passed. */
  forgetOneMs: number
}

/**
 * Counts one try and sets the block it leads to; null while an earlier block lasts, and then nothing is counted.
 * `last_failure_at` is the moment up to which tries have been forgotten, so that no part of an interval is lost.
 */
export async function takeTry(db: Db, take: Take): Promise<{ failures: number } | null> {
  const { key, now, free, firstBlockMs, longestBlockMs, forgetOneMs } = take
  const passed = sql`greatest(0, floor(extract(epoch from ${now}::timestamptz - t.last_failure_at) * 1000 / ${forgetOneMs}::float8))`
  const count = sql`greatest(0, t.failures - ${passed})::int + 1`
  const { rows } = await sql<{ failures: number }>`
    insert into throttles as t (key, failures, last_failure_at, blocked_until)
    values (${key}, 1, ${now}, ${NEVER})
    on conflict (key) do update set
      failures = ${count},
      last_failure_at = case when ${passed} >= t.failures then ${now}::timestamptz
        else t.last_failure_at + ${passed} * ${forgetOneMs}::float8 * interval '1 millisecond' end,
      blocked_until = case when ${count} < ${free} then ${NEVER}::timestamptz
        else ${now}::timestamptz + interval '1 millisecond'
          * least(${longestBlockMs}::float8, ${firstBlockMs}::float8 * power(2, least(30, ${count} - ${free}))) end
    where t.blocked_until <= ${now}
    returning failures`.execute(db)
  return rows[0] ?? null
}

export async function findBlock(db: Db, key: string): Promise<Date | null> {
  const row = await db
    .selectFrom('throttles')
    .select('blocked_until')
    .where('key', '=', key)
    .executeTakeFirst()
  return row?.blocked_until ?? null
}

export async function clearTries(db: Db, key: string): Promise<void> {
  await db.deleteFrom('throttles').where('key', '=', key).execute()
}

/** Takes one try back, and the block it led to. */
export async function giveTryBack(db: Db, key: string): Promise<void> {
  await sql`
    update throttles set failures = greatest(0, failures - 1), blocked_until = ${NEVER}
    where key = ${key}`.execute(db)
}

export async function deleteOldThrottles(db: Db, before: Date, now: Date): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from throttles where last_failure_at < ${before} and blocked_until < ${now}`.execute(db)
  return Number(numAffectedRows ?? 0)
}
