/**
 * The one error the domain throws. Services speak of kinds ("not_found"), never of HTTP;
 * each face (REST, tools, OAuth, pages) has one small mapper from a kind to its own wire form.
 * The message is written for the caller and safe to show; whatever is not is `cause`, which only the log sees.
 */
export type ErrorKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'too_large'
  | 'unprocessable'
  | 'rate_limited'
  | 'upstream'
  | 'unavailable'
  | 'internal'

export type ErrorCode =
  | 'EMAIL_UNVERIFIED_CODE'
  | 'no_verified_relationship'
  | 'domain_mismatch'
  | 'unauthenticated'
  | 'not_a_producer'
  | 'org_deactivated'
  | 'not_owner_or_admin'
  | 'org_unverified'
  | 'domain_unverified'
  | 'private_address'
  | 'card_unreachable'
  | 'card_lacks_skill'
  | 'quota_exceeded'
  | 'rate_limited'
  | 'body_too_large'
  | 'not_found'
  | 'conflict'
  | 'search_unavailable'
  | 'internal'

export type ErrorDetails = {
  code?: ErrorCode
  /** The offending input, in the caller's own words: `filters.max_price`. */
  field?: string
  /** The limit that was exceeded. */
  max?: number
  /** The accepted values. */
  valid?: readonly string[]
  /** When trying again makes sense. */
  retryAfterSeconds?: number
  cause?: unknown
}

export class AppError extends Error {
  readonly kind: ErrorKind
  readonly code?: ErrorCode
  readonly field?: string
  readonly max?: number
  readonly valid?: readonly string[]
  readonly retryAfterSeconds?: number

  constructor(kind: ErrorKind, message: string, details: ErrorDetails = {}) {
    // Both may repeat what was sent, and strict readers take no JSON with half a surrogate pair in it.
    super(message.toWellFormed(), { cause: details.cause })
    this.name = 'AppError'
    this.kind = kind
    this.code = details.code
    this.field = details.field?.toWellFormed()
    this.max = details.max
    this.valid = details.valid
    this.retryAfterSeconds = details.retryAfterSeconds
  }
}

/** What is wrong with one field of what was sent. */
export function invalid(field: string, message: string, details: Omit<ErrorDetails, 'field'> = {}): AppError {
  return new AppError('invalid', message, { ...details, field })
}

/** The caller is known and may not. */
export function forbidden(message: string, code?: ErrorCode, details: ErrorDetails = {}): AppError {
  return new AppError('forbidden', message, { ...details, ...(code && { code }) })
}

export function unavailable(message: string, retryAfterSeconds: number, cause?: unknown): AppError {
  return new AppError('unavailable', message, { retryAfterSeconds, cause })
}

/** A refusal whose code for programs is its kind. */
export function conflict(message: string, details: Omit<ErrorDetails, 'code'> = {}): AppError {
  return new AppError('conflict', message, { ...details, code: 'conflict' })
}

export function notFound(message: string, details: Omit<ErrorDetails, 'code'> = {}): AppError {
  return new AppError('not_found', message, { ...details, code: 'not_found' })
}

export function unauthenticated(message: string): AppError {
  return new AppError('unauthenticated', message, { code: 'unauthenticated' })
}
