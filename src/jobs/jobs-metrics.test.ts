import { afterAll, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { captureLog, createTestDatabase } from '../../test/harness.ts'
import { familiesOf, readPrometheusText, sampleValue } from '../../test/prometheus-text.ts'
import { tellMetrics } from '../lib/metrics.registry.ts'
import { observeJobs } from './jobs-metrics.ts'
import { createJobRunner, defineJob, enqueue, JobPostponed } from './runner.ts'

const SOON = { timeout: 15_000, interval: 20 }
const { db } = await createTestDatabase()
const { log, lines } = captureLog()

/** Stands for a service: it has the log of the node and was told nothing of the job. */
const service = async (said: string) => {
  await new Promise((resolve) => setTimeout(resolve, 5))
  log.info({ said }, 'inside')
}

const job = defineJob({
  kind: 'test.job',
  payload: z.object({ end: z.enum(['done', 'fail', 'later']) }),
  maxAttempts: 1,
  leaseMs: 5_000,
  async run({ end }) {
    await service(end)
    if (end === 'fail') throw new Error('broken')
    if (end === 'later') throw new JobPostponed('not yet', 600_000)
  },
})
const runner = createJobRunner({ db, log, jobs: [job], pollMs: 20 })
afterAll(() => runner.stop(500))

const told = async () => readPrometheusText(familiesOf((await tellMetrics()).text, 'souk_job'))

test('every line that is written while a job runs names it, and two at once are not mixed up', async () => {
  const done = await enqueue(db, job, { end: 'done' })
  const failing = await enqueue(db, job, { end: 'fail' })
  const later = await enqueue(db, job, { end: 'later' })
  runner.start()
  await vi.waitFor(() => {
    const inside = lines().filter(({ msg }) => msg === 'inside')
    expect(inside).toHaveLength(3)
    for (const [said, jobId] of Object.entries({ done, fail: failing, later }))
      expect(inside).toContainEqual(expect.objectContaining({ said, job: 'test.job', jobId, attempt: 1 }))
    expect(lines()).toContainEqual(expect.objectContaining({ msg: 'job failed for good', jobId: failing }))
  }, SOON)
})

test('runs are counted by how they ended, and what is not done by its state', async () => {
  await enqueue(db, job, { end: 'done' }, { delayMs: 600_000 })
  observeJobs(db, [job, { kind: 'test.never' }])
  await vi.waitFor(async () => {
    const families = await told()
    const runs = (outcome: string) =>
      sampleValue(families, 'souk_job_duration_seconds_count', { kind: 'test.job', outcome })
    expect(['done', 'failed', 'postponed'].map(runs)).toEqual([1, 1, 1])
  }, SOON)
  observeJobs(db, [job, { kind: 'test.never' }])
  const families = await told()
  const jobs = (kind: string, state: string) => sampleValue(families, 'souk_jobs', { kind, state })
  expect(['waiting', 'running', 'failed'].map((state) => jobs('test.job', state))).toEqual([2, 0, 1])
  expect(sampleValue(families, 'souk_jobs_lag_seconds', { kind: 'test.job' })).toBe(0)
  expect(families.get('souk_jobs_lag_seconds')?.samples.map(({ labels }) => labels.kind)).toContain(
    'test.never',
  )
})

test('a job that is due and that nobody takes is late', async () => {
  await runner.stop(500)
  await enqueue(db, job, { end: 'done' }, { delayMs: -90_000 })
  observeJobs(db, [])
  expect(sampleValue(await told(), 'souk_jobs_lag_seconds', { kind: 'test.job' })).toBeGreaterThan(89)
})
