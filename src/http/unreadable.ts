/**
 * The answer to what never reaches a route: a Host that names nothing, a target that is no address. It looks like every
 * other refusal, so that whoever made the mistake can read which it was.
 */
import { AppError } from '../lib/errors.ts'
import { newId } from '../lib/ids.ts'
import type { Log } from '../lib/log.ts'
import { asAppError, envelope, logFaultAt, STATUS } from './error-response.ts'
import { securityHeaders } from './middleware.ts'

export function createUnreadableAnswer({ https, log }: { https: boolean; log: Log }) {
  const common = Object.fromEntries(securityHeaders(https))
  return (raised: unknown): Response => {
    const unreadable = raised instanceof Error && raised.name === 'RequestError'
    if (!unreadable) logFaultAt(log, '', raised)
    const error = unreadable
      ? new AppError('invalid', 'the address or the Host header of this request cannot be read')
      : asAppError(raised)
    return Response.json(envelope(error), {
      status: STATUS[error.kind],
      headers: { ...common, 'X-Request-Id': newId(), 'Cache-Control': 'no-store' },
    })
  }
}
