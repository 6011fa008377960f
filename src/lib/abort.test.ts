/** One signal for several reasons to stop, which leaves nothing behind. */
import { getEventListeners } from 'node:events'
import { expect, test, vi } from 'vitest'
import { joinAbort } from './abort.ts'

test('it is aborted when any of the others is, at once when one already was', () => {
  const [one, two] = [new AbortController(), new AbortController()]
  const joined = joinAbort([one.signal, undefined, two.signal])
  expect(joined.signal.aborted).toBe(false)
  two.abort()
  expect(joined.signal.aborted).toBe(true)
  expect(joinAbort([two.signal]).signal.aborted).toBe(true)
})

test('it is aborted when its time is up', () => {
  vi.useFakeTimers()
  const joined = joinAbort([], 1_000)
  vi.advanceTimersByTime(999)
  expect(joined.signal.aborted).toBe(false)
  vi.advanceTimersByTime(1)
  expect(joined.signal.aborted).toBe(true)
  vi.useRealTimers()
})

test('once it is let go of, nothing listens or waits any more', () => {
  vi.useFakeTimers()
  const node = new AbortController()
  const joined = joinAbort([node.signal], 1_000)
  joined.letGo()
  expect([getEventListeners(node.signal, 'abort').length, vi.getTimerCount()]).toEqual([0, 0])
  node.abort()
  expect(joined.signal.aborted).toBe(false)
  vi.useRealTimers()
})
