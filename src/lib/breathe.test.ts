/** Steps end by time, on a clock that the test moves. */
import { expect, test } from 'vitest'
import { createBreather } from './breathe.ts'

test('others have a turn when a step has taken its time, and not before', async () => {
  let now = 0
  const breathe = createBreather(() => now)
  let turns = 0
  let goesOn = true
  const other = () => {
    turns++
    if (goesOn) setImmediate(other)
  }
  setImmediate(other)
  const turnsFor = async (ms: number) => {
    const before = turns
    now += ms
    await breathe()
    return turns - before
  }
  expect(await turnsFor(4)).toBe(0)
  expect(await turnsFor(1)).toBeGreaterThan(0)
  expect(await turnsFor(4)).toBe(0)
  expect(await turnsFor(20)).toBeGreaterThan(0)
  goesOn = false
})
