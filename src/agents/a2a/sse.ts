/**
 * A stream of answers as server-sent events. An event is made only when the client has taken the one before; when the
 * client goes, the generator behind it ends too, so nobody waits for news that nobody reads.
 */
import { formatSSEErrorEvent, formatSSEEvent } from '@a2a-js/sdk'

export const SSE_HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  // Proxies hold answers back to send them in one piece.
  'X-Accel-Buffering': 'no',
}

type SseOptions = {
  /** Of the events, when it was taken before, to know before the answer begins whether there is one. */
  first?: IteratorResult<unknown, void>
  /** An event as it goes out. */
  write?(event: unknown): unknown
  /** Gives the last event of a stream that breaks. */
  toError(error: unknown): unknown
  /** Nothing more is sent: wakes the generator from whatever it waits for, if it still does. */
  hangUp(): void
}

export function toSse(
  events: AsyncGenerator<unknown, void, undefined>,
  { first, write = (event) => event, toError, hangUp }: SseOptions,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let taken = first
  let left = false
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const next = taken ?? (await events.next())
          taken = undefined
          // A client that left while the event was being made has closed the stream already.
          if (left) return
          if (!next.done) return controller.enqueue(encoder.encode(formatSSEEvent(write(next.value))))
          hangUp()
          controller.close()
        } catch (error) {
          if (left) return
          hangUp()
          controller.enqueue(encoder.encode(formatSSEErrorEvent(toError(error))))
          controller.close()
        }
      },
      async cancel() {
        left = true
        hangUp()
        await events.return()
      },
    },
    { highWaterMark: 0 },
  )
}
