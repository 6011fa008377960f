import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { manualClock } from './clock.ts'
import { createRateLimit, rateLimited, rateWords, waitWords } from './rate-limit.ts'

const MINUTE = 60_000

describe('a limit of so many a window', () => {
  test('gives that many at once, says what is left, and refills one by one', () => {
    const clock = manualClock()
    const limit = createRateLimit({ rate: { count: 3, windowMs: MINUTE }, clock })
    const full = { allowed: true, retryAfterSeconds: 0 }
    expect(limit.take('a')).toEqual({ ...full, remaining: 2, resetSeconds: 20 })
    expect(limit.take('a')).toEqual({ ...full, remaining: 1, resetSeconds: 40 })
    expect(limit.take('a')).toEqual({ allowed: true, remaining: 0, resetSeconds: 60, retryAfterSeconds: 20 })
    expect(limit.take('a')).toEqual({ allowed: false, remaining: 0, resetSeconds: 60, retryAfterSeconds: 20 })
    clock.advance(19_999)
    expect(limit.take('a')).toMatchObject({ allowed: false, retryAfterSeconds: 1 })
    clock.advance(1)
    expect(limit.take('a')).toMatchObject({ allowed: true, remaining: 0 })
    expect(limit.take('a').allowed).toBe(false)
    clock.advance(10 * MINUTE)
    expect(limit.take('a')).toEqual({ ...full, remaining: 2, resetSeconds: 20 })
  })

  test('anyone who waits as long as told is let in, and not a second sooner is promised', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 700 }),
        fc.constantFrom(1_000, MINUTE, 3_600_000, 86_400_000),
        fc.array(fc.integer({ min: 0, max: 5_000 }), { maxLength: 200 }),
        (count, windowMs, pauses) => {
          const clock = manualClock()
          const limit = createRateLimit({ rate: { count, windowMs }, clock })
          for (const pause of pauses) {
            clock.advance(pause)
            limit.take('a')
          }
          let last = limit.take('a')
          for (let n = 0; n < count && last.allowed; n++) last = limit.take('a')
          if (last.allowed) return
          clock.advance(last.retryAfterSeconds * 1_000)
          expect(limit.take('a').allowed).toBe(true)
        },
      ),
      { numRuns: 200 },
    )
  })

  test('over any stretch of time no more get through than the bucket and its refill hold, and no fewer', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 97 }), fc.integer({ min: 1, max: 40 }), (count, stepMs) => {
        const clock = manualClock()
        const windowMs = 1_000
        const limit = createRateLimit({ rate: { count, windowMs }, clock })
        let through = 0
        const steps = 500
        for (let n = 0; n < steps; n++) {
          // Faster than it refills, so that nothing is left unused.
          for (let m = 0; m < 5; m++) if (limit.take('a').allowed) through++
          clock.advance(stepMs)
        }
        const most = count + Math.floor(((steps - 1) * stepMs * count) / windowMs)
        const offered = steps * 5
        // Where the bucket runs over between two steps, some of its refill is lost, as it should be.
        const runsOver = stepMs * count > Math.min(5, count - 1) * windowMs
        if (!runsOver) expect(through).toBe(Math.min(most, offered))
        else expect(through).toBeLessThanOrEqual(Math.min(most, offered))
      }),
      { numRuns: 100 },
    )
  })

  test('one caller does not use up another’s', () => {
    const limit = createRateLimit({ rate: { count: 1, windowMs: MINUTE }, clock: manualClock() })
    expect([limit.take('a'), limit.take('b'), limit.take('a')].map(({ allowed }) => allowed)).toEqual([
      true,
      true,
      false,
    ])
  })

  test('remembers a bounded number of callers and forgets the one asked for longest ago', () => {
    const limit = createRateLimit({ rate: { count: 1, windowMs: MINUTE }, clock: manualClock(), maxKeys: 2 })
    limit.take('a')
    limit.take('b')
    limit.take('a')
    limit.take('c')
    expect(limit.take('a').allowed).toBe(false)
    expect(limit.take('b').allowed).toBe(true)
  })

  test('a clock that is set back or far ahead locks nobody out for longer than a window', () => {
    const clock = manualClock('2026-06-01T00:00:00Z')
    const limit = createRateLimit({ rate: { count: 2, windowMs: MINUTE }, clock })
    clock.set('2030-01-01T00:00:00Z')
    for (let n = 0; n < 3; n++) limit.take('a')
    clock.set('2026-06-01T00:00:00Z')
    expect(limit.take('a')).toMatchObject({ allowed: false, retryAfterSeconds: 30 })
    clock.advance(30_000)
    expect(limit.take('a').allowed).toBe(true)
  })
})

test('a refusal says what, how many and when again', () => {
  const rate = { count: 600, windowMs: MINUTE }
  const taken = { allowed: false, remaining: 0, resetSeconds: 60, retryAfterSeconds: 1 }
  const said = `${rateWords(rate, 'search', 'searches')} were made from this network`
  const error = rateLimited({ limit: 'search', said, rate, taken })
  expect(error).toMatchObject({
    kind: 'rate_limited',
    code: 'rate_limited',
    message: '600 searches a minute were made from this network; try again in 1 second',
    max: 600,
    retryAfterSeconds: 1,
  })
  expect(rateWords({ count: 1, windowMs: 3_600_000 }, 'file', 'files')).toBe('1 file an hour')
  expect([2, 89, 90, 3_600, 86_400].map(waitWords)).toEqual([
    '2 seconds',
    '89 seconds',
    '2 minutes',
    '60 minutes',
    '24 hours',
  ])
})
