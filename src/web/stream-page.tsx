/**
 * Streams a page before all of it is known. The page goes out up to its hole, later pieces fill the hole as they come,
 * then the rest follows. Browsers render each piece on arrival without scripts, so this also shows progress. The status
 * is 200 from the first byte; a later failure is reported in the page.
 */
import type { Context } from 'hono'
import { raw } from 'hono/html'
import { stream } from 'hono/streaming'
import type { HttpEnv } from '../http/env.ts'
import { asAppError, logFault } from '../http/error-response.ts'
import { sentence } from './format.ts'
import { pageHeaders } from './page.http.ts'

/** Users' text cannot contain it, because escaped text has no comments. */
const HOLE = '<!--hole-->'

/** Marks where later pieces go. */
export function Hole() {
  return raw(HOLE)
}

export type Fill = (write: (html: string) => Promise<void>, signal: AbortSignal) => Promise<void>

/** The signal aborts when the reader leaves. An error in `fill` is logged and shown in the page. */
export function streamPage(c: Context<HttpEnv>, page: string, fill: Fill): Response {
  const at = page.indexOf(HOLE)
  if (at < 0) throw new Error('a streamed page has no hole')
  // A buffering proxy would show nothing until the end.
  const headers = {
    ...pageHeaders(null),
    'Content-Type': 'text/html; charset=utf-8',
    'X-Accel-Buffering': 'no',
  }
  for (const [name, value] of Object.entries(headers)) c.header(name, value)
  // The body of a HEAD is never read, so the first write would never finish.
  if (c.req.method === 'HEAD') return c.body(null)
  return stream(c, async (out) => {
    const gone = new AbortController()
    out.onAbort(() => gone.abort())
    await out.write(page.slice(0, at))
    try {
      await fill(async (html) => {
        await out.write(html)
      }, gone.signal)
    } catch (raised) {
      const error = asAppError(raised)
      logFault(c, error)
      if (!gone.signal.aborted) await out.write(String(<Sorry text={error.message} />))
    }
    await out.write(page.slice(at + HOLE.length))
  })
}

function Sorry({ text }: { text: string }) {
  return (
    <p class="failed" role="alert">
      {sentence(text)}
    </p>
  )
}
