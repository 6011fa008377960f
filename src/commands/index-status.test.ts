import { describe, expect, test } from 'vitest'
import { statusAsJson, statusAsText } from './index-status.ts'

const RUNNING = {
  model: 'm',
  products: 100_000,
  wholePending: 54_800,
  sentencesPending: 100_000,
  stage: 'whole',
  perSecond: 63.21,
  secondsLeft: 866.9,
} as const

describe('souk index status', () => {
  test('says what is done, what is being made, how fast and for how long', () => {
    expect(statusAsText(RUNNING).split('\n')).toEqual([
      'Products           100,000',
      'Whole vectors       45,200  45 %',
      'Sentences                0  0 %',
      'Making whole vectors: 63 products a second, about 15 min left. Until then, search finds these products by words only.',
      '',
    ])
  })

  test('says so when all is done, when nothing moves, and of an empty catalog', () => {
    const done = {
      ...RUNNING,
      wholePending: 0,
      sentencesPending: 0,
      stage: null,
      perSecond: null,
      secondsLeft: null,
    }
    expect(statusAsText(done)).toContain('All done.')
    expect(statusAsText({ ...done, products: 0 })).toContain('Sentences                0  100 %')
    expect(statusAsText({ ...RUNNING, perSecond: null, secondsLeft: null })).toContain(
      'A running server works',
    )
  })

  test('--json has the same figures', () => {
    expect(statusAsJson(RUNNING)).toEqual({
      model: 'm',
      products: 100_000,
      whole: { done: 45_200, pending: 54_800 },
      sentences: { done: 0, pending: 100_000 },
      stage: 'whole',
      per_second: 63.2,
      seconds_left: 867,
    })
  })
})
