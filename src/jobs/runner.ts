/**
 * Runs jobs on every node. A job is leased, its lease is renewed while it runs, and a failure puts it back with a
 * growing delay until its attempts are used up. A handler therefore runs at least once and must be idempotent;
 * its signal aborts when the lease is lost or the node stops. Being stopped is no attempt: another node has it at once.
 */

import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { z } from 'zod'
import type { Tables } from '../db/tables.ts'
import { inBackground } from '../lib/background.ts'
import type { Log } from '../lib/log.ts'
import { histogram } from '../lib/metrics.ts'
import { inScope } from '../lib/request-scope.ts'
import { rootSpan } from '../lib/tracing.ts'
import {
  type ClaimedJob,
  claimJobs,
  deleteFinishedJobs,
  deleteWaitingJob,
  extendLease,
  findDueKinds,
  finishJob,
  insertJob,
  insertOrMoveJob,
  insertPeriodicJob,
  postponeJob,
  releaseJob,
} from './jobs.queries.ts'

/** Thrown by a job that cannot run just now through no fault of its own: it is put back, and that was no attempt. */
export class JobPostponed extends Error {
  readonly delayMs: number

  constructor(message: string, delayMs: number) {
    super(message)
    this.delayMs = delayMs
  }
}

/** Why a handler's signal aborts when the node stops. */
class NodeStops extends JobPostponed {
  constructor() {
    super('the node is stopping', 0)
  }
}

export type JobContext = { signal: AbortSignal; attempt: number; jobId: string; log: Log }

export type JobDefinition<Payload> = {
  kind: string
  payload: z.ZodType<Payload>
  maxAttempts: number
  leaseMs: number
  /** Runs by itself once per period over all nodes, besides being enqueued by hand. */
  everyMs?: number
  /** Places of its own, for jobs that mostly wait for others: they neither take the common ones nor wait for them. */
  places?: number
  run(payload: Payload, context: JobContext): Promise<void>
  /** Its attempts are used up and it will not run again. */
  gaveUp?(payload: Payload): Promise<void>
}

/** A definition with its payload type closed over, so that different jobs fit in one list. */
export type Job = Omit<JobDefinition<unknown>, 'payload'>

export function defineJob<Payload>(definition: JobDefinition<Payload>): Job {
  const { payload: schema, run, gaveUp } = definition
  return {
    ...definition,
    run: (payload, context) => run(schema.parse(payload), context),
    // Async, so that a payload that does not parse is a rejection here as well, and not an exception.
    ...(gaveUp && { gaveUp: async (payload: unknown) => gaveUp(schema.parse(payload)) }),
  }
}

export type EnqueueOptions = { dedupeKey?: string; delayMs?: number }

export function enqueue(
  db: Kysely<Tables>,
  job: Pick<Job, 'kind' | 'maxAttempts'>,
  payload: Record<string, unknown>,
  options: EnqueueOptions = {},
): Promise<string | null> {
  return insertJob(db, { kind: job.kind, maxAttempts: job.maxAttempts, payload, ...options })
}

/** Plans the one job of this key: at most one waits, and it runs at the time that was said last. */
export function schedule(
  db: Kysely<Tables>,
  job: Pick<Job, 'kind' | 'maxAttempts'>,
  payload: Record<string, unknown>,
  { dedupeKey, delayMs }: { dedupeKey: string; delayMs: number },
): Promise<void> {
  const { kind, maxAttempts } = job
  return insertOrMoveJob(db, { kind, maxAttempts, payload, dedupeKey, delayMs: Math.max(0, delayMs) })
}

export function unschedule(
  db: Kysely<Tables>,
  { kind }: Pick<Job, 'kind'>,
  dedupeKey: string,
): Promise<void> {
  return deleteWaitingJob(db, { kind, dedupeKey })
}

export type JobRunner = {
  start(): void
  /** Looks for work now instead of at the next poll. */
  wake(): void
  /** Takes no new jobs, waits for the running ones up to the limit, then aborts them; another node takes them over. */
  stop(limitMs?: number): Promise<void>
}

