import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { captureLog, createTestDatabase, type TestDatabase } from '../../test/harness.ts'
import { findJob, insertPeriodicJob } from './jobs.queries.ts'
import {
  backOffMs,
  createJobRunner,
  defineJob,
  enqueue,
  type Job,
  type JobContext,
  JobPostponed,
  type JobRunner,
} from './runner.ts'

let database: TestDatabase
const runners: JobRunner[] = []

beforeAll(async () => {
  database = await createTestDatabase()
})
beforeEach(() => database.pool.query('delete from jobs'))
afterEach(async () => {
  await Promise.all(runners.splice(0).map((runner) => runner.stop(200)))
})

function startRunner(...jobs: Job[]): JobRunner {
  const runner = createJobRunner({ db: database.db, log: captureLog().log, jobs, pollMs: 20 })
  runners.push(runner)
  runner.start()
  return runner
}

function job(
  run: (payload: { n: number }, context: JobContext) => Promise<void>,
  options: Partial<Job> = {},
): Job {
  return {
    ...defineJob({
      kind: 'count',
      payload: z.object({ n: z.number().default(0) }),
      maxAttempts: 3,
      leaseMs: 2_000,
      run,
    }),
    ...options,
  }
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 10_000
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error('waited in vain')
    await sleep(10)
  }
}

const stateOf = async (id: string | null) => (await findJob(database.db, id ?? ''))?.state

