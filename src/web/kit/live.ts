/**
 * Tells an open page that its list has changed, by server-sent events that say no more than that: the page asks for the
 * list again with the reader's own rights. A stream ends by itself after a while, when the node stops and when the reader
 * may no longer look; the browser comes back, to whichever node answers. Who does not ask for a stream hears it once.
 */
import { createHash } from 'node:crypto'
import type { Context } from 'hono'
import { AppError } from '../../lib/errors.ts'

/** Of one account on one node. A browser that is refused asks now and then instead. */
const MOST_EACH = 6
const LONGEST_MS = 5 * 60_000
/** A reader that is gone is noticed, and proxies keep the connection. */
const BEAT_MS = 25_000
/** Of many changes at once the page hears once. */
const REST_MS = 1_000
const RETRY_MS = 2_000

type LiveOptions = {
  account: string
  /** What the list shows now, in any form. Throws an AppError when the reader may no longer look. */
  look(): Promise<unknown>
  /** Resolves when something may have changed, or when it is aborted. */
  wait(signal: AbortSignal): Promise<void>
  stopping: AbortSignal
}

const open = new Map<string, number>()

export async function sendLive(c: Context, options: LiveOptions): Promise<Response> {
  const { account, look, stopping } = options
  const version = async () => versionOf(await look())
  const first = await version()
  if (!c.req.header('accept')?.includes('text/event-stream'))
    return c.json({ version: first }, 200, { 'Cache-Control': 'no-store' })
  const count = open.get(account) ?? 0
  if (count >= MOST_EACH || stopping.aborted)
    throw new AppError('rate_limited', 'too many pages of yours are listening', { retryAfterSeconds: 15 })
  const headers = {
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-store',
    // Proxies hold answers back to send them in one piece.
    'X-Accel-Buffering': 'no',
  }
  if (c.req.method === 'HEAD') return c.body(null, 200, headers)
  open.set(account, count + 1)
  return c.body(streamOf(first, { ...options, version }), 200, headers)
}

function streamOf(
  first: string,
  { account, version, wait, stopping }: LiveOptions & { version: () => Promise<string> },
): ReadableStream<Uint8Array> {
  const gone = new AbortController()
  const until = AbortSignal.any([gone.signal, stopping, AbortSignal.timeout(LONGEST_MS)])
  const encoder = new TextEncoder()
  let beat: NodeJS.Timeout | undefined
  const leave = () => {
    clearInterval(beat)
    const left = (open.get(account) ?? 1) - 1
    if (left > 0) open.set(account, left)
    else open.delete(account)
  }
  return new ReadableStream({
    start(controller) {
      const send = (text: string) => {
        if (!gone.signal.aborted) controller.enqueue(encoder.encode(text))
      }
      send(`retry: ${RETRY_MS}\n\n${eventOf(first)}`)
      beat = setInterval(send, BEAT_MS, ':\n\n')
      const follow = async () => {
        for (let last = first; !until.aborted; ) {
          await wait(until)
          if (until.aborted) return
          const next = await version()
          if (next !== last) send(eventOf(next))
          last = next
          await pause(until)
        }
      }
      // Whatever ended it, the browser asks again and hears why.
      follow()
        .catch(() => {})
        .finally(() => {
          leave()
          if (!gone.signal.aborted) controller.close()
        })
    },
    cancel() {
      gone.abort()
    },
  })
}

function eventOf(version: string): string {
  return `data: ${version}\n\n`
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, REST_MS)
    function done() {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    signal.addEventListener('abort', done, { once: true })
    if (signal.aborted) done()
  })
}

function versionOf(seen: unknown): string {
  return createHash('sha256').update(JSON.stringify(seen)).digest('base64url').slice(0, 16)
}