export type RunnerOptions = {
  db: Kysely<Tables>
  log: Log
  jobs: Job[]
  concurrency?: number
  pollMs?: number
}

/** Failed jobs wait for the operator, but not for ever: a stranger's notifications to nowhere fail too. */
const KEEP_DAYS = { done: 7, failed: 90 }

const durations = histogram(
  'souk_job_duration_seconds',
  'Job runs on this node, by how they ended: done, retried (will run again), failed, postponed or lost.',
  ['kind', 'outcome'],
  [0.005, 0.025, 0.1, 0.5, 1, 5, 15, 60, 300, 1_800],
)
type Outcome = 'done' | 'retried' | 'failed' | 'postponed' | 'lost'

export function createJobRunner({
  db,
  log,
  jobs,
  concurrency = 8,
  pollMs = 1_000,
}: RunnerOptions): JobRunner {
  const byKind = new Map(jobs.map((job) => [job.kind, job]))
  const running = new Map<string, { job: Job; done: Promise<void>; abort: AbortController }>()
  let stopped = true
  let looking: Promise<void> | null = null
  let lookAgain = false
  let timer: NodeJS.Timeout | undefined
  let lastSweep = Number.NEGATIVE_INFINITY
  const nextPeriod = new Map<string, number>()

  function look(): void {
    if (stopped) return
    if (looking) {
      lookAgain = true
      return
    }
    clearTimeout(timer)
    looking = takeWork().then(() => {
      looking = null
      if (stopped) return
      timer = setTimeout(look, lookAgain ? 0 : pollMs)
      lookAgain = false
    })
    inBackground(log, 'looking for jobs', looking)
  }

  async function takeWork(): Promise<void> {
    try {
      await enqueuePeriodic()
      const withPlaces = jobs.filter((job) => freePlaces(job) > 0)
      const due = new Set(
        await findDueKinds(
          db,
          withPlaces.map(({ kind }) => kind),
        ),
      )
      for (const job of withPlaces) if (due.has(job.kind)) await claim(job)
    } catch (error) {
      log.warn({ err: error }, 'could not look for jobs')
    }
  }

  async function claim(job: Job): Promise<void> {
    const free = freePlaces(job)
    if (free <= 0 || stopped) return
    const leaseId = randomUUID()
    const claimed = await claimJobs(db, { kinds: [job.kind], leaseId, leaseMs: job.leaseMs, limit: free })
    // Told to stop while the answer was on its way: as if they had not been taken.
    if (stopped) for (const row of claimed) await postpone(row.id, leaseId, new NodeStops())
    else for (const row of claimed) start(job, row, leaseId)
    if (claimed.length > 0) lookAgain = true
  }

  function freePlaces(job: Job): number {
    const others = [...running.values()].filter((entry) =>
      job.places ? entry.job === job : !entry.job.places,
    )
    return (job.places ?? concurrency) - others.length
  }

  function start(job: Job, row: ClaimedJob, leaseId: string): void {
    const abort = new AbortController()
    const done = runLeased(job, row, leaseId, abort).finally(() => {
      running.delete(row.id)
      look()
    })
    inBackground(log, 'running a job', done)
    running.set(row.id, { job, done, abort })
  }

  async function runLeased(
    job: Job,
    row: ClaimedJob,
    leaseId: string,
    abort: AbortController,
  ): Promise<void> {
    const started = performance.now()
    const ids = { job: row.kind, jobId: row.id, attempt: row.attempts }
    const attributes = { 'souk.job.kind': row.kind, 'souk.job.id': row.id, 'souk.job.attempt': row.attempts }
    const span = rootSpan(`job ${row.kind}`, { kind: 'consumer', attributes })
    const outcome = await inScope({ ids, span }, () => attempt(job, row, leaseId, abort))
    durations.observe((performance.now() - started) / 1_000, row.kind, outcome)
    if (outcome === 'failed' || outcome === 'retried') span?.fail(outcome)
    span?.end()
  }

  async function attempt(
    job: Job,
    row: ClaimedJob,
    leaseId: string,
    abort: AbortController,
  ): Promise<Outcome> {
    const renew = async () => {
      const held = await extendLease(db, row.id, leaseId, job.leaseMs).catch(() => true)
      if (!held) abort.abort(new Error('lease lost'))
    }
    const renewal = setInterval(() => inBackground(log, 'renewing a lease', renew()), job.leaseMs / 3)
    try {
      // A job whose node died during its last attempt is claimed once too often.
      if (row.attempts > row.maxAttempts) throw new Error('every attempt was cut off')
      await job.run(row.payload, { signal: abort.signal, attempt: row.attempts, jobId: row.id, log })
      if (await finishJob(db, row.id, leaseId)) return 'done'
      log.warn('finished after the lease was lost')
      return 'lost'
    } catch (error) {
      if (error instanceof JobPostponed) return await postpone(row.id, leaseId, error)
      // Handlers fail in their own words when they are stopped.
      const { reason } = abort.signal
      if (reason instanceof NodeStops) return await postpone(row.id, leaseId, reason)
      const last = row.attempts >= row.maxAttempts
      log[last ? 'error' : 'warn']({ err: error }, last ? 'job failed for good' : 'job failed, will retry')
      if (last)
        await job
          .gaveUp?.(row.payload)
          .catch((failure) => log.error({ err: failure }, 'could not record that the job failed'))
      await releaseJob(db, {
        id: row.id,
        leaseId,
        error: error instanceof Error ? error.message.slice(0, 1_000) : String(error),
        delayMs: last ? null : backOffMs(row.attempts),
      }).catch((failure) => log.warn({ err: failure }, 'could not release the job; its lease will run out'))
      return last ? 'failed' : 'retried'
    } finally {
      clearInterval(renewal)
    }
  }

  async function postpone(id: string, leaseId: string, { message, delayMs }: JobPostponed): Promise<Outcome> {
    log.debug({ reason: message }, 'job postponed')
    await postponeJob(db, { id, leaseId, delayMs }).catch((failure) =>
      log.warn({ err: failure }, 'could not postpone the job; its lease will run out'),
    )
    return 'postponed'
  }

  async function enqueuePeriodic(): Promise<void> {
    // Not by the time of day: a clock that was ahead and is set right would put the next period off for as long.
    const now = performance.now()
    if (now - lastSweep > 3_600_000) {
      lastSweep = now
      await deleteFinishedJobs(db, KEEP_DAYS)
    }
    for (const job of jobs) {
      if (!job.everyMs || now < (nextPeriod.get(job.kind) ?? 0)) continue
      nextPeriod.set(job.kind, now + job.everyMs)
      await insertPeriodicJob(db, { kind: job.kind, maxAttempts: job.maxAttempts, payload: {} }, job.everyMs)
    }
  }

  return {
    start() {
      if (!stopped || byKind.size === 0) return
      stopped = false
      look()
    },
    wake: look,
    async stop(limitMs = 10_000) {
      stopped = true
      clearTimeout(timer)
      const all = Promise.allSettled([looking, ...[...running.values()].map((entry) => entry.done)])
      const limit = new Promise((resolve) => setTimeout(resolve, limitMs).unref())
      await Promise.race([all, limit])
      for (const entry of running.values()) entry.abort.abort(new NodeStops())
      await Promise.race([all, new Promise((resolve) => setTimeout(resolve, 1_000).unref())])
    },
  }
}

/** 1 s, 2 s, 4 s … up to 5 minutes, spread so that jobs that failed together do not return together. */
export function backOffMs(attempt: number): number {
  const base = Math.min(1_000 * 2 ** (attempt - 1), 300_000)
  return base / 2 + Math.random() * (base / 2)
}