describe('jobs', () => {
  test('jobs with places of their own neither fill the common ones nor wait for them', async () => {
    let waiting = 0
    let counted = 0
    const forever = (_: unknown, { signal }: JobContext) =>
      new Promise<void>((_resolve, reject) => {
        waiting++
        signal.addEventListener('abort', () => reject(signal.reason))
      })
    const slow = job(forever, { kind: 'slow', places: 20 })
    const common = job(forever, { kind: 'common' })
    const quick = job(async () => void counted++, { kind: 'quick', places: 1 })
    for (let n = 0; n < 25; n++) await enqueue(database.db, slow, {})
    for (let n = 0; n < 10; n++) await enqueue(database.db, common, {})
    for (let n = 0; n < 3; n++) await enqueue(database.db, quick, {})
    startRunner(slow, common, quick)
    await until(() => counted === 3 && waiting === 28)
  })

  test('a job that is given up says so once, after its last attempt', async () => {
    const told: unknown[] = []
    const failing = job(() => Promise.reject(new Error('no')), {
      maxAttempts: 1,
      gaveUp: async (payload) => void told.push(payload),
    })
    const id = await enqueue(database.db, failing, { n: 7 })
    startRunner(failing)
    await until(async () => (await stateOf(id)) === 'failed')
    expect(told).toEqual([{ n: 7 }])
  })

  test('a job that is postponed comes back after its delay, and has used up no attempt', async () => {
    const attempts: number[] = []
    const waits = job(
      async (_, { attempt }) => {
        attempts.push(attempt)
        if (attempts.length < 4) throw new JobPostponed('not now', 30)
      },
      { maxAttempts: 1 },
    )
    const began = performance.now()
    const id = await enqueue(database.db, waits, {})
    startRunner(waits)
    await until(async () => (await stateOf(id)) === 'done')
    expect(attempts).toEqual([1, 1, 1, 1])
    expect(performance.now() - began).toBeGreaterThan(90)
    expect(await findJob(database.db, id ?? '')).toMatchObject({ attempts: 1, last_error: null })
  })

  test('200 jobs on three runners run exactly once each', async () => {
    const seen: number[] = []
    const count = job(async ({ n }) => {
      seen.push(n)
    })
    for (let n = 0; n < 200; n++) await enqueue(database.db, count, { n })
    for (let i = 0; i < 3; i++) startRunner(count)
    await until(
      async () => (await database.pool.query(`select 1 from jobs where state <> 'done'`)).rowCount === 0,
    )
    expect(seen.sort((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, n) => n))
  })

  test('a job is written by the transaction that needs it, or not at all', async () => {
    const count = job(async () => {})
    await database.db
      .transaction()
      .execute(async (tx) => {
        await enqueue(tx, count, { n: 1 })
        throw new Error('rolled back')
      })
      .catch(() => {})
    expect((await database.pool.query('select 1 from jobs')).rowCount).toBe(0)
  })

  test('the same work asked for twice is one job while it waits, and may be asked for again afterwards', async () => {
    const count = job(async () => {})
    const first = await enqueue(database.db, count, { n: 1 }, { dedupeKey: 'a' })
    expect(first).not.toBeNull()
    expect(await enqueue(database.db, count, { n: 1 }, { dedupeKey: 'a' })).toBeNull()
    startRunner(count)
    await until(async () => (await stateOf(first)) === 'done')
    expect(await enqueue(database.db, count, { n: 1 }, { dedupeKey: 'a' })).not.toBeNull()
  })

  test('asked for again while it runs, it runs once more afterwards, and never twice at once', async () => {
    let atOnce = 0
    let most = 0
    let runs = 0
    const slow = job(async () => {
      most = Math.max(most, ++atOnce)
      await sleep(150)
      atOnce--
      runs++
    })
    await enqueue(database.db, slow, { n: 1 }, { dedupeKey: 'a' })
    for (let i = 0; i < 3; i++) startRunner(slow)
    await until(() => atOnce === 1)
    for (let i = 0; i < 5; i++) await enqueue(database.db, slow, { n: 1 }, { dedupeKey: 'a' })
    await until(() => runs === 2)
    await sleep(100)
    expect([runs, most]).toEqual([2, 1])
  })

  test('a failed run gives way to the same work that is already waiting', async () => {
    let runs = 0
    const failing = job(async () => {
      if (++runs === 1) {
        await enqueue(database.db, failing, { n: 1 }, { dedupeKey: 'a' })
        throw new Error('no luck')
      }
    })
    await enqueue(database.db, failing, { n: 1 }, { dedupeKey: 'a' })
    startRunner(failing)
    await until(
      async () => (await database.pool.query(`select 1 from jobs where state <> 'done'`)).rowCount === 0,
    )
    expect(runs).toBe(2)
  })

  test('a failing job is tried again later and fails for good after its attempts, with the reason kept', async () => {
    let attempts = 0
    const failing = job(async () => {
      attempts++
      throw new Error(`no luck ${attempts}`)
    })
    const id = await enqueue(database.db, failing, { n: 1 })
    startRunner(failing)
    await until(async () => {
      await database.pool.query(`update jobs set run_at = now() where state = 'waiting'`)
      return (await stateOf(id)) === 'failed'
    })
    expect(attempts).toBe(3)
    expect((await findJob(database.db, id ?? ''))?.last_error).toBe('no luck 3')
  })

  test('a payload that does not fit its schema fails without running', async () => {
    let ran = false
    const count = job(
      async () => {
        ran = true
      },
      { maxAttempts: 1 },
    )
    const id = await enqueue(database.db, count, { n: 'many' })
    startRunner(count)
    await until(async () => (await stateOf(id)) === 'failed')
    expect(ran).toBe(false)
  })

  test("a dead node's job is taken over when its lease runs out, and a long job of a living node is not", async () => {
    const id = await enqueue(
      database.db,
      job(async () => {}),
      { n: 7 },
    )
    await database.pool.query(
      `update jobs set state = 'running', attempts = 1, lease_id = gen_random_uuid(), lease_until = now() - interval '1 second'`,
    )
    const seen: number[] = []
    const slow = job(
      async ({ n }) => {
        seen.push(n)
        await sleep(2_000)
      },
      // Long enough for a machine that is busy with something else for a while.
      { leaseMs: 1_500 },
    )
    startRunner(slow)
    startRunner(slow)
    await until(async () => (await stateOf(id)) === 'done')
    expect(seen).toEqual([7])
  })

  test('a job that loses its lease is told to stop', async () => {
    let aborted = false
    const slow = job(
      (_, { signal }) =>
        new Promise((_, reject) =>
          signal.addEventListener('abort', () => {
            aborted = true
            reject(signal.reason)
          }),
        ),
      { leaseMs: 150 },
    )
    await enqueue(database.db, slow, { n: 1 })
    startRunner(slow)
    await until(
      async () => (await database.pool.query(`select 1 from jobs where state = 'running'`)).rowCount === 1,
    )
    await database.pool.query('update jobs set lease_id = gen_random_uuid()')
    await until(() => aborted)
  })

  test('stopping waits for the running job', async () => {
    let finished = false
    const slow = job(async () => {
      await sleep(300)
      finished = true
    })
    const id = await enqueue(database.db, slow, { n: 1 })
    const runner = startRunner(slow)
    await until(async () => (await stateOf(id)) === 'running')
    await runner.stop(5_000)
    expect(finished).toBe(true)
    expect(await stateOf(id)).toBe('done')
  })

  test('periodic work runs once a period over all nodes', async () => {
    let runs = 0
    const sweep = job(
      async () => {
        runs++
      },
      { everyMs: 24 * 60 * 60 * 1000 },
    )
    for (let i = 0; i < 3; i++) startRunner(sweep)
    await until(() => runs > 0)
    await sleep(200)
    expect(runs).toBe(1)
  })

  test('a node that looked before another one wrote makes no second job after the first was taken', async () => {
    const periodic = { kind: 'sweep', maxAttempts: 1, payload: {} }
    const held = await database.pool.connect()
    await held.query('begin')
    await held.query(`select pg_advisory_xact_lock(hashtextextended('periodic job sweep', 0))`)
    const late = insertPeriodicJob(database.db, periodic, 3_600_000)
    await sleep(50)
    await held.query(
      `insert into jobs (id, kind, payload, dedupe_key, max_attempts, state)
       values (gen_random_uuid(), 'sweep', '{}', 'periodic', 1, 'running')`,
    )
    await held.query('commit')
    held.release()
    await late
    const { rows } = await database.pool.query(`select state from jobs where kind = 'sweep'`)
    expect(rows).toEqual([{ state: 'running' }])
  })

  test('the delay between attempts grows and is bounded', () => {
    expect(backOffMs(1)).toBeLessThanOrEqual(1_000)
    expect(backOffMs(5)).toBeGreaterThanOrEqual(8_000)
    expect(backOffMs(50)).toBeLessThanOrEqual(300_000)
  })
})
