/** The REST face's mapper from a kind of error to status and envelope (interface 2.1). */
import type { Context, Hono } from 'hono'
import { METHOD_NAME_ALL } from 'hono/router'
import { TrieRouter } from 'hono/router/trie-router'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { isDatabaseTrouble, isUnstorable } from '../db/database.ts'
import { AppError, type ErrorKind, unavailable } from '../lib/errors.ts'
import { newId } from '../lib/ids.ts'
import type { Log } from '../lib/log.ts'
import type { HttpEnv } from './env.ts'
import { securityHeaders } from './middleware.ts'
import { loggedPath } from './secret-path.ts'

export const STATUS: Record<ErrorKind, ContentfulStatusCode> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  too_large: 413,
  unprocessable: 422,
  rate_limited: 429,
  upstream: 502,
  unavailable: 503,
  internal: 500,
}

type ErrorEnvelope = {
  error: string
  field?: string
  max?: number
  valid?: readonly string[]
  code?: string
}

const BACK_SOON_SECONDS = 5

/**
 * What is not an AppError is a fault of ours: its message is for the log, never for the caller. Trouble with the database
 * passes, so the answer says when to come back. A character that no text may have is the caller's, wherever it stood.
 */
export function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  if (isDatabaseTrouble(error))
    return unavailable('the service is temporarily unavailable; try again shortly', BACK_SOON_SECONDS, error)
  if (isUnstorable(error))
    return new AppError('invalid', 'the request contains a character that cannot be stored', {
      cause: error,
    })
  return new AppError(
    'internal',
    'something went wrong on our side; if it keeps happening, contact support with the request id',
    {
      code: 'internal',
      cause: error,
    },
  )
}

export function envelope(error: AppError): ErrorEnvelope {
  const { message, field, max, valid, code } = error
  return {
    error: message,
    ...(field !== undefined && { field }),
    ...(max !== undefined && { max }),
    ...(valid !== undefined && { valid }),
    ...(code !== undefined && { code }),
  }
}

/** Tells when trying again makes sense, if that is known; every face says it this way. */
export function sayWhen(c: Context<HttpEnv>, { retryAfterSeconds }: AppError): void {
  if (retryAfterSeconds !== undefined) c.header('Retry-After', String(retryAfterSeconds))
}

export function respondEnvelope(c: Context<HttpEnv>, error: AppError): Response {
  sayWhen(c, error)
  return c.json(envelope(error), STATUS[error.kind])
}

export function logFault(c: Context<HttpEnv>, error: unknown): void {
  logFaultAt(c.get('log'), loggedPath(c.req.path), error)
}

/** The same where there is no router. What was the caller's mistake is no line in the log. */
export function logFaultAt(log: Log, path: string, raised: unknown): void {
  const error = asAppError(raised)
  if (STATUS[error.kind] < 500) return
  // What is refused for the moment is refused to many at once: a line without a stack is enough.
  if (error.kind === 'unavailable') log.warn({ path, reason: reasonOf(error) }, 'request rejected for now')
  else log.error({ err: error.cause ?? error, path }, 'request failed')
}

function reasonOf({ cause, message }: AppError): string {
  return cause instanceof Error ? cause.message : message
}

/**
 * The answer to what never reaches a route: a Host that names nothing, a target that is no address. It looks like every
 * other refusal, so that the sender can read what was wrong.
 */
export function createUnreadableAnswer({ https, log }: { https: boolean; log: Log }) {
  const common = Object.fromEntries(securityHeaders(https))
  return (raised: unknown): Response => {
    const unreadable = raised instanceof Error && raised.name === 'RequestError'
    if (!unreadable) logFaultAt(log, '', raised)
    const error = unreadable
      ? new AppError('invalid', "the request's address or Host header is not valid")
      : asAppError(raised)
    return Response.json(envelope(error), {
      status: STATUS[error.kind],
      headers: { ...common, 'X-Request-Id': newId(), 'Cache-Control': 'no-store' },
    })
  }
}

/**
 * Tells a path that does not exist (404) from one that exists for another method (405 with `Allow`). Call after every
 * route is mounted.
 */
export function createAllowedMethods(app: Hono<HttpEnv>): (path: string) => string[] {
  const router = new TrieRouter<string>()
  for (const route of app.routes) {
    // Middleware stands for every method and says nothing about what exists.
    if (route.method !== METHOD_NAME_ALL) router.add(METHOD_NAME_ALL, route.path, route.method)
  }
  return (path) => {
    const [found] = router.match(METHOD_NAME_ALL, withoutTrailingSlash(path))
    const methods = new Set(found.map(([method]) => method))
    if (methods.has('GET')) methods.add('HEAD')
    return [...methods].sort()
  }
}

function withoutTrailingSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}
