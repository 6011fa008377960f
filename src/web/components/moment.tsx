/** A moment: to the minute, as its day, or as how long ago it was. Always UTC. */
import { countOf, formatDate, isoDay } from '../format.ts'

/** "November 15, 2026, 14:05 UTC" */
export function momentWords(at: Date): string {
  return `${formatDate(isoDay(at))}, ${at.toISOString().slice(11, 16)} UTC`
}

export function Moment({ at }: { at: Date }) {
  return <time datetime={at.toISOString()}>{momentWords(at)}</time>
}

export function Day({ at }: { at: Date }) {
  return <time datetime={at.toISOString()}>{formatDate(isoDay(at))}</time>
}

const MINUTE = 60_000
const UNITS = [
  { unit: 'day', ms: 1_440 * MINUTE },
  { unit: 'hour', ms: 60 * MINUTE },
  { unit: 'minute', ms: MINUTE },
] as const
const OLD_MS = 30 * 1_440 * MINUTE

/** "2 hours ago", and after a month the day; the exact time is its title. */
export function Ago({ at, now }: { at: Date; now: Date }) {
  return (
    <time datetime={at.toISOString()} title={momentWords(at)}>
      {agoWords(at, now)}
    </time>
  )
}

export function agoWords(at: Date, now: Date): string {
  const passed = now.getTime() - at.getTime()
  if (passed >= OLD_MS) return `on ${formatDate(isoDay(at))}`
  const found = UNITS.find(({ ms }) => passed >= ms)
  if (!found) return 'just now'
  return `${countOf(Math.floor(passed / found.ms), found.unit)} ago`
}
