/** SQL of the jobs table. Leases run on the database's clock, so nodes need not agree on the time. */

import { type Kysely, sql } from 'kysely'
import { changed, hasChanged, one, run } from '../db/rows.ts'
import type { Tables } from '../db/tables.ts'
import { newId } from '../lib/ids.ts'

type NewJob = {
  kind: string
  payload: Record<string, unknown>
  dedupeKey?: string
  maxAttempts: number
  delayMs?: number
}

export type ClaimedJob = {
  id: string
  kind: string
  payload: Record<string, unknown>
  attempts: number
  maxAttempts: number
}

/** Called with the transaction of the write that needs the work, so that both happen or neither. */
export async function insertJob(db: Kysely<Tables>, job: NewJob): Promise<string | null> {
  const result = await sql<{ id: string }>`
    insert into jobs (id, kind, payload, dedupe_key, max_attempts, run_at)
    values (${newId()}, ${job.kind}, ${JSON.stringify(job.payload)}::jsonb, ${job.dedupeKey ?? null}, ${job.maxAttempts},
            now() + ${job.delayMs ?? 0} * interval '1 millisecond')
    on conflict (kind, dedupe_key) where dedupe_key is not null and state = 'waiting' do nothing
    returning id`.execute(db)
  return result.rows[0]?.id ?? null
}

/** Like `insertJob`, but the one that waits under the same key, if any, is moved to the new time. */
export function insertOrMoveJob(db: Kysely<Tables>, job: NewJob & { dedupeKey: string; delayMs: number }) {
  return run(db)`
    insert into jobs (id, kind, payload, dedupe_key, max_attempts, run_at)
    values (${newId()}, ${job.kind}, ${JSON.stringify(job.payload)}::jsonb, ${job.dedupeKey}, ${job.maxAttempts},
            now() + ${job.delayMs} * interval '1 millisecond')
    on conflict (kind, dedupe_key) where dedupe_key is not null and state = 'waiting'
      do update set run_at = excluded.run_at, payload = excluded.payload, attempts = 0`
}

/** Removes the one that waits under the key. One that runs goes on. */
export function deleteWaitingJob(
  db: Kysely<Tables>,
  { kind, dedupeKey }: { kind: string; dedupeKey: string },
) {
  return run(db)`delete from jobs where kind = ${kind} and dedupe_key = ${dedupeKey} and state = 'waiting'`
}

/**
 * Once per period over all nodes: a job of this kind made within the period, in whatever state, stands for all. Nodes
 * take turns, and look after their turn has come: one that had looked before another's job was there, and wrote after
 * that was already taken, would make a second.
 */
export async function insertPeriodicJob(db: Kysely<Tables>, job: NewJob, everyMs: number): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await run(tx)`select pg_advisory_xact_lock(hashtextextended(${`periodic job ${job.kind}`}, 0))`
    await run(tx)`
      insert into jobs (id, kind, payload, dedupe_key, max_attempts)
      select ${newId()}, ${job.kind}, ${JSON.stringify(job.payload)}::jsonb, 'periodic', ${job.maxAttempts}
      where not exists (
        select 1 from jobs where kind = ${job.kind} and dedupe_key = 'periodic'
          and created_at > now() - ${everyMs} * interval '1 millisecond')
      on conflict (kind, dedupe_key) where dedupe_key is not null and state = 'waiting' do nothing`
  })
}

/** Waiting ones whose time has come, and running ones whose lease ran out: their node is dead or hangs. */
const IS_DUE = sql<boolean>`((state = 'waiting' and run_at <= now()) or (state = 'running' and lease_until < now()))`

/** One look for all kinds: mostly there is nothing to do, and that must be cheap to learn. */
export async function findDueKinds(db: Kysely<Tables>, kinds: string[]): Promise<string[]> {
  const result = await sql<{ kind: string }>`
    select distinct kind from jobs where kind = any(${kinds}) and ${IS_DUE}`.execute(db)
  return result.rows.map(({ kind }) => kind)
}

