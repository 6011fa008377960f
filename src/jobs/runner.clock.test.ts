import { afterEach, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { captureLog, createTestDatabase } from '../../test/harness.ts'
import { createJobRunner, defineJob } from './runner.ts'

afterEach(() => void vi.useRealTimers())

test('periodic work goes on when a clock that was a year ahead is set right', async () => {
  const { db } = await createTestDatabase()
  const run = vi.fn(async () => {})
  const job = defineJob({
    kind: 'sweep',
    payload: z.object({}),
    maxAttempts: 1,
    leaseMs: 60_000,
    everyMs: 50,
    run,
  })
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 365 * 86_400_000 })
  const runner = createJobRunner({ db, log: captureLog().log, jobs: [job], pollMs: 20 })
  runner.start()
  await vi.waitFor(() => expect(run).toHaveBeenCalled(), { timeout: 20_000 })
  vi.useRealTimers()
  const before = run.mock.calls.length
  await vi.waitFor(() => expect(run.mock.calls.length).toBeGreaterThan(before + 2), { timeout: 20_000 })
  await runner.stop()
})
