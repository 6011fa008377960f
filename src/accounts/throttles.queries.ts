/**
 * SQL of what may be tried or done so often: each statement is atomic, so that nodes and parallel requests share one count.
 */
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { changed, one, run, value } from '../db/rows.ts'

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
export function takeTry(db: Db, take: Take) {
  const { key, now, free, firstBlockMs, longestBlockMs, forgetOneMs } = take
  const passed = sql`greatest(0, floor(extract(epoch from ${now}::timestamptz - t.last_failure_at) * 1000 / ${forgetOneMs}::float8))`
  const count = sql`greatest(0, t.failures - ${passed})::int + 1`
  return one<{ failures: number }>(db)`
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
    returning failures`
}

export function findBlock(db: Db, key: string) {
  return value<Date>(db)`
    select blocked_until as until from throttles where key = ${key}`
}

export function clearTries(db: Db, key: string) {
  return run(db)`delete from throttles where key = ${key}`
}

/** Takes one try back, and the block it led to. */
export function giveTryBack(db: Db, key: string) {
  return run(db)`
    update throttles set failures = greatest(0, failures - 1), blocked_until = ${NEVER}
    where key = ${key}`
}

export function deleteOldThrottles(db: Db, before: Date, now: Date) {
  return changed(db)`
    delete from throttles where last_failure_at < ${before} and blocked_until < ${now}`
}

/**
 * Counts one, unless the window is full: then nothing is counted and it is null. One statement, so it is exact: of
 * callers that come at once on any nodes, no more than `max` get through. The table is named after its first use, the
 * messages of an hour: renaming it would fail the nodes that still run an older version beside new ones.
 */
export function countWithin(db: Db, { key, from, max }: { key: string; from: Date; max: number }) {
  return value<number>(db)`
    insert into a2a_hours as h (network, hour, messages) values (${key}, ${from}, 1)
    on conflict (network, hour) do update set messages = h.messages + 1 where h.messages < ${max}
    returning messages`
}

export function deleteOldWindows(db: Db, before: Date) {
  return changed(db)`delete from a2a_hours where hour < ${before}`
}
