/** A time as `<time>`: to the minute, as a date, or relative to now. Always UTC. */
import { DAY_MS, HOUR_MS } from '../../lib/clock.ts'
import { countOf, formatDate } from '../format.ts'

/** "November 15, 2026, 14:05 UTC" */
export function momentWords(at: Date): string {
  return `${formatDate(at)}, ${at.toISOString().slice(11, 16)} UTC`
}

export function Moment({ at }: { at: Date }) {
  return <time datetime={at.toISOString()}>{momentWords(at)}</time>
}

export function Day({ at }: { at: Date }) {
  return <time datetime={at.toISOString()}>{formatDate(at)}</time>
}

const UNITS = [
  { unit: 'day', ms: DAY_MS },
  { unit: 'hour', ms: HOUR_MS },
  { unit: 'minute', ms: 60_000 },
] as const
const OLD_MS = 30 * DAY_MS

/** "2 hours ago", or the date after 30 days. The title has the exact time. */
export function Ago({ at, now }: { at: Date; now: Date }) {
  return (
    <time datetime={at.toISOString()} title={momentWords(at)}>
      {agoWords(at, now)}
    </time>
  )
}

export function agoWords(at: Date, now: Date): string {
  const passed = now.getTime() - at.getTime()
  if (passed >= OLD_MS) return `on ${formatDate(at)}`
  const found = UNITS.find(({ ms }) => passed >= ms)
  if (!found) return 'just now'
  return `${countOf(Math.floor(passed / found.ms), found.unit)} ago`
}

/** "in 23 hours": rounded down, so that nobody counts on more time than there is. */
export function untilWords(at: Date, now: Date): string {
  const left = at.getTime() - now.getTime()
  const found = UNITS.find(({ ms }) => left >= ms)
  return found ? `in ${countOf(Math.floor(left / found.ms), found.unit)}` : 'in less than a minute'
}
