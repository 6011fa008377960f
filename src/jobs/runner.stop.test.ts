/** A node that is told to stop hands over what it has: being stopped is no attempt, and nothing is taken on the way out. */
import { beforeEach, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { captureLog, createTestDatabase } from '../../test/harness.ts'
import { findJob } from './jobs.queries.ts'
import { createJobRunner, defineJob, enqueue, type JobDefinition } from './runner.ts'

const { db, pool } = await createTestDatabase()
beforeEach(() => pool.query('delete from jobs'))

function startRunner(about: Partial<JobDefinition<object>> & Pick<JobDefinition<object>, 'run'>) {
  const job = defineJob({ kind: 'work', payload: z.object({}), maxAttempts: 1, leaseMs: 60_000, ...about })
  const runner = createJobRunner({ db, log: captureLog().log, jobs: [job], pollMs: 20 })
  runner.start()
  return { job, runner }
}

const until = (check: () => Promise<void> | void) => vi.waitFor(check, { timeout: 20_000, interval: 20 })

test('a job that is cut off in its last attempt is not given up: another node has it at once, with that attempt', async () => {
  const gaveUp = vi.fn(async () => {})
  const begun = vi.fn()
  const { job, runner } = startRunner({
    gaveUp,
    run: (_payload, { signal }) => {
      begun()
      // As most do, it says in its own words that it was cut off.
      return new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(new Error('the request was cut off'))),
      )
    },
  })
  const id = (await enqueue(db, job, {})) ?? ''
  await until(() => expect(begun).toHaveBeenCalled())
  await runner.stop(50)
  expect(await findJob(db, id)).toMatchObject({ state: 'waiting', attempts: 0, lease_id: null })
  const attempts: number[] = []
  const other = startRunner({ gaveUp, run: async (_payload, { attempt }) => void attempts.push(attempt) })
  await until(async () => expect(await findJob(db, id)).toMatchObject({ state: 'done' }))
  await other.runner.stop()
  expect([attempts, gaveUp.mock.calls]).toEqual([[1], []])
})

test('a job that comes while the node stops is handed back before the stop ends, and has not begun', async () => {
  const run = vi.fn(async () => {})
  const { job, runner } = startRunner({ run })
  // It has looked once, so that the next it does is to take what is there.
  const first = (await enqueue(db, job, {})) ?? ''
  await until(async () => expect(await findJob(db, first)).toMatchObject({ state: 'done' }))
  // Its time comes when nobody can take it any more: the runner sees it, and waits to write.
  await enqueue(db, job, {}, { delayMs: 1_000 })
  const held = await pool.connect()
  await held.query('begin; lock table jobs in share mode')
  await until(async () => {
    const waits = await held.query(
      `select from pg_locks where relation = 'jobs'::regclass and not granted and database = (select oid from pg_database where datname = current_database())`,
    )
    expect(waits.rowCount).toBe(1)
  })
  const stopped = runner.stop()
  await held.query('commit')
  held.release()
  await stopped
  const { rows } = await pool.query(`select state, attempts, lease_id from jobs where id <> $1`, [first])
  expect(rows).toEqual([{ state: 'waiting', attempts: 0, lease_id: null }])
  expect(run).toHaveBeenCalledTimes(1)
})
