/** SQL of what the operator sees of jobs and does with the failed ones. Served by jobs_by_kind, jobs_due and jobs_failed. */
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { holds, type Searched } from '../db/like.ts'
import { all, map, one, run } from '../db/rows.ts'
import { sameWaits } from './jobs.queries.ts'

type KindCounts = { kind: string; waiting: number; running: number; failed: number }

export type KindRow = KindCounts & {
  lastFinishedAt: Date | null
  /** When the first of those that wait is due. */
  nextAt: Date | null
}

/** Kinds are found by leaping from one to the next: finished jobs of a week are not read for that. */
export function summarizeJobs(db: Db) {
  return all<KindRow>(db)`
    with recursive kinds as (
      (select kind from jobs order by kind limit 1)
      union all
      select (select j.kind from jobs j where j.kind > k.kind order by j.kind limit 1) from kinds k
      where k.kind is not null),
    open as (
      select kind, count(*) filter (where state = 'waiting') as waiting,
        count(*) filter (where state = 'running') as running,
        min(run_at) filter (where state = 'waiting') as next_at
      from jobs where state in ('waiting', 'running') group by kind),
    failed as (select kind, count(*) as failed from jobs where state = 'failed' group by kind)
    select k.kind, coalesce(open.waiting, 0) as waiting, coalesce(open.running, 0) as running,
      coalesce(failed.failed, 0) as failed, open.next_at as "nextAt",
      (select j.finished_at from jobs j where j.kind = k.kind and j.finished_at is not null
       order by j.finished_at desc limit 1) as "lastFinishedAt"
    from kinds k left join open on open.kind = k.kind left join failed on failed.kind = k.kind
    where k.kind is not null order by k.kind`
}

/** When each was last made by its period, or by hand in its place. */
export function lastPeriodic(db: Db, kinds: string[]) {
  return map<string, Date>(db)`
    select kind, max(created_at) as at from jobs
    where kind = any(${kinds}) and dedupe_key = 'periodic' group by kind`
}

export type FailedJob = {
  id: string
  kind: string
  attempts: number
  error: string | null
  /** The beginning of it. */
  payload: string
  createdAt: Date
  failedAt: Date
}

/** Newest first. A mail is sealed, and no more of it is shown than that. */
export type FailedAsked = Searched & { kind: string | null }

export function findFailedJobs(db: Db, { kind, search = null, limit, offset = 0 }: FailedAsked) {
  return all<FailedJob>(db)`
    select id, kind, attempts, last_error as error, created_at as "createdAt", finished_at as "failedAt",
      case when payload ? 'sealed' then 'sealed' else left(payload::text, 300) end as payload
    from jobs where state = 'failed' and (${kind}::text is null or kind = ${kind})
      and ${holds(sql`concat_ws(' ', id, kind, last_error)`, search)}
    order by finished_at desc, id desc limit ${limit} offset ${offset}`
}

/** Back in line, with all its attempts again, unless the same work waits (sameWaits). Null when there is no such failed job. */
export async function requeueFailed(
  db: Db,
  id: string,
): Promise<{ kind: string; state: 'waiting' | 'done' } | null> {
  const rows = await all<{ kind: string; state: 'waiting' | 'done' }>(db)`
    update jobs j set
      state = case when waiting.there then 'done' else 'waiting' end,
      finished_at = case when waiting.there then now() end,
      attempts = 0, run_at = now()
    from ${sameWaits(id)}
    where j.id = ${id} and j.state = 'failed' returning j.kind, j.state`
  if (rows[0]?.state === 'waiting') await run(db)`select pg_notify('jobs', '')`
  return rows[0] ?? null
}

/** Of two jobs with one key one waits; the other was refused. */
export function isAlreadyInLine(error: unknown): boolean {
  const { code, constraint } = error as { code?: string; constraint?: string }
  return code === '23505' && constraint === 'jobs_dedupe'
}

export function deleteFailed(db: Db, id: string) {
  return one<{ kind: string }>(db)`
    delete from jobs where id = ${id} and state = 'failed' returning kind`
}

export type KindMeasure = KindCounts & {
  /** How long the first that is due has been waiting. */
  lagSeconds: number
}

/** What is not done, by kind. By the database's clock, which says what is due. */
export function measureKinds(db: Db) {
  return all<KindMeasure>(db)`
    select kind, count(*) filter (where state = 'waiting') as waiting,
      count(*) filter (where state = 'running') as running,
      count(*) filter (where state = 'failed') as failed,
      coalesce(greatest(0, extract(epoch from now() - min(run_at) filter (where state = 'waiting'))), 0)::float8
        as "lagSeconds"
    from jobs where state in ('waiting', 'running', 'failed') group by kind`
}

export type Backlog = { due: number; oldestDueAt: Date | null; failed: number }

/** What should have begun by now, and what was given up; of one kind or of all. */
export async function measureBacklog(db: Db, kind: string | null): Promise<Backlog> {
  const rows = await all<Backlog>(db)`
    select count(*) filter (where state = 'waiting' and run_at <= now()) as due,
      min(run_at) filter (where state = 'waiting' and run_at <= now()) as "oldestDueAt",
      count(*) filter (where state = 'failed') as failed
    from jobs where state in ('waiting', 'failed') and (${kind}::text is null or kind = ${kind})`
  return rows[0] ?? { due: 0, oldestDueAt: null, failed: 0 }
}
