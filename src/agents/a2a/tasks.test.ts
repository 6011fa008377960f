import { TaskState } from '@a2a-js/sdk'
import { expect, test } from 'vitest'
import type { RfqTask } from '../../rfq/rfq.service.ts'
import { readToken, writeToken } from './list.ts'
import { hasEnded, toA2aTask } from './tasks.ts'

const TASK: RfqTask = {
  rfqId: '0193a1b2-0000-7000-8000-00000000000a',
  sessionId: '5f0c0d9e-7c1b-4b52-9a53-2d1f5f0e6a01',
  contextId: '0193a1b2-0000-7000-8000-00000000000b',
  state: 'submitted',
  productSlug: 'desk-lamps/lume-one',
  productTitle: 'Gooseneck',
  quantity: 3,
  deliveryRegion: null,
  deadlineIso: null,
  variant: null,
  createdAt: new Date('2026-11-01T12:00:00Z'),
  finishedAt: null,
  failure: null,
  outcome: null,
  chosenQuoteId: null,
  chosenAt: null,
  progress: null,
  quotes: [],
}
const ENDED = { finishedAt: new Date('2026-11-01T12:00:05Z') }

test('a task that runs has neither artifact nor message', () => {
  const task = toA2aTask(TASK)
  expect(task).toMatchObject({
    id: TASK.rfqId,
    artifacts: [],
    status: { state: TaskState.TASK_STATE_SUBMITTED },
  })
  expect(task.status).toMatchObject({ message: undefined, timestamp: '2026-11-01T12:00:00.000Z' })
  expect(hasEnded(task)).toBe(false)
})

test('a task that failed says why, in the same words under the same id each time', () => {
  const failed = { ...TASK, ...ENDED, state: 'failed' as const, failure: 'the machine was too busy' }
  const task = toA2aTask(failed)
  expect(task.status?.message?.parts[0]?.content?.value).toBe('the machine was too busy')
  expect(toA2aTask(failed)).toEqual(task)
  expect(hasEnded(task)).toBe(true)
})

test('a completed task has one artifact, even when nobody has quoted', () => {
  const task = toA2aTask({ ...TASK, ...ENDED, state: 'completed' })
  expect(task.artifacts).toHaveLength(1)
  expect(task.artifacts[0]?.parts[1]?.content?.value).toMatchObject({
    rfq_id: TASK.sessionId,
    product_slug: TASK.productSlug,
    quantity: 3,
    quotes: [],
    total_quotes: 0,
    chosen: null,
  })
  expect(task.status?.timestamp).toBe('2026-11-01T12:00:05.000Z')
})

test('a page token leads back to its place, and nothing else is taken for one', () => {
  const place = { changedAt: new Date('2026-11-01T12:00:05.123Z'), id: TASK.rfqId }
  expect(readToken(writeToken(place))).toEqual(place)
  for (const token of ['', 'x', Buffer.from('now here').toString('base64url'), `${writeToken(place)}AAAA`])
    expect(readToken(token)).toBeNull()
})