export async function claimJobs(
  db: Kysely<Tables>,
  input: { kinds: string[]; leaseId: string; leaseMs: number; limit: number },
): Promise<ClaimedJob[]> {
  const result = await sql<ClaimedJob>`
    update jobs set state = 'running', attempts = attempts + 1, lease_id = ${input.leaseId},
      lease_until = now() + ${input.leaseMs} * interval '1 millisecond'
    where id in (
      select id from jobs j
      where kind = any(${input.kinds})
        and ${IS_DUE}
        and not exists (
          select 1 from jobs same
          where same.kind = j.kind and same.dedupe_key = j.dedupe_key and same.state = 'running'
            and same.lease_until >= now() and same.id <> j.id)
      order by run_at
      limit ${input.limit}
      for update skip locked)
    returning id, kind, payload, attempts, max_attempts as "maxAttempts"`.execute(db)
  return result.rows
}

/** False when the lease was lost: the job is someone else's now. */
export function extendLease(db: Kysely<Tables>, id: string, leaseId: string, leaseMs: number) {
  return hasChanged(db)`
    update jobs set lease_until = now() + ${leaseMs} * interval '1 millisecond'
    where id = ${id} and lease_id = ${leaseId} and state = 'running'`
}

export function finishJob(db: Kysely<Tables>, id: string, leaseId: string) {
  return hasChanged(db)`
    update jobs set state = 'done', finished_at = now(), lease_id = null, lease_until = null, last_error = null
    where id = ${id} and lease_id = ${leaseId} and state = 'running'`
}

/** Whether the same work waits already: then a job that would go back in line is done with, the other stands for it. */
export function sameWaits(id: string) {
  return sql`(
    select exists (
      select 1 from jobs other join jobs mine on mine.id = ${id}
      where other.kind = mine.kind and other.dedupe_key = mine.dedupe_key and other.state = 'waiting') as there) as waiting`
}

/** Back to waiting after `delayMs`, or failed for good when `delayMs` is null. */
export async function releaseJob(
  db: Kysely<Tables>,
  input: { id: string; leaseId: string; error: string; delayMs: number | null },
): Promise<void> {
  const { id, leaseId, error, delayMs } = input
  await run(db)`
    update jobs j set
      state = case when ${delayMs === null} then 'failed' when waiting.there then 'done' else 'waiting' end,
      finished_at = case when ${delayMs === null} or waiting.there then now() end,
      run_at = now() + ${delayMs ?? 0} * interval '1 millisecond',
      last_error = ${error}, lease_id = null, lease_until = null
    from ${sameWaits(id)}
    where j.id = ${id} and j.lease_id = ${leaseId} and j.state = 'running'`
}

/** As if it had not been taken. */
export function postponeJob(
  db: Kysely<Tables>,
  { id, leaseId, delayMs }: { id: string; leaseId: string; delayMs: number },
) {
  return run(db)`
    update jobs j set
      state = case when waiting.there then 'done' else 'waiting' end,
      finished_at = case when waiting.there then now() end,
      attempts = attempts - 1, run_at = now() + ${delayMs} * interval '1 millisecond', lease_id = null, lease_until = null
    from ${sameWaits(id)}
    where j.id = ${id} and j.lease_id = ${leaseId} and j.state = 'running'`
}

export function deleteFinishedJobs(db: Kysely<Tables>, keepDays: { done: number; failed: number }) {
  return changed(db)`
    delete from jobs where (state = 'done' and finished_at < now() - ${keepDays.done} * interval '1 day')
      or (state = 'failed' and finished_at < now() - ${keepDays.failed} * interval '1 day')`
}

export async function findJob(db: Kysely<Tables>, id: string) {
  return db.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function readDatabaseTime(db: Kysely<Tables>): Promise<Date> {
  const row = await one<{ now: Date }>(db)`select clock_timestamp() as now`
  if (!row) throw new Error('the database did not return its time')
  return row.now
}
