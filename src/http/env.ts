/** What the middleware leaves for the handlers. */
import type { Context } from 'hono'
import type { Log } from '../lib/log.ts'

export type HttpEnv = {
  Variables: {
    requestId: string
    nodeLog: Log
  }
}

/** A log that names the request; made only when there is something to say, because most requests have nothing. */
export function requestLog(c: Context<HttpEnv>): Log {
  return c.get('nodeLog').child({ requestId: c.get('requestId') })
}
