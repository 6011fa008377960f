/**
 * How many streams one caller may hold open on a node. A stream costs a connection and memory for as long as its client
 * likes; whoever wants to follow many tasks asks to be notified instead.
 */
import { whoOf } from '../../accounts/window-limit.service.ts'
import { AppError } from '../../lib/errors.ts'
import type { A2aCaller } from './context.ts'

export const OPEN_STREAMS = 20
/** About what a request for quote takes; by then a stream has ended by itself. */
const RETRY_SECONDS = 30

type StreamPlaces = {
  /** The same events; before the first of them it throws `rate_limited` when the caller has no place left. */
  hold<Event>(caller: A2aCaller, events: AsyncGenerator<Event, void>): AsyncGenerator<Event, void>
}

export function createStreamPlaces(): StreamPlaces {
  const open = new Map<string, number>()

  function add(who: string, change: 1 | -1): void {
    const count = (open.get(who) ?? 0) + change
    if (count > 0) open.set(who, count)
    else open.delete(who)
  }

  return {
    async *hold(caller, events) {
      const who = whoOf(caller)
      if ((open.get(who) ?? 0) >= OPEN_STREAMS)
        throw new AppError(
          'rate_limited',
          `${OPEN_STREAMS} streams are open already; close one first, or ask to be notified`,
          { code: 'rate_limited', max: OPEN_STREAMS, retryAfterSeconds: RETRY_SECONDS },
        )
      add(who, 1)
      try {
        yield* events
      } finally {
        add(who, -1)
      }
    },
  }
}
