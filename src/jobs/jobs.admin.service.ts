/**
 * What the operator sees of jobs and does with them: failed ones are tried again or dropped, periodic ones run before
 * their time. The caller records who did it, in the same transaction: the audit log is a layer above jobs.
 */
import type { Db } from '../db/database.ts'
import { withinTime } from '../db/within-time.ts'
import { type AppError, notFound } from '../lib/errors.ts'
import { isUuid } from '../lib/ids.ts'
import {
  type Backlog,
  deleteFailed,
  type FailedAsked,
  type FailedJob,
  findFailedJobs,
  isAlreadyInLine,
  type KindRow,
  lastPeriodic,
  measureBacklog,
  requeueFailed,
  summarizeJobs,
} from './jobs.admin.queries.ts'
import { insertJob } from './jobs.queries.ts'
import type { Job } from './runner.ts'

export type { Backlog, FailedJob }
export type Periodic = Pick<Job, 'kind' | 'maxAttempts' | 'everyMs'>
export type Recorder = (tx: Db, action: string, detail: Record<string, unknown>) => Promise<void>

const TOO_LONG = { message: 'counting the jobs took too long; try again later' }

export type KindLine = KindRow & { everyMs: number | null }
export type JobsView = { kinds: KindLine[]; failed: FailedJob[] }

/** `known`: what this program runs; a kind that never ran is listed too. */
export async function viewJobs(
  ctx: { db: Db },
  known: readonly Periodic[] = [],
  failed: FailedAsked = { kind: null, limit: 50 },
): Promise<JobsView> {
  return withinTime(ctx.db, TOO_LONG, async (tx) => {
    const rows = new Map((await summarizeJobs(tx)).map((row) => [row.kind, row]))
    const every = new Map(known.flatMap(({ kind, everyMs }) => (everyMs ? [[kind, everyMs] as const] : [])))
    const lastMade = await lastPeriodic(tx, [...every.keys()])
    const names = [...new Set([...rows.keys(), ...known.map(({ kind }) => kind)])].sort()
    const kinds = names.map((kind) => {
      const row = rows.get(kind) ?? { ...NEVER, kind }
      const everyMs = every.get(kind) ?? null
      const made = lastMade.get(kind)
      const nextAt = row.nextAt ?? (everyMs && made ? new Date(made.getTime() + everyMs) : null)
      return { ...row, nextAt, everyMs }
    })
    return { kinds, failed: await findFailedJobs(tx, failed) }
  })
}

const NEVER = { waiting: 0, running: 0, failed: 0, lastFinishedAt: null, nextAt: null }

/** `stands`: the same work waits already and stands for it. */
export async function retryJob(
  ctx: { db: Db },
  id: string,
  record: Recorder,
): Promise<{ kind: string; stands: boolean }> {
  const retry = () =>
    ctx.db.transaction().execute(async (tx) => {
      const requeued = isUuid(id) ? await requeueFailed(tx, id) : null
      if (!requeued) throw notFailed(id)
      await record(tx, 'job.retried', { job_id: id, kind: requeued.kind })
      return { kind: requeued.kind, stands: requeued.state === 'done' }
    })
  // The same work was put in line at this moment: looked at again, it is there and stands for this job.
  return retry().catch((error: unknown) => {
    if (isAlreadyInLine(error)) return retry()
    throw error
  })
}

export async function dropJob(ctx: { db: Db }, id: string, record: Recorder): Promise<{ kind: string }> {
  return ctx.db.transaction().execute(async (tx) => {
    const dropped = isUuid(id) ? await deleteFailed(tx, id) : null
    if (!dropped) throw notFailed(id)
    await record(tx, 'job.dropped', { job_id: id, kind: dropped.kind })
    return dropped
  })
}

/** In place of its next turn. False when it waits already. */
export async function runPeriodicNow(
  ctx: { db: Db },
  { kind, known }: { kind: string; known: readonly Periodic[] },
  record: Recorder,
): Promise<boolean> {
  const job = known.find((one) => one.kind === kind && one.everyMs !== undefined)
  if (!job) throw notFound(`no periodic job is called ${kind}`)
  return ctx.db.transaction().execute(async (tx) => {
    const { maxAttempts } = job
    const id = await insertJob(tx, { kind, maxAttempts, payload: {}, dedupeKey: 'periodic' })
    if (id !== null) await record(tx, 'job.asked', { job_id: id, kind })
    return id !== null
  })
}

/** Of one kind, or of all. */
export function jobBacklog(ctx: { db: Db }, kind: string | null = null): Promise<Backlog> {
  return measureBacklog(ctx.db, kind)
}

function notFailed(id: string): AppError {
  return notFound(`no failed job has the id ${id}`)
}
