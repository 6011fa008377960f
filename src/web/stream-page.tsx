/**
 * A page that is shown before all of it is known. What is there is sent at once, with a hole; what comes later is written
 * into the hole as it comes; then the page is closed. Browsers show each piece on arrival, with or without scripts, so
 * this is also how progress is told. The status is 200 from the first byte on: what fails later is said in words.
 */
import type { Context } from 'hono'
import { raw } from 'hono/html'
import { stream } from 'hono/streaming'
import type { HttpEnv } from '../http/env.ts'
import { asAppError, logFault } from '../http/error-response.ts'
import { pageHeaders } from './page-headers.ts'

/** Written by nobody else: text of others is escaped, and escaped text holds no comment. */
const HOLE = '<!--hole-->'

/** Where in the page the later pieces come to stand. */
export function Hole() {
  return raw(HOLE)
}

export type Fill = (write: (html: string) => Promise<void>, signal: AbortSignal) => Promise<void>

/** The signal is aborted when the reader has gone. A fault in `fill` is logged, and the reader is told in the page. */
export function streamPage(c: Context<HttpEnv>, page: string, fill: Fill): Response {
  const at = page.indexOf(HOLE)
  if (at < 0) throw new Error('a streamed page has no hole')
  // A proxy that gathers an answer before it passes it on would show nothing until the end.
  const headers = {
    ...pageHeaders(null),
    'Content-Type': 'text/html; charset=utf-8',
    'X-Accel-Buffering': 'no',
  }
  for (const [name, value] of Object.entries(headers)) c.header(name, value)
  // Nobody reads the body of a HEAD: the first write would wait for ever.
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
      That did not work: {text.replace(/\.$/, '')}.
    </p>
  )
}
