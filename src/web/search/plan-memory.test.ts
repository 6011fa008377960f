/** Plans that are shown again: to the same person for the same words, for ten minutes, and no more than there is room for. */
import { expect, test } from 'vitest'
import type { BundleResponse } from '../../bundles/bundles.schema.ts'
import { manualClock } from '../../lib/clock.ts'
import { createPlanMemory, REMEMBERED_MS } from './plan-memory.ts'

const plan = (id: string): BundleResponse => ({
  type: 'bundle',
  plan_id: null,
  query_id: id,
  overview: '',
  budget: null,
  total: 0,
  categories: [],
})

function world(most?: number) {
  const clock = manualClock('2026-11-01T12:00:00Z')
  const memory = createPlanMemory(clock, most)
  let made = 0
  const ask = (userId: string, query: string) =>
    memory.findOrMake({ userId, query }, async () => plan(String(++made)))
  return { clock, memory, ask, made: () => made }
}

test('the same words of the same person are planned once, however many ask at a time', async () => {
  const { ask, made } = world()
  const [first, second] = await Promise.all([ask('ada', 'desk and chair'), ask('ada', 'desk and chair')])
  expect(second).toBe(first)
  expect(await ask('ada', 'Desk and Chair')).toBe(first)
  expect(made()).toBe(1)
})

test('another person, or other words, never see it', async () => {
  const { ask, made } = world()
  await ask('ada', 'desk')
  await ask('bob', 'desk')
  await ask('ada', 'chair')
  expect(made()).toBe(3)
})

test('it is forgotten after ten minutes', async () => {
  const { ask, clock, made, memory } = world()
  await ask('ada', 'desk')
  clock.advance(REMEMBERED_MS - 1)
  await ask('ada', 'desk')
  expect(made()).toBe(1)
  clock.advance(1)
  expect(memory.find({ userId: 'ada', query: 'desk' })).toBeNull()
  await ask('ada', 'desk')
  expect(made()).toBe(2)
})

test('a failure, or words that turn out to ask for no set, are not remembered', async () => {
  const { memory } = world()
  const asked = { userId: 'ada', query: 'desk' }
  await expect(memory.findOrMake(asked, () => Promise.reject(new Error('planted')))).rejects.toThrow(
    'planted',
  )
  expect(memory.find(asked)).toBeNull()
  expect(await memory.findOrMake(asked, async () => null)).toBeNull()
  expect(memory.find(asked)).toBeNull()
  expect(await memory.findOrMake(asked, async () => plan('1'))).toMatchObject({ query_id: '1' })
})

test('the oldest make room', async () => {
  const { ask, memory } = world(2)
  for (const query of ['a', 'b', 'c']) await ask('ada', query)
  const known = ['a', 'b', 'c'].map((query) => memory.find({ userId: 'ada', query }) !== null)
  expect(known).toEqual([false, true, true])
})
