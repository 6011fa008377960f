/** The memory for answers: a size, and a state of the catalog each is good for. */
import { describe, expect, test } from 'vitest'
import { createAnswerCache } from './answer-cache.ts'

describe('remembered answers', () => {
  test('are good only for the state of the catalog they were made from', () => {
    const cache = createAnswerCache<string>(10)
    cache.set('tent', 1, 'old')
    expect(cache.get('tent', 1)).toBe('old')
    expect(cache.get('tent', 2)).toBeNull()
    expect(cache.get('tent', 1), 'an old one is not kept for a state that cannot come back').toBeNull()
  })

  test('are at most as many as allowed, and those asked for last stay', () => {
    const cache = createAnswerCache<number>(3)
    for (const n of [1, 2, 3]) cache.set(`q${n}`, 1, n)
    expect(cache.get('q1', 1)).toBe(1)
    cache.set('q4', 1, 4)
    expect(['q1', 'q2', 'q3', 'q4'].map((key) => cache.get(key, 1))).toEqual([1, null, 3, 4])
  })

  test('of one key are replaced by the newest', () => {
    const cache = createAnswerCache<string>(2)
    cache.set('tent', 1, 'first')
    cache.set('tent', 2, 'second')
    expect(cache.get('tent', 2)).toBe('second')
  })
})
