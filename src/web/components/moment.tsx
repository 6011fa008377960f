/** A moment to the minute, always UTC. */
import { formatDate, isoDay } from '../format.ts'

export function Moment({ at }: { at: Date }) {
  return (
    <time datetime={at.toISOString()}>
      {formatDate(isoDay(at))}, {at.toISOString().slice(11, 16)} UTC
    </time>
  )
}
