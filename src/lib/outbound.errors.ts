/**
 * Why an outbound request did not give an answer. The message is written for the person who gave the address and is
 * safe to show: it holds at most the host they gave, never a path, header, body, secret or a resolved address
 * (which would tell an outsider how the inside is numbered). The wire library's own errors are not kept as
 * `cause`, because some of them carry bytes of the response; `detail` is their short code, for the log.
 */
export type OutboundReason =
  | 'invalid_url'
  | 'scheme'
  | 'private_address'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'too_large'
  | 'redirect'
  | 'encoding'
  | 'aborted'
  | 'protocol'

export class OutboundError extends Error {
  readonly reason: OutboundReason
  /** A code such as ECONNREFUSED or CERT_HAS_EXPIRED. */
  readonly detail?: string
  /** Where a redirect leads, as it was sent. No log needs it, and it may hold a secret. */
  readonly #location?: string

  constructor(reason: OutboundReason, message: string, detail?: string, location?: string) {
    super(message)
    this.name = 'OutboundError'
    this.reason = reason
    this.detail = detail
    this.#location = location
  }

  get location(): string | undefined {
    return this.#location
  }
}

export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}
