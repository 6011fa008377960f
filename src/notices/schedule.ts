/**
 * When a notice may be sent: a minute after it happened, so that what happens together is one mail; or in the morning
 * for people who want one mail a day; and never in a person's quiet hours. Hours are those of the person's clock, over
 * midnight and through changes to and from summer time.
 */

export type Schedule = {
  digest: 'instant' | 'daily'
  /** Minutes of the day; null without quiet hours. `from` may be after `to`, over midnight. */
  quiet: { from: number; to: number } | null
  /** IANA. */
  timeZone: string
}

export const GATHER_MS = 60_000
/** Eight in the morning. */
export const DIGEST_MINUTE = 8 * 60

const MINUTE_MS = 60_000
const DAY_MINUTES = 24 * 60

/** The first moment from `now` on at which it may be sent. */
export function sendAt(
  { createdAt, daily }: { createdAt: Date; daily: boolean },
  schedule: Schedule,
  now: Date,
): Date {
  const { timeZone, quiet } = schedule
  const ready =
    daily || schedule.digest === 'daily'
      ? nextAt(createdAt, DIGEST_MINUTE, timeZone)
      : new Date(createdAt.getTime() + GATHER_MS)
  const from = ready > now ? ready : now
  return quiet !== null && isWithin(quiet, minuteOf(from, timeZone)) ? nextAt(from, quiet.to, timeZone) : from
}

/** From `from` until just before `to`; equal, they are the whole day. */
function isWithin({ from, to }: { from: number; to: number }, minute: number): boolean {
  return from < to ? from <= minute && minute < to : minute >= from || minute < to
}

/**
 * The next moment after `after` at which clocks in the zone show this minute of the day. On the day that skips it,
 * the moment is later by as much as was skipped.
 */
function nextAt(after: Date, minute: number, timeZone: string): Date {
  const start = Math.floor(after.getTime() / MINUTE_MS) * MINUTE_MS
  const wait = (minute - minuteOf(after, timeZone) + DAY_MINUTES) % DAY_MINUTES || DAY_MINUTES
  const plainly = new Date(start + wait * MINUTE_MS)
  // Clocks were changed in between: as many minutes off as they were changed by.
  const off = minuteOf(plainly, timeZone) - minute
  const corrected = new Date(plainly.getTime() - (wrapped(off) || 0) * MINUTE_MS)
  const isShown = minuteOf(corrected, timeZone) === minute && corrected > after
  return isShown ? corrected : plainly
}

/** Between half a day before and half a day after. */
function wrapped(minutes: number): number {
  const half = DAY_MINUTES / 2
  return ((((minutes + half) % DAY_MINUTES) + DAY_MINUTES) % DAY_MINUTES) - half
}

const clocks = new Map<string, Intl.DateTimeFormat>()

/** The minute of the day that clocks in the zone show. */
function minuteOf(moment: Date, timeZone: string): number {
  let clock = clocks.get(timeZone)
  if (!clock) {
    clock = new Intl.DateTimeFormat('en-US', {
      timeZone: isTimeZone(timeZone) ? timeZone : 'UTC',
      hourCycle: 'h23',
      hour: 'numeric',
      minute: 'numeric',
    })
    clocks.set(timeZone, clock)
  }
  const parts = clock.formatToParts(moment)
  const read = (type: string) => Number(parts.find((part) => part.type === type)?.value ?? 0)
  return read('hour') * 60 + read('minute')
}

/** Every zone that a person can choose, UTC first. */
export function timeZones(): string[] {
  return ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')]
}

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name })
    return true
  } catch {
    return false
  }
}
