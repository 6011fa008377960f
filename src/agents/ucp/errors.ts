/**
 * A refusal in UCP's own form: `{ code, content }` under an HTTP status, for what keeps a request from being handled at
 * all. What was handled and found wanting (a product that is not there) is an answer with status 200 instead.
 */
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { HttpEnv } from '../../http/env.ts'
import { asAppError, logFault, STATUS, sayWhen } from '../../http/error-response.ts'
import type { AppError, ErrorKind } from '../../lib/errors.ts'

export type Refusal = { status: ContentfulStatusCode; code: string; content: string }

/** Only for what UCP names itself; everything else is an AppError as everywhere. */
export class UcpError extends Error {
  readonly refusal: Refusal

  constructor(status: ContentfulStatusCode, code: string, content: string) {
    super(content)
    this.name = 'UcpError'
    this.refusal = { status, code, content }
  }
}

const CODES: Partial<Record<ErrorKind, string>> = {
  invalid: 'invalid_request',
  too_large: 'request_too_large',
  rate_limited: 'rate_limited',
  unavailable: 'unavailable',
  internal: 'internal_error',
}

/** `continueUrl`: where a person can go on without UCP. */
export function respondRefusal(c: Context<HttpEnv>, raised: unknown, continueUrl: string): Response {
  if (raised instanceof UcpError) {
    const { status, ...said } = raised.refusal
    return c.json({ ...said, continue_url: continueUrl }, status)
  }
  const error = asAppError(raised)
  logFault(c, error)
  sayWhen(c, error)
  return c.json({ code: codeOf(error), content: error.message }, STATUS[error.kind])
}

/** A batch that is too long has a code of its own, though it is a mistake in the request like any other (400). */
function codeOf({ kind, field, max }: AppError): string {
  if (field === 'ids' && max !== undefined) return 'request_too_large'
  return CODES[kind] ?? kind
}
