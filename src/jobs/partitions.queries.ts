/**
 * Logs that are partitioned by time: a log has a table for each week or month, made ahead, and an old one is dropped as a
 * whole, which takes as long for a million rows as for one. Two partitions are special. What was there before the log was
 * partitioned is `{log}_before`; what no other takes is `{log}_other`. From these rows are deleted, in batches.
 *
 * A change of partitions waits for those who read the log, and others wait behind it: it gives up soon, and tries again.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { DatabaseError } from 'pg'
import type { Db } from '../db/database.ts'
import { all, exists, run } from '../db/rows.ts'
import { batchOf, type SweepBatch } from './sweep.ts'

export type TimedLog = {
  /** Its time is the column `at`. */
  table: 'search_queries' | 'search_answers' | 'search_clicks' | 'audit_log'
  step: 'week' | 'month'
}

const AHEAD = 4
const LOCK_MS = 500
const TRIES = 5
const PAUSE_MS = 2_000
const LOCK_NOT_AVAILABLE = '55P03'

type Partition = { name: string; until: Date | null }

/** Makes those of now and of the next few steps, and one for all the time in which nobody made any. Returns how many. */
export async function makePartitions(db: Db, log: TimedLog, now: Date): Promise<number> {
  const partitions = await listPartitions(db, log)
  let from = new Date(Math.max(...partitions.map(({ until }) => until?.getTime() ?? 0)))
  const current = stepOf(now, log.step)
  let until = current
  for (let step = 0; step <= AHEAD; step++) until = nextStep(until, log.step)
  let made = 0
  // A log without a partition that ends was never partitioned: it would be given thousands.
  while (from.getTime() > 0 && from < until) {
    const to = from < current ? current : nextStep(from, log.step)
    await makePartition(db, log, from, to)
    from = to
    made++
  }
  return made
}

/** With the rows of its time that came before it was made. */
async function makePartition(db: Db, { table }: TimedLog, from: Date, to: Date): Promise<void> {
  const [name, other] = [`${table}_${from.toISOString().slice(0, 10).replaceAll('-', '_')}`, `${table}_other`]
  const [begin, end] = [from, to].map((at) => sql.lit(at.toISOString()))
  await changed(db, async (tx) => {
    await run(tx)`select pg_advisory_xact_lock(hashtextextended(${`partitions of ${table}`}, 0))`
    // Another node was here first.
    if (await exists(tx)`select from pg_class where oid = to_regclass(${name})`) return
    await run(tx)`create table ${sql.id(name)} (like ${sql.id(other)} including all)`
    await run(tx)`lock table ${sql.id(other)} in access exclusive mode`
    await run(tx)`
      with early as (delete from ${sql.id(other)} where at >= ${begin} and at < ${end} returning *)
      insert into ${sql.id(name)} select * from early`
    await run(tx)`
      alter table ${sql.id(table)} attach partition ${sql.id(name)} for values from (${begin}) to (${end})`
  })
}

/** Drops those whose rows are all older. Returns how many it dropped. */
export async function dropPartitions(db: Db, log: TimedLog, before: Date): Promise<number> {
  const old = (await listPartitions(db, log)).filter(({ until }) => until !== null && until <= before)
  for (const { name } of old) await changed(db, (tx) => run(tx)`drop table if exists ${sql.id(name)}`)
  return old.length
}

/** Up to so many older rows of the partitions that are not of one step. */
export async function deleteOldRows(db: Db, log: TimedLog, before: Date, rows: number): Promise<SweepBatch> {
  for (const { name } of (await listPartitions(db, log)).filter(({ name }) =>
    /_(?:before|other)$/.test(name),
  )) {
    const { numAffectedRows } = await sql`
      delete from ${sql.id(name)} where ctid = any(array(
        select ctid from ${sql.id(name)} where at < ${before} limit ${rows} for update skip locked))`.execute(
      db,
    )
    const batch = batchOf(numAffectedRows, rows)
    if (batch.removed > 0) return { ...batch, more: true }
  }
  return { removed: 0, more: false }
}

/** Nothing else looks at a log as a whole, and plans go by it. */
export async function analyzeLog(db: Db, { table }: TimedLog): Promise<void> {
  await run(db)`analyze ${sql.id(table)}`
}

async function listPartitions(db: Db, { table }: TimedLog): Promise<Partition[]> {
  return all<Partition>(db)`
    select c.relname::text as name,
      substring(pg_get_expr(c.relpartbound, c.oid) from ${`TO \\('([^']+)'\\)`})::timestamptz as until
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = to_regclass(${table}) order by 1`
}

/** Weeks begin on Monday, months with the first, in UTC. */
function stepOf(at: Date, step: TimedLog['step']): Date {
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()]
  return new Date(Date.UTC(year, month, step === 'month' ? 1 : day - ((at.getUTCDay() + 6) % 7)))
}

function nextStep(at: Date, step: TimedLog['step']): Date {
  const begun = stepOf(at, step)
  const [year, month, day] = [begun.getUTCFullYear(), begun.getUTCMonth(), begun.getUTCDate()]
  return new Date(step === 'month' ? Date.UTC(year, month + 1, 1) : Date.UTC(year, month, day + 7))
}

async function changed(db: Db, change: (tx: Db) => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await db.transaction().execute(async (tx) => {
        await run(tx)`set local lock_timeout = ${sql.lit(LOCK_MS)}`
        await change(tx)
      })
      return
    } catch (error) {
      const isBusy = error instanceof DatabaseError && error.code === LOCK_NOT_AVAILABLE
      if (!isBusy || tries === TRIES) throw error
      await sleep(PAUSE_MS)
    }
  }
}
