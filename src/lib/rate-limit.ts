/**
 * How often a caller may do something: a bucket of `count` tokens for each key, which fills evenly over the window (GCRA,
 * the leaky bucket that needs one number and one time a key). Kept in the memory of one node, because it stands before
 * work that the node itself does: with every node added there is that much more work to give out. What must hold over all
 * nodes is counted in the database instead (accounts/window-limit.service.ts).
 *
 * A level is kept in tokens times the window, which makes the drain of each millisecond a whole number: nothing is lost to
 * rounding, however often it is asked. Keys come from outside, so their number is bounded and the oldest is forgotten.
 */
import type { Clock } from './clock.ts'
import { AppError } from './errors.ts'
import { counter } from './metrics.ts'

export type Rate = { count: number; windowMs: number }

export type Taken = {
  allowed: boolean
  /** How many more could be taken now. */
  remaining: number
  /** Until all of them can be. */
  resetSeconds: number
  /** Until the next one can be; 0 while one can. */
  retryAfterSeconds: number
}

/** What is left of a limit for one caller. */
export type Left = {
  /** Of the limit, as SOUK_LIMITS has it. */
  name: string
  rate: Rate
  taken: Taken
  /** What to throw when it was not allowed. */
  refusal(): AppError
}

type RateLimit = { rate: Rate; take(key: string): Taken }

const MAX_KEYS = 10_000

/** By the limit, as SOUK_LIMITS or docs/limits.md names it. */
export const rateLimitedTotal = counter('souk_rate_limited_total', 'Requests rejected by a limit', ['limit'])

export function createRateLimit(input: { rate: Rate; clock: Clock; maxKeys?: number }): RateLimit {
  const { rate, clock, maxKeys = MAX_KEYS } = input
  const { count, windowMs } = rate
  const full = count * windowMs
  const levels = new Map<string, { level: number; at: number }>()

  function levelAt(key: string, now: number): number {
    const before = levels.get(key)
    if (!before) return 0
    // A clock that was set back drains nothing; from there on it counts on.
    const passed = Math.min(windowMs, Math.max(0, now - before.at))
    return Math.max(0, before.level - passed * count)
  }

  return {
    rate,
    take(key) {
      const now = clock.now().getTime()
      const level = levelAt(key, now)
      const allowed = level + windowMs <= full
      const next = allowed ? level + windowMs : level
      // Written anew, so that the first of the map is the one that was asked for longest ago.
      levels.delete(key)
      levels.set(key, { level: next, at: now })
      if (levels.size > maxKeys) forgetOldest(levels)
      return {
        allowed,
        remaining: Math.floor((full - next) / windowMs),
        resetSeconds: secondsUntil(next, count),
        retryAfterSeconds: secondsUntil(next + windowMs - full, count),
      }
    },
  }
}

function forgetOldest(levels: Map<string, unknown>): void {
  const [oldest] = levels.keys()
  if (oldest !== undefined) levels.delete(oldest)
}

function secondsUntil(drained: number, count: number): number {
  return drained <= 0 ? 0 : Math.ceil(drained / count / 1_000)
}

/** The refusal; `said` is what was done too often, without its end: `600 searches a minute were made from this network`. */
export function rateLimited(refused: { limit: string; said: string; rate: Rate; taken: Taken }): AppError {
  const { limit, said, rate, taken } = refused
  rateLimitedTotal.inc(limit)
  const seconds = Math.max(1, taken.retryAfterSeconds)
  return new AppError('rate_limited', `${said}; try again in ${waitWords(seconds)}`, {
    code: 'rate_limited',
    max: rate.count,
    retryAfterSeconds: seconds,
  })
}

export function waitWords(seconds: number): string {
  if (seconds === 1) return '1 second'
  if (seconds < 90) return `${seconds} seconds`
  const minutes = Math.ceil(seconds / 60)
  return minutes < 90 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`
}

const UNITS: ReadonlyArray<readonly [number, string]> = [
  [1_000, 'second'],
  [60_000, 'minute'],
  [3_600_000, 'hour'],
  [86_400_000, 'day'],
]

/** `60 files an hour` */
export function rateWords({ count, windowMs }: Rate, one: string, many: string): string {
  const unit = UNITS.find(([ms]) => ms === windowMs)?.[1] ?? `${windowMs / 1_000} seconds`
  const per = unit === 'hour' ? 'an hour' : `a ${unit}`
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many} ${per}`
}
