/** What the middleware leaves for the handlers. */
import type { Log } from '../lib/log.ts'

export type HttpEnv = {
  Variables: {
    requestId: string
    log: Log
  }
}
