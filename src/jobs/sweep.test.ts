/** Sweeps as a runner carries them out: in batches, never by a wrong clock, and always told of in the log. */
import { afterEach, expect, test, vi } from 'vitest'
import { captureLog, createTestDatabase } from '../../test/harness.ts'
import { newId } from '../lib/ids.ts'
import { JobPostponed } from './runner.ts'
import { batchOf, defineSweep } from './sweep.ts'

const { db } = await createTestDatabase()
afterEach(() => void vi.useRealTimers())

function context(signal = new AbortController().signal) {
  const logged = captureLog()
  return { logged, context: { signal, attempt: 1, jobId: newId(), log: logged.log } }
}

test('batches follow each other until one is not full, and one line tells how much they took', async () => {
  let left = 23
  const taken: number[] = []
  const job = defineSweep({
    kind: 'test.sweep',
    every: 'day',
    clockOf: db,
    batchRows: 10,
    run: async ({ inBatches }) => ({
      things: await inBatches(async (rows) => {
        const removed = Math.min(rows, left)
        left -= removed
        taken.push(removed)
        return batchOf(BigInt(removed), rows)
      }),
    }),
  })
  const { logged, context: given } = context()
  await job.run({}, given)
  expect(taken).toEqual([10, 10, 3])
  expect(logged.lines()).toMatchObject([{ msg: 'test.sweep: deleted', things: 23, level: 'info' }])
})

test('a node that is told to stop ends after the batch it is at; the rest is not forgotten', async () => {
  const stop = new AbortController()
  let batches = 0
  const job = defineSweep({
    kind: 'test.sweep',
    every: 'day',
    clockOf: db,
    run: async ({ inBatches }) => ({
      things: await inBatches(async () => {
        if (++batches === 2) stop.abort()
        return { removed: 5, more: true }
      }),
    }),
  })
  const { logged, context: given } = context(stop.signal)
  await expect(job.run({}, given)).rejects.toBeInstanceOf(JobPostponed)
  expect(batches).toBe(2)
  expect(logged.lines()).toMatchObject([{ things: 10 }])
})

test.each([
  ['a day ahead', 86_400_000],
  ['two hours behind', -7_200_000],
])('a node whose clock is %s of the database deletes nothing and leaves it to others', async (_, ms) => {
  const run = vi.fn(async () => ({ things: 1 }))
  const job = defineSweep({ kind: 'test.sweep', every: 'day', clockOf: db, run })
  await job.run({}, context().context)
  expect(run).toHaveBeenCalledTimes(1)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms })
  const { logged, context: given } = context()
  await expect(job.run({}, given)).rejects.toBeInstanceOf(JobPostponed)
  expect(run).toHaveBeenCalledTimes(1)
  expect(logged.text()).toContain('clock differs from the database')
})
