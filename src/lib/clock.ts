/** Time is an argument, so that expiry, leases and deadlines can be tested without waiting. */
export type Clock = { now(): Date }

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS

/** The day of a moment, in UTC: "2026-11-15". */
export function isoDay(moment: Date): string {
  return moment.toISOString().slice(0, 10)
}

export const systemClock: Clock = { now: () => new Date() }

/** A clock that stands still until told to move. */
export function manualClock(start: Date | string = '2026-01-01T00:00:00Z'): Clock & {
  advance(ms: number): void
  set(time: Date | string): void
} {
  let time = new Date(start).getTime()
  return {
    now: () => new Date(time),
    advance: (ms) => {
      time += ms
    },
    set: (to) => {
      time = new Date(to).getTime()
    },
  }
}
